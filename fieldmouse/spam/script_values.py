"""The values that constant folding knows, and the built-in functions of strings and lists.

Strings, numbers, booleans and null are Python's. Everything that depends on the visitor, the time or the
network is `UNKNOWN`. A string with a known beginning is a `Partial`; a value that depends on an unknown
condition is an `Either`. No function here raises, and none returns a string or list of more than `MAX_SIZE`.
"""

import base64
import binascii
import math
import re
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlencode

from .script_tokens import UNDEFINED

MAX_SIZE = 20_000  # characters of a string, items of a list
MAX_CHOICES = 4  # alternatives of a value
MAX_QUERY = 2000  # characters that a form sends
MAX_SEARCHED = 3000  # characters searched with a repetition in a regular expression

Value = Any  # a JavaScript value


class Unknown:
    """A value that is not known."""


UNKNOWN = Unknown()


class Partial(NamedTuple):
    """A string of which the beginning is known."""

    start: str


class Either(NamedTuple):
    """One of several values."""

    values: tuple[Value, ...]


class BuiltIn(NamedTuple):
    """A function of the browser, and the value it is a method of."""

    name: str
    owner: Value


class Bound(NamedTuple):
    """A function with its first arguments."""

    function: Value
    this: Value
    args: tuple[Value, ...]


class Selection(NamedTuple):
    """What jQuery makes of a selector, an element or an object of the browser."""

    target: Value


class Promised:
    """A promise: its value, once it is settled, and the functions that wait for it."""

    def __init__(self, value: Value = UNKNOWN, *, settled: bool = False) -> None:
        self.value, self.settled = value, settled
        self.waiting: list[tuple[Value, Promised]] = []  # with the promises that their results settle


class Host(NamedTuple):
    """An object of the browser: window, location, document, or the constructor of a type."""

    name: str


WINDOW, LOCATION, DOCUMENT = Host("window"), Host("location"), Host("document")


class Pattern(NamedTuple):
    """A regular expression; without `found` it is too complex to be used."""

    found: re.Pattern[str] | None
    everywhere: bool
    repeats: bool


class ScriptList:
    """An array."""

    __slots__ = ("items",)

    def __init__(self, items: list[Value]) -> None:
        self.items = items


class ScriptObject:
    """An object with properties; `parent` is its prototype."""

    __slots__ = ("fields", "parent")

    def __init__(self, fields: dict[str, Value] | None = None, parent: Value = None) -> None:
        self.fields = fields if fields is not None else {}
        self.parent = parent


class Scope:
    """Variables of a block or a function; in `with`, the members of an object of the page or the browser."""

    __slots__ = ("function", "names", "owner", "parent")

    def __init__(self, parent: "Scope | None", function: bool, owner: Value = None) -> None:
        self.names: dict[str, Value] = owner.fields if isinstance(owner, ScriptObject) else {}
        self.parent, self.function, self.owner = parent, function, owner


class ScriptFunction:
    """A function of the script."""

    __slots__ = ("fields", "node", "scope", "this")

    def __init__(self, node: Any, scope: Any, this: Value) -> None:
        self.node, self.scope, self.this = node, scope, this
        self.fields: dict[str, Value] = {}


class ScriptUrl(ScriptObject):
    """A `URL` object: its parts and the address follow each other."""


class PageElement:
    """An element of the page, or one that the script creates."""

    __slots__ = ("attributes", "name", "style")

    def __init__(self, name: str, attributes: dict[str, Value] | None = None) -> None:
        self.name = name
        self.attributes = attributes if attributes is not None else {}
        self.style: dict[str, Value] = {}

    def add_field(self, name: str, value: str) -> None:
        """Add a field to what a form sends."""
        before = str(self.attributes.get("query", ""))
        query = "&".join(filter(None, (before, urlencode([(name, value)], errors="replace"))))
        self.attributes["query"] = query if len(query) <= MAX_QUERY else before

    def sent_to(self, action: str) -> str:
        """Where a form leads: one that is not posted sends its fields as the query."""
        sent, method = self.attributes.get("query", ""), text(self.attributes.get("method", "get"))
        if not sent or not isinstance(method, str) or method.strip().lower() == "post":
            return action
        return f"{action.partition('#')[0].partition('?')[0]}?{sent}"


