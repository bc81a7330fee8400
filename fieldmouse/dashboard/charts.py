"""Pictures as SVG, drawn on the server: they need no script, and no inline style.

Lines and areas are in a part that stretches; marks and labels have positions in percent and keep their size.
All numbers that go into a picture are rounded, so equal data gives equal bytes.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

# Height of the row of labels below a plot, and the width left of it, in pixels.
BELOW, LEFT = 24, 44


class Tick(NamedTuple):
    """A label of an axis, at a share of its length."""

    at: float
    text: str
    minor: bool = False  # left out on small screens


class Segment(NamedTuple):
    """A part of a whole."""

    share: float
    style: str  # a class: good, quiet, change
    text: str = ""  # what it is


class Axes(NamedTuple):
    """The labels of a plot, and what it shows in words."""

    x: Sequence[Tick]
    y: Sequence[Tick]
    label: str


class Point(NamedTuple):
    """A value at a time, both as shares of the axes, y upward."""

    x: float
    y: float


class Band(NamedTuple):
    """Bounds at a time."""

    x: float
    low: float
    high: float


class AuditMark(NamedTuple):
    """A measured value with its bounds."""

    x: float
    y: float
    low: float
    high: float
    text: str


class Column(NamedTuple):
    """One column of a bar chart: parts from the bottom up."""

    parts: tuple[Segment, ...]
    text: str


def number(value: float) -> str:
    """A number without needless digits."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _percent(share: float) -> str:
    return f"{number(100 * share)}%"


def bar(segments: Iterable[Segment], height: int = 8) -> Markup:
    """Parts of a whole as one bar."""
    out, start = Markup(), 0.0
    shown = [one for one in segments if one.share > 0]
    for one in shown:
        width = min(one.share, 1.0 - start)
        out += Markup('<rect class="f-{}" x="{}" width="{}" height="100%"/>').format(
            one.style, _percent(start), _percent(width)
        )
        start += width
    label = "; ".join(f"{one.text} {_percent(one.share)}" for one in shown if one.text) or "none"
    return Markup('<svg class="bar" height="{}" role="img" aria-label="{}">{}</svg>').format(
        height, label, out
    )


def value_range(estimate: float, low: float, high: float, audited: float | None, text: str) -> Markup:
    """What is estimated, between which bounds, and what was measured, as shares of one scale."""
    out = Markup('<rect class="scale" y="7" width="100%" height="2"/>')
    out += Markup('<rect class="f-band" x="{}" y="3" width="{}" height="10" rx="2"/>').format(
        _percent(low), _percent(max(high - low, 0.004))
    )
    out += Markup(
        '<svg x="{}" overflow="visible"><rect class="f-good" x="-1.5" y="1" width="3" height="14"/></svg>'
    ).format(_percent(estimate))
    if audited is not None:
        out += Markup('<circle class="ring" cx="{}" cy="8" r="4"/>').format(_percent(audited))
    return Markup('<svg class="range" height="16" role="img" aria-label="{}">{}</svg>').format(text, out)


def _frame(height: int, inside: Markup, axes: Axes, name: str = "") -> Markup:
    """A plot with axes; `inside` may use percentages of the plot."""
    out = Markup()
    for tick in axes.y:
        y = _percent(1 - tick.at)
        out += Markup('<line class="g" x2="100%" y1="{}" y2="{}"/>').format(y, y)
        out += Markup('<text class="y" x="-8" y="{}" dy="4">{}</text>').format(y, tick.text)
    out += inside
    for place, tick in enumerate(axes.x):
        side = " first" if tick.at < 0.03 else " last" if tick.at > 0.97 and place else ""
        minor = " minor" if tick.minor else ""
        out += Markup('<text class="x{}{}" x="{}" y="100%" dy="18">{}</text>').format(
            side, minor, _percent(tick.at), tick.text
        )
    identity = Markup(' id="{}"').format(name) if name else ""
    return Markup(
        '<div class="plot"{}><svg height="{}" role="img" aria-label="{}">'
        '<svg class="area" height="{}" overflow="visible">{}</svg></svg></div>'
    ).format(identity, height + BELOW, axes.label, height, out)


def _stretched(inside: Markup) -> Markup:
    return Markup(
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%" overflow="visible">'
        "{}</svg>"
    ).format(inside)


def curve(
    line: Sequence[Point],
    bounds: Sequence[Band],
    marks: Iterable[AuditMark],
    *,
    goal: float | None,
    axes: Axes,
    height: int = 208,
    name: str = "",
) -> Markup:
    """A line with its bounds, and measured values on it."""
    out = Markup()
    if len(bounds) > 1:
        upper = " ".join(f"{number(100 * one.x)},{number(100 - 100 * one.high)}" for one in bounds)
        lower = " ".join(f"{number(100 * one.x)},{number(100 - 100 * one.low)}" for one in reversed(bounds))
        out += Markup('<polygon class="band" points="{} {}"/>').format(upper, lower)
    if goal is not None:
        out += Markup('<path class="aim" d="M0 {}H100"/>').format(number(100 - 100 * goal))
    if len(line) > 1:
        points = " ".join(f"{number(100 * one.x)},{number(100 - 100 * one.y)}" for one in line)
        out += Markup('<polyline class="ln-good" points="{}"/>').format(points)
    drawn = _stretched(out)
    if len(line) == 1:
        drawn += Markup('<circle class="s-good" cx="{}" cy="{}" r="4"/>').format(
            _percent(line[0].x), _percent(1 - line[0].y)
        )
    for mark in marks:
        x = _percent(mark.x)
        drawn += Markup('<line class="wh" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
            x, x, _percent(1 - mark.low), _percent(1 - mark.high)
        )
        drawn += Markup('<circle class="ring" cx="{}" cy="{}" r="4"><title>{}</title></circle>').format(
            x, _percent(1 - mark.y), mark.text
        )
    return _frame(height, drawn, axes, name)


