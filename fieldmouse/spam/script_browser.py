"""The part of a browser that constant folding knows: window, location, document, timers and types.

Only what can lead a visitor away, or build a URL, is here. Everything else is unknown.
"""

import math
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from .script_reflection import (
    REFLECTED,
    change_query,
    data_of,
    made_url,
    maker_of,
    promise_method,
    reflection,
)
from .script_tokens import UNDEFINED
from .script_values import (
    DOCUMENT,
    LOCATION,
    MAX_SIZE,
    UNKNOWN,
    WINDOW,
    Bound,
    BuiltIn,
    Either,
    Host,
    PageElement,
    Partial,
    Pattern,
    Promised,
    ScriptFunction,
    ScriptList,
    ScriptObject,
    ScriptUrl,
    Selection,
    Value,
    added,
    coded,
    either,
    from_codes,
    list_method,
    number,
    number_text,
    parsed_int,
    pattern,
    string_method,
    text,
    truth,
    usable,
)

if TYPE_CHECKING:
    from .script_expressions import ExpressionFolder

_TYPE_NAMES = """String Array Object Function RegExp Number Boolean Math JSON Date Image URL Promise Error
Reflect Uint8Array Uint16Array TextDecoder navigation"""
_TIMER_NAMES = "setTimeout setInterval requestAnimationFrame queueMicrotask setImmediate requestIdleCallback"
_CODER_NAMES = "unescape decodeURIComponent decodeURI atob encodeURIComponent encodeURI escape"
_OTHER_NAMES = "eval execScript parseInt parseFloat open navigate addEventListener attachEvent $ jQuery"
_STRING_METHODS = """toString valueOf trim trimStart trimEnd toLowerCase toUpperCase normalize slice substring
substr charAt charCodeAt codePointAt at concat indexOf lastIndexOf includes startsWith endsWith split replace
replaceAll match search padStart padEnd repeat"""
_LIST_METHODS = """join reverse push unshift pop shift slice splice concat indexOf includes toString valueOf
at map forEach filter reduce some every find"""
_DOCUMENT_METHODS = """write writeln createElement getElementById querySelector getElementsByTagName
getElementsByName addEventListener attachEvent open close querySelectorAll"""
_ELEMENT_METHODS = """submit requestSubmit click setAttribute getAttribute appendChild append prepend
insertBefore insertAdjacentHTML addEventListener dispatchEvent replaceWith replaceChildren"""
# Fields of forms that browsers send by themselves for sign-in and payment.
_MESSAGE_FIELDS = """samlrequest samlresponse relaystate wresult wctx id_token code openid.mode pareq creq
termurl authenticity_token"""

_SAME_WINDOW = frozenset({"window", "self", "top", "parent", "frames", "globalThis"})
_TYPES = frozenset(_TYPE_NAMES.split())
_TIMERS = frozenset(_TIMER_NAMES.split())
_CODERS = frozenset(_CODER_NAMES.split())
_FUNCTIONS = _TIMERS | _CODERS | frozenset(_OTHER_NAMES.split())
_LOADING = frozenset(
    {"load", "domcontentloaded", "pageshow", "readystatechange", "onload", "onreadystatechange"}
)
_LIST_CALLBACKS = frozenset({"map", "forEach", "filter", "reduce", "some", "every", "find"})
_ON_STRINGS = frozenset(_STRING_METHODS.split())
_ON_LISTS = frozenset(_LIST_METHODS.split())
_ON_DOCUMENT = frozenset(_DOCUMENT_METHODS.split())
_ON_ELEMENTS = frozenset(_ELEMENT_METHODS.split())
_PLACES = frozenset({"body", "head", "documentElement"})
_MESSAGES = frozenset(_MESSAGE_FIELDS.split())


def window_member(folder: "ExpressionFolder", name: Value) -> Value:
    """A property of the window, which is a global name."""
    if not isinstance(name, str):
        return UNKNOWN
    if name in folder.top.names:
        return folder.top.names[name]
    if name in _SAME_WINDOW:
        return WINDOW
    if name in ("location", "document"):
        return LOCATION if name == "location" else DOCUMENT
    if name in _FUNCTIONS:
        return BuiltIn(name, WINDOW)
    if name in _TYPES:
        return Host(name)
    if name in ("NaN", "Infinity"):
        return math.nan if name == "NaN" else math.inf
    return _named_form(folder, name) or UNKNOWN