def text(value: Value) -> Value:
    """A value as string: a `str`, a `Partial` or `UNKNOWN`."""
    if isinstance(value, str | Partial):
        return value
    if value is True or value is False:
        return "true" if value else "false"
    if value is None:
        return "null"
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**21 else UNKNOWN
    if isinstance(value, float):
        if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return str(int(value)) if value == int(value) and abs(value) < 1e21 else repr(value)
    if isinstance(value, ScriptList):
        return joined(value.items, ",")
    if isinstance(value, ScriptObject):
        return value.fields.get("href", UNKNOWN)
    return UNKNOWN


def number(value: Value) -> Value:
    """A value as number, or `UNKNOWN`."""
    if isinstance(value, bool | int | float):
        return int(value) if isinstance(value, bool) else value
    if value is None:
        return 0
    if value is UNDEFINED:
        return math.nan
    if isinstance(value, str):
        return _parsed(value.strip()) if value.strip() else 0
    if isinstance(value, ScriptList):
        return 0 if not value.items else number(value.items[0]) if len(value.items) == 1 else math.nan
    return UNKNOWN


def _parsed(digits: str) -> float:
    try:
        if digits[:2].lower() in ("0x", "0b", "0o"):
            return int(digits[:60], 0)
        return int(digits) if digits.isdecimal() and len(digits) < 60 else float(digits[:60])
    except ValueError:
        return math.nan


def truth(value: Value) -> bool | None:
    """Whether a value counts as true, or None if it is not known."""
    if isinstance(value, Partial):
        return True if value.start else None
    if isinstance(value, Either):
        found = {truth(one) for one in value.values}
        return found.pop() if len(found) == 1 else None
    if value is UNKNOWN:
        return None
    if isinstance(value, float) and math.isnan(value):
        return False
    return not (value is None or value is UNDEFINED or value is False or value in (0, ""))


def either(values: list[Value]) -> Value:
    """One value of several, equal ones once."""
    found: list[Value] = []
    for value in values:
        for one in value.values if isinstance(value, Either) else (value,):
            if not any(one is other or (type(one) is type(other) and one == other) for other in found):
                found.append(one)
    if len(found) == 1:
        return found[0]
    return Either(tuple(found)) if len(found) <= MAX_CHOICES else UNKNOWN


def added(one: Value, other: Value) -> Value:
    """The sum or the concatenation of two values."""
    if isinstance(one, Either):
        return either([added(value, other) for value in one.values])
    if isinstance(other, Either):
        return either([added(one, value) for value in other.values])
    if isinstance(one, Partial):
        return one
    plain = (bool, int, float, type(None))
    if isinstance(one, plain) and isinstance(other, plain):
        return number(one) + number(other)
    if other is UNKNOWN and not isinstance(one, str):
        return UNKNOWN
    left, right = text(one), text(other)
    if not isinstance(left, str):
        return left
    if not isinstance(right, str):
        return Partial(left + right.start if isinstance(right, Partial) else left)
    return left + right if len(left) + len(right) <= MAX_SIZE else UNKNOWN


def joined(items: list[Value], between: str) -> Value:
    """The items of a list as one string."""
    parts: list[str] = []
    size = 0
    for item in items:
        part = "" if item is None or item is UNDEFINED else text(item) if item is not UNKNOWN else UNKNOWN
        if not isinstance(part, str):
            start = between.join([*parts, part.start if isinstance(part, Partial) else ""])
            return Partial(start) if start else UNKNOWN
        parts.append(part)
        size += len(part) + len(between)
        if size > MAX_SIZE:
            return UNKNOWN
    return between.join(parts)


_CLASS = re.compile(r"\[(\^?)((?:[^\]\\]|\\.)*+)\]")
_RESERVED = re.compile(r"(?<!\\)[\[&~|]|(?<=-)-")
_REPEATS = re.compile(r"(?<!\\)(?:\\\\)*(?:[*+]|\{\d+,\d*\})")


