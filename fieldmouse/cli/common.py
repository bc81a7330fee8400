"""What several commands share: options, opening the archive, printing for people and for machines."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fieldmouse.errors import UsageError

if TYPE_CHECKING:
    from fieldmouse.library import Archive

F = TypeVar("F", bound=Callable[..., Any])

as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for machines instead of text for people."
)


def set_options(command: F) -> F:
    """The option that sets any setting for this run."""
    return click.option(
        "-s",
        "--set",
        "sets",
        multiple=True,
        metavar="SECTION.NAME=VALUE",
        help="Change a setting for this run, for example -s manners.delay=2; may be given several times.",
    )(command)


def overrides(sets: tuple[str, ...]) -> dict[str, Any]:
    """The settings given as text on the command line, in their types."""
    from fieldmouse.settings import parsed

    chosen = {}
    for one in sets:
        name, equals, text = one.partition("=")
        if not equals or "." not in name:
            raise UsageError(f"--set {one!r} must look like section.name=value, for example manners.delay=2")
        chosen[name] = parsed(name, text)
    return chosen


def opened(folder: str, chosen: dict[str, Any] | None = None) -> "Archive":
    """The archive of this command."""
    from fieldmouse import library

    return library.open(Path(folder), **(chosen or {}))


def read_text(file: Path) -> str:
    """The text of a file that somebody gave."""
    try:
        return file.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not a text in UTF-8: {error.reason} at byte {error.start}") from None


def write_text(file: Path, text: str) -> None:
    """Write a file that somebody asked for."""
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None


def plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, bytes):
        return value.hex()
    return value


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))


def table(rows: list[tuple[str, str]], indent: str = "") -> None:
    """Names and values in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        click.echo(f"{indent}{name.ljust(width)}  {value}")


def size(n: float) -> str:
    """A number of bytes as people read it."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1024
    return f"{n:.1f} TiB"


def duration(seconds: float) -> str:
    """A time span as people read it."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, left = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {left} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"
