"""The path patterns of robots.txt: one spelling for paths and patterns, and a match in linear time."""

import re
from typing import NamedTuple

# A path that holds none of these compares as it is.
_ODD = re.compile(r"[^!-~]|[%*$]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|[^!-~]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PLAIN_IN_QUERY = _UNRESERVED | frozenset(":/?@")


class Pattern(NamedTuple):
    """What a pattern with `*` or a final `$` asks for: parts that must follow each other."""

    head: str
    parts: tuple[str, ...]
    tail: str | None  # what the path must end with, for a pattern that ends with `$`
    exact: bool  # there is no `*` before that `$`

    def matches(self, path: str) -> bool:
        """Leftmost is enough for every part, so hostile patterns cost no more than their length."""
        if not path.startswith(self.head):
            return False
        at = len(self.head)
        for part in self.parts:
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        if self.tail is None:
            return True
        left = len(path) - at - len(self.tail)
        return left == 0 if self.exact else left >= 0 and path.endswith(self.tail)


def path_of(url: str) -> str:
    """The path and query of an absolute URL in the form in which they are compared."""
    start = url.find("/", url.find("://") + 3)
    path = url[start:] if start >= 0 else "/"
    path = path.partition("#")[0] if "#" in path else path
    if not _ODD.search(path):
        return path
    return _escaped(path).replace("*", "%2A").replace("$", "%24")


def spelt(path: str) -> str:
    """A pattern in the form in which it is compared; `*` and a final `$` keep their meaning."""
    if not _ODD.search(path):
        return path
    end = "$" if path.endswith("$") else ""
    return re.sub(r"\*+", "*", _escaped(path.removesuffix("$")).replace("$", "%24")) + end


def _escaped(text: str) -> str:
    """One spelling for each path: what needs no escape has none, what needs one has it in upper case."""
    path, mark, query = text.partition("?")
    path = _ESCAPE.sub(lambda found: _escape(found, _UNRESERVED), path)
    return path + mark + _ESCAPE.sub(lambda found: _escape(found, _PLAIN_IN_QUERY), query)


def _escape(found: re.Match[str], plain: frozenset[str]) -> str:
    digits = found[1]
    if digits is None:
        return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape"))
    letter = chr(int(digits, 16))
    return letter if letter in plain else f"%{digits.upper()}"


def is_wild(text: str) -> bool:
    """Whether a pattern is more than a prefix."""
    return "*" in text or text.endswith("$")


def compiled(text: str) -> Pattern:
    """Take a pattern with `*` or a final `$` apart."""
    head, *parts = text.removesuffix("$").split("*")
    exact = not parts
    tail = None
    if text.endswith("$"):
        tail = parts.pop() if parts else ""
    return Pattern(head, tuple(part for part in parts if part), tail, exact)
