"""A page without its template, as text and as HTML; and when templates no longer fit.

The alignment removes what more than half of a group's pages have. The rest may still contain headlines of
other pages or boxes of advice, so each of its blocks is also scored by its form (`page.main_content`). A page
without a template is scored by form alone.

After a redesign, recent pages have much less of the template than the pages that it was made from. A new
section of a site shows as pages of no known group. In both cases new templates must be distilled.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from fieldmouse.page.excerpt import excerpt
from fieldmouse.page.main_content import TextBlock, Weights, scores, text_blocks, weights
from fieldmouse.page.tokens import Document, Keys, Tokens, tokenise

from .align import common_runs
from .template import Templates, profile

MAX_JUDGED = 20_000  # blocks; a page with more is a table of data

RECENT = 16  # pages that count
ENOUGH = 8  # pages from which a judgement is made
LOSS = 0.75  # of the typical share; below this the median page has another template
STRANGERS = 0.5  # share of recent pages of no known group

_NO_TEMPLATES = Templates(host="", version=0, all=())


@dataclass(frozen=True)
class Stripped:
    """A page and which of its tokens are template."""

    tokens: Tokens
    template: int  # its place in `Templates.all`, or -1
    shared: bytes  # for each token whether it belongs to the template
    matched: float  # share of the template's tokens that the page has; 0 without a template
    weights: Weights

    @cached_property
    def blocks(self) -> list[TextBlock]:
        """All text blocks of the page."""
        return text_blocks(self.tokens)

    @cached_property
    def own(self) -> list[TextBlock]:
        """The blocks that are not template."""
        return [one for one in self.blocks if not all(self.shared[place] for place in one.tokens)]

    @cached_property
    def main(self) -> list[TextBlock]:
        """The blocks that are main content; all own blocks if there are none."""
        if len(self.blocks) > MAX_JUDGED:
            return self.own
        judged = zip(self.blocks, scores(self.blocks, self.weights), strict=True)
        good = {id(one) for one, score in judged if score > 0}
        return [one for one in self.own if id(one) in good] or self.own

    @property
    def template_bytes(self) -> int:
        """Bytes of the page that belong to its template."""
        starts = self.tokens.starts
        return sum(starts[i + 1] - starts[i] for i, shared in enumerate(self.shared) if shared)

    def text(self, *, main: bool = True) -> str:
        """The content, one line a block; `main=False` for everything that is not template."""
        return "\n".join(one.text for one in (self.main if main else self.own))

    def html(self, *, main: bool = True) -> str:
        """The content as HTML that is safe to show: structure, links and pictures, nothing that runs."""
        chosen = self.main if main else self.own
        return excerpt(self.tokens, {place for one in chosen for place in one.tokens})


class Stripper:
    """Takes the templates of one host off its pages."""

    def __init__(self, templates: Templates | None = None, using: Weights | None = None) -> None:
        self.templates = templates or _NO_TEMPLATES
        self._weights = using or weights()
        self._keys = Keys()
        self._sequences = [one.keys(self._keys) for one in self.templates.all]
        self._keys.close()

    def strip(self, document: Document) -> Stripped:
        """Find the template in a page. Takes any bytes and never raises."""
        tokens = tokenise(document, self._keys)
        chosen = self.templates.choose(profile(tokens.begun, document.url)) if self._sequences else -1
        template = self._sequences[chosen] if chosen >= 0 else []
        shared = bytearray(len(tokens))
        for _, place, size in common_runs(template, tokens.keys):
            shared[place : place + size] = b"\1" * size
        matched = sum(shared) / len(template) if template else 0.0
        return Stripped(tokens, chosen, bytes(shared), matched, self._weights)


@dataclass(frozen=True, slots=True)
class Drift:
    """How well the recent pages of a host fit, relative to the typical share; -1 for a page of no group."""

    fits: tuple[float, ...] = ()

    def seen(self, page: Stripped, templates: Templates) -> "Drift":
        """With one more page."""
        typical = templates.all[page.template].typical if page.template >= 0 else 0.0
        fit = page.matched / typical if typical else -1.0
        return replace(self, fits=(*self.fits, fit)[-RECENT:])

    @property
    def due(self) -> bool:
        """Whether new templates should be distilled."""
        if len(self.fits) < ENOUGH:
            return False
        strangers = sum(fit < 0 for fit in self.fits)
        known = sorted(fit for fit in self.fits if fit >= 0)
        return strangers > STRANGERS * len(self.fits) or (
            len(known) >= ENOUGH and known[len(known) // 2] < LOSS
        )
