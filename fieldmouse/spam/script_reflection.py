"""Members and functions that other functions set and call, and objects that compute, such as URLs."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from .script_tokens import UNDEFINED
from .script_values import (
    UNKNOWN,
    WINDOW,
    BuiltIn,
    PageElement,
    Promised,
    ScriptList,
    ScriptObject,
    ScriptUrl,
    Value,
    text,
)

if TYPE_CHECKING:
    from .script_expressions import ExpressionFolder


_NAMES = """Object.assign Object.defineProperty Object.entries Reflect.set Reflect.get Reflect.apply
JSON.parse TextDecoder.decode navigation.navigate"""
REFLECTED = frozenset(_NAMES.split())


def maker_of(value: Value) -> str:
    """The name of the function that made a value, its `constructor`; empty if that is not known."""
    if isinstance(value, BuiltIn):
        return "Function"
    return "String" if isinstance(value, str) else "Array" if isinstance(value, ScriptList) else ""


def _from_json(source: Value) -> Value:
    """A JSON text as a value."""
    try:
        return _value(json.loads(source)) if isinstance(source, str) else UNKNOWN
    except ValueError:
        return UNKNOWN


def _value(given: object) -> Value:
    if isinstance(given, dict):
        return ScriptObject({key: _value(one) for key, one in given.items()})
    return ScriptList([_value(one) for one in given]) if isinstance(given, list) else given


def _decoded(items: Sequence[Value]) -> Value:
    """Bytes as text."""
    if not all(isinstance(one, int) and 0 <= one < 256 for one in items):
        return UNKNOWN
    return bytes(one for one in items if isinstance(one, int)).decode("utf-8", "replace")


def data_of(element: PageElement) -> ScriptObject:
    """The `data-` attributes of an element by their names in scripts."""
    found: dict[str, Value] = {}
    for name, value in element.attributes.items():
        first, *rest = name.removeprefix("data-").split("-")
        if name.startswith("data-"):
            found[first + "".join(one.capitalize() for one in rest)] = value
    return ScriptObject(found)


def made_url(base: str, link: str) -> Value:
    """A `URL` object."""
    try:
        made = ScriptUrl(_parts(urljoin(base, link)))
    except ValueError:
        return UNKNOWN
    made.fields["searchParams"] = BuiltIn("searchParams", made)
    return made


def _parts(address: str) -> dict[str, Value]:
    parts = urlsplit(address)
    return {
        "href": address, "protocol": f"{parts.scheme}:", "host": parts.netloc,
        "hostname": parts.hostname or "", "pathname": parts.path or "/",
        "search": f"?{parts.query}" if parts.query else "",
        "hash": f"#{parts.fragment}" if parts.fragment else "", "origin": f"{parts.scheme}://{parts.netloc}",
    }  # fmt: skip


def follow_parts(folder: "ExpressionFolder", owner: Value, key: str) -> None:
    """After a part of a `URL` object was set: the address, or all parts of a new one."""
    if not isinstance(owner, ScriptUrl) or not isinstance(value := text(owner.fields.get(key, "")), str):
        return
    try:
        parts = urlsplit(text(owner.fields["href"]))
        if key == "href":
            whole = value
        elif key in ("host", "hostname"):
            whole = parts._replace(netloc=value).geturl()
        elif key in _URL_PARTS:
            whole = parts._replace(**{_URL_PARTS[key]: value.lstrip("?#").rstrip(":")}).geturl()
        else:
            return
        for name, part in _parts(whole).items():
            folder.set_name(owner.fields, name, part)
    except (ValueError, TypeError):
        folder.set_name(owner.fields, "href", UNKNOWN)


_URL_PARTS = {"pathname": "path", "search": "query", "hash": "fragment", "protocol": "scheme"}


def change_query(folder: "ExpressionFolder", owner: ScriptUrl, name: str, args: list[Value]) -> Value:
    """`toString` of a `URL` object, or a method of its `searchParams`."""
    if name in ("toString", "toJSON"):
        return owner.fields["href"]
    given = [text(one) for one in args]
    known = [one for one in given if isinstance(one, str)]
    search = text(owner.fields["search"])
    if len(known) < len(given) or not known or not isinstance(search, str):
        return UNKNOWN
    pairs = parse_qsl(search.lstrip("?"), keep_blank_values=True)
    if name == "searchParams.get":
        return next((value for key, value in pairs if key == known[0]), None)
    if name in ("searchParams.set", "searchParams.delete"):
        pairs = [pair for pair in pairs if pair[0] != known[0]]
    if name in ("searchParams.set", "searchParams.append") and len(known) > 1:
        pairs.append((known[0], known[1]))
    folder.set_member(owner, "search", urlencode(pairs))
    return UNDEFINED


def reflection(folder: "ExpressionFolder", name: str, args: list[Value]) -> Value:
    """Members read, set and called by functions; and functions of `REFLECTED` objects."""
    owner, second, third = [*args, UNDEFINED, UNDEFINED, UNDEFINED][:3]
    if name == "Object.assign":
        given = [one for one in args[1:] if isinstance(one, ScriptObject)]
        for key, value in [pair for one in given for pair in one.fields.items()]:
            folder.set_member(owner, key, value)
        return owner
    if name == "Object.defineProperty":
        if isinstance(third, ScriptObject) and "value" in third.fields:
            folder.set_member(owner, text(second), third.fields["value"])
        return owner
    if name == "Object.entries":
        fields = owner.fields.items() if isinstance(owner, ScriptObject) else ()
        return ScriptList([ScriptList([key, value]) for key, value in fields]) if fields else UNKNOWN
    if name == "JSON.parse":
        return _from_json(owner)
    if name == "navigation.navigate":
        folder.leave(args[0] if args else UNDEFINED)
        return UNKNOWN
    if name == "TextDecoder.decode":
        return _decoded(owner.items) if isinstance(owner, ScriptList) else UNKNOWN
    if name == "Reflect.set":
        folder.set_member(owner, text(second), third)
        return True
    if name == "Reflect.get":
        return folder.member(owner, text(second))
    return folder.call(owner, second, list(third.items) if isinstance(third, ScriptList) else [])


def promise_method(folder: "ExpressionFolder", name: str, owner: Promised, given: Value) -> Value:
    """`then` of a promise; or `settle`, which its executor calls. What waits for it runs at once."""
    if name == "settle":
        _settle(folder, owner, given)
        return UNDEFINED
    if name == "catch":
        return owner
    result = Promised()
    owner.waiting.append((given, result))
    if owner.settled:
        _settle(folder, owner, owner.value)
    else:
        folder.later(given, doubt=1)
    return result


def _settle(folder: "ExpressionFolder", promise: Promised, value: Value) -> None:
    promise.value, promise.settled = value.value if isinstance(value, Promised) else value, True
    waiting, promise.waiting = promise.waiting, []
    for function, result in waiting:
        _settle(folder, result, folder.call(function, WINDOW, [promise.value]))
