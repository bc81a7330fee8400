"""A home page as the parking judge sees it: its shape, and what hints at a name that nobody uses.

The page is read once, from its bytes; nothing of its text is kept.
"""

import re
from dataclasses import dataclass

from fieldmouse import urls
from fieldmouse.page import charset, read
from fieldmouse.page.charset import octets
from fieldmouse.page.html_grammar import INLINE, pieces
from fieldmouse.types import Tag, TagIndex, Verdict

from . import cues
from .page_shapes import shape, unpacked

LONG = 400  # words; a page that says so much is hardly a parking page, whatever phrases it has
SHORT = 60  # words; a page that says less has little of its own to say
READ = 12_000  # characters of text in which phrases are sought
MOST = 1_000_000  # bytes of a page that are read at all
RAW = 300_000  # bytes in which machinery is sought
WORDLESS = 30  # words; what a page shows that says less is made elsewhere
THIN = 150  # words; a frame that says no more has hardly content of its own
PARKED = 0.6  # a page of this score or more looks parked

TITLED, BEGINS = "has its own address as title", "begins with its own address"

_DESCRIPTION = re.compile(
    rb"<meta\s[^>]{0,200}?name\s*=\s*[\"']?description[\"']?[^>]{0,200}?content\s*=\s*[\"']([^\"'>]{0,400})",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_BACK = re.compile(
    r"(?:return|next|redirect|continue|back|goto|origin|referr?er|callback|service)[\w.]*=", re.IGNORECASE
)
_SOURCE = re.compile(
    rb"<(?:script|iframe|frame)\s[^>]{0,400}?src\s*=\s*[\"']?((?:https?:)?//[^\"'\s>]{1,600})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """One website's home page, with where its name leads."""

    domain: str  # registrable
    shape: str
    score: float = 0.0  # how much it looks parked by itself, from 0 to 1
    cues: tuple[str, ...] = ()
    empty: bool = False  # a default, error or coming-soon page
    words: int = 0  # that a reader sees
    target: str = ""  # the registrable domain it sends everybody to, if not its own
    name_servers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def parked(self) -> bool:
        """Whether it looks parked by itself."""
        return self.score >= PARKED

    @property
    def busy(self) -> bool:
        """Whether it says something of its own."""
        return not self.parked and not self.empty and self.words > THIN

    @property
    def hinted(self) -> bool:
        """Whether anything hints at parking, beside that it names itself as every host's empty page does."""
        return any(cue not in (TITLED, BEGINS) for cue in self.cues)

    def verdict(self) -> Verdict:
        """The same as a judgement with its reasons."""
        return Verdict(self.score, self.cues)


@dataclass(frozen=True, slots=True, kw_only=True)
class DnsRecords:
    """Where a name leads, as the resolver found it; all empty when it found nothing."""

    name_servers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HomePageReader:
    """Reads home pages; `machinery` and `titles` can be left out, to measure what each brings."""

    machinery: bool = True
    titles: bool = True

    def read(
        self,
        domain: str,
        content: bytes,
        *,
        content_type: str = "",
        index: TagIndex | None = None,
        dns: DnsRecords | None = None,
        moved_to: str = "",
    ) -> HomePage:
        """Read a home page; `moved_to` is where a redirect in the header sends. Never raises."""
        if len(content) > MOST:
            content, index = content[:MOST], None
        facts = read.read(content, content_type=content_type, index=index)
        body, codec = octets(content, facts.charset)
        all_tags = unpacked(facts.index)
        words = _seen(body, codec, all_tags)
        if not self.titles and facts.title:
            words = words.replace(facts.title.lower(), " ", 1)
        described = _DESCRIPTION.search(body[:RAW])
        said = words + "\n" + (charset.value_of(described[1], codec).lower() if described else "")
        found = _hints(said, facts.title.lower() if self.titles else "", domain.lower())
        target = moved_to or _sent_to(facts) or _moved(facts, words)
        if _is_told(target, domain):  # marketplaces get the name of the domain; sign-in pages as the way back
            found["sends to another site that is told its name"] = 0.6
        low = body[:RAW].lower()
        if self.machinery and any(mark in low for mark in cues.MACHINERY):
            found["runs the machinery of parked pages"] = 0.7
        count = len(_WORD.findall(words))
        if self.machinery and count < WORDLESS:
            sources = (charset.value_of(one, codec) for one in _SOURCE.findall(body[:RAW]))
            if any(_is_told(f"http:{one}" if one.startswith("//") else one, domain) for one in sources):
                found["lets another site that is told its name write the page"] = 0.4
        score = _weighed(found, count)
        return HomePage(
            domain=domain,
            shape=shape(body, all_tags),
            score=score,
            cues=tuple(sorted(found, key=lambda one: (-found[one], one))),
            empty=score < PARKED
            and (
                not content.strip()
                or (len(words) < 4000 and bool(cues.EMPTY.search(words) or cues.ERROR.search(words)))
            ),
            words=count,
            target=_elsewhere(target, domain),
            name_servers=dns.name_servers if dns else (),
            addresses=dns.addresses if dns else (),
            aliases=dns.aliases if dns else (),
        )


def _seen(body: bytes, codec: str, all_tags: list[Tag]) -> str:
    """The beginning of what a reader sees in lower case, the title first."""
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


def _hints(said: str, title: str, domain: str) -> dict[str, float]:
    """The cues of a page's words with their weights."""
    bare = domain.removeprefix("www.")
    general = said.replace(bare, cues.OWN) if "." in bare else said
    found = {cue.name: cue.weight for cue in cues.SAYINGS if cue.found(general)}
    if bare and title.startswith((bare, f"welcome to {bare}", f"www.{bare}")):
        found[TITLED] = 0.3
    elif bare and said.lstrip().startswith((bare, f"welcome to {bare}")):
        found[BEGINS] = 0.2
    return found


def _weighed(found: dict[str, float], words: int) -> float:
    """Evidence adds up as independent chances do; much text speaks against all of it."""
    doubt = 1.0
    for weight in found.values():
        doubt *= 1.0 - weight
    if found and words < SHORT:
        doubt *= 0.85
    score = 1.0 - doubt
    return round(score * min(1.0, LONG / words) if words > LONG else score, 4)


def _sent_to(facts: read.Facts) -> str:
    soon = facts.refresh_delay is not None and facts.refresh_delay <= 10
    return next((href.value for href in facts.hrefs if soon and href.kind == "refresh"), "")


def _moved(facts: read.Facts, words: str) -> str:
    """The one link of a page that only says that it has moved."""
    stub = facts.links == 1 and len(words) < 400 and cues.MOVED.search(words)
    return next((href.value for href in facts.hrefs if stub and href.kind == "a"), "")


def _elsewhere(target: str, domain: str) -> str:
    url = urls.parse(target) if target else None
    there = urls.registrable_domain(urls.hostname(url)) if url else ""
    return there if there != urls.registrable_domain(domain) else ""


def _is_told(target: str, domain: str) -> bool:
    """Whether an address of another site carries this name, and not as the way back."""
    if not _elsewhere(target, domain):
        return False
    label = domain.removeprefix("www.").partition(".")[0].lower()
    rest = target.partition("://")[2].partition("/")[2].lower()
    named = len(label) > 2 and re.search(rf"(?<![a-z0-9-]){re.escape(label)}(?![a-z0-9-])", rest) is not None
    return named and not _BACK.search(rest)
