"""Redirects by the scripts of a page, found by folding constants.

`script_folding` executes what depends only on the code and the page's URL. Found are assignments to
`location`, `location.assign` and `replace`, `window.open` into the same window, forms and links that the
script sends or clicks, and what it writes: refreshes, frames that fill the window, and more scripts. Code in
a function counts only if the function runs by itself: at once, when the page has loaded, or after a timeout.
"""

import base64
import contextlib
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from fieldmouse.page import read, tags
from fieldmouse.page.charset import decode, value_of
from fieldmouse.page.tags import attributes
from fieldmouse.page.word_filter import WordFilter
from fieldmouse.types import Tag

from .page_frames import filling_frame
from .script_folding import Folder
from .script_values import PageElement

MAX_CODE = 200_000  # characters of scripts read in a page
MAX_SCRIPTS = 100  # of a page that are read
MAX_ELEMENTS = 200  # forms and links of a page that scripts may use
MAX_VISIBLE = 30_000  # characters of a script that is read; a longer one is an application
MAX_HIDDEN = 10_000  # the same for one in which no redirect can be seen
SHORT = 2000  # characters of a script without any redirect that is still read
MAX_ROUNDS = 3  # scripts that write scripts


class ScriptRedirect(NamedTuple):
    """A URL that a script goes to by itself."""

    url: str  # may be relative
    delay: float  # seconds
    certain: bool = True  # it is not under a condition


# The ways to leave that can be seen in the code. Each pattern is searched only in a page with its word. One
# that begins with letters, and not with a condition, is found ten times as fast.
_LEAVES = (
    (
        b"location",
        (
            rb"location['\"]?\s*+\]?\s*+(?:(?:\.\s*+(?:href|host|hostname)|\[[^\]\n]{1,60}\])?\s*+=(?![=>])"
            rb"|\.\s*+(?:assign|replace)\b|\[|[^{}'\";]{0,40}\}\s*+=(?![=>]))|location['\"]\s*+[,);}\]]"
        ),
    ),
    (b"eval", rb"eval\b\s*+\)?\s*+\("),
    (b"Function", rb"Function\s*+\("),
    (b"setTimeout", rb"setTimeout\s*+\(\s*+(?:['\"`]|atob|unescape|decode|String|\[)"),
    (
        b"write",
        # What is written is put together, or visibly a frame or a refresh; other elements do not lead away.
        (
            rb"\.\s*+write(?:ln)?\s*+\(\s*+(?:(?!(?:unescape\s*+\(\s*+)?['\"`]\s*+(?:<|%3C|\\x3[cC])\s*+"
            rb"(?:script[^>]{0,200}src|/|\\/|!--|[abipu]\b|br|hr|h\d|li|ul|td|tr|img|div|span|link|style|table"
            rb"|noscript|input|font|ins|center|strong)|\(?new Date|\(?\w+\.get)[^;]{0,2}"
            rb"|[^;]{0,400}(?:<|%3C|\\x3[cC])(?:i?frame|meta|object|embed))"
        ),
    ),
    (b"createElement", rb"createElement\s*+\(\s*+['\"`](?:i?frame|meta|object|embed)\b"),
    (b"click", rb"click['\"]?\s*+\]?\s*+\(\s*+\)"),
    (b"dispatchEvent", rb"dispatchEvent\s*+\("),
    (b"navigate", rb"navigate\s*+\("),
    (b"data:", rb"<script[^>]{0,200}\bsrc\s*+=\s*+['\"]?\s*+data:"),
    (b"open", rb"open\s*+\([^;]{0,300}['\"]_(?:self|top|parent)\b"),
    (b"with", rb"with(?<!\wwith)\s*+\((?:[^()]{0,40}\.)?\s*+(?:location|document|window)\b"),
    (b"Object", rb"Object\s*+\.\s*+assign\s*+\([^(),]{0,40}\b(?:location|document|window|self|top)\s*+,"),
    (b"\\u00", rb"\\u00[67][0-9a-fA-F]"),
    (b"innerHTML", rb"innerHTML\s*+=[^;]{0,200}<i?frame"),
)
# Types of `input` that a form does not send by itself, and those it sends only when they are checked.
_UNSENT = frozenset({"submit", "button", "reset", "image", "file"})
_CHECKED = frozenset({"checkbox", "radio"})
_SUBMITS = re.compile(rb"ubmit['\"]?\s*+\]?\s*+\(\s*+\)")
_FORM = re.compile(
    rb"action['\"]?\s*+[=,:]\s*+['\"]?+\s*+(?:(?:https?:)?//|[\w$]+\b(?!\s*+[./?]))", re.IGNORECASE
)
_SEARCHES = tuple((word, re.compile(source)) for word, source in _LEAVES)
_HANDLED = re.compile(rb"onload|onerror|onfocus|ontoggle")
# What reads an element of the page, and a name that may be its id.
_READS = re.compile(r"getAttribute|dataset|innerHTML|innerText|textContent|\.value\b")
_NAMED_ID = re.compile(r"""['"`]#?([A-Za-z][\w-]{0,60})['"`]""")
# A name for `location`, and `location` as an argument.
_ALONE = re.compile(rb"location\s*+(?:[;,)\n]|\Z)")
_NAMED = re.compile(rb"([\w$]{1,40})\s*+=\s*+(?:[\w$]{1,40}\s*+\.\s*+){0,3}\Z")
_PASSED = re.compile(rb"location['\"]?\s*+[,)]")
_USED = re.compile(
    rb"\.\s*+(?:href\s*+=(?![=>])|assign\s*+\(|attr\s*+\(|prop\s*+\(|replace\s*+\(\s*+[^/'\"\s])"
)
# `location` as an index that is put together: such words, or parts of its name, and the window.
_CODED = (b"fromCharCode", b"unescape", b"atob", b"\\x6", b"\\x7", b".reverse(")
_JOINED = (b".join(", b"'+'", b'"+"', b"' + '", b'" + "')
_FILTER = WordFilter([*(word for word, _ in _LEAVES), b"ubmit", *_CODED, *_JOINED])
_PART = re.compile(rb"['\"`](?:l|lo|loc|loca|locat|locati|locatio)['\"`]")
_OPENS = re.compile(rb"(?:=|\[)\s*+['\"`]open['\"`]\s*+[,;\]]")  # by another name
_WINDOWS = re.compile(rb"\b(?:window|self|top|document|this|globalThis|parent|frames)\s*+(?:\[|[,;)]|\|\|)")


