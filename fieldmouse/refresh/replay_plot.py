"""Draw a replay: freshness over time, and freshness against budget, as one HTML file without scripts."""

import html
import math
from collections.abc import Sequence
from pathlib import Path

from .replay import ReplayReport

COLOURS = (
    *("#1b6ca8", "#c8553d", "#588b3a", "#8e5ba6", "#b8860b", "#3aa6a0"),
    *("#7a7a7a", "#d26a9a", "#444", "#a0522d", "#2f4b9e", "#c2185b"),
)
WIDTH, HEIGHT, EDGE = 860, 340, 56
# Names in a row of the legend: as many as have room next to each other.
LEGEND = 6
STYLE = (
    "body{font:15px sans-serif;max-width:900px;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}"
    "td,th{padding:.25em .6em;text-align:right;border-bottom:1px solid #ddd}"
    "td:first-child,th:first-child{text-align:left}td{white-space:nowrap}svg{margin:1em 0}"
)
COLUMNS = (
    *("policy", "budget", "freshness", "weighted", "stale", "of optimum's", "stale, changing"),
    *("age, days", "fetches", "wasted"),
)
Points = Sequence[tuple[float, float]]


def plot(report: ReplayReport, path: Path) -> None:
    """Write the drawing of a report to a file."""
    names = list(dict.fromkeys(score.policy for score in report.scores))
    budgets = sorted({score.budget for score in report.scores})
    parts = []
    for budget in budgets:
        curves: dict[str, Points] = {}
        for name in names:
            # The mean of each week, so that a year is readable.
            days = report.daily[name, budget]
            weeks = [days[at : at + 7] for at in range(0, len(days), 7)]
            curves[name] = [(7.0 * place, sum(week) / len(week)) for place, week in enumerate(weeks)]
        title = f"Freshness over time, {budget:g} of the pages a day"
        parts.append(chart(title, "days", curves, warmup=report.warmup))
    if len(budgets) > 1:
        # Budgets differ by factors, so they are as far apart as their logarithms.
        curves = {
            name: sorted((math.log(s.budget), s.freshness) for s in report.scores if s.policy == name)
            for name in names
        }
        ticks = [(math.log(budget), f"{budget:g}") for budget in budgets]
        parts.append(chart("Freshness against budget", "share of pages a day", curves, ticks))
    rows = "".join(
        f"<tr><td>{html.escape(s.policy)}<td>{s.budget:g}<td>{s.freshness:.4f} ({s.low:.4f} to {s.high:.4f})"
        f"<td>{s.weighted_freshness:.4f}<td>{s.stale:.4f}<td>{'' if ratio is None else f'{ratio:.2f}'}"
        f"<td>{s.changing_stale:.4f}<td>{s.age_days:.2f}<td>{s.fetches}<td>{s.wasted}</tr>"
        for s, ratio in zip(report.scores, report.ratios(), strict=True)
    )
    table = f"<table><tr>{''.join(f'<th>{name}' for name in COLUMNS)}</tr>{rows}</table>"
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in report.notes)
    path.write_text(
        f"<!doctype html><meta charset=utf-8><title>Replay</title><style>{STYLE}</style>"
        f"<h1>Replay</h1>{''.join(parts)}{table}<ul>{notes}</ul>\n",
        encoding="utf-8",
    )


def chart(
    title: str,
    along: str,
    curves: dict[str, Points],
    ticks: Sequence[tuple[float, str]] = (),
    warmup: float = 0.0,
) -> str:
    """Lines with axes and a legend, as SVG: with dots at these ticks, or else with days as ticks."""
    points = [point for curve in curves.values() for point in curve]
    across, up = [x for x, _ in points] or [0.0], [y for _, y in points] or [0.0]
    left, right = min(across), max(*across, min(across) + 1e-9)
    step = rounded((max(up) - min(up)) / 4)  # heights end at round figures
    low, high = math.floor(min(up) / step) * step, math.ceil(max(up) / step) * step
    high = max(high, low + step)

    def at(x: float, y: float) -> tuple[float, float]:
        wide, tall = WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE
        over = (x - left) / (right - left)
        return EDGE + wide * over, HEIGHT - EDGE - tall * (y - low) / (high - low)

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12" font-family="sans-serif">',
        f'<text x="{EDGE}" y="16" font-size="14" font-weight="bold">{html.escape(title)}</text>',
        f'<text x="{WIDTH - EDGE}" y="{HEIGHT - 16}" text-anchor="end">{html.escape(along)}</text>',
    ]
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(curves)}
    for place, name in enumerate(curves):
        column, row = EDGE + 124 * (place % LEGEND), 33 + 14 * (place // LEGEND)
        parts.append(f'<text x="{column}" y="{row}" fill="{colours[name]}">{html.escape(name)}</text>')
    begin, top = at(left, high)
    end, bottom = at(right, low)
    for part in range(5):
        height = low + (high - low) * part / 4
        y = at(left, height)[1]
        parts.append(f'<line x1="{begin:.1f}" y1="{y:.1f}" x2="{end:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(_label(begin - 8, y + 4, "end", f"{height:.4g}"))
    days = rounded((right - left) / 8)
    for x, text in ticks or [(days * k, f"{days * k:g}") for k in range(int(right / days) + 1)]:
        parts.append(_label(at(x, low)[0], bottom + 18, "middle", text))
    if warmup > 0:
        until = at(min(warmup, right), low)[0]
        parts.append(
            f'<rect x="{begin:.1f}" y="{top:.1f}" width="{until - begin:.1f}" '
            f'height="{bottom - top:.1f}" fill="#888" fill-opacity="0.1"/>'
            f'<text x="{begin + 6:.1f}" y="{bottom - 6:.1f}" fill="#888">warm-up, not measured</text>'
        )
    for name, curve in curves.items() if ticks else ():
        for x, y in (at(*point) for point in curve):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colours[name]}"/>')
    for name, curve in curves.items():
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in curve))
        parts.append(
            f'<polyline fill="none" stroke="{colours[name]}" stroke-width="1.5" points="{line}">'
            f"<title>{html.escape(name)}</title></polyline>"
        )
    return "".join([*parts, "</svg>"])


def rounded(step: float) -> float:
    """The next larger of 1, 2, 2.5 and 5 times a power of ten."""
    if step <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * factor for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if power * factor >= step * 0.999)


def _label(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#555">{text}</text>'