def _named_form(folder: "ExpressionFolder", name: str) -> PageElement | None:
    for element in folder.elements:
        if name and name in (element.attributes.get("id"), element.attributes.get("name")):
            return element
    return None


def member(folder: "ExpressionFolder", owner: Value, key: str) -> Value:  # noqa: C901, PLR0912 - a list of types
    """A property of a value that is no object of the script."""
    if key == "constructor" and (maker := maker_of(owner)):
        return Host(maker)
    if isinstance(owner, Host):
        return _host_member(folder, owner, key)
    if isinstance(owner, str):
        if key == "length":
            return len(owner)
        if key.isdecimal() and len(key) < 7:
            return owner[int(key)] if int(key) < len(owner) else UNDEFINED
        return BuiltIn(key, owner) if key in _ON_STRINGS else UNKNOWN
    if isinstance(owner, ScriptList):
        if key == "length":
            return len(owner.items)
        if key.isdecimal() and len(key) < 7:
            return owner.items[int(key)] if int(key) < len(owner.items) else UNDEFINED
        return BuiltIn(key, owner) if key in _ON_LISTS else UNKNOWN
    if isinstance(owner, PageElement):
        if key == "style":
            return BuiltIn("style", owner)
        if key in _ON_ELEMENTS:
            return BuiltIn(key, owner)
        if key == "dataset":
            return data_of(owner)
        return owner.attributes.get(key.lower(), UNKNOWN)
    if isinstance(owner, Pattern):
        return BuiltIn(key, owner) if key in ("test", "exec") else UNKNOWN
    if isinstance(owner, Selection):
        return BuiltIn(key, owner)
    if isinstance(owner, Promised):
        return BuiltIn(key, owner) if key in ("then", "catch", "finally") else UNKNOWN
    if isinstance(owner, BuiltIn):
        if owner.name == "style":
            return BuiltIn("setProperty", owner.owner) if key == "setProperty" else UNKNOWN
        if owner.name == "searchParams":
            return BuiltIn(f"searchParams.{key}", owner.owner)
        return BuiltIn(key, owner) if key in ("call", "apply", "bind") else UNKNOWN
    if isinstance(owner, int | float) and key in ("toString", "toFixed"):
        return BuiltIn(key, owner)
    if isinstance(owner, Partial) and key in ("toString", "concat"):
        return BuiltIn(key, owner)
    return UNKNOWN


def _host_member(folder: "ExpressionFolder", owner: Host, key: str) -> Value:
    if owner == WINDOW:
        return window_member(folder, key)
    if owner == LOCATION:
        here = folder.here
        parts = {
            "href": folder.address,
            "protocol": f"{here.scheme}:",
            "host": here.netloc,
            "hostname": here.hostname or "",
            "pathname": here.path or "/",
            "search": f"?{here.query}" if here.query else "",
            "hash": "",
            "port": str(here.netloc.partition(":")[2]),
            "origin": f"{here.scheme}://{here.netloc}",
        }
        if key in parts:
            return parts[key]
        return BuiltIn(key, owner) if key in ("assign", "replace", "toString", "reload") else UNKNOWN
    if owner == DOCUMENT:
        if key in ("URL", "documentURI", "baseURI", "domain"):
            return folder.here.hostname or "" if key == "domain" else folder.address
        if key in ("location", "defaultView", "parentWindow"):
            return LOCATION if key == "location" else WINDOW
        if key in _PLACES:
            return PageElement(key)
        if key == "readyState":  # in the end
            return "complete"
        if key in ("forms", "links"):
            kind = "form" if key == "forms" else "a"
            found = [one for one in folder.elements if one.name == kind]
            names = {
                str(one.attributes.get(n)): one
                for one in found
                for n in ("name", "id")
                if n in one.attributes
            }
            return ScriptObject(
                {**names, "length": len(found), **{str(i): one for i, one in enumerate(found)}}
            )
        known = (
            "write writeln createElement getElementById querySelector getElementsByTagName getElementsByName "
        )
        known += "addEventListener attachEvent open close querySelectorAll createTextNode"
        return BuiltIn(key, owner) if key in known.split() else _named_form(folder, key) or UNKNOWN
    if key == "prototype":
        return Host(f"{owner.name}.prototype")
    return BuiltIn(f"{owner.name.removesuffix('.prototype')}.{key}", owner)


