"""The templates of a host, out of its pages: group them, take a few of each group, align these.

The pages come as a stream, for a host may have many; of each group only those are held that will be
aligned: those with the smallest hashes of their address, so that the same pages give the same templates in
whatever order they come.
Templates never change: a later distillation makes new ones, with the next version.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import xxhash

from fieldmouse import settings
from fieldmouse.page.tokens import Document, Keys, Kind, Tokens, start_tags, tokenise

from .align import common_runs, consensus, majority
from .page_packing import Dictionary, dictionary
from .template import Profile, Template, Templates, nearest, profile, share

GROUPS = 32  # templates of one host
MAX_CONTENT = 4_000_000  # bytes of a page; `limit` pages of each group are held in memory
MAX_HELD = 128_000_000  # bytes of all pages held; above it a group takes no more
MAX_INDEX = 250_000  # bytes of a tag index, some 60,000 tags; smaller pages teach the same

# A few pages with more than this share of their text in common are copies of each other, not a frame.
COPIES = 0.9
SURE = 8  # pages that are not all copies of one another

_DEFAULT = settings.TemplateSettings()


@dataclass(slots=True)
class Sample:
    """The pages kept of one group."""

    leader: Profile
    seen: int = 0
    pages: list[tuple[int, bytes, Document]] = field(default_factory=list)  # a heap, the largest hash first

    @property
    def held(self) -> int:
        """Bytes of the pages kept."""
        return sum(len(one.content) for _, _, one in self.pages)

    def add(self, document: Document, digest: bytes, limit: int) -> None:
        """Keep a page, or not: the smallest hashes win, and the same content counts once."""
        if any(digest == kept for _, kept, _ in self.pages):
            return
        entry = (
            -xxhash.xxh3_64_intdigest(document.url.encode("utf-8", "replace") + digest),
            digest,
            document,
        )
        if len(self.pages) < limit:
            heapq.heappush(self.pages, entry)
        elif entry[:2] > self.pages[0][:2]:
            heapq.heapreplace(self.pages, entry)

    def chosen(self) -> list[Document]:
        """The pages in the order of their addresses: neighbours are most alike, and are merged first."""
        return [one for _, _, one in sorted(self.pages, key=lambda entry: (entry[2].url, entry[1]))]


class Distilled(NamedTuple):
    """What a host's pages have in common, in both forms."""

    templates: Templates  # to strip pages
    dictionary: Dictionary  # to pack them


def distil(
    host: str, pages: Iterable[Document], *, version: int = 1, using: settings.TemplateSettings = _DEFAULT
) -> Distilled:
    """The templates of a host's pages. A group of one page has none. Never raises for what pages hold."""
    limit = 1 << (max(2, using.pages).bit_length() - 1)  # a power of two, so that merging is balanced
    samples = sorted(sampled(pages, limit=limit, groups=GROUPS), key=lambda one: -one.seen)
    found = (_template(number, sample) for number, sample in enumerate(samples))
    templates = Templates(host=host, version=version, all=tuple(one for one in found if one))
    contents = [[one.content for one in sample.chosen()] for sample in samples if sample.seen > 1]
    return Distilled(templates, dictionary(templates, contents))


def sampled(pages: Iterable[Document], *, limit: int, groups: int, most: int = MAX_HELD) -> list[Sample]:
    """Group a stream of pages by structure and keep a few of each group, `most` bytes altogether."""
    samples: list[Sample] = []
    for document in pages:
        if not 0 < len(document.content) <= MAX_CONTENT or len(document.index.data) > MAX_INDEX:
            continue
        seen = profile(start_tags(document), document.url)
        place = _joined(seen, samples, groups)
        if place >= 0:
            sample = samples[place]
            sample.seen += 1
            if sum(one.held for one in samples) + len(document.content) <= most:
                sample.add(document, xxhash.xxh3_128_digest(document.content), limit)
    return samples


def _text_share(template: Sequence[int], pages: Sequence[Tokens]) -> float:
    """How much of the text of the middle page is template."""
    shares = []
    for page in pages:
        texts = [len(page.raw(place)) if kind == Kind.TEXT else 0 for place, kind in enumerate(page.kinds)]
        common = sum(sum(texts[run.b : run.b + run.size]) for run in common_runs(template, page.keys))
        shares.append(common / (sum(texts) or 1))
    return sorted(shares)[len(shares) // 2]


def _joined(seen: Profile, samples: list[Sample], groups: int) -> int:
    """The group a page joins, or begins; when there are enough groups, the nearest will do."""
    leaders = [one.leader for one in samples]
    place = nearest(seen, leaders, joins=True)
    if place >= 0:
        return place
    if len(samples) >= groups:
        return nearest(seen, leaders)
    samples.append(Sample(seen))
    return len(samples) - 1


def _template(number: int, sample: Sample) -> Template | None:
    documents = sample.chosen()
    if len(documents) < 2:
        return None
    keys = Keys()
    return learned([tokenise(one, keys) for one in documents], number=number, leader=sample.leader)


def learned(pages: Sequence[Tokens], *, number: int, leader: Profile) -> Template | None:
    """The template of pages that were cut with the same keys; None when they share nothing."""
    kept = majority(consensus([page.keys for page in pages]))
    if not kept.keys or (len(pages) < SURE and _text_share(kept.keys, pages) > COPIES):
        return None
    shares = sorted(share(kept.keys, page.keys) for page in pages)
    return Template(
        number=number,
        profile=leader,
        raws=tuple(pages[page].raw(place) for page, place in kept.origins),
        kinds=bytes(pages[page].kinds[place] for page, place in kept.origins),
        counts=tuple(kept.counts),
        pages=len(pages),
        typical=shares[len(shares) // 2],
    )