def pattern(source: str, flags: str) -> Pattern:
    """A regular expression of JavaScript, if its time is limited.

    A group that repeats, or a second repetition, may take exponential or cubic time: such a pattern is not
    used.
    """
    bare = re.sub(r"\\.|\[(?:[^\]\\]|\\.)*+\]", "x", source)
    # Python reserves these in a class.
    source = _CLASS.sub(lambda one: "[" + one[1] + _RESERVED.sub(r"\\\g<0>", one[2]) + "]", source)
    repeats = len(_REPEATS.findall(bare))
    unsafe = repeats > 1 or len(source) > 300 or re.search(r"\)[*+?{]|\(\?|\\[1-9kpPuc]", bare + source)
    found = None
    if not unsafe:
        try:
            python = re.sub(r"\\([/\-'\"#%&,:;<>=@`~! _])", lambda one: re.escape(one[1]), source)
            python = python.replace("[^]", r"[\s\S]").replace("\\d", "[0-9]") if "[" not in source else python
            python = re.sub(r"\$\Z", r"\\Z", python)
            found = re.compile(python, re.IGNORECASE if "i" in flags else 0)
        except (re.error, OverflowError, RecursionError):
            found = None
    return Pattern(found, "g" in flags, bool(repeats))


def usable(regex: Pattern, subject: str) -> bool:
    """Whether a regular expression can search a text in reasonable time."""
    return regex.found is not None and (not regex.repeats or len(subject) <= MAX_SEARCHED)


def _index(args: list[Value], place: int, default: int) -> int | None:
    """A whole number of the arguments, or None if it is not known."""
    if place >= len(args) or args[place] is UNDEFINED:
        return default
    found = number(args[place])
    if found is UNKNOWN:
        return None
    if math.isnan(found):
        return 0
    return int(max(-1e6, min(1e6, found)))


def string_method(name: str, subject: str, args: list[Value]) -> Value:  # noqa: C901, PLR0912
    """The value of a method of a string; `replace` with a function is done by the caller."""
    first = args[0] if args else UNDEFINED
    if name in (
        "toString",
        "valueOf",
        "trim",
        "trimStart",
        "trimEnd",
        "toLowerCase",
        "toUpperCase",
        "normalize",
    ):
        simple = {"trim": subject.strip, "toLowerCase": subject.lower, "toUpperCase": subject.upper}
        simple |= {"trimStart": subject.lstrip, "trimEnd": subject.rstrip}
        return simple[name]() if name in simple else subject
    if name in ("slice", "substring", "substr", "charAt", "charCodeAt", "codePointAt", "at"):
        return _part(name, subject, args)
    if name == "concat":
        found: Value = subject
        for one in args:
            found = added(found, text(one))
        return found
    if name in ("indexOf", "lastIndexOf", "includes", "startsWith", "endsWith"):
        if not isinstance(wanted := text(first), str):
            return UNKNOWN
        found = {"indexOf": subject.find, "lastIndexOf": subject.rfind, "startsWith": subject.startswith}
        found |= {"endsWith": subject.endswith, "includes": subject.__contains__}
        return found[name](wanted)
    if name == "split":
        return _split(subject, first)
    if name in ("replace", "replaceAll"):
        return _replaced(name, subject, args)
    if name in ("match", "search") and isinstance(first, Pattern) and usable(first, subject):
        assert first.found is not None
        hit = first.found.search(subject)
        if name == "search":
            return hit.start() if hit else -1
        if hit is None:
            return None
        if first.everywhere:
            return ScriptList([one[0] for one in first.found.finditer(subject)])
        return ScriptList([hit[0], *(UNDEFINED if one is None else one for one in hit.groups())])
    if name in ("padStart", "padEnd", "repeat"):
        size = _index(args, 0, 0)
        filler = text(args[1]) if len(args) > 1 else " "
        if size is None or not 0 <= size <= MAX_SIZE or not isinstance(filler, str):
            return UNKNOWN
        if name == "repeat":
            return subject * size if len(subject) * size <= MAX_SIZE else UNKNOWN
        more = (filler * size)[: max(0, size - len(subject))] if len(filler) * size <= MAX_SIZE else ""
        return more + subject if name == "padStart" else subject + more
    return UNKNOWN


