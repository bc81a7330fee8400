"""Draws a report on predictions: how well probabilities are calibrated, and errors next to published ones."""

import html
from pathlib import Path

from .prediction_tables import TABLES, TITLES, BehaviourReport, text

COLOURS = {"3": "#c8553d", "4": "#588b3a", "all": "#1b6ca8"}
SIZE, EDGE = 360, 48
BAR = 26
STYLE = (
    "body{font:15px sans-serif;max-width:960px;margin:2em auto;padding:0 1em;color:#222}"
    "pre{font-size:12.5px;white-space:pre-wrap}svg{margin:1em 1em 1em 0}text{font:12px sans-serif;fill:#333}"
)


def plot(report: BehaviourReport, path: Path, title: str) -> None:
    """Write an HTML page without scripts."""
    path.write_text(
        f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title><style>{STYLE}</style>"
        f"<h1>{html.escape(title)}</h1>{_reliability(report)}{_accuracies(report)}"
        f"<pre>{html.escape(text(report))}</pre>\n",
        encoding="utf-8",
    )


def _reliability(report: BehaviourReport) -> str:
    """Probability against the share that had changed, by tenths; the area of a mark is its share."""
    full, low, high = SIZE + 2 * EDGE, EDGE + SIZE, EDGE + SIZE / 2
    parts = [
        f'<rect x="{EDGE}" y="{EDGE}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#ccc"/>',
        f'<line x1="{EDGE}" y1="{low}" x2="{low}" y2="{EDGE}" stroke="#999" stroke-dasharray="4"/>',
        f'<text x="{EDGE}" y="{EDGE - 28}">Calibration of boosting</text>',
        f'<text x="{high}" y="{full - 8}" text-anchor="middle">predicted probability of a change</text>',
        f'<text transform="translate(14 {EDGE + SIZE / 2}) rotate(-90)" text-anchor="middle">changed</text>',
    ]
    for number, (table, colour) in enumerate(COLOURS.items()):
        points = report.curves.get(TITLES[table], ())
        marks = [(EDGE + SIZE * x, EDGE + SIZE * (1 - y), share) for x, y, share in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in marks)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + 12 * share**0.5:.1f}" fill="{colour}" opacity=".5"/>'
            for x, y, share in marks
        ]
        name = "all features" if table == "all" else f"Table {table}"
        parts.append(
            f'<text x="{EDGE + 12 + 90 * number}" y="{EDGE - 10}" style="fill:{colour}">{name}</text>'
        )
    return f'<svg width="{full}" height="{full}" role="img">{"".join(parts)}</svg>'


def _accuracies(report: BehaviourReport) -> str:
    """Accuracy of each row as a bar, with a mark where the published one is."""
    rows = [one for table in ("baseline", *TABLES) for one in report.scores if one.table == table]
    left, full = 210, 210 + SIZE + EDGE
    parts = [f'<text x="{left}" y="20">accuracy (bar), and as published (line)</text>']
    for place, one in enumerate(rows):
        y, wide, colour = 34 + BAR * place, SIZE * one.accuracy, COLOURS.get(one.table, "#999")
        name = one.model if one.table == "baseline" else f"{one.model}, {one.table}"
        parts += [
            f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{html.escape(name)}</text>',
            f'<rect x="{left}" y="{y}" width="{wide:.1f}" height="{BAR - 8}" fill="{colour}" opacity=".7"/>',
            f'<text x="{left + wide + 6:.1f}" y="{y + 14}">{one.accuracy:.3f}</text>',
        ]
        if one.published:
            x = left + SIZE * one.published[2]
            parts.append(f'<line x1="{x:.1f}" y1="{y - 2}" x2="{x:.1f}" y2="{y + BAR - 6}" stroke="#000"/>')
    return f'<svg width="{full}" height="{44 + BAR * len(rows)}" role="img">{"".join(parts)}</svg>'