def set_member(folder: "ExpressionFolder", owner: Value, key: str, value: Value) -> None:
    """Assign to a property of an object of the browser."""
    if isinstance(owner, BuiltIn):
        if owner.name == "style" and isinstance(owner.owner, PageElement):
            owner.owner.style[key] = value
        return
    if isinstance(owner, PageElement):
        if key in ("innerHTML", "outerHTML") and owner.name in (*_PLACES, "element"):
            folder.write(value, int(owner.name == "element"))  # an element may be smaller than the window
        else:
            owner.attributes[key.lower()] = value
        return
    if (owner in (WINDOW, DOCUMENT) and key == "location") or (owner == LOCATION and key == "href"):
        folder.leave(value)
    elif owner == LOCATION and key in ("host", "hostname") and isinstance(value, str):
        folder.leave(folder.here._replace(netloc=value).geturl())


def unknown_call(folder: "ExpressionFolder", name: Value, args: list[Value]) -> Value:
    """A call of an unknown function: those that run a function when the page is ready, or soon, do."""
    if isinstance(name, str):
        low = name.lower()
        callbacks = [one for one in args if isinstance(one, ScriptFunction)]
        if low in ("on", "one", "bind", "live") and args and isinstance(args[0], str):
            if args[0].lower() in _LOADING:
                folder.later(callbacks[0] if callbacks else UNKNOWN)
        elif callbacks and (low.endswith("ready") or low in ("load", "onload", "addloadevent", "addonload")):
            folder.later(callbacks[0])
        elif callbacks and low in ("then", "done", "always", "finally", "complete"):
            folder.later(callbacks[0], doubt=1)
    return UNKNOWN


def call(folder: "ExpressionFolder", name: str, owner: Value, args: list[Value]) -> Value:  # noqa: C901, PLR0912
    """Call a function of the browser."""
    first = args[0] if args else UNDEFINED
    if isinstance(owner, BuiltIn | ScriptFunction):
        return _function_method(folder, name, owner, args)
    if isinstance(owner, str):
        if name in ("replace", "replaceAll") and len(args) > 1 and isinstance(args[1], ScriptFunction | Host):
            return _replace_by(folder, owner, args)
        return string_method(name, owner, args)
    if isinstance(owner, Partial):
        return owner
    if isinstance(owner, ScriptList):
        if name in _LIST_CALLBACKS:
            return _list_callback(folder, name, owner, args)
        return list_method(name, owner.items, args)
    if isinstance(owner, Pattern):
        subject = text(first)
        if not isinstance(subject, str) or not usable(owner, subject) or owner.found is None:
            return UNKNOWN
        hit = owner.found.search(subject)
        if name == "test":
            return hit is not None
        return None if hit is None else ScriptList([hit[0], *hit.groups()])
    if isinstance(owner, PageElement):
        if name == "getAttribute":
            return owner.attributes.get(str(text(first)).lower(), UNKNOWN)
        return _element_method(folder, name, owner, args)
    if isinstance(owner, Selection):
        return _selection_method(folder, name, owner, args)
    if isinstance(owner, Promised):
        return promise_method(folder, name, owner, first)
    if isinstance(owner, ScriptUrl):
        return change_query(folder, owner, name, args)
    if isinstance(owner, bool | int | float):
        return number_text(owner, args) if name == "toString" else UNKNOWN
    if owner == LOCATION:
        if name in ("assign", "replace"):
            folder.leave(first)
        return folder.address if name == "toString" else UNDEFINED
    if owner == DOCUMENT:
        return _document_method(folder, name, args)
    if owner == WINDOW:
        return _window_function(folder, name, args)
    return _type_function(folder, name, args)


def _function_method(folder: "ExpressionFolder", name: str, owner: Value, args: list[Value]) -> Value:
    """`call`, `apply` and `bind` of a function; other calls are of a bound function."""
    if name == "bound" or name not in ("call", "apply", "bind"):
        return UNKNOWN
    this = args[0] if args else UNDEFINED
    if this in (None, UNDEFINED):
        this = WINDOW
    rest = args[1:]
    if name == "apply":
        rest = list(rest[0].items) if rest and isinstance(rest[0], ScriptList) else []
    if name == "bind":
        return Bound(owner, this, tuple(rest))
    if (
        isinstance(owner, BuiltIn)
        and owner.name.rpartition(".")[0] in ("Array", "String")
        and isinstance(owner.owner, Host)
        and owner.owner.name.endswith(".prototype")
    ):
        return folder.call(BuiltIn(owner.name.rpartition(".")[2], this), this, rest)
    if isinstance(owner, BuiltIn) and not isinstance(owner.owner, Host):
        return folder.call(BuiltIn(owner.name, this), this, rest)
    return folder.call(owner, this, rest)


