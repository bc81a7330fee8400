"""Pages of made-up sites with known main text: teachers that may be shipped as a model, for nobody owns them.

How a passage is judged depends on its form only, so the words are noise; what counts is how sites are built:
in which elements, with which classes, and what stands around the text. Each site draws a style of its own (an
era, a layout, names, habits), each page of it a kind: article, short note, list of teasers, terms, recipe,
directory. Everything comes from a seed.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from bench.templates_furniture import Furniture, Style, Talk, style

Row = dict[str, Any]
PAGES = 4  # of each site: sites differ more than their pages do


class Body(NamedTuple):
    """The content of one page: its HTML and the text in it that is content."""

    html: str
    gold: str


class Writer:
    """Writes the content of pages in one style, and notes what of it is content."""

    def __init__(self, using: Style, chance: random.Random) -> None:
        self.style, self.chance, self.talk = using, chance, Talk(chance)
        self.said: list[str] = []

    def say(self, text: str) -> str:
        """Content."""
        self.said.append(text)
        return escape(text)

    def prose(self, sentences: tuple[int, int] = (2, 5)) -> str:
        """A paragraph's inside, now and then with a link or an emphasis in it."""
        parts = [self.say(self.talk.sentence()) for _ in range(self.chance.randint(*sentences))]
        if self.chance.random() < self.style.inline:
            at = self.chance.randrange(len(parts))
            tag = self.chance.choice(('a href="/x"', "b", "em", "i", "strong"))
            words = self.say(self.talk.label(1, 4))
            parts[at] += f" <{tag}>{words}</{tag.split()[0]}>{self.chance.choice(('.', ',', ''))}"
        return " ".join(parts)

    def paragraphs(self, count: int, sentences: tuple[int, int] = (2, 5)) -> str:
        """Some paragraphs, in the way this site writes them."""
        texts = [self.prose(sentences) for _ in range(count)]
        if self.style.paragraph == "br":
            return "<br><br>\n".join(texts) + "<br>"
        tag = self.style.paragraph
        return "\n".join(f"<{tag}>{text}</{tag.split()[0]}>" for text in texts)

    def heading(self, level: int) -> str:
        """A heading inside the content."""
        tag = f"h{level}" if self.chance.random() < 0.8 else self.chance.choice(("b", "strong", "p"))
        return f"<{tag}>{self.say(self.talk.headline())}</{tag}>\n"

    def items(self, kind: str = "ul") -> str:
        """A list that is content."""
        count = self.chance.randint(3, 9)
        inner = "".join(f"<li>{self.say(self.talk.item())}</li>\n" for _ in range(count))
        return f"<{kind}>{inner}</{kind}>\n"

    def table(self) -> str:
        """A table of figures that is content."""
        width = self.chance.randint(2, 4)
        rows = (
            "".join(f"<td>{self.say(self.talk.label(1, 3))}</td>" for _ in range(width))
            for _ in range(self.chance.randint(3, 8))
        )
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>\n"

    def quote(self) -> str:
        """A quotation."""
        return f"<blockquote><p>{self.prose((1, 3))}</p></blockquote>\n"

    def picture(self) -> str:
        """A picture; sites differ in whether its caption is part of the text."""
        text = self.talk.sentence()
        caption = self.say(text) if self.style.captions else escape(text)
        if self.style.era == "new":
            return f'<figure><img src="x.jpg" alt=""><figcaption>{caption}</figcaption></figure>\n'
        return f'<div class="{self.style.name("caption")}"><img src="x.jpg"><p>{caption}</p></div>\n'

    def title(self) -> str:
        """The title of the page."""
        tag = self.style.title
        return f"<{tag}>{self.say(self.talk.headline())}</{tag.split()[0]}>\n"


def article(write: Writer, room: Furniture) -> str:
    """News or a blog post, with what sites put into and around it."""
    chance, style_ = write.chance, write.style
    parts = [write.title()]
    if style_.byline:
        line = write.talk.byline()
        parts.append(room.box("byline", write.say(line) if style_.byline == "content" else escape(line)))
    if style_.share_above:
        parts.append(room.share())
    if chance.random() < 0.3:
        parts.append(write.picture())
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        parts.append(write.paragraphs(chance.randint(1, 8), style_.sentences))
        extras: Sequence[Callable[[], str]] = (
            write.picture, write.quote, write.items, room.inset, room.advert, room.related,
            lambda: write.heading(chance.choice((2, 3))), write.table,
        )  # fmt: skip
        if chance.random() < style_.broken:
            parts.append(chance.choice(extras)())
    parts.append(write.paragraphs(chance.randint(1, 3), style_.sentences))
    return "\n".join(parts)


