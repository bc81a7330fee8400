"""A page without its template: as text, as HTML and as facts; and when templates no longer fit.

The alignment removes what more than half of a group's pages have. The rest may still contain headlines of
other pages or boxes of advice, so each of its blocks is also scored by its form (`page.main_content`). A page
without a template is scored by form alone.

Facts (`page.fact_rows`) are kept whole: a label or a value that other pages have too stays if its container
holds a text of the page's own. Those with labels belong to the content if they stand beside most of the
prose; all do on a page with little prose. Beside a long text, lists without labels are mostly lists of other
things.

After a redesign, recent pages have much less of the template than the pages that it was made from. A new
section of a site shows as pages of no known group. In both cases new templates must be distilled.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, pairwise
from operator import and_
from types import ModuleType

import xxhash

from fieldmouse.page import reference_scanner, tags
from fieldmouse.page.block_kinds import BlockKinds, block_kinds
from fieldmouse.page.blocks import PageBlocks, TextBlock, text_blocks
from fieldmouse.page.charset import octets
from fieldmouse.page.excerpt import excerpt
from fieldmouse.page.fact_rows import (
    FEWEST,
    LINKED,
    ROW_BYTES,
    Container,
    containers,
    lone_facts,
    parted,
)
from fieldmouse.page.fact_texts import FactRow, fact_rows, labelled, line, stacked
from fieldmouse.page.fact_turns import paired
from fieldmouse.page.main_content import (
    HEADINGS,
    Weights,
    judge,
    judged_blocks,
    linked_title,
    title_places,
    title_words,
    weights,
)
from fieldmouse.page.marks import ASIDE, BAD, FOOTER, HEADER, MENU, NAV, REMARK
from fieldmouse.page.tokens import Document, Keys, Tokens, fitting_indexes, tokenise

from .align import common_runs
from .template import NEAR, NEAR_SAME_SHAPE, Templates, profile, shape

MAX_JUDGED = 20_000  # blocks; a page with more is a table of data

LITTLE_PROSE = 500  # bytes; a page with more is no fact page
NEAR_TITLE = 4  # blocks from what the title says to the first of the content, where there is no `h1`
SCRAP = 60  # bytes; less, without the heading of the page, is no content
HEADED = 3  # blocks after a heading of which one must be content
HOME = 0.5  # of the prose; labelled facts in an element with more of it belong to it
FACT_SHARE = 0.5  # of the prose; with more bytes of facts a page with little prose is a fact page
LEAD, LEAD_BYTES, LEAD_LINKED = 12, 60, 0.3  # blocks after the heading; bytes and links of a lead
POST_DEPTH = 4  # elements around a sentence, up to the one that is a post
POINTER = 0.8  # share of links in a passage that only leads elsewhere

RECENT = 16  # pages that count
ENOUGH = 8  # pages from which a judgement is made
LOSS = 0.75  # of the typical share; below this the median page has another template
STRANGERS = 0.5  # share of recent pages of no known group

_BESIDE = NAV | FOOTER | ASIDE | REMARK
_FRAME = _BESIDE | BAD

_NO_LEAD = ASIDE | REMARK | MENU  # words for footers are in names of styles too, as in `margin-bottom`
_HEADINGS = HEADINGS - {b"h1"}

_NO_TEMPLATES = Templates(host="", version=0, all=())


@dataclass(frozen=True)
class Stripped:
    """A page and which of its tokens are template."""

    document: Document
    tokens: Tokens
    template: int  # its place in `Templates.all`, or -1
    shared: bytes  # for each token whether it belongs to the template
    matched: float  # share of the template's tokens that the page has; 0 without a template
    weights: Weights

    @cached_property
    def page(self) -> PageBlocks:
        """The text blocks of the page and its elements; buttons only where nothing else can be read."""
        given = self.document.content, self.document.index, self.document.charset
        page = judged_blocks(*given)
        return page if page.blocks else text_blocks(*given)

    @cached_property
    def containers(self) -> list[Container]:
        """The facts of the page: those outside menus and footers that are not all template."""
        own = self._unshared
        small = 0 < len(self.page.blocks) <= MAX_JUDGED
        kinds = self._kinds
        found = paired(self.page, containers(self.page, kinds=kinds), own, kinds) if small else []
        found = [one for one in found if not one.framed]
        mine = [any(map(own.__getitem__, one.blocks)) for one in found]
        alike = Counter(self._look(one) for one, is_own in zip(found, mine, strict=True) if is_own)
        kept = [
            one for one, is_own in zip(found, mine, strict=True)
            if is_own or (one.labelled and alike[self._look(one)] >= FEWEST - 1)
        ]  # fmt: skip
        prose = sum([one.free for one in compress(self.page.blocks, self._kinds.prose)])
        if not self._heads or prose >= LITTLE_PROSE:
            return kept
        held = {number for one in found if one in kept or len(one.rows) > 1 for number in one.blocks}
        head = self._heads[0]
        # A word such as `widget` around the heading too says nothing about what stands below it.
        frame = (_FRAME | MENU) & ~(BAD & self.page.blocks[head].marks)
        kept += [
            one
            for one in lone_facts(self.page, head, frame)
            if not held.intersection(one.blocks) and (own[head] or any(own[at] for at in one.blocks))
        ]
        return sorted(kept, key=lambda one: one.start)

    @cached_property
    def _kinds(self) -> BlockKinds:
        """Which blocks are headings, prose, short, in lines."""
        return block_kinds(self.page)

    def _look(self, one: Container) -> tuple[str, str, str]:
        """What containers of entries built alike have in common."""
        elements = self.page.elements
        element = elements[one.element]
        return one.kind, element.selector, elements[element.parent].selector

    @cached_property
    def _heads(self) -> list[int]:
        """Blocks that are the heading of the page: those in an `h1`, else what the title begins with."""
        return self._kinds.titles or self._titles

    @cached_property
    def _title(self) -> list[str]:
        """The words of the title."""
        return title_words(self.page)

    @cached_property
    def _titles(self) -> list[int]:
        """The block that says what the title says."""
        return title_places(self.page, self._title)

    @cached_property
    def _in_containers(self) -> list[list[int]]:
        """The blocks of each container."""
        return [one.blocks for one in self.containers]

    @cached_property
    def _unshared(self) -> list[bool]:
        """For each block whether a token of it is not template."""
        starts, shared = self.tokens.starts, self.shared
        if isinstance(starts, memoryview):  # the page was matched in C
            return list(map(bool, tags.engine.unshared(self.page.blocks, starts, shared)))
        return [
            not all(shared[bisect_right(starts, start) - 1] for start, _ in one.spans)
            for one in self.page.blocks
        ]

    @cached_property
    def own(self) -> list[bool]:
        """For each block whether it belongs to the page: it, or a text in its container, is not template.

        A heading that the title of the page begins with is its own, also if sibling pages have the same one.
        """
        own = self._unshared.copy()
        for place in self._titles:
            block = self.page.blocks[place]
            own[place] |= self.page.elements[block.element].name == b"h1" and not block.marks & (
                _FRAME | HEADER
            )
        for numbers in self._in_containers:
            for number in numbers:
                own[number] = True
        return own

    @cached_property
    def _main(self) -> list[bool]:
        """For each block whether it is main content."""
        blocks, own = self.page.blocks, self.own
        if len(blocks) > MAX_JUDGED or not blocks:
            return own
        chosen = judge(self.page, self.weights, title=self._title)
        self._drop_remarks(chosen)
        inside = self._in_containers
        held = {number for numbers in inside for number in numbers}
        prose, homes = 0, Counter[int]()  # bytes of prose, in all and near each element
        for number in compress(range(len(blocks)), map(and_, chosen, self._kinds.prose)):
            if number not in held:
                block = blocks[number]
                prose += block.free
                for element in self._around(block.element):
                    homes[element] += block.free
        sizes = [sum([blocks[number].size for number in numbers]) for numbers in inside]
        links = sum([size for one, size in zip(self.containers, sizes, strict=True) if one.kind == "index"])
        facts = sum(sizes) - links
        few = prose < LITTLE_PROSE  # with little prose, facts or lists of links are the content
        wanted = {"table", "dl", "pair", "lines", "rep"} if few and sum(sizes) > FACT_SHARE * prose else set()
        wanted |= {"lone"} if few else set()
        wanted |= {"index"} if few and links > max(facts, FACT_SHARE * prose) else set()
        beside = self._beside_lists(wanted) | (self._headed_lists() if few else set())
        for one, numbers in zip(self.containers, inside, strict=True):
            all_in = one.kind in wanted or one.start in beside
            if not all_in and one.labelled:  # it stands beside the prose
                _, *around = self._around(one.element)
                all_in = max(homes[element] for element in around) > HOME * prose
            if not all_in and "rep" in wanted:
                # On a fact page a list of links is one of facts if most of its rows say more than the link.
                more = sum(
                    any(_more_than_link(blocks[at]) for cell in row.cells for at in cell) for row in one.rows
                )
                all_in = 2 * more > len(one.rows)
            if not all_in and any(map(chosen.__getitem__, numbers)):
                good = sum(any(chosen[at] for cell in row.cells for at in cell) for row in one.rows)
                all_in = 2 * good > len(one.rows)  # most rows speak for all
            for number in numbers if all_in else ():
                chosen[number] = True
        self._add_titles(chosen, held)
        self._add_entry_titles(chosen, held)
        self._add_alike(chosen, held)
        if "rep" in wanted:
            self._fill(chosen, held)
        self._add_lead(chosen)
        self._add_captions(chosen)
        self._drop_pointers(chosen, held)
        self._drop_headings(chosen, held)
        self._drop_tail(chosen, held)
        for place in self._titles if any(chosen) else ():
            named = self.page.elements[blocks[place].element].name == b"h1"
            above = place in self._heads and any(chosen[place + 1 : place + 1 + NEAR_TITLE])
            chosen[place] |= named or (above and not blocks[place].marks & (_FRAME | HEADER))
        main = [a and b for a, b in zip(chosen, own, strict=True)]
        size = sum([one.size for one in compress(blocks, main)])
        headed = any(main[place] for place in self._heads)
        return main if size and (headed or size >= SCRAP) else own

    def _headed_lists(self) -> set[int]:
        """Where lists of headlines begin directly below the heading of the page, which names them."""
        starts = {one.start for one in self.containers if one.kind == "index"}
        return {head + step for head in self._heads for step in range(1, NEAR_TITLE + 1)} & starts

    def _beside_lists(self, wanted: set[str]) -> set[int]:
        """Where lists of headlines begin that follow a list of the page's content, or stand before one."""
        blocks, elements = self.page.blocks, self.page.elements
        found = set[int]()
        for one, two in pairwise(self.containers):
            if "rep" not in wanted or {one.kind, two.kind} != {"rep", "index"}:
                continue
            content = one if one.kind == "rep" else two
            linked = sum(any(blocks[at].hrefs for cell in row.cells for at in cell) for row in content.rows)
            between = [elements[blocks[at].element].name for at in range(one.end, two.start)]
            if 2 * linked > len(content.rows) and len(between) <= 1 and _HEADINGS.issuperset(between):
                found.add(two.start if content is one else one.start)
        return found

    def _drop_remarks(self, chosen: list[bool]) -> None:
        """Below a text, what readers said about it is not part of it, however long and well written it is.

        On a page without other prose, as in a forum, it is the content.
        """
        said = set(self._kinds.remarks)
        prose = self._kinds.prose
        if said and any(chosen[at] and is_prose and at not in said for at, is_prose in enumerate(prose)):
            for number in said:
                chosen[number] = False

    def _around(self, element: int) -> tuple[int, int, int]:
        """An element, its parent and the parent of that."""
        parents = self._kinds.parents
        parent = parents[element]
        return element, parent, parents[parent]

    def _add_titles(self, chosen: list[bool], held: set[int]) -> None:
        """Choose what three or more containers stand under: the names of entries, often links."""
        blocks, elements = self.page.blocks, self.page.elements
        titles = defaultdict[str, list[int]](list)
        for one, numbers in zip(self.containers, self._in_containers, strict=True):
            before = one.start - 1
            if not one.labelled or before < 0 or before in held or not all(chosen[at] for at in numbers):
                continue
            near, parent = blocks[before].element, elements[one.element].parent
            if parent and parent in (near, elements[near].parent) and blocks[before].size <= ROW_BYTES:
                titles[elements[near].selector].append(before)
        for some in titles.values():
            for number in some if len(some) >= FEWEST else ():
                chosen[number] = True

    def _add_entry_titles(self, chosen: list[bool], held: set[int]) -> None:
        """Choose the linked titles of entries, directly above their texts, where most sentences are such."""
        blocks, elements = self.page.blocks, self.page.elements
        said = [number for number in compress(range(len(blocks)), chosen) if blocks[number].stop]
        found = defaultdict[tuple[str, str], list[int]](list)
        for number in said:
            if not number or number in held:
                continue
            title, text = blocks[number - 1], blocks[number]
            if not title.hrefs or title.linked <= POINTER * title.size:
                continue
            homes = self._around(text.element)
            if title.element in homes or elements[title.element].parent in homes:
                found[elements[title.element].selector, elements[text.element].selector].append(number)
        for texts in found.values():
            if len(texts) >= FEWEST and 2 * len(texts) > len(said):
                for number in texts:
                    chosen[number - 1] = True
                    held.add(number - 1)

    def _add_alike(self, chosen: list[bool], held: set[int]) -> None:
        """Choose all posts of a thread if most of the chosen prose is posts.

        Posts are children of one element with equal names, and have their sentences at the same place.
        """
        blocks, parents = self.page.blocks, self._kinds.parents
        good = compress(range(len(blocks)), map(and_, chosen, self._kinds.prose))
        prose = sum([blocks[number].free for number in good if number not in held])
        stops = self._kinds.sentences if prose else ()
        said = [number for number in stops if number not in held]
        around = [blocks[number].element for number in said]
        for depth in range(1, POST_DEPTH + 1 if len(around) >= FEWEST else 1):
            around = [parents[element] for element in around]
            threads = defaultdict[int, list[tuple[int, int]]](list)
            for number, post in zip(said, around, strict=True):
                if post:
                    threads[parents[post]].append((post, number))
            for some in threads.values():
                if len(some) < FEWEST or len({post for post, _ in some}) < FEWEST:
                    continue
                if 2 * sum([blocks[number].free for _, number in some if chosen[number]]) <= prose:
                    continue
                alike = defaultdict[tuple[str, ...], list[tuple[int, int]]](list)
                for post, number in some:
                    alike[self._path(number, depth)].append((post, number))
                for group in alike.values():
                    weight = sum([blocks[number].free for _, number in group if chosen[number]])
                    if 2 * weight > prose and len({post for post, _ in group}) >= FEWEST:
                        for _, number in group:
                            chosen[number] = True

    def _path(self, number: int, depth: int) -> tuple[str, ...]:
        """The names of the element of a block and of some around it."""
        elements, element = self.page.elements, self.page.blocks[number].element
        path = [elements[element].selector]
        for _ in range(depth):
            element = elements[element].parent
            path.append(elements[element].selector)
        return tuple(path)

    def _fill(self, chosen: list[bool], held: set[int]) -> None:
        """On a fact page, choose what stands between its heading and its last fact, and no footers."""
        blocks = self.page.blocks
        for number, block in enumerate(blocks):
            chosen[number] &= number in held or not block.marks & MENU
        places = [place for place, kept in enumerate(chosen) if kept]
        for place in range(min(self._heads[:1] + places[:1]), places[-1]) if places else ():
            block = blocks[place]
            chosen[place] |= block.linked <= LINKED * block.size and not block.marks & _FRAME

    def _add_lead(self, chosen: list[bool]) -> None:
        """Choose the lead: sentences below a heading of the page and above the first chosen prose after it.

        The heading may stand far above, in a path of links to the page; the lead stands near the prose.
        """
        blocks, elements, prose = self.page.blocks, self.page.elements, self._kinds.prose
        texts = [n for n in compress(range(len(blocks)), map(and_, chosen, prose))
                 if elements[blocks[n].element].name not in HEADINGS]  # fmt: skip
        spans = [(head + 1, next((n for n in texts if n > head), head)) for head in self._heads]
        spans = [(start, end) for start, end in spans if end - start < LEAD or end == texts[0]]
        for start, end in spans:
            for number in range(max(start, end - LEAD), end):
                block = blocks[number]
                said = block.stop and block.free > LEAD_BYTES and block.linked <= LEAD_LINKED * block.size
                chosen[number] |= said and not block.marks & _NO_LEAD

    def _drop_pointers(self, chosen: list[bool], held: set[int]) -> None:
        """Beside prose, a passage that is a link as a whole leads to another text and is none of this one.

        The heading of the text may link to itself; it is chosen.
        """
        blocks, prose = self.page.blocks, self._kinds.prose
        kept = list(compress(range(len(blocks)), chosen))
        title = linked_title(self.page, next((number for number in kept if prose[number]), 0))
        if title >= 0:
            chosen[title] = True
            held.add(title)
        if sum([blocks[number].free for number in kept if prose[number]]) < LITTLE_PROSE:
            return
        for number in kept:
            block = blocks[number]
            if block.linked > POINTER * block.size and block.hrefs and number not in held:
                chosen[number] = self.page.elements[block.element].name == b"h1"

    def _drop_headings(self, chosen: list[bool], held: set[int]) -> None:
        """A heading of nothing that is chosen is the heading of what was left out: of links, of comments."""
        blocks, elements = self.page.blocks, self.page.elements
        for number in range(len(chosen) - 1, -1, -1):
            if not chosen[number] or number in held:
                continue
            said = blocks[number].stop and self._kinds.prose[number]  # a lead or a text that is set large
            if elements[blocks[number].element].name in _HEADINGS and not said:
                chosen[number] = any(chosen[number + 1 : number + 1 + HEADED])

    def _drop_tail(self, chosen: list[bool], held: set[int]) -> None:
        """Drop what stands elsewhere behind the last prose of an article, but sentences and facts.

        Mostly it is the title of something that was left out: links, forms, other articles.
        """
        blocks, elements = self.page.blocks, self.page.elements
        prose = list(compress(range(len(blocks)), map(and_, chosen, self._kinds.prose)))
        if sum([blocks[number].free for number in prose]) < LITTLE_PROSE:
            return
        home = elements[blocks[prose[-1]].element].parent
        for number in range(prose[-1] + 1, len(blocks)):
            block = blocks[number]
            if chosen[number] and number not in held and not block.stop and not all(parted(self.page, block)):
                chosen[number] = home in (elements[block.element].parent, block.element)

    def _add_captions(self, chosen: list[bool]) -> None:
        """Choose the captions of figures among chosen passages of the same element."""
        blocks, elements = self.page.blocks, self.page.elements
        if not self._kinds.has_figure:
            return
        for number, one in enumerate(blocks):
            figure = one.element
            while figure and elements[figure].name != b"figure":
                figure = elements[figure].parent
            if not figure or chosen[number]:
                continue
            for other in (*range(number - 1, number - 3, -1), number + 1, number + 2):
                if 0 <= other < len(blocks) and chosen[other]:
                    near = blocks[other].element
                    chosen[number] |= elements[figure].parent in (near, elements[near].parent)

    @cached_property
    def facts(self) -> list[FactRow]:
        """The facts of the page, main content or not."""
        kept = [one for one in self.containers if one.kind != "index"]
        return [row for one in kept for row in fact_rows(self.page, one)]

    @property
    def template_bytes(self) -> int:
        """Bytes of the page that belong to its template."""
        starts = self.tokens.starts
        return sum(starts[i + 1] - starts[i] for i, shared in enumerate(self.shared) if shared)

    def text(self, *, main: bool = True) -> str:
        """The content, one line a block or row; `main=False` for everything that is not template."""
        chosen = self._main if main else self.own
        rows = {row.cells[0][0]: row for one in self.containers for row in one.rows}
        tables = {one.start: (one, facts) for one in self.containers if (facts := stacked(self.page, one))}
        lines, done = [], -1
        for number, block in enumerate(self.page.blocks):
            if number <= done or not chosen[number]:
                continue
            if number in tables and all(chosen[at] for at in tables[number][0].blocks):
                table, facts = tables[number]
                lines += [labelled(*fact) for fact in facts]
                done = table.end - 1
                continue
            row = rows.get(number)
            last = row.cells[-1][-1] if row else number
            if row is not None and all(chosen[number : last + 1]):
                lines.append(line(self.page, row))
                done = last
            else:
                lines.append(block.text)
        return "\n".join(lines)

    def html(self, *, main: bool = True) -> str:
        """The content as HTML that is safe to show: structure, links and pictures, nothing that runs."""
        return excerpt(self.tokens, self.main_tokens if main else self._places(self.own))

    @property
    def main_tokens(self) -> set[int]:
        """Places of the tokens that are main content."""
        return self._places(self._main)

    def _places(self, chosen: Sequence[bool]) -> set[int]:
        starts, blocks = self.tokens.starts, self.page.blocks
        return {
            bisect_right(starts, start) - 1
            for one, kept in zip(blocks, chosen, strict=True)
            if kept
            for start, _ in one.spans
        }