def may_redirect(body: bytes) -> bool:
    """Whether a page may have a script that redirects: a fast filter."""
    words = _FILTER.found(body)
    return _leaves_visibly(body, words) or _leaves_hidden(body, words)


def _leaves_visibly(code: bytes, words: set[bytes]) -> bool:
    return any(word in words and search.search(code) is not None for word, search in _SEARCHES)


def _leaves_hidden(code: bytes, words: set[bytes]) -> bool:
    """Whether code may leave by another name of `location`, an index that is put together, or a form."""
    if b"ubmit" in words and _SUBMITS.search(code) is not None and _FORM.search(code) is not None:
        return True
    if b"location" in words:
        if _PASSED.search(code) is not None and _USED.search(code) is not None:
            return True
        before = (code[max(0, one.start() - 80) : one.start()] for one in islice(_ALONE.finditer(code), 30))
        for name in {found[1] for part in before if (found := _NAMED.search(part))}:
            use = rb"\b%s\s*+(?:\.\s*+(?:href|host|hostname)\s*+=(?![=>])|\.\s*+(?:assign|replace)\b|\[)"
            if re.search(use % re.escape(name), code) is not None:
                return True
    hidden = not words.isdisjoint(_CODED) or (
        not words.isdisjoint(_JOINED) and _PART.search(code) is not None
    )
    hidden = hidden or (b"open" in words and b"_" in code and _OPENS.search(code) is not None)
    return hidden and _WINDOWS.search(code) is not None


def script_redirects(body: bytes, codec: str, all_tags: Sequence[Tag], address: str) -> list[ScriptRedirect]:
    """The redirects in the scripts of a page. Takes any bytes and never raises."""
    if not may_redirect(body):
        return []
    codes = list(islice(_codes(body, codec, all_tags), MAX_SCRIPTS))
    # Other scripts may set variables, but long ones are libraries and data.
    chosen = [_chosen(code) for code in codes]
    if True not in chosen:
        return []
    codes = [code for code, leads in zip(codes, chosen, strict=True) if leads is not None]
    wanted = any("ubmit" in code or "click" in code for code in codes)
    elements = _elements(body, codec, all_tags) if wanted else []
    folder = Folder(address, elements + _read_elements(codes, body, codec, all_tags))
    found: dict[ScriptRedirect, None] = {}
    for _ in range(MAX_ROUNDS):
        room = MAX_CODE
        for place, code in enumerate(codes):
            codes[place], room = code[: max(0, room)], room - len(code)
        folder.run(codes)
        if not folder.written:
            break
        certain = not any(doubt for _, doubt in folder.written)
        written = "".join(html for html, _ in folder.written).encode("utf-8", "replace")
        folder.written.clear()
        facts = read.read(written, content_type="text/html; charset=utf-8")
        inner = tags.unpack(facts.index)
        for href in facts.hrefs:
            if href.kind == "refresh":
                found[ScriptRedirect(href.value, facts.refresh_delay or 0.0, certain)] = None
        if frame := filling_frame(written, "utf-8", inner):
            found[ScriptRedirect(frame, 0.0, certain)] = None
        codes = list(islice(_codes(written, "utf-8", inner), MAX_SCRIPTS))
    for one in folder.exits:
        found[ScriptRedirect(one.url, one.delay, not one.doubt)] = None
    return list(found)


def _chosen(code: str) -> bool | None:
    """True for a script that may leave, False for a short one that may set variables, or None."""
    if len(code) <= MAX_VISIBLE:
        raw = code.encode("utf-8", "replace")
        words = _FILTER.found(raw)
        if _leaves_visibly(raw, words) or _SUBMITS.search(raw) is not None:
            return True
        if len(code) <= MAX_HIDDEN and _leaves_hidden(raw, words):
            return True
    return False if len(code) <= SHORT else None


