"""Draw a replay: freshness over time, and freshness against budget, as one HTML file without scripts."""

import html
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .replay import ReplayReport

COLOURS = (
    "#1b6ca8",
    "#c8553d",
    "#588b3a",
    "#8e5ba6",
    "#b8860b",
    "#3aa6a0",
    "#7a7a7a",
    "#d26a9a",
    "#444",
    "#a0522d",
    "#2f4b9e",
    "#c2185b",
)
WIDTH, HEIGHT, EDGE = 860, 340, 56
# Names in a row of the legend: as many as have room beside each other.
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


class PlotFrame(NamedTuple):
    """What a chart shows: from where to where each way."""

    left: float
    right: float
    low: float
    high: float

    @classmethod
    def around(cls, points: Points) -> "PlotFrame":
        """The frame that holds all points; heights end at round figures."""
        across, up = [x for x, _ in points] or [0.0], [y for _, y in points] or [0.0]
        step = rounded((max(up) - min(up)) / 4)
        low, high = math.floor(min(up) / step) * step, math.ceil(max(up) / step) * step
        return cls(min(across), max(*across, min(across) + 1e-9), low, max(high, low + step))

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point is drawn."""
        wide, tall = WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE
        over = (x - self.left) / (self.right - self.left)
        return EDGE + wide * over, HEIGHT - EDGE - tall * (y - self.low) / (self.high - self.low)


def plot(report: ReplayReport, path: Path) -> None:
    """Write the drawing of a report to a file."""
    names = list(dict.fromkeys(score.policy for score in report.scores))
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}
    budgets = sorted({score.budget for score in report.scores})
    parts = [_over_time(report, names, budget, colours) for budget in budgets]
    if len(budgets) > 1:
        parts.append(_by_budget(report, names, budgets, colours))
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in report.notes)
    path.write_text(
        f"<!doctype html><meta charset=utf-8><title>Replay</title><style>{STYLE}</style>"
        f"<h1>Replay</h1>{''.join(parts)}{_table(report)}<ul>{notes}</ul>\n",
        encoding="utf-8",
    )


def _over_time(report: ReplayReport, names: Sequence[str], budget: float, colours: dict[str, str]) -> str:
    curves = {name: _weekly(report.daily[name, budget]) for name in names if (name, budget) in report.daily}
    frame = PlotFrame.around([point for curve in curves.values() for point in curve])
    step = rounded((frame.right - frame.left) / 8)
    days = [step * k for k in range(int(frame.right / step) + 1)]
    grey = _warm_up(frame, min(report.warmup, frame.right)) if report.warmup > 0 else ""
    ticks = [(day, f"{day:g}") for day in days]
    title = f"Freshness over time, {budget:g} of the pages a day"
    return chart(title, curves, colours, (frame, ticks, "days"), grey)


def _by_budget(
    report: ReplayReport, names: Sequence[str], budgets: Sequence[float], colours: dict[str, str]
) -> str:
    """Budgets differ by factors, so they stand as far apart as their logarithms."""
    curves: dict[str, Points] = {
        name: sorted((math.log(s.budget), s.freshness) for s in report.scores if s.policy == name)
        for name in names
    }
    frame = PlotFrame.around([point for curve in curves.values() for point in curve])
    ticks = [(math.log(budget), f"{budget:g}") for budget in budgets]
    dots = "".join(
        _dot(*frame.at(*point), colours[name]) for name, curve in curves.items() for point in curve
    )
    return chart("Freshness against budget", curves, colours, (frame, ticks, "share of pages a day"), dots)


def chart(
    title: str,
    curves: dict[str, Points],
    colours: dict[str, str],
    axes: tuple[PlotFrame, Sequence[tuple[float, str]], str],
    more: str = "",
) -> str:
    """Lines with axes and a legend, as SVG."""
    frame, ticks, along = axes
    lines = [_curve(name, [frame.at(*p) for p in curve], colours[name]) for name, curve in curves.items()]
    heights = [frame.low + (frame.high - frame.low) * k / 4 for k in range(5)]
    marks = [_rule(frame, height) for height in heights]
    marks += [_mark(*frame.at(x, frame.low), text, "middle") for x, text in ticks]
    legend = [
        f'<text x="{EDGE + 124 * (place % LEGEND)}" y="{33 + 14 * (place // LEGEND)}" fill="{colours[name]}">'
        f"{html.escape(name)}</text>"
        for place, name in enumerate(curves)
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12" font-family="sans-serif">'
        f'<text x="{EDGE}" y="16" font-size="14" font-weight="bold">{html.escape(title)}</text>'
        f'<text x="{WIDTH - EDGE}" y="{HEIGHT - 16}" text-anchor="end">{html.escape(along)}</text>'
        f"{''.join(legend)}{''.join(marks)}{more}{''.join(lines)}</svg>"
    )


def rounded(step: float) -> float:
    """The next larger of 1, 2, 2.5 and 5 times a power of ten."""
    if step <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * factor for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if power * factor >= step * 0.999)


def _curve(name: str, points: Points, colour: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    title = f"<title>{html.escape(name)}</title>"
    return f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{path}">{title}</polyline>'


def _warm_up(frame: PlotFrame, until: float) -> str:
    """A grey background for the days that are replayed and not measured."""
    left, top = frame.at(frame.left, frame.high)
    right, bottom = frame.at(until, frame.low)
    place = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    words = f'<text x="{left + 6:.1f}" y="{bottom - 6:.1f}" fill="#888">warm-up, not measured</text>'
    return f'<rect {place} fill="#888" fill-opacity="0.1"/>{words}'


def _rule(frame: PlotFrame, height: float) -> str:
    left, y = frame.at(frame.left, height)
    right, _ = frame.at(frame.right, height)
    line = f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
    return line + _mark(left, y, f"{height:.4g}", "end")


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'


def _mark(x: float, y: float, text: str, anchor: str) -> str:
    shift = 4 if anchor == "end" else 18
    x = x - 8 if anchor == "end" else x
    return f'<text x="{x:.1f}" y="{y + shift:.1f}" text-anchor="{anchor}" fill="#555">{text}</text>'


def _weekly(days: Sequence[float]) -> Points:
    """The mean of each week, so that a year is readable."""
    weeks = [days[at : at + 7] for at in range(0, len(days), 7)]
    return [(7.0 * place, sum(week) / len(week)) for place, week in enumerate(weeks)]


def _table(report: ReplayReport) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(s.policy)}<td>{s.budget:g}<td>{s.freshness:.4f} ({s.low:.4f} to {s.high:.4f})"
        f"<td>{s.weighted_freshness:.4f}<td>{s.stale:.4f}<td>{'' if ratio is None else f'{ratio:.2f}'}"
        f"<td>{s.changing_stale:.4f}<td>{s.age_days:.2f}<td>{s.fetches}<td>{s.wasted}</tr>"
        for s, ratio in zip(report.scores, report.ratios(), strict=True)
    )
    return f"<table><tr>{''.join(f'<th>{name}' for name in COLUMNS)}</tr>{rows}</table>"
