"""Draw a replay: freshness over time, and freshness against budget, as one HTML file without scripts."""

import html
from collections.abc import Sequence
from pathlib import Path

from .replay import Report

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
)
WIDTH, HEIGHT, EDGE = 860, 340, 56
Points = Sequence[tuple[float, float]]


def plot(report: Report, path: Path) -> None:
    """Write the drawing of a report to a file."""
    names = list(dict.fromkeys(score.policy for score in report.scores))
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}
    budgets = sorted({score.budget for score in report.scores})
    parts = [
        chart(
            f"Freshness over time, {budget:g} of the pages a day",
            {name: _weekly(report.daily[name, budget]) for name in names if (name, budget) in report.daily},
            colours,
            "days",
        )
        for budget in budgets
    ]
    if len(budgets) > 1:
        parts.append(
            chart("Freshness against budget", _against(report, names), colours, "share of pages a day")
        )
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in report.notes)
    path.write_text(
        "<!doctype html><meta charset=utf-8><title>Replay</title>"
        "<style>body{font:15px sans-serif;max-width:900px;margin:2em auto}</style>"
        f"<h1>Replay</h1>{''.join(parts)}{_table(report)}<ul>{notes}</ul>\n",
        encoding="utf-8",
    )


def chart(title: str, curves: dict[str, Points], colours: dict[str, str], along: str) -> str:
    """Lines with axes and a legend, as SVG."""
    points = [point for curve in curves.values() for point in curve] or [(0.0, 0.0)]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)
    across, up = max(right - left, 1e-9), max(high - low, 1e-9)

    def at(x: float, y: float) -> tuple[float, float]:
        wide, tall = WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE
        return EDGE + wide * (x - left) / across, HEIGHT - EDGE - tall * (y - low) / up

    lines = [_curve(name, [at(*point) for point in curve], colours[name]) for name, curve in curves.items()]
    marks = [_mark(*at(left, low + up * k / 4), f"{low + up * k / 4:.3f}", "end") for k in range(5)]
    marks += [
        _mark(*at(left + across * k / 4, low), f"{left + across * k / 4:.3g}", "middle") for k in range(5)
    ]
    legend = [
        f'<text x="{EDGE + 90 * (place % 8)}" y="{34 + 14 * (place // 8)}" fill="{colours[name]}">'
        f"{html.escape(name)}</text>"
        for place, name in enumerate(curves)
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12" font-family="sans-serif">'
        f'<text x="{EDGE}" y="16" font-size="14">{html.escape(title)}</text>'
        f'<text x="{WIDTH - EDGE}" y="{HEIGHT - 8}" text-anchor="end">{html.escape(along)}</text>'
        f"{''.join(legend)}{''.join(marks)}{''.join(lines)}</svg>"
    )


def _curve(name: str, points: Points, colour: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    title = f"<title>{html.escape(name)}</title>"
    return f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{path}">{title}</polyline>'


def _mark(x: float, y: float, text: str, anchor: str) -> str:
    shift = 4 if anchor == "end" else 18
    x = x - 8 if anchor == "end" else x
    return f'<text x="{x:.1f}" y="{y + shift:.1f}" text-anchor="{anchor}" fill="#555">{text}</text>'


def _weekly(days: Sequence[float]) -> Points:
    """The mean of each week, so that a year is a line and not a thicket."""
    weeks = [days[at : at + 7] for at in range(0, len(days), 7)]
    return [(7.0 * place, sum(week) / len(week)) for place, week in enumerate(weeks)]


def _against(report: Report, names: Sequence[str]) -> dict[str, Points]:
    return {
        name: sorted((score.budget, score.freshness) for score in report.scores if score.policy == name)
        for name in names
    }


def _table(report: Report) -> str:
    head = "<tr><th>policy<th>budget<th>freshness<th>weighted<th>age, days<th>fetches<th>wasted</tr>"
    rows = "".join(
        f"<tr><td>{html.escape(s.policy)}<td>{s.budget:g}<td>{s.freshness:.4f} ({s.low:.4f} to {s.high:.4f})"
        f"<td>{s.weighted_freshness:.4f}<td>{s.age_days:.2f}<td>{s.fetches}<td>{s.wasted}</tr>"
        for s in report.scores
    )
    return f"<table cellpadding=4>{head}{rows}</table>"
