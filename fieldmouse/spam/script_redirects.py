"""Redirects in the scripts of a page, found by reading the code; no script is run.

Recognized are assignments to `location`, `location.assign`, `location.replace` and `window.open` into the
same window, with URLs made of strings, variables that hold strings, and parts of the page's own URL. Code in
a function counts only if the function runs by itself: at once, when the page has loaded, after a timeout, or
because it is called elsewhere.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from fieldmouse.page.charset import decode
from fieldmouse.page.tags import attributes
from fieldmouse.types import Tag

MOST = 200_000  # characters of scripts read in a page
SCRIPTS = 300  # of a page that are read
FEW = 20  # redirects found in a page
TRIED = 100  # places in a script that are checked
DEEP = 8  # variables looked up within variables, and blocks around a place

_BLANKS = re.compile(r"\s{2,}")  # long runs would make the patterns below slow
_STRING = r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`"
_HIDDEN = re.compile(rf"({_STRING})|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)|<!--[^\n]*+|-->[^\n]*+")
_WINDOW = r"(?:(?:window|top|document|self|parent|globalThis|opener)\s*(?:\.\s*|\[\s*))"
_MOVE = re.compile(
    rf"(?<![\w$.])(?:{_WINDOW}{{0,3}}['\"]?location['\"]?\s*\]?\s*"
    r"(?:(?:\.\s*href|\[\s*['\"]href['\"]\s*\])?\s*=(?![=>])|\.\s*(?P<call>assign|replace)\s*\()"
    r"|(?:window\s*\.\s*)?(?P<open>open|navigate)\s*\()\s*"
)
_PIECE = re.compile(
    rf"\s*(?:(?P<text>{_STRING})|(?P<call>(?:window\.)?(?:encodeURIComponent|encodeURI|escape|String|decodeURIComponent"
    r"|unescape|decodeURI))\s*\(|(?P<own>(?:(?:window|document|self|top|parent)\s*\.\s*)*location(?:\s*\.\s*\w+)?"
    r"|document\s*\.\s*(?:URL|domain))"
    r"|(?P<name>[A-Za-z_$][\w$]*))"
)
_VARIABLE = re.compile(r"(?:(?:var|let|const)\s+|(?<=[;,{\n])\s*|^)([A-Za-z_$][\w$]*)\s*=(?![=>])\s*")
_TIMED = re.compile(rf"setTimeout\s*\(\s*({_STRING})\s*,\s*(\d+)")
_OPENS = re.compile(
    r"(?:function\b\s*(?P<named>[\w$]*)\s*\([^(){}]*\)|(?P<arrow>\([^(){}]*\)|[\w$]+)\s*=>)\s*\{\Z"
)
_RUNS = re.compile(
    r"(?:setTimeout|onload|onpageshow|ready|\$|jQuery|addEventListener\s*\(\s*[^,()]{0,40},|[(!+~;{}]|void|new)"
    r"\s*[(=!,]?\s*\Z|\A\s*\Z"
)
_IF = re.compile(r"(?:\)|\belse|[?:]|&&|\|\|)\s*\Z")
_GOES_ON = re.compile(r"\s?[.(\[]")
_LISTENS = re.compile(r"addEventListener\s*\(\s*['\"](\w+)['\"]\s*,\s*\Z")
_AFTER = re.compile(r"\s*\}?\s*,\s*(\d+)")
_SAME_WINDOW = re.compile(r"\s*,\s*['\"]_(?:self|top|parent)['\"]")
_LOADING = frozenset({"load", "domcontentloaded", "pageshow", "readystatechange"})


class ScriptRedirect(NamedTuple):
    """A URL that a script goes to by itself."""

    url: str  # may be relative
    delay: float  # seconds
    certain: bool = True  # it is not under a condition


# A fast check that starts with a plain word; it matches whenever `_MOVE` does.
_SETS_LOCATION = (
    r"location['\"]?\s*+\]?\s*+"
    r"(?:(?:\.\s*+href|\[\s*+['\"]href['\"]\s*+\])?\s*+=(?![=>])|\.\s*+(?:assign|replace)\s*+\()"
)
_MAY_MOVE = re.compile(_SETS_LOCATION.encode())
_LEAVES = re.compile(rf"{_SETS_LOCATION}|(?:open|navigate)\s*+\(")
_OPENS_HERE = (b"_self", b"_top", b"_parent")


def may_redirect(body: bytes) -> bool:
    """Whether a page may have a script that redirects: a fast filter."""
    if _MAY_MOVE.search(body) is not None or b"navigate" in body:
        return True
    return b"open" in body and any(word in body for word in _OPENS_HERE)


def script_redirects(body: bytes, codec: str, all_tags: Sequence[Tag], address: str) -> list[ScriptRedirect]:
    """The redirects in the scripts of a page. Takes any bytes and never raises."""
    if not may_redirect(body):
        return []
    written = list(islice(_codes(body, codec, all_tags), SCRIPTS))
    if not any(_LEAVES.search(code) for code in written):
        return []
    codes = [_BLANKS.sub(lambda blank: "\n" if "\n" in blank[0] else " ", code) for code in written]
    page = _Page("\n".join(codes)[:MOST], address)
    found: dict[ScriptRedirect, None] = {}
    for code in codes:
        if not _LEAVES.search(code):
            continue
        for move in _Script(code[:MOST], page).moves():
            found[move] = None
            if len(found) >= FEW:
                return list(found)
    return list(found)


def _codes(body: bytes, codec: str, all_tags: Sequence[Tag]) -> Iterator[str]:
    """The inline scripts of a page and the `onload` of its body."""
    for number, (offset, length, name, size) in enumerate(all_tags):
        if name != 1 or size not in (4, 6):
            continue
        word = body[offset + 1 : offset + 1 + size].lower()
        if word not in (b"script", b"body"):
            continue
        after = offset + length + 1
        found = attributes(body[offset + 1 + size : after]) or {}
        kind = found.get(b"type", b"").strip().lower()
        if word == b"body":
            yield decode(found.get(b"onload", b""), codec)
        elif b"src" not in found and (
            kind in (b"", b"module") or b"javascript" in kind or b"ecmascript" in kind
        ):
            end = all_tags[number + 1].offset if number + 1 < len(all_tags) else len(body)
            yield decode(body[after : min(end, after + MOST)], codec)


class _Page:
    """All scripts of a page together: variables and calls of functions."""

    def __init__(self, whole: str, address: str) -> None:
        self.whole, self.address = whole, address
        self.called: dict[str, bool] = {}

    @cached_property
    def masked(self) -> str:
        """Everything with strings and comments blanked."""
        return _masked(self.whole)

    @cached_property
    def variables(self) -> dict[str, int]:
        """Where the value of each variable begins."""
        found: dict[str, int] = {}
        for one in _VARIABLE.finditer(self.whole):
            found.setdefault(one[1], one.end())
        return found

    @cached_property
    def own_parts(self) -> dict[str, str]:
        """The parts of the page's own URL, by the name of the property that has them."""
        here = urlsplit(self.address)
        return {
            "href": self.address,
            "location": self.address,
            "URL": self.address,
            "protocol": f"{here.scheme}:",
            "host": here.netloc,
            "hostname": here.hostname or "",
            "domain": here.hostname or "",
            "pathname": here.path,
            "search": f"?{here.query}" if here.query else "",
            "hash": "",
            "origin": f"{here.scheme}://{here.netloc}",
        }

    def calls(self, name: str) -> bool:
        """Whether a function of that name is called or passed somewhere, also in a string."""
        if name not in self.called:
            word = re.escape(name)
            call = rf"(?<![\w$])(?<!function ){word}\s?\(|[(=,]\s?{word}\s?[,);]"
            in_string = rf"['\"]{word}\(\)"
            self.called[name] = bool(re.search(call, self.masked) or re.search(in_string, self.whole))
        return self.called[name]


