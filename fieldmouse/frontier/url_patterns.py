"""URLs of one host by their pattern: what stays the same when a page number, a name or an id changes.

`/shop/item?id=7&ref=x` has the pattern `/shop/item?id&ref`, `/news/2024/a-title` has `/news/0/*`. A part that
varies can be taken out of a URL; what is left is its residual.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

import xxhash

# Names of segments below one prefix, and sets of parameters of one path, that are told apart.
NAMES, PARAMETER_SETS = 16, 8
# Patterns of a host; all further URLs share one.
PATTERNS = 512

_digits = re.compile(r"\d+").sub
_mixed = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[0-9A-Za-z]{8,}\Z").match
_extension = re.compile(r"\.[A-Za-z]{1,5}\Z").search

OTHERS = "others"


class UrlPart(NamedTuple):
    """A part of a URL that varies: its name, and the URL without it."""

    name: str
    residual: int


class UrlPatterns:
    """Gives the URLs of one host their patterns."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}  # of segments, by prefix
        self._sets: dict[str, set[str]] = {}  # of parameters, by path
        self._known: set[str] = set()

    def pattern(self, url: str) -> str:
        """The pattern of a canonical URL."""
        path, _, query = url[url.index("/", 8) :].partition("?")
        segments = path[1:].split("/")
        prefix = ""
        for place, segment in enumerate(segments):
            last = place == len(segments) - 1
            prefix += "/" + self._form(prefix, segment, last=last and not query)
        if query:
            names = sorted({_digits("0", one.partition("=")[0]) for one in query.split("&")})
            prefix += "?" + self._limited(self._sets, prefix, "&".join(names), PARAMETER_SETS)
        if prefix not in self._known:
            if len(self._known) >= PATTERNS:
                return OTHERS
            self._known.add(prefix)
        return prefix

    def _form(self, prefix: str, segment: str, *, last: bool) -> str:
        """A segment in a pattern."""
        if not segment:
            return ""
        if segment.isdigit():
            return "0"
        if last:
            extension = _extension(segment)
            return "*" + (extension[0].lower() if extension else "")
        if _mixed(segment):
            return "*"
        return self._limited(self._names, prefix, _digits("0", segment), NAMES)

    @staticmethod
    def _limited(table: dict[str, set[str]], prefix: str, name: str, most: int) -> str:
        names = table.get(prefix)
        if names is None:
            if len(table) >= PATTERNS:
                return "*"
            names = table[prefix] = set()
        if name in names:
            return name
        if len(names) >= most:
            return "*"
        names.add(name)
        return name


def varying_parts(url: str, pattern: str) -> Iterator[UrlPart]:
    """The parts of a URL that vary within its pattern: parameters, the whole query, and segments."""
    start = url.index("/", 8)
    path, _, query = url[start:].partition("?")
    if query:
        pairs = query.split("&")
        yield UrlPart("?", _hash(path))
        for place, one in enumerate(pairs):
            rest = "&".join(pairs[:place] + pairs[place + 1 :])
            yield UrlPart("?" + one.partition("=")[0], _hash(f"{path}?{rest}"))
    segments, forms = path.split("/"), pattern.partition("?")[0].split("/")
    if len(segments) != len(forms):
        return
    for place, (segment, form) in enumerate(zip(segments, forms, strict=True)):
        if form != segment and (place < len(segments) - 1 or query):
            rest = "/".join([*segments[:place], "", *segments[place + 1 :]])
            yield UrlPart(f"/{place}", _hash(f"{rest}?{query}"))


def shorter_paths(url: str) -> Iterator[tuple[str, str]]:
    """Each segment of a URL's path, with the URL without it: `/en/a` has `en` and `/a`."""
    start = url.index("/", 8)
    path, mark, query = url[start:].partition("?")
    segments = path[1:].split("/")
    for place, segment in enumerate(segments):
        if segment:
            rest = "/".join(segments[:place] + segments[place + 1 :])
            yield segment, f"{url[:start]}/{rest}{mark}{query}"


def without_segments(url: str, names: Collection[str]) -> str:
    """A URL without all segments of these names."""
    start = url.index("/", 8)
    path, mark, query = url[start:].partition("?")
    rest = "/".join([one for one in path[1:].split("/") if one not in names])
    return f"{url[:start]}/{rest}{mark}{query}"


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


def first_segment(url: str) -> str:
    """The first folder of a URL; empty for one in the root."""
    path = url[url.index("/", 8) + 1 :]
    return path.partition("/")[0] if "/" in path else ""


def part_name(part: str) -> str:
    """A part that varies, in words."""
    if part == "?":
        return "its query"
    return f"the parameter {part[1:]}" if part[0] == "?" else f"its segment {part[1:]}"


# Eight or more letters and digits mixed: a session id, a hash.
_session_id = re.compile(r"(?<![0-9A-Za-z])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[0-9A-Za-z]{8,}(?![0-9A-Za-z])").sub


def without_session_ids(url: str) -> str:
    """A URL with `*` for each session id or hash."""
    return _session_id("*", url)