def _codes(body: bytes, codec: str, all_tags: Sequence[Tag]) -> Iterator[str]:
    """The inline scripts of a page, then the handlers that run when it or an element has loaded."""
    handlers: list[str] = []
    low = body.lower()
    handled = _HANDLED if _HANDLED.search(low) else None
    for number, (offset, length, name, size) in enumerate(all_tags):
        if name != 1:
            continue
        word = body[offset + 1 : offset + 1 + size].lower()
        after = offset + length + 1
        if word == b"script":
            found = attributes(body[offset + 1 + size : after]) or {}
            kind = found.get(b"type", b"").strip().lower()
            runs = kind in (b"", b"module") or b"javascript" in kind or b"ecmascript" in kind
            if runs and found.get(b"src", b"").lstrip()[:5].lower() == b"data:":
                yield _of_data_url(value_of(found[b"src"], codec))
            elif runs and b"src" not in found:
                end = all_tags[number + 1].offset if number + 1 < len(all_tags) else len(body)
                yield decode(body[after : min(end, after + MAX_CODE)], codec)
        elif handled and handled.search(low, offset, after) and len(handlers) < MAX_SCRIPTS:
            found = attributes(body[offset + 1 + size : after]) or {}
            handlers.append(value_of(found.get(b"onload", b""), codec))
            for event, cause in ((b"onfocus", b"autofocus"), (b"ontoggle", b"open")):
                if event in found and cause in found:
                    handlers.append(value_of(found[event], codec))
            if b"onerror" in found:  # whether it fails is not known
                handlers.append(f"if (loadingFails) {{ {value_of(found[b'onerror'], codec)} }}")
        elif word in (b"iframe", b"frame") and b"javascript:" in body[offset:after].lower():
            found = attributes(body[offset + 1 + size : after]) or {}
            source = value_of(found.get(b"src", b""), codec).strip()
            if source[:11].lower() == "javascript:":
                handlers.append(source[11:])
    yield from handlers


def _of_data_url(source: str) -> str:
    """The script in a `data:` URL."""
    head, _, data = source.partition(",")
    raw = unquote_to_bytes(data)[:MAX_CODE]
    with contextlib.suppress(ValueError):
        raw = base64.b64decode(raw) if head.rstrip().lower().endswith(";base64") else raw
    return raw.decode("utf-8", "replace")


def _read_elements(
    codes: Sequence[str], body: bytes, codec: str, all_tags: Sequence[Tag]
) -> list[PageElement]:
    """Elements that scripts read: those whose id they name, with their attributes and their first text."""
    readers = [code for code in codes if len(code) <= MAX_VISIBLE and _READS.search(code)]
    named = {
        one.encode("utf-8", "replace")
        for code in readers
        for one in islice(_NAMED_ID.findall(code), MAX_ELEMENTS)
    }
    found: list[PageElement] = []
    for number, (offset, length, name, size) in enumerate(all_tags if named else ()):
        tag = body[offset + 1 + size : offset + length + 1]
        if name != 1 or b"id" not in tag.lower():
            continue
        given = attributes(tag) or {}
        if given.get(b"id") not in named or len(found) >= MAX_ELEMENTS:
            continue
        known = {key.decode("latin-1"): value_of(value, codec) for key, value in given.items()}
        end = all_tags[number + 1].offset if number + 1 < len(all_tags) else len(body)
        said = decode(body[offset + length + 1 : min(end, offset + MAX_CODE)], codec)
        found.append(
            PageElement("element", {"innerhtml": said, "textcontent": said, "innertext": said, **known})
        )
    return found


def _elements(body: bytes, codec: str, all_tags: Sequence[Tag]) -> list[PageElement]:
    """The forms and links of a page; a form has the names of its fields as one attribute, and its query."""
    found: list[PageElement] = []
    form: PageElement | None = None
    for offset, length, name, size in all_tags:
        word = body[offset + name : offset + name + size].lower()
        if name == 2 and word == b"form":
            form = None
        if name != 1 or word not in (b"form", b"a", b"input"):
            continue
        given = attributes(body[offset + 1 + size : offset + length + 1]) or {}
        if word == b"input":
            if form is not None and b"name" in given:
                names = f"{form.attributes['fields']} {value_of(given[b'name'], codec).lower()}"
                form.attributes["fields"] = names[:2000]
                kind = value_of(given.get(b"type", b""), codec).strip().lower()
                if kind not in _UNSENT and (kind not in _CHECKED or b"checked" in given):
                    default = b"on" if kind in _CHECKED else b""
                    pair = value_of(given[b"name"], codec), value_of(given.get(b"value", default), codec)
                    form.add_field(*pair)
            continue
        known = {key.decode("latin-1"): value_of(value, codec) for key, value in given.items()}
        element = PageElement(word.decode(), known)
        if word == b"form":
            form, known["fields"], known["query"] = element, "", ""
        found.append(element)
        if len(found) >= MAX_ELEMENTS:
            break
    return found
