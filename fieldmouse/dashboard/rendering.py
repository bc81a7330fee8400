"""Templates and static files of the dashboard."""

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from fieldmouse.report import differences, wording

if TYPE_CHECKING:
    from jinja2 import Environment

# What is served under /static, by name: the media type.
STATIC = {
    "style.css": "text/css",
    "dashboard.js": "text/javascript",
    "uplot.js": "text/javascript",
    "uplot.css": "text/css",
    "icon.svg": "image/svg+xml",
}


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@cache
def environment() -> "Environment":
    """Everything that is put into a template is escaped, unless it is markup."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("fieldmouse.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=without_controls,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["ticks"] = code_marks
    made.globals["rule_words"] = differences.RULE_WORDS
    made.filters.update(
        size=wording.size,
        percent=wording.percent,
        span=wording.span,
        counted=wording.count,
        pace=wording.pace,
    )
    return made


def without_controls(value: Any) -> Any:
    """A text of a page without what is obeyed instead of shown: controls, and overrides of the direction.

    They would turn what follows them in a line, or in the title of a window.
    """
    if not isinstance(value, str) or value.isprintable():
        return value
    return type(value)(_CONTROL.sub("", value))


def code_marks(text: str) -> Markup:
    """A text in which words between backticks are code."""
    parts = text.split("`")
    return Markup().join(
        Markup("<code>{}</code>").format(one) if place % 2 else escape(one) for place, one in enumerate(parts)
    )


def render(name: str, **values: Any) -> str:
    """A template with values."""
    return environment().get_template(name).render(**values)


@cache
def static_file(name: str) -> bytes:
    """The bytes of a static file."""
    return resources.files(__package__).joinpath("static", name).read_bytes()
