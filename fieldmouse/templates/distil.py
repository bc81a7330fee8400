"""Makes the templates of a host from its pages: groups them, takes a few of each group, aligns these.

The pages come as a stream, because a host may have many. Of each group only the pages to align are held:
those with the smallest hashes of their URL, so the result does not depend on the order of the pages.
Templates never change: a later distillation makes new ones, with the next version.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import xxhash

from fieldmouse import settings
from fieldmouse.page.tokens import Document, Keys, Kind, Tokens, tokenise

from .align import CommonRun, common_runs, common_tokens
from .page_packing import Dictionary, dictionary
from .template import Profile, Template, Templates, nearest, page_profile

GROUPS = 32  # templates of one host
MAX_CONTENT = 4_000_000  # bytes of a page; larger ones are ignored
MAX_HELD = 128_000_000  # bytes of all pages held in memory
MAX_INDEX = 250_000  # bytes of a tag index, some 60,000 tags; larger pages are ignored

# If fewer than `SURE` pages have more than this share of their text in common, they are copies of each other.
COPIES = 0.9
SURE = 8

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
        """Keep a page if its hash is among the smallest and its content is new."""
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
        """The pages in the order of their URLs: neighbours are most similar, and are merged first."""
        return [one for _, _, one in sorted(self.pages, key=lambda entry: (entry[2].url, entry[1]))]


class Distilled(NamedTuple):
    """The result for one host."""

    templates: Templates  # to strip pages
    dictionary: Dictionary  # to pack them


def distil(
    host: str, pages: Iterable[Document], *, version: int = 1, using: settings.TemplateSettings = _DEFAULT
) -> Distilled:
    """The templates of a host's pages; a group of one page has none. Takes any pages and never raises."""
    limit = 1 << (max(2, using.pages).bit_length() - 1)  # a power of two, for balanced merging
    samples = sorted(sampled(pages, limit=limit, groups=GROUPS), key=lambda one: -one.seen)
    found = []
    for number, sample in enumerate(samples):
        keys, documents = Keys(), sample.chosen()
        if len(documents) > 1:
            found.append(_template([tokenise(one, keys) for one in documents], number, sample.leader))
    templates = Templates(host=host, version=version, all=tuple(one for one in found if one))
    contents = [[one.content for one in sample.chosen()] for sample in samples if sample.seen > 1]
    return Distilled(templates, dictionary(templates, contents))


def sampled(pages: Iterable[Document], *, limit: int, groups: int, most: int = MAX_HELD) -> list[Sample]:
    """Group a stream of pages by structure and keep a few of each group, `most` bytes altogether."""
    samples: list[Sample] = []
    for document in pages:
        if not 0 < len(document.content) <= MAX_CONTENT or len(document.index.data) > MAX_INDEX:
            continue
        page = page_profile(document)
        leaders = [one.leader for one in samples]
        place = nearest(page, leaders, joins=True)
        if place < 0 and len(samples) < groups:
            samples.append(Sample(page))
            place = len(samples) - 1
        elif place < 0:
            place = nearest(page, leaders)
        if place >= 0:
            sample = samples[place]
            sample.seen += 1
            if sum(one.held for one in samples) + len(document.content) <= most:
                sample.add(document, xxhash.xxh3_128_digest(document.content), limit)
    return samples


def _template(pages: Sequence[Tokens], number: int, leader: Profile) -> Template | None:
    """The template of pages that were cut with the same keys; None if they share nothing."""
    kept = common_tokens([page.keys for page in pages])
    if not kept.keys:
        return None
    common = [common_runs(kept.keys, page.keys) for page in pages]
    shares = [sum([run.size for run in runs]) / len(kept.keys) for runs in common]
    middle = len(pages) // 2
    if len(pages) < SURE and sorted(map(_text_share, pages, common))[middle] > COPIES:
        return None
    return Template(
        number=number,
        profile=leader,
        raws=tuple(pages[one].raw(place) for one, place in kept.origins),
        kinds=bytes(pages[one].kinds[place] for one, place in kept.origins),
        counts=tuple(kept.counts),
        pages=len(pages),
        typical=sorted(shares)[middle],
    )


def _text_share(page: Tokens, runs: Sequence[CommonRun]) -> float:
    """The share of a page's text that is template."""
    texts = [
        end - start if kind == Kind.TEXT else 0
        for (start, end), kind in zip(pairwise(page.starts), page.kinds, strict=True)
    ]
    return sum(sum(texts[run.b : run.b + run.size]) for run in runs) / (sum(texts) or 1)