def _replace_by(folder: "ExpressionFolder", subject: str, args: list[Value]) -> Value:
    """`replace` with a function."""
    what, function = args[0], args[1]
    if isinstance(what, str):
        what = pattern("".join(f"\\{one}" if not one.isalnum() else one for one in what), "")
    if not isinstance(what, Pattern) or not usable(what, subject) or what.found is None:
        return UNKNOWN
    parts: list[str] = []
    end = 0
    for hit in what.found.finditer(subject):
        made = text(folder.call(function, WINDOW, [hit[0], *hit.groups(), hit.start(), subject]))
        if not isinstance(made, str):
            return UNKNOWN
        parts += [subject[end : hit.start()], made]
        end = hit.end()
        if not what.everywhere:
            break
    found = "".join(parts) + subject[end:]
    return found if len(found) <= MAX_SIZE else UNKNOWN


def _list_callback(folder: "ExpressionFolder", name: str, owner: ScriptList, args: list[Value]) -> Value:
    function = args[0] if args else UNKNOWN
    items = list(owner.items)
    if name == "reduce":
        value = args[1] if len(args) > 1 else items.pop(0) if items else UNDEFINED
        for item in items:
            value = folder.call(function, WINDOW, [value, item])
        return value
    made = [folder.call(function, WINDOW, [item, place, owner]) for place, item in enumerate(items)]
    if name in ("forEach", "map"):
        return UNDEFINED if name == "forEach" else ScriptList(made)
    truths = [truth(one) for one in made]
    if None in truths:
        return UNKNOWN
    if name in ("some", "every"):
        return any(truths) if name == "some" else all(truths)
    kept = [item for item, one in zip(items, truths, strict=True) if one]
    if name == "filter":
        return ScriptList(kept)
    return kept[0] if kept else UNDEFINED


def _element_method(  # noqa: C901 - a list of methods
    folder: "ExpressionFolder", name: str, owner: PageElement, args: list[Value]
) -> Value:
    first = args[0] if args else UNDEFINED
    second = args[1] if len(args) > 1 else UNDEFINED
    if name == "setAttribute" and isinstance(key := text(first), str):
        owner.attributes[key.lower()] = second
    elif name == "setProperty" and isinstance(key := text(first), str):
        owner.style[key.lower()] = second
    elif name in ("submit", "requestSubmit") and owner.name == "form":
        fields = str(owner.attributes.get("fields", "")).split()
        action = text(owner.attributes.get("action", UNKNOWN))
        # A form within the site needs its fields, as a search or a challenge does.
        away = (
            isinstance(action, str) and urlsplit(urljoin(folder.address, action)).netloc != folder.here.netloc
        )
        if (away or isinstance(action, Partial)) and not _MESSAGES.intersection(fields):
            folder.leave(owner.sent_to(action) if isinstance(action, str) else action)
    elif (name == "click" and not args) or name == "dispatchEvent":
        if owner.name == "a" and owner.attributes.get("target") in (None, "", "_self", "_top", "_parent"):
            folder.leave(owner.attributes.get("href", UNKNOWN))
        elif isinstance(handler := owner.attributes.get("onclick"), ScriptFunction):
            folder.call(handler, owner, [])
    elif name == "insertAdjacentHTML":
        folder.write(second)
    elif name == "addEventListener" and isinstance(first, str) and first.lower() in _LOADING:
        folder.later(second)
    elif isinstance(first, PageElement) and owner.name == "form" and first.name == "input":
        sent = [text(first.attributes.get(key, "")) for key in ("name", "value")]
        if isinstance(sent[0], str) and isinstance(sent[1], str):
            owner.add_field(*sent)
    elif isinstance(first, PageElement) and (owner.name in (*_PLACES, "element")):
        folder.write(_markup(first), int(owner.name == "element"))
    return first if name in ("appendChild", "insertBefore") else UNDEFINED


