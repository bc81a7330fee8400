"""Home pages as evidence of parking: shape, number of words, and cues of parked pages.

A page is read once, from its bytes; its text is not kept.
"""

import re
from dataclasses import dataclass

from fieldmouse import urls
from fieldmouse.page import charset, read
from fieldmouse.page.charset import octets
from fieldmouse.page.html_grammar import INLINE, pieces
from fieldmouse.types import Tag, TagIndex

from . import cues
from .page_shapes import shape, unpacked

LONG = 400  # words; text above this lowers the score
SHORT = 60  # words; text below this raises the score
READ = 12_000  # characters of text in which phrases are searched
MOST = 1_000_000  # bytes of a page that are read
RAW = 300_000  # bytes in which scripts of parking services are searched
WORDLESS = 30  # words; the content of a page below this comes from its scripts and frames
THIN = 150  # words; a page with no more has little content of its own
PARKED = 0.6  # a page with this score or more looks parked

TITLED, BEGINS = "title is its own domain", "text starts with its own domain"

_DESCRIPTION = re.compile(
    rb"<meta\s[^>]{0,200}?name\s*=\s*[\"']?description[\"']?[^>]{0,200}?content\s*=\s*[\"']([^\"'>]{0,400})",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_RETURN_PARAMETER = re.compile(
    r"(?:return|next|redirect|continue|back|goto|origin|referr?er|callback|service)[\w.]*=", re.IGNORECASE
)
_SOURCE = re.compile(
    rb"<(?:script|iframe|frame)\s[^>]{0,400}?src\s*=\s*[\"']?((?:https?:)?//[^\"'\s>]{1,600})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """The home page of a website, with the DNS records of its domain."""

    domain: str  # registrable
    shape: str
    score: float = 0.0  # how much it looks parked by itself, from 0 to 1
    cues: tuple[str, ...] = ()
    empty: bool = False  # a default, error or coming-soon page
    words: int = 0  # of the visible text
    target: str = ""  # the registrable domain it redirects to, if not its own
    name_servers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def parked(self) -> bool:
        """Whether it looks parked by itself."""
        return self.score >= PARKED

    @property
    def busy(self) -> bool:
        """Whether it has content of its own."""
        return not self.parked and not self.empty and self.words > THIN

    @property
    def hinted(self) -> bool:
        """Whether it has any cue besides its own domain, which the default pages of hosts show too."""
        return any(cue not in (TITLED, BEGINS) for cue in self.cues)


def read_home_page(
    domain: str,
    content: bytes,
    *,
    content_type: str = "",
    index: TagIndex | None = None,
    moved_to: str = "",
    machinery: bool = True,
    titles: bool = True,
) -> HomePage:
    """Read a home page; `moved_to` is the target of an HTTP redirect. Never raises.

    Without `machinery` or `titles` these cues are left out, to measure their effect.
    """
    if len(content) > MOST:
        content, index = content[:MOST], None
    facts = read.read(content, content_type=content_type, index=index)
    body, codec = octets(content, facts.charset)
    all_tags = unpacked(facts.index)
    text = _visible_start(body, codec, all_tags)
    if not titles and facts.title:
        text = text.replace(facts.title.lower(), " ", 1)
    words = len(_WORD.findall(text))
    raw = body[:RAW]
    description = _DESCRIPTION.search(raw)
    described = charset.value_of(description[1], codec).lower() if description else ""
    found = _text_cues(f"{text}\n{described}", facts.title.lower() if titles else "", domain.lower())
    target = moved_to or _redirect_target(facts, text)
    if _names_domain(target, domain):  # as marketplaces do
        found["sends visitors to another site with this domain in the URL"] = 0.6
    if machinery:
        low = raw.lower()
        if any(mark in low for mark in cues.MACHINERY):
            found["contains scripts of parking services"] = 0.7
        if words < WORDLESS:
            sources = (charset.value_of(one, codec) for one in _SOURCE.findall(raw))
            if any(_names_domain(f"http:{one}" if one.startswith("//") else one, domain) for one in sources):
                found["content comes from another site with this domain in the URL"] = 0.4
    # Evidence combines like independent probabilities; much text lowers it.
    doubt = 1.0
    for weight in found.values():
        doubt *= 1.0 - weight
    if found and words < SHORT:
        doubt *= 0.85
    score = round((1.0 - doubt) * min(1.0, LONG / max(words, 1)), 4)
    empty = score < PARKED and (
        not content.strip() or (len(text) < 4000 and bool(cues.EMPTY.search(text) or cues.ERROR.search(text)))
    )
    return HomePage(
        domain=domain,
        shape=shape(body, all_tags),
        score=score,
        cues=tuple(sorted(found, key=lambda one: (-found[one], one))),
        empty=empty,
        words=words,
        target=_other_domain(target, domain),
    )


def _visible_start(body: bytes, codec: str, all_tags: list[Tag]) -> str:
    """The beginning of the visible text in lower case, with the title first."""
    parts: list[str] = []
    room = READ
    for piece in pieces(body, all_tags):
        if piece.text and not piece.text.isspace():
            parts.append(charset.text_of(piece.text[:READ], codec))
            room -= len(parts[-1])
        if piece.name and piece.name not in INLINE:
            parts.append("\n")
        if room < 0:
            break
    lines = (" ".join(line.split()) for line in "".join(parts).lower().split("\n"))
    return "\n".join(line for line in lines if line)


def _text_cues(text: str, title: str, domain: str) -> dict[str, float]:
    """The cues in a page's text with their weights."""
    bare = domain.removeprefix("www.")
    general = text.replace(bare, cues.OWN) if "." in bare else text
    found = {cue.name: cue.weight for cue in cues.PHRASES if cue.found(general)}
    if bare and title.startswith((bare, f"welcome to {bare}", f"www.{bare}")):
        found[TITLED] = 0.3
    elif bare and text.lstrip().startswith((bare, f"welcome to {bare}")):
        found[BEGINS] = 0.2
    return found


def _redirect_target(facts: read.Facts, text: str) -> str:
    """The target of a fast meta refresh, or the only link of a page that just says that it has moved."""
    kinds = []
    if facts.refresh_delay is not None and facts.refresh_delay <= 10:
        kinds.append("refresh")
    if facts.links == 1 and len(text) < 400 and cues.MOVED.search(text):
        kinds.append("a")
    return next(
        (href.value for kind in kinds for href in facts.hrefs if href.kind == kind and href.value), ""
    )


def _other_domain(target: str, domain: str) -> str:
    """The registrable domain of a URL, or an empty string if it is the same as that of `domain`."""
    url = urls.parse(target) if target else None
    other = urls.registrable_domain(urls.hostname(url)) if url else ""
    return other if other != urls.registrable_domain(domain) else ""


def _names_domain(target: str, domain: str) -> bool:
    """Whether a URL of another site contains this domain, and not as the URL to return to."""
    if not _other_domain(target, domain):
        return False
    label = domain.removeprefix("www.").partition(".")[0].lower()
    rest = target.partition("://")[2].partition("/")[2].lower()
    named = len(label) > 2 and re.search(rf"(?<![a-z0-9-]){re.escape(label)}(?![a-z0-9-])", rest) is not None
    return named and not _RETURN_PARAMETER.search(rest)