def _part(name: str, subject: str, args: list[Value]) -> Value:
    size = len(subject)
    start, end = _index(args, 0, 0), _index(args, 1, size)
    if start is None or end is None:
        return UNKNOWN
    if name == "slice":
        return subject[slice(start, end)]
    if name == "substring":
        low, high = sorted((max(0, min(size, start)), max(0, min(size, end))))
        return subject[low:high]
    if name == "substr":
        start = max(0, size + start) if start < 0 else start
        return subject[start : start + max(0, end)]
    if name == "at" and start < 0:
        start += size
    inside = 0 <= start < size
    if name in ("charCodeAt", "codePointAt"):
        return ord(subject[start]) if inside else math.nan
    return subject[start] if inside else "" if name == "charAt" else UNDEFINED


def _split(subject: str, by: Value) -> Value:
    if by is UNDEFINED:
        return ScriptList([subject])
    if isinstance(by, Pattern):
        if not usable(by, subject) or by.found is None:
            return UNKNOWN
        return ScriptList([one for one in by.found.split(subject) if one is not None])
    between = text(by)
    if not isinstance(between, str):
        return UNKNOWN
    return ScriptList(subject.split(between) if between else list(subject))


def _replaced(name: str, subject: str, args: list[Value]) -> Value:
    if len(args) < 2 or not isinstance(by := text(args[1]), str):
        return UNKNOWN
    what = args[0]
    if isinstance(what, Pattern):
        if not usable(what, subject) or what.found is None:
            return UNKNOWN

        def filled(hit: re.Match[str]) -> str:
            groups = {str(place): one or "" for place, one in enumerate(hit.groups(), 1)}
            return re.sub(r"\$(\$|&|\d)", lambda m: {"$": "$", "&": hit[0], **groups}.get(m[1], m[0]), by)

        if what.everywhere and (len(subject) + 1) * (len(by) + 1) > 50 * MAX_SIZE:
            return UNKNOWN
        found = what.found.sub(filled, subject, count=0 if what.everywhere else 1)
    elif isinstance(wanted := text(what), str):
        count = -1 if name == "replaceAll" else 1
        if count < 0 and (len(subject) + 1) * (len(by) + 1) > 50 * MAX_SIZE:
            return UNKNOWN
        found = subject.replace(wanted, by, count)
    else:
        return UNKNOWN
    return found if len(found) <= MAX_SIZE else UNKNOWN


def list_method(name: str, items: list[Value], args: list[Value]) -> Value:  # noqa: C901, PLR0912
    """The value of a method of an array that takes no function."""
    first = args[0] if args else UNDEFINED
    if name == "join":
        between = "," if first is UNDEFINED else text(first)
        return joined(items, between) if isinstance(between, str) else UNKNOWN
    if name == "reverse":
        items.reverse()
        return ScriptList(items)
    if name in ("push", "unshift"):
        if len(items) + len(args) > MAX_SIZE:
            return UNKNOWN
        place = len(items) if name == "push" else 0
        items[place:place] = args
        return len(items)
    if name in ("pop", "shift"):
        return items.pop(-1 if name == "pop" else 0) if items else UNDEFINED
    if name in ("slice", "splice"):
        start, end = _index(args, 0, 0), _index(args, 1, len(items))
        if start is None or end is None:
            return UNKNOWN
        if name == "slice":
            return ScriptList(items[start:end])
        start = max(0, len(items) + start) if start < 0 else min(start, len(items))
        taken = items[start : start + max(0, end)]
        items[start : start + max(0, end)] = args[2:]
        return ScriptList(taken)
    if name == "concat":
        found = list(items)
        for one in args:
            found += one.items if isinstance(one, ScriptList) else [one]
        return ScriptList(found) if len(found) <= MAX_SIZE else UNKNOWN
    if name in ("indexOf", "includes"):
        if any(one is UNKNOWN for one in (*items, first)):
            return UNKNOWN
        place = next((place for place, one in enumerate(items) if one == first), -1)
        return place if name == "indexOf" else place >= 0
    if name in ("toString", "valueOf"):
        return joined(items, ",") if name == "toString" else ScriptList(items)
    if name == "at":
        where = _index(args, 0, 0)
        return items[where] if where is not None and -len(items) <= where < len(items) else UNKNOWN
    return UNKNOWN