def _selection_method(folder: "ExpressionFolder", name: str, owner: Selection, args: list[Value]) -> Value:
    """A method of jQuery; most return what they are called on."""
    target = owner.target
    if name in ("attr", "prop") and len(args) > 1:
        folder.set_member(target, text(args[0]), args[1])
    elif name in ("submit", "click", "trigger") and not any(isinstance(one, ScriptFunction) for one in args):
        way = text(args[0]) if name == "trigger" and args else name
        if isinstance(target, PageElement) and isinstance(way, str):
            _element_method(folder, way, target, [])
    elif name in ("append", "html", "prepend", "appendTo") and args and isinstance(args[0], str):
        folder.write(args[0])
    else:
        unknown_call(folder, name, args)
    return owner


def _markup(element: PageElement) -> Value:
    """The HTML of an element that a script adds to the page."""
    if element.name == "script":
        code = next(
            (element.attributes[k] for k in ("text", "innerhtml", "textcontent") if k in element.attributes),
            "",
        )
        return added("<script>", added(code, "</script>")) if "src" not in element.attributes else UNKNOWN
    if element.name not in ("iframe", "frame", "object", "embed", "meta"):
        return element.attributes.get("innerhtml", UNKNOWN)
    given = {
        "http-equiv" if key == "httpequiv" else key: text(value) for key, value in element.attributes.items()
    }
    style = str(given.pop("style", "") or "").rstrip(";") if isinstance(given.get("style"), str) else ""
    for key, value in element.style.items():
        dashed = "".join(f"-{one.lower()}" if one.isupper() else one for one in key)
        style += f";{value if key == 'cssText' else f'{dashed}:{value}'}" if isinstance(value, str) else ""
    found: list[str] = []
    for key, value in [*given.items(), ("style", style)]:
        known = value.start if isinstance(value, Partial) else value
        if isinstance(known, str):
            escaped = known.replace("&", "&amp;").replace('"', "&quot;")
            found.append(f'{key}="{escaped}"')
    return f"<{element.name} {' '.join(found)}></{element.name}>"


def _document_method(folder: "ExpressionFolder", name: str, args: list[Value]) -> Value:
    first = args[0] if args else UNDEFINED
    if name in ("write", "writeln"):
        for one in args:
            folder.write(one)
        return UNDEFINED
    wanted = text(first)
    if name in ("addEventListener", "attachEvent"):
        if isinstance(wanted, str) and wanted.lower() in _LOADING:
            folder.later(args[1] if len(args) > 1 else UNKNOWN)
        return UNDEFINED
    if not isinstance(wanted, str):
        return UNKNOWN
    if name == "createElement":
        return PageElement(wanted.lower())
    if name in ("getElementById", "querySelector"):
        return selected(folder, f"#{wanted}" if name == "getElementById" else wanted)
    if name in ("getElementsByTagName", "getElementsByName", "querySelectorAll"):
        kind = wanted.lower()
        if name == "getElementsByTagName" and kind in _PLACES:
            return ScriptList([PageElement(kind)])
        found = [one for one in folder.elements if kind in (one.name, one.attributes.get("name"))]
        return ScriptList(list(found)) if found else UNKNOWN
    return UNKNOWN


def selected(folder: "ExpressionFolder", selector: str) -> PageElement:
    """The first form or link that a selector names, or some other element of the page."""
    if selector in _PLACES:
        return PageElement(selector)
    kind, mark, rest = selector.partition("#")
    for one in folder.elements:
        same = kind.strip().lower() in ("", one.name)
        if (mark and same and one.attributes.get("id") == rest.strip()) or (
            not mark and kind.lower() == one.name
        ):
            return one
    return PageElement("element")


def _window_function(folder: "ExpressionFolder", name: str, args: list[Value]) -> Value:  # noqa: C901
    first = args[0] if args else UNDEFINED
    if name in _CODERS:
        if isinstance(first, Either):
            return either([coded(name, one) for one in first.values])
        return coded(name, first)
    if name in _TIMERS:
        wait = number(args[1]) if len(args) > 1 and name in ("setTimeout", "setInterval") else 0
        known = wait if isinstance(wait, int | float) and 0 <= wait < 1e9 else 0
        given = tuple(args[2:])
        folder.later(
            Bound(first, WINDOW, given) if given else first, known / 1000, repeated=name == "setInterval"
        )
        return UNKNOWN
    if name in ("eval", "execScript"):
        return folder.evaluate_code(first) if isinstance(first, str) else first
    if name in ("open", "navigate"):
        target = text(args[1]) if len(args) > 1 else ""
        if name == "navigate" or target in ("_self", "_top", "_parent"):
            folder.leave(first)
        return UNKNOWN
    if name in ("addEventListener", "attachEvent"):
        if isinstance(first, str) and first.lower() in _LOADING:
            folder.later(args[1] if len(args) > 1 else UNKNOWN)
        return UNDEFINED
    if name == "parseInt":
        return parsed_int(args)
    if name == "parseFloat":
        return number(first)
    if name in ("$", "jQuery"):
        if isinstance(first, ScriptFunction):
            folder.later(first)
            return UNKNOWN
        return Selection(selected(folder, first) if isinstance(first, str) else first)
    return UNKNOWN


