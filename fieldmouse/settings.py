"""Settings are types: one frozen class per section of fieldmouse.toml, each field with its help.

A value comes from the first of: an explicit override (command line, Python), the environment
(`FIELDMOUSE_MANNERS_DELAY=2`), the archive's `fieldmouse.toml`, the default here. A name nobody knows is an
error that proposes the nearest one. The commented file that `init` writes and the reference page are
made from these classes, so they cannot drift apart.
"""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from .errors import ConfigError
from .sections import (
    SECTIONS,
    Archive,
    Crawl,
    Focus,
    Frontier,
    Manners,
    Refresh,
    Scope,
    Settings,
    Spam,
    Templates,
    Web,
)
from .setting_values import check_limits, coerced, from_text, to_toml

__all__ = [
    "SECTIONS",
    "Archive",
    "Crawl",
    "Focus",
    "Frontier",
    "Manners",
    "Refresh",
    "Scope",
    "Settings",
    "Spam",
    "Templates",
    "Web",
    "as_toml",
    "load",
    "names",
    "parsed",
    "variable",
    "with_overrides",
]


def names() -> Iterator[tuple[str, str]]:
    """Every setting as (section, name), in the order of the file."""
    for section, kind in SECTIONS.items():
        for one in fields(kind):
            yield section, one.name


def variable(section: str, name: str) -> str:
    """The environment variable of a setting."""
    return f"FIELDMOUSE_{section}_{name}".upper()


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Read settings from a TOML file, then the environment, then overrides named "section.name"."""
    settings = Settings()
    if file is not None:
        settings = _with_tables(settings, _read(file), str(file))
    settings = _with_environment(settings, os.environ if environment is None else environment)
    return with_overrides(settings, overrides or {})


def with_overrides(settings: Settings, overrides: Mapping[str, Any]) -> Settings:
    """A copy with values set by their full name: {"manners.delay": 2}."""
    tables: dict[str, dict[str, Any]] = {}
    for full, value in overrides.items():
        section, dot, name = full.partition(".")
        if not dot:
            raise ConfigError(f"there is no setting {full}{_nearest_setting(full)}")
        tables.setdefault(section, {})[name] = value
    return _with_tables(settings, tables, "the options given")


def parsed(full: str, text: str) -> Any:
    """The value of a setting, named "section.name", that was given as text on a command line."""
    section, _, name = full.partition(".")
    if (section, name) not in set(names()):
        raise ConfigError(f"there is no setting {full}{_nearest_setting(full)}")
    return from_text(_kind(section, name), text, full)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from None


def _with_tables(settings: Settings, tables: Mapping[str, Any], where: str) -> Settings:
    for section, table in tables.items():
        if section not in SECTIONS and not isinstance(table, Mapping):
            raise ConfigError(f"{where}: {section} stands in no section{_nearest_setting(section)}")
        if section not in SECTIONS:
            raise ConfigError(f"{where}: there is no section [{section}]{_nearest(section, SECTIONS)}")
        if not isinstance(table, Mapping):
            raise ConfigError(f"{where}: [{section}] must be a table of settings")
        changes = {name: _checked(section, name, value, where) for name, value in table.items()}
        settings = replace(settings, **{section: replace(getattr(settings, section), **changes)})
    return settings


def _with_environment(settings: Settings, environment: Mapping[str, str]) -> Settings:
    known = {variable(section, name): (section, name) for section, name in names()}
    for key, text in environment.items():
        if key not in known:
            _refuse_misspelt(key, known)
            continue
        section, name = known[key]
        value = from_text(_kind(section, name), text, key)
        settings = _with_tables(settings, {section: {name: value}}, f"the environment variable {key}")
    return settings


def _refuse_misspelt(key: str, known: Mapping[str, Any]) -> None:
    """Other variables may share our prefix, but not if they look like a setting."""
    prefix = "FIELDMOUSE_"
    stems = [one.removeprefix(prefix) for one in known]
    in_section = key.startswith(tuple(f"{prefix}{section.upper()}_" for section in SECTIONS))
    near = key.startswith(prefix) and difflib.get_close_matches(key.removeprefix(prefix), stems, 1, 0.8)
    if in_section or near:
        raise ConfigError(f"the environment variable {key} names no setting{_nearest(key, known)}")


def _kind(section: str, name: str) -> Any:
    return get_type_hints(SECTIONS[section])[name]


def _checked(section: str, name: str, value: Any, where: str) -> Any:
    """The value in its field's type, or an error that says what was expected."""
    kinds = {one.name: one for one in fields(SECTIONS[section])}
    if name not in kinds:
        raise ConfigError(
            f"{where}: there is no setting {section}.{name}{_nearest_setting(f'{section}.{name}')}"
        )
    value = coerced(_kind(section, name), value, f"{where}: {section}.{name}")
    check_limits(kinds[name].metadata, value, f"{where}: {section}.{name}")
    return value


def _nearest(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else ""


def _nearest_setting(name: str) -> str:
    """Propose a full name: by its spelling, or because only the section was left out."""
    full = [f"{section}.{one}" for section, one in names()]
    shorts = [one.partition(".")[2] for one in full]
    near = [] if "." in name else difflib.get_close_matches(name, shorts, n=1, cutoff=0.6)
    bare = [one for one, short in zip(full, shorts, strict=True) if short in near]
    return f"; did you mean {bare[0]}?" if bare else _nearest(name, full)


def as_toml(settings: Settings = Settings()) -> str:  # noqa: B008  frozen, so sharing it is safe
    """A commented file in which every setting stands with its default, switched off."""
    lines = [
        "# Fieldmouse settings. A line that begins with # shows a default; take the # away to change it.",
        "",
    ]
    for section, kind in SECTIONS.items():
        lines += [f"# {(kind.__doc__ or '').strip()}", f"[{section}]"]
        for one in fields(kind):
            value = getattr(getattr(settings, section), one.name)
            mark = "# " if value == one.default else ""
            lines += [f"# {one.metadata['help']}", f"{mark}{one.name} = {to_toml(value)}", ""]
    return "\n".join(lines)
