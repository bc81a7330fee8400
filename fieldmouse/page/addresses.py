"""Addresses in what people write: with a scheme, as Markdown, in brackets, or bare, such as example.org.

A bare name counts if it ends in a public suffix and does not look like a file, a sentence without a blank, an
e-mail address or a handle. Signs around an address are no part of it: `(see http://a.example/b_(c).)` names
`http://a.example/b_(c)`.
"""

import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

from fieldmouse.urls import has_public_suffix

WORDS = 20  # before and after an address
MOST = 100  # addresses of a text
LONGEST = 2000  # characters of an address

# Suffixes that are more often the ending of a file name; such a name needs a scheme, `www.` or a path.
_FILES = frozenset("app cc java mov pl ps py md rs sh so zip".split())  # noqa: SIM905
_CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}
_TRAILING = ".,;:!?'\"*_~`|…、。，！？”’»"
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
# What ends an address; Chinese and Japanese sentences go on without a blank.
_END = r'\s<>"\u201c\u201d\u00ab\u00bb\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f'
_ADDRESS = re.compile(
    rf"""(?P<markdown>\[(?P<words>[^\[\]]{{0,300}})\]\(\s*<?(?P<target>[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?[^)]{{0,200}}\))
    |(?P<full>https?://[^{_END}]+)
    |(?<![\w@/.:=&%-])(?P<bare>(?:{_LABEL}\.)+{_LABEL})\.?(?P<rest>(?::\d{{2,5}})?(?:[/?#][^{_END}]*)?)(?!@)""",
    re.VERBOSE | re.IGNORECASE,
)


class FoundAddress(NamedTuple):
    """An address as it is written, with `http://` before a bare name, and the words of and around it."""

    url: str
    anchor: str
    around: str


def find_addresses(text: str) -> list[FoundAddress]:
    """The addresses of a plain text, each once, in their order."""
    found: dict[str, FoundAddress] = {}
    for match in _ADDRESS.finditer(text):
        anchor = ""
        if match["markdown"]:
            address, anchor = match["target"], match["words"].strip()
            if not address.lower().startswith(("http://", "https://")):
                address = _bare(address)
        elif match["full"]:
            address = _trimmed(match["full"])
        else:
            address = _bare(match["bare"] + match["rest"])
        if 0 < len(address) <= LONGEST and address not in found:
            around = _around(text, match.start(), match.end())
            found[address] = FoundAddress(address, anchor, f"{anchor} {around}".strip())
            if len(found) >= MOST:
                break
    return list(found.values())


def find_html_addresses(source: str) -> list[FoundAddress]:
    """The links of a text in HTML that are not mentions or hashtags, and addresses written in its text."""
    reader = _Reader()
    reader.feed(source)
    reader.close()
    text = "".join(reader.parts)
    found = {
        href: FoundAddress(href, words.strip(), _around(text, at, at + len(words), words))
        for href, words, at in reader.links
        if href.lower().startswith(("http://", "https://")) and len(href) <= LONGEST
    }
    for one in find_addresses(text):
        if not any(one.url.rstrip("…") in href for href in found):  # the text of a link shortens its address
            found.setdefault(one.url, one)
    return list(found.values())[:MOST]


class _Reader(HTMLParser):
    """The text of HTML, and its links with their text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.size = 0
        self.links: list[tuple[str, str, int]] = []
        self._open: tuple[str, int] | None = None
        self._skipped = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "a":
            kinds = f"{named.get('class') or ''} {named.get('rel') or ''}".split()
            self._skipped = bool({"mention", "hashtag", "tag", "u-url"} & set(kinds))
            self._open = None if self._skipped else (named.get("href") or "", self.size)
        elif tag in ("p", "br", "div", "li"):
            self.handle_data("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._open is not None:
            href, start = self._open
            self.links.append((href, "".join(self.parts)[start:], start))
        if tag == "a":
            self._open, self._skipped = None, False

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.parts.append(data)
            self.size += len(data)


def is_html(text: str) -> bool:
    """Whether a text is HTML: a tag of a kind that posts have."""
    return bool(re.search(r"<(?:p|br|a|span|div)\b[^<>]{0,500}>", text, re.IGNORECASE))


def plain(text: str) -> str:
    """A text without its tags."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return html.unescape("".join(reader.parts))


def _bare(address: str) -> str:
    """A bare name with a scheme, or an empty text if it is not an address."""
    address = _trimmed(address)
    name, slash, _ = re.split(r"([:/?#]|\Z)", address, maxsplit=1)
    labels = name.split(".")
    last = labels[-1]
    if len(labels) < 2 or not last or last.isdigit():
        return ""
    if last != last.lower() and not name.isupper():  # "the end.The beginning"
        return ""
    if not slash and labels[0].lower() != "www" and last.lower() in _FILES:
        return ""
    return f"http://{address}" if has_public_suffix(name) else ""


def _trimmed(address: str) -> str:
    """An address without the signs of the sentence around it."""
    while address:
        last = address[-1]
        if last in _TRAILING or (last in _CLOSING and address.count(last) > address.count(_CLOSING[last])):
            address = address[:-1]
        else:
            break
    return address


def _around(text: str, start: int, end: int, words: str = "") -> str:
    """The words before and after a part of a text, without other addresses."""
    before = text[max(0, start - 400) : start].split()[-WORDS:]
    after = text[end : end + 400].split()[:WORDS]
    return " ".join(_without_addresses([*before, *words.split(), *after]))


def _without_addresses(words: list[str]) -> Iterator[str]:
    return (word for word in words if "://" not in word and not word.startswith("www."))
