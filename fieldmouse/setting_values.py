"""One value of a setting: read from text, held to its type and limits, written as TOML.

Knows nothing of which settings there are, so the classes in `settings` stay a plain list.
"""

import json
import math
import re
import tomllib
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from .errors import ConfigError


def from_text(kind: Any, text: str, key: str) -> Any:
    """Environment variables are text: numbers, true/false, or a list, separated by commas or as in TOML."""
    if kind is bool:
        text = text.strip()
        if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
            raise ConfigError(f"{key} must be true or false, not {text!r}")
        return text.lower() in ("true", "1", "yes")
    if get_origin(kind) is tuple:
        listed = _toml_list(text)
        return tuple(part.strip() for part in text.split(",") if part.strip()) if listed is None else listed
    if kind is str:
        return text
    try:
        return kind(text)
    except ValueError:
        raise ConfigError(f"{key} must be {_article(kind)}, not {text!r}") from None


def _toml_list(text: str) -> tuple[str, ...] | None:
    """Regular expressions hold commas and brackets, so a list may also be written as in the file."""
    if not text.lstrip().startswith("["):
        return None
    try:
        values = tomllib.loads(f"list = {text}")["list"]
    except tomllib.TOMLDecodeError:
        return None
    return tuple(values) if all(isinstance(one, str) for one in values) else None


def coerced(kind: Any, value: Any, where: str) -> Any:
    """The value in its field's type, or an error that says what was expected."""
    if get_origin(kind) is tuple:
        if not isinstance(value, list | tuple) or not all(
            isinstance(one, get_args(kind)[0]) for one in value
        ):
            raise ConfigError(f"{where} must be a list of strings, not {value!r}")
        return tuple(value)
    if kind is float and type(value) is int and abs(value) < 2**53:
        return float(value)
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        raise ConfigError(f"{where} must be {_article(kind)}, not {value!r}")
    return value


def _article(kind: type) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}[kind]


def check_limits(limits: Mapping[str, Any], value: Any, where: str) -> None:
    """Raise an error that says which values are allowed."""
    if limits["choices"] and value not in limits["choices"]:
        raise ConfigError(f"{where} must be one of {', '.join(limits['choices'])}, not {value!r}")
    if type(value) in (int, float) and value < limits["low"]:
        raise ConfigError(f"{where} must be at least {limits['low']}, not {value}")
    if type(value) in (int, float) and value > limits["high"]:
        raise ConfigError(f"{where} must be at most {limits['high']}, not {value}")
    for pattern in value if limits["regex"] else ():
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise ConfigError(f"{where}: {pattern!r} is no regular expression: {error}") from None


def to_toml(value: Any) -> str:
    """The value as it stands in a TOML file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(to_toml(one) for one in value) + "]"
    if isinstance(value, str):
        # JSON escapes what TOML does, but for one control character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