def note(write: Writer, room: Furniture) -> str:  # noqa: ARG001
    """A page that has little to say."""
    return write.title() + write.paragraphs(write.chance.randint(1, 2), (1, 3))


def terms(write: Writer, room: Furniture) -> str:  # noqa: ARG001
    """Headings, paragraphs and lists, long."""
    parts = [write.title()]
    for _ in range(write.chance.randint(3, 10)):
        parts += [write.heading(write.chance.choice((2, 3))), write.paragraphs(write.chance.randint(1, 4))]
        if write.chance.random() < 0.4:
            parts.append(write.items(write.chance.choice(("ul", "ol"))))
    return "\n".join(parts)


def recipe(write: Writer, room: Furniture) -> str:
    """Short items, steps, a table."""
    parts = [write.title(), write.paragraphs(1), write.heading(2), write.items(), room.advert()]
    parts += [write.heading(2), write.items("ol"), write.paragraphs(1)]
    return "\n".join([*parts, write.table()] if write.chance.random() < 0.3 else parts)


def teasers(write: Writer, room: Furniture) -> str:
    """A front page or an index of posts: here the teasers are the content."""
    parts = [write.title()] if write.chance.random() < 0.6 else []
    for _ in range(write.chance.randint(4, 12)):
        head = f'<h2><a href="/x">{write.say(write.talk.headline())}</a></h2>'
        parts.append(room.box("post", f"{head}\n<p>{write.prose((1, 4))}</p>"))
    return "\n".join(parts)


def directory(write: Writer, room: Furniture) -> str:  # noqa: ARG001
    """A home page or a list of links with a few words each; all of it is content."""
    parts = [write.title(), write.paragraphs(write.chance.randint(1, 2), (1, 3))]
    for _ in range(write.chance.randint(2, 5)):
        links = (
            f'<li><a href="/x">{write.say(write.talk.headline())}</a> {write.say(write.talk.sentence())}</li>'
            for _ in range(write.chance.randint(2, 7))
        )
        parts += [write.heading(2), f"<ul>{''.join(links)}</ul>"]
    return "\n".join(parts)


def thread(write: Writer, room: Furniture) -> str:
    """A question with answers that are content, each with the furniture of a forum around it."""
    parts = [write.title()]
    for _ in range(write.chance.randint(2, 6)):
        head = room.box("meta", escape(write.talk.byline()) + room.links(2))
        parts.append(
            room.box("message", head + room.box("text", write.paragraphs(write.chance.randint(1, 3))))
        )
    return "\n".join(parts)


# Kinds of pages by how often they are met; most of what is crawled for its text is articles.
KINDS: Sequence[tuple[Callable[[Writer, Furniture], str], int]] = (
    (article, 10), (note, 2), (terms, 2), (recipe, 1), (teasers, 1), (directory, 1), (thread, 1),
)  # fmt: skip


def page(using: Style, kind: Callable[[Writer, Furniture], str], chance: random.Random) -> Body:
    """One page of a site."""
    write = Writer(using, chance)
    room = Furniture(using, chance)
    inner = kind(write, room)
    after = room.after() if kind in (article, note, recipe) else ""
    return Body(room.page(inner, after), "\n".join(write.said))


def made(sites: int, seed: int = 1) -> Iterator[Row]:
    """Pages of so many sites, in the form of the sets with gold text."""
    kinds, often = zip(*KINDS, strict=True)
    for site in range(sites):
        chance = random.Random(f"{seed}/{site}")
        using = style(chance)
        for number in range(PAGES):
            body = page(using, chance.choices(kinds, often)[0], chance)
            yield {
                "id": f"{site}/{number}", "url": f"http://made{site}.test/{number}",
                "host": f"made{site}.test",
                "gold_kind": "text", "gold": body.gold, "html": body.html,
            }  # fmt: skip