class _Script:
    """One script of a page."""

    def __init__(self, code: str, page: _Page) -> None:
        self.code, self.page = code, page
        self.masked = _masked(code)

    def moves(self) -> Iterator[ScriptRedirect]:
        for found in islice(_TIMED.finditer(self.code), FEW):
            inner = _Script(_literal(found[1]), self.page)
            for move in inner.moves() if "setTimeout" not in inner.code else ():
                yield move._replace(delay=move.delay + int(found[2][:9]) / 1000)
        # A match in a blanked place is in a string or a comment.
        places = [one for one in _MOVE.finditer(self.code) if self.masked[one.start()] != " "][:TRIED]
        for found, around in zip(places, self._around([one.start() for one in places]), strict=True):
            delays = [self._entry_delay(one) for one in around]
            url, end = self._value(self.code, found.end(), 0)
            same = not found["open"] or _SAME_WINDOW.match(self.code, end)
            if url and None not in delays and same:
                before = self.masked[max(0, found.start() - 80) : found.start()]
                blocks = (self.masked[max(0, one - 200) : one + 1] for one in around)
                certain = _IF.search(before) is None and all(_OPENS.search(block) for block in blocks)
                yield ScriptRedirect(url, sum(filter(None, delays)), certain)

    def _around(self, places: list[int]) -> Iterator[list[int]]:
        """The braces that are open at each of these places, which are in order."""
        braces = re.finditer(r"[{}]", self.masked)
        brace = next(braces, None)
        opened: list[int] = []
        for place in places:
            while brace is not None and brace.start() < place:
                if brace[0] == "{":
                    opened.append(brace.start())
                elif opened:
                    opened.pop()
                brace = next(braces, None)
            yield opened[-DEEP:]

    def _entry_delay(self, brace: int) -> float | None:
        """Seconds until the block that a brace opens runs by itself, None if it does not."""
        before = self.masked[max(0, brace - 200) : brace + 1]
        header = _OPENS.search(before)
        if header is None:
            return 0.0  # an if, a loop or an object
        start = max(0, brace - 200) + header.start()
        named = header["named"]
        if named and self.page.calls(named):
            return 0.0
        lead = self.code[max(0, start - 80) : start]
        if (listens := _LISTENS.search(lead)) is not None:
            return 0.0 if listens[1].lower() in _LOADING else None
        if named or not _RUNS.search(lead):
            # A function assigned to a name runs if the name is called.
            kept = re.search(r"([A-Za-z_$][\w$]*)\s*[=:]\s*\Z", lead)
            return 0.0 if kept and (kept[1].lower() == "onload" or self.page.calls(kept[1])) else None
        if "setTimeout" in lead[-16:]:
            depth, end = 0, brace
            while end < len(self.masked):
                depth += (self.masked[end] == "{") - (self.masked[end] == "}")
                if depth == 0:
                    break
                end += 1
            after = _AFTER.match(self.code, end)
            return int(after[1][:9]) / 1000 if after else 0.0
        return 0.0

    def _value(self, code: str, place: int, depth: int) -> tuple[str, int]:
        """The string value of an expression, as far as it is known, and where it ends."""
        parts: list[str] = []
        while (piece := _PIECE.match(code, place)) is not None:
            text, place = self._piece(code, piece, depth)
            if text is None or _GOES_ON.match(code, place):
                return _known("".join(parts)), place
            parts.append(text)
            plus = re.compile(r"\s*\+").match(code, place)
            if plus is None:
                return "".join(parts), place
            place = plus.end()
        return _known("".join(parts)), place

    def _piece(self, code: str, piece: re.Match[str], depth: int) -> tuple[str | None, int]:
        if piece["text"]:
            text = _literal(piece["text"])
            return (None if piece["text"][0] == "`" and "${" in text else text), piece.end()
        if piece["own"]:
            last = piece["own"].replace(" ", "").rpartition(".")[2]
            return self.page.own_parts.get(last), piece.end()
        if depth >= DEEP:
            return None, piece.end()
        if piece["call"]:
            inner, end = self._value(code, piece.end(), depth + 1)
            coded = quote(inner, safe="") if "encodeURIComponent" in piece["call"] else inner
            return (coded, end + 1) if code[end : end + 1] == ")" else (None, end)
        place = self.page.variables.get(piece["name"])
        text = "" if place is None else self._value(self.page.whole, place, depth + 1)[0]
        return text or None, piece.end()


def _known(text: str) -> str:
    """The known beginning of a URL; empty unless it includes the whole host."""
    return text if re.match(r"(?:https?:)?//[^/?#]+[/?#]", text) else ""


def _masked(code: str) -> str:
    """The code with strings and comments replaced by spaces of the same length."""
    return _HIDDEN.sub(lambda found: " " * len(found[0]), code)


_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,5})\}|(.))", re.DOTALL)


def _literal(quoted: str) -> str:
    """The text of a string literal."""

    def one(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        return chr(int(code, 16)) if code else _CONTROLS.get(found[4], found[4])

    return _ESCAPE.sub(one, quoted[1:-1])