def _more_than_link(block: TextBlock) -> bool:
    """Whether a passage says something beside a link, on a line of its own."""
    return not block.linked or bool(block.breaks and block.free)


class Stripper:
    """Takes the templates of one host off its pages."""

    def __init__(
        self,
        templates: Templates | None = None,
        using: Weights | None = None,
        engine: ModuleType = tags.engine,
    ) -> None:
        self.templates = templates or _NO_TEMPLATES
        self._weights = using or weights()
        self._engine = engine
        self._keys = Keys()
        self._sequences: list[list[int]] = []
        self._matcher: object = None
        if engine is not reference_scanner:
            given = [
                (one.raws, one.kinds, list(one.profile.tags), one.profile.shape) for one in self.templates.all
            ]
            self._matcher = engine.matcher(given, xxhash.xxh3_64_intdigest)

    def strip(self, document: Document) -> Stripped:
        """Find the template in a page. Takes any bytes and never raises."""
        return self._matched(document) or self._aligned(document)

    def _matched(self, document: Document) -> Stripped | None:
        """The page, matched in C; None without a compiler."""
        if self._matcher is None:
            return None
        body, codec = octets(document.content, document.charset)
        for index in fitting_indexes(document, body):
            found = self._engine.match(
                *(self._matcher, body, index.data, index.wide),
                *(shape(document.url), NEAR, NEAR_SAME_SHAPE),
            )
            if found is not None:
                chosen, matched, starts, kinds, shared = found
                tokens = Tokens(body, codec, memoryview(starts).cast("I"), kinds)
                share = matched / len(self.templates.all[chosen].raws) if chosen >= 0 else 0.0
                return Stripped(document, tokens, chosen, shared, share, self._weights)
        return None

    def _aligned(self, document: Document) -> Stripped:
        if not self._sequences and self.templates.all:
            self._sequences = [one.keys(self._keys) for one in self.templates.all]
        self._keys.close()
        tokens = tokenise(document, self._keys, self._engine)
        chosen = self.templates.choose(profile(tokens.begun, document.url)) if self._sequences else -1
        template = self._sequences[chosen] if chosen >= 0 else []
        shared = bytearray(len(tokens))
        for _, place, size in common_runs(template, tokens.keys, engine=self._engine):
            shared[place : place + size] = b"\1" * size
        matched = sum(shared) / len(template) if template else 0.0
        return Stripped(document, tokens, chosen, bytes(shared), matched, self._weights)


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