_PERCENT = re.compile(r"%u([0-9A-Fa-f]{4})|%([0-9A-Fa-f]{2})")
_KEPT = {"encodeURIComponent": "!'()*~", "encodeURI": "!'()*~;/?:@&=+$,#", "escape": "@*+/"}


def coded(name: str, given: Value) -> Value:
    """The value of a global function that encodes or decodes a string."""
    subject = text(given)
    if name.startswith(("encode", "escape")):
        if isinstance(subject, Partial):
            return Partial(quote(subject.start, safe=_KEPT[name], errors="replace"))
        return quote(subject, safe=_KEPT[name], errors="replace") if isinstance(subject, str) else UNKNOWN
    if not isinstance(subject, str):
        return UNKNOWN
    if name == "unescape":
        return _PERCENT.sub(lambda found: chr(int(found[1] or found[2], 16)), subject)
    if name in ("decodeURIComponent", "decodeURI"):
        return unquote(subject, errors="replace")
    try:
        plain = "".join(subject.split())
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (ValueError, binascii.Error):
        return UNKNOWN
    return raw.decode("latin-1")


def parsed_int(args: list[Value]) -> Value:
    """The value of `parseInt`."""
    subject = text(args[0]) if args else UNKNOWN
    base = _index(args, 1, 10)
    if not isinstance(subject, str) or base is None:
        return UNKNOWN
    subject = subject.strip()
    if subject[:2].lower() == "0x" and (base == 16 or len(args) < 2):
        subject, base = subject[2:], 16
    base = base or 10
    if not 2 <= base <= 36:
        return math.nan
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:base]
    found = re.match(rf"[+-]?[{digits}]{{1,60}}", subject, re.IGNORECASE)
    return int(found[0], base) if found else math.nan


def number_text(given: Value, args: list[Value]) -> Value:
    """The value of `toString` of a number."""
    base = _index(args, 0, 10)
    if (
        base in (10, None)
        or not isinstance(given, int | float)
        or not math.isfinite(given)
        or given != int(given)
    ):
        return text(given) if base == 10 else UNKNOWN
    rest, found = abs(int(given)), ""
    if not 2 <= (base or 0) <= 36 or rest > 1 << 60:
        return UNKNOWN
    while rest or not found:
        rest, digit = divmod(rest, base or 10)
        found = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + found
    return ("-" if given < 0 else "") + found


def from_codes(args: list[Value]) -> Value:
    """The value of `String.fromCharCode`."""
    found: list[str] = []
    for one in args:
        code = number(one)
        if code is UNKNOWN:
            return Partial("".join(found)) if found else UNKNOWN
        found.append(chr(int(code) & 0xFFFF) if abs(code) < 2**53 else "\0")
    return "".join(found)


def _bits(value: float) -> int:
    return int(value) & 0xFFFFFFFF if abs(value) < 1e30 else 0


def int32(value: float) -> int:
    """A number as a signed integer of 32 bits."""
    value = _bits(value)
    return value - (1 << 32) if value >> 31 else value


def arithmetic(way: str, one: Value, other: Value) -> Value:
    """The value of an operator on two numbers."""
    if one is UNKNOWN or other is UNKNOWN or abs(one) > 1e200 or abs(other) > 1e200:
        return UNKNOWN
    if way in ("<", ">", "<=", ">="):
        return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[way]
    if way in ("-", "*"):
        return one - other if way == "-" else one * other
    if way in ("/", "%"):
        if not other or math.isnan(one) or math.isnan(other):
            return UNKNOWN
        found = one / other if way == "/" else abs(one) % abs(other) * (1 if one >= 0 else -1)
        return int(found) if found == int(found) else found
    left, right = _bits(one), _bits(other)
    if way in ("&", "|", "^"):
        return int32({"&": left & right, "|": left | right, "^": left ^ right}[way])
    if way == ">>>":
        return left >> (right & 31)
    if way in ("<<", ">>"):
        return int32(left << (right & 31) if way == "<<" else int32(left) >> (right & 31))
    return UNKNOWN
