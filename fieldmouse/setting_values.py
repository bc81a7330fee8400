"""Values of settings: how one is declared, converted from text, checked, and written."""

import contextlib
import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import field
from typing import Any, get_origin

from .errors import ConfigError


def setting(
    default: Any,
    help: str,  # noqa: A002
    *,
    low: float = -math.inf,
    high: float = math.inf,
    choices: tuple[str, ...] = (),
    regex: bool = False,
) -> Any:
    """Declare a setting with its default, its help text and its allowed values."""
    metadata = {"help": help, "low": low, "high": high, "choices": choices, "regex": regex}
    return field(default=default, metadata=metadata)


def from_text(kind: Any, text: str, key: str) -> Any:
    """Convert text: a number, true/false, a string, or a list (separated by commas, or as in TOML)."""
    if kind is bool:
        text = text.strip()
        if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
            raise ConfigError(f"{key} must be true or false, not {text!r}")
        return text.lower() in ("true", "1", "yes")
    if get_origin(kind) is tuple:
        if text.lstrip().startswith("["):  # for values that contain commas
            with contextlib.suppress(tomllib.TOMLDecodeError):
                values = tomllib.loads(f"list = {text}")["list"]
                if all(isinstance(one, str) for one in values):
                    return tuple(values)
        return tuple(part.strip() for part in text.split(",") if part.strip())
    try:
        return kind(text)
    except ValueError:
        raise ConfigError(f"{key} must be {EXPECTED[kind]}, not {text!r}") from None


EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


def checked(kind: Any, limits: Mapping[str, Any], value: Any, where: str) -> Any:
    """The value in the type of its setting; raises an error that says what is allowed."""
    if get_origin(kind) is tuple:
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            raise ConfigError(f"{where} must be a list of strings, not {value!r}")
        value = tuple(value)
    elif kind is float and type(value) is int and abs(value) < 2**53:
        value = float(value)
    elif type(value) is not kind or (kind is float and not math.isfinite(value)):
        raise ConfigError(f"{where} must be {EXPECTED[kind]}, not {value!r}")
    if limits["choices"] and value not in limits["choices"]:
        raise ConfigError(f"{where} must be one of {', '.join(limits['choices'])}, not {value!r}")
    if kind in (int, float) and value < limits["low"]:
        raise ConfigError(f"{where} must be at least {limits['low']}, not {value}")
    if kind in (int, float) and value > limits["high"]:
        raise ConfigError(f"{where} must be at most {limits['high']}, not {value}")
    for pattern in value if limits["regex"] else ():
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise ConfigError(f"{where}: {pattern!r} is not a regular expression: {error}") from None
    return value


def to_toml(value: Any) -> str:
    """The value in TOML syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(to_toml(one) for one in value) + "]"
    if isinstance(value, str):
        # JSON escapes the same characters as TOML, except DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