def columns(bars: Sequence[Column], axes: Axes, height: int = 124, here: float | None = None) -> Markup:
    """A bar chart; `here` is a line at a share of the x axis."""
    out, width = Markup(), 1.0 / max(len(bars), 1)
    for place, one in enumerate(bars):
        bottom, parts = 0.0, Markup()
        for part in one.parts:
            parts += Markup('<rect class="s-{}" x="{}" y="{}" width="{}" height="{}"/>').format(
                part.style,
                _percent((place + 0.12) * width),
                _percent(1 - bottom - part.share),
                _percent(0.76 * width),
                _percent(part.share),
            )
            bottom += part.share
        out += Markup("<g><title>{}</title>{}</g>").format(one.text, parts)
    out += Markup('<line class="g0" x2="100%" y1="100%" y2="100%"/>')
    if here is not None:
        x = _percent(here)
        out += Markup('<line class="nowline" x1="{}" x2="{}" y1="-6%" y2="100%"/>').format(x, x)
    return _frame(height, out, axes)


class VisitLine(NamedTuple):
    """A visit in a picture of visits."""

    x: float
    style: str  # change, quiet, bad, accent
    height: float = 0.0  # of the change; drawn by its root, so that a price can be told from a headline
    audit: bool = False
    text: str = ""


def visit_history(visits: Iterable[VisitLine], axes: Axes, today: float, height: int = 148) -> Markup:
    """Changes above, visits below, and what is planned after today."""
    out = Markup('<rect class="s-sunk" x="{}" width="{}" height="100%"/>').format(
        _percent(today), _percent(1 - today)
    )
    for tick in axes.x:
        x = _percent(tick.at)
        out += Markup('<line class="g" x1="{}" x2="{}" y2="100%"/>').format(x, x)
    out += Markup(
        '<line class="g" x2="100%" y1="60%" y2="60%"/><line class="g" x2="100%" y1="92%" y2="92%"/>'
    )
    for one in visits:
        x = _percent(one.x)
        if one.style == "bad":
            out += Markup('<circle class="s-bad" cx="{}" cy="87%" r="3.5"><title>{}</title></circle>').format(
                x, one.text
            )
            continue
        top = "76%" if one.style == "accent" else "82%"
        out += Markup(
            '<line class="k-{} v" x1="{}" x2="{}" y1="{}" y2="92%"><title>{}</title></line>'
        ).format(one.style, x, x, top, one.text)
        if one.height > 0:
            out += Markup(
                '<line class="k-change tall" x1="{}" x2="{}" y1="60%" y2="{}"><title>{}</title></line>'
            ).format(x, x, _percent(0.6 - 0.56 * max(min(one.height, 1.0), 0.01) ** 0.5), one.text)
        if one.audit:
            out += Markup('<circle class="s-ink" cx="{}" cy="74%" r="3.5"><title>{}</title></circle>').format(
                x, one.text
            )
    x = _percent(today)
    out += Markup('<line class="nowline" x1="{}" x2="{}" y1="0" y2="100%"/>').format(x, x)
    out += Markup('<text class="x here" x="{}" y="0" dy="-6">today</text>').format(x)
    ticks = (Tick(0.54, "Changes"), Tick(0.13, "Visits"))
    rows = Markup().join(
        Markup('<text class="y" x="-8" y="{}" dy="4">{}</text>').format(_percent(1 - one.at), one.text)
        for one in ticks
    )
    return _frame(height, rows + out, axes)


def spark(visits: Iterable[VisitLine], label: str) -> Markup:
    """Visits and changes in the height of a line of text."""
    out = Markup('<line class="g" x2="100%" y1="96%" y2="96%"/>')
    for one in visits:
        x = _percent(one.x)
        if one.style == "bad":
            out += Markup('<circle class="s-bad" cx="{}" cy="80%" r="2.5"/>').format(x)
        else:
            top = (
                _percent(0.66 - 0.56 * min(max(one.height, 0.1) * 3, 1.0)) if one.style == "change" else "66%"
            )
            out += Markup('<line class="k-{} v" x1="{}" x2="{}" y1="{}" y2="96%"/>').format(
                one.style, x, x, top
            )
    return Markup('<svg class="spark" role="img" aria-label="{}">{}</svg>').format(label, out)


def page_sheet(share: float) -> Markup:
    """A page as a sheet: its template in grey around its own part."""
    inner = max(min(1 - share, 1.0), 0.0) ** 0.5
    width, height = 148 * inner, 132 * inner
    x, y = 14 + (148 - width) / 2, 12 + (132 - height) / 2
    return Markup(
        '<svg class="sheet-picture" viewBox="0 0 176 156" role="img" aria-label="{} of a page is template">'
        '<rect class="pg" x="6" y="4" width="164" height="148" rx="4"/>'
        '<rect class="tp" x="14" y="12" width="148" height="132" rx="2"/>'
        '<rect class="ct" x="{}" y="{}" width="{}" height="{}" rx="2"/></svg>'
    ).format(_percent(round(share, 2)), number(x), number(y), number(width), number(height))