def _type_function(folder: "ExpressionFolder", name: str, args: list[Value]) -> Value:
    first = args[0] if args else UNDEFINED
    if name in ("String.fromCharCode", "String.fromCodePoint"):
        return from_codes(args)
    if name == "String.raw" and isinstance(first, str):
        return first
    if name.startswith("Math."):
        numbers = [number(one) for one in args]
        if UNKNOWN in numbers or not numbers or any(not abs(one) <= 1e15 for one in numbers):
            return UNKNOWN
        if name in ("Math.floor", "Math.ceil", "Math.round"):
            shift = {"Math.floor": 0.0, "Math.ceil": 1.0, "Math.round": 0.5}[name]
            return -math.floor(-numbers[0]) if shift == 1 else math.floor(numbers[0] + shift)
        return max(numbers) if name == "Math.max" else min(numbers) if name == "Math.min" else UNKNOWN
    if name == "Array.isArray":
        return UNKNOWN if first is UNKNOWN else isinstance(first, ScriptList)
    if name in ("Array.from", "Array.of"):
        items = (
            first.items if isinstance(first, ScriptList) else list(first) if isinstance(first, str) else None
        )
        made = ScriptList(list(args if name == "Array.of" else items or []))
        if items is None and name == "Array.from":
            return UNKNOWN
        return _list_callback(folder, "map", made, args[1:]) if len(args) > 1 else made
    if name in ("Object.keys", "Object.values") and isinstance(first, ScriptObject):
        return ScriptList(list(first.fields if name == "Object.keys" else first.fields.values()))
    if name in REFLECTED:
        return reflection(folder, name, args)
    if name == "Promise.resolve":
        return first if isinstance(first, Promised) else Promised(first, settled=True)
    return UNKNOWN


def construct(folder: "ExpressionFolder", name: str, args: list[Value]) -> Value:
    """The value of a type that is called, with or without `new`."""
    first = args[0] if args else UNDEFINED
    if name == "String":
        return text(first) if args else ""
    if name == "Number":
        return number(first) if args else 0
    if name == "Array":
        return ScriptList(list(args)) if len(args) != 1 or not isinstance(first, int) else ScriptList([])
    if name == "Object":
        return ScriptObject() if not args else first
    if name == "RegExp" and isinstance(source := text(first), str):
        flags = text(args[1]) if len(args) > 1 else ""
        return pattern(source, flags if isinstance(flags, str) else "")
    if name == "Function" and args and isinstance(code := text(args[-1]), str):
        # The code becomes the body of a function of the global scope.
        names = ",".join(one for one in args[:-1] if isinstance(one, str))
        folder.evaluate_code(f"var __made=function({names}){{{code}\n}}")
        return folder.top.names.pop("__made", UNKNOWN)
    if name == "Image":
        return PageElement("img")
    if name == "URL" and isinstance(link := text(first), str):
        base = text(args[1]) if len(args) > 1 else folder.address
        return made_url(base if isinstance(base, str) else folder.address, link)
    if name in ("Uint8Array", "Uint16Array"):
        return ScriptList(list(first.items)) if isinstance(first, ScriptList) else UNKNOWN
    if name == "TextDecoder":
        return Host(name)
    if name == "Promise" and isinstance(first, ScriptFunction):
        promise = Promised()
        folder.call(first, WINDOW, [BuiltIn("settle", promise), UNKNOWN])
        return promise
    return UNKNOWN


def type_name(value: Value) -> Value:
    """The value of `typeof`."""
    if value is UNKNOWN or isinstance(value, Either):
        return UNKNOWN
    if isinstance(value, str | Partial):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, ScriptFunction | BuiltIn) or (isinstance(value, Host) and value.name in _TYPES):
        return "function"
    return "object"
