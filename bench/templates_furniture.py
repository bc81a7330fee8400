"""What made-up sites put around their content: menus, boxes, comments, footers, in many styles."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

_SYLLABLES = (
    *("ba", "ko", "ri", "tel", "man", "sa", "ver", "do", "lin", "gra", "no", "pe"),
    *("sti", "ur", "cha", "mo", "len", "fi", "ta", "ru", "wes", "han", "al"),
)
# What makers of sites call the parts of a page; the second half of each says nothing.
NAMES: Mapping[str, Sequence[str]] = {
    "content": (
        "content",
        "main",
        "article",
        "story",
        "post",
        "entry-content",
        "body-text",
        "col1",
        "center",
        "left",
        "c7",
    ),
    "side": ("sidebar", "side", "widget-area", "rail", "related", "right", "col2", "box3", "r1", "extra"),
    "nav": ("nav", "menu", "navigation", "topnav", "main-menu", "bar", "n1", "tabs", "links"),
    "crumbs": ("breadcrumb", "crumbs", "path", "trail", "location", "c2"),
    "header": ("header", "masthead", "top", "branding", "banner", "hd", "h0"),
    "footer": ("footer", "foot", "bottom", "colophon", "copyright", "ft", "f9"),
    "comments": (
        *("comments", "comment-list", "commentlist", "responses", "discussion", "replies", "reader-comments"),
        *("list", "c9"),
    ),
    "comment": (
        "comment",
        "comment-body",
        "reply",
        "comment even",
        "commenttext",
        "comment depth-1",
        "item",
        "row",
    ),
    "share": ("share", "social", "tools", "sharing", "toolbox", "links", "a2a"),
    "advert": ("ad", "advert", "banner", "sponsored", "promo", "box", "mpu", "right"),
    "related": ("related", "more", "see-also", "recommended", "popular", "widget", "box", "list"),
    "byline": ("byline", "meta", "author", "date", "info", "posted", "small"),
    "caption": ("caption", "image", "photo", "wp-caption", "pic", "media"),
    "cookie": ("cookie-notice", "consent", "banner", "notice", "overlay"),
    "post": ("post", "entry", "hentry", "item", "teaser", "row"),
    "message": ("message", "post", "answer", "item", "row", "entry"),
    "meta": ("meta", "info", "user", "author", "head", "small"),
    "text": ("text", "content", "body", "msg", "inner", "t1"),
    "about": ("about", "bio", "author-box", "profile", "widget", "box"),
    "form": ("search", "login", "newsletter", "subscribe", "signup", "box"),
    "wrap": (
        *("content", "main", "body", "page-content", "columns", "main-wrap", "article-page", "story-area"),
        *("wrap", "page", "container", "outer", "site", "row"),
        # Around everything, words that mean a part of a page elsewhere.
        *("layout sidebar-right", "has-banner content", "header-page", "with-comments main"),
    ),
}


class Talk:
    """Noise that has the form of language."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def word(self) -> str:
        """One word; a few are numbers."""
        if self.chance.random() < 0.03:
            return str(self.chance.randint(2, 2020))
        return "".join(self.chance.choices(_SYLLABLES, k=self.chance.choice((1, 2, 2, 3, 3, 4))))

    def label(self, least: int = 1, most: int = 3) -> str:
        """A few words, as on a button."""
        return " ".join(self.word() for _ in range(self.chance.randint(least, most))).capitalize()

    def headline(self) -> str:
        """A title."""
        return self.label(3, 11)

    def sentence(self) -> str:
        """One sentence, with commas."""
        words = [self.word() for _ in range(self.chance.randint(5, 24))]
        for place in range(4, len(words) - 2, self.chance.randint(5, 9)):
            words[place] += ","
        end = self.chance.choices((".", "?", "!", '."'), (20, 1, 1, 1))[0]
        return " ".join(words).capitalize() + end

    def item(self) -> str:
        """A line of a list: some words, or a sentence."""
        return self.sentence() if self.chance.random() < 0.4 else self.label(2, 9)

    def date(self) -> str:
        """A day in one of the ways of writing it."""
        day, year = self.chance.randint(1, 28), self.chance.randint(1999, 2024)
        return self.chance.choice(
            (f"{year}-05-{day:02}", f"{day} {self.label(1, 1)} {year}", f"{day}/6/{year}")
        )

    def byline(self) -> str:
        """Who wrote it, and when."""
        return self.chance.choice(
            ("By {a}", "{a}, {d}", "{d}", "By {a} | {d} 10:42", "Posted by {a} on {d}")
        ).format(a=self.label(2, 2).title(), d=self.date())


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How one site is made."""

    era: str  # old: tables; middle: div; new: HTML5
    names: Mapping[str, str]
    paragraph: str
    title: str
    inline: float
    sentences: tuple[int, int]
    captions: bool
    byline: str  # "", "content" or "furniture"
    share_above: bool
    broken: float  # how often something interrupts the text
    sides: tuple[bool, bool]  # a column before the content, one after it
    crowded: int  # boxes in a column
    comments: float
    wraps: int  # elements around everything

    def name(self, part: str) -> str:
        """What the class of a part is called."""
        return self.names[part]


def style(chance: random.Random) -> Style:
    """Draw a style."""
    era = chance.choices(("old", "middle", "new"), (2, 5, 4))[0]
    paragraph = chance.choices(("p", "br", "div", 'p class="par"'), (14, 3, 1, 2))[0]
    title = chance.choices(
        ("h1", "h2", 'h1 class="title"', "b", 'div class="title"', "h3"), (8, 4, 4, 1, 1, 1)
    )[0]
    return Style(
        era=era,
        names={part: chance.choice(names) for part, names in NAMES.items()},
        paragraph="br" if era == "old" and chance.random() < 0.4 else paragraph,
        title=title,
        inline=chance.random() * 0.8,
        sentences=chance.choice(((1, 1), (1, 2), (1, 3), (2, 5), (3, 8))),
        captions=chance.random() < 0.5,
        byline=chance.choice(("", "content", "furniture", "furniture")),
        share_above=chance.random() < 0.3,
        broken=chance.random() * 0.8,
        sides=(chance.random() < 0.4, chance.random() < 0.7),
        crowded=chance.randint(1, 7),
        comments=chance.choice((0.0, 0.3, 0.7, 0.9)),
        wraps=chance.randint(0, 3),
    )


class Furniture:
    """The parts of a page that are not its content, in one style."""

    def __init__(self, using: Style, chance: random.Random) -> None:
        self.style, self.chance, self.talk = using, chance, Talk(chance)

    def box(self, part: str, inner: str, tag: str = "div") -> str:
        """An element that is called as this site calls such a part, if it calls it anything."""
        kind = self.chance.choice(("class", "class", "id"))
        name = self.style.name(part)
        if self.style.era == "old" and self.chance.random() < 0.6:
            return f"<table><tr><td>{inner}</td></tr></table>\n"
        return f'<{tag} {kind}="{name}">{inner}</{tag}>\n'

    def tag(self, new: str) -> str:
        """An element of HTML5 where the site knows it."""
        return new if self.style.era == "new" else "div"

    def link(self, least: int = 1, most: int = 3) -> str:
        """A link."""
        return f'<a href="/x">{escape(self.talk.label(least, most))}</a>'

    def links(self, count: int, least: int = 1, most: int = 3) -> str:
        """Links in a row or a list."""
        made = [self.link(least, most) for _ in range(count)]
        way = self.chance.choice(("ul", "ul", "ul", " | ", " ", "<br>", "td", "div"))
        if way == "ul":
            return "<ul>" + "".join(f"<li>{one}</li>\n" for one in made) + "</ul>\n"
        if way == "td":
            return "<table><tr>" + "".join(f"<td>{one}</td>" for one in made) + "</tr></table>\n"
        if way == "div":
            return "".join(f"<div>{one}</div>\n" for one in made)
        return way.join(made) + "\n"

    def heading(self) -> str:
        """The heading of a box."""
        tag = self.chance.choice(("h3", "h3", "h2", "h4", "b", "div", "p"))
        return f"<{tag}>{escape(self.talk.label(1, 4))}</{tag}>\n"

    def share(self) -> str:
        """Send this to a friend."""
        return self.box("share", self.links(self.chance.randint(2, 7), 1, 2))

    def advert(self) -> str:
        """A few words that want to be clicked."""
        lines = "".join(
            f'<div><a href="/ad">{escape(self.talk.label(2, 5))}</a><br>{escape(self.talk.sentence())}'
            f"<br><span>{self.talk.word()}.test</span></div>\n"
            for _ in range(self.chance.randint(0, 3))
        )
        return self.box("advert", escape(self.talk.label(1, 2)) + lines)

    def related(self) -> str:
        """Other pages, with or without a few words."""
        if self.chance.random() < 0.5:
            return self.box("related", self.heading() + self.links(self.chance.randint(2, 8), 4, 11))
        return self.box("related", self.heading() + self.teasers())

    def teasers(self) -> str:
        """Headlines with the beginning of their texts."""
        lines = []
        for _ in range(self.chance.randint(2, 6)):
            head = f'<a href="/x">{escape(self.talk.headline())}</a>'
            date = f"<span>{self.talk.date()}</span>" if self.chance.random() < 0.4 else ""
            text = f"<p>{escape(self.talk.sentence())}{self.chance.choice(('', ' ...'))}</p>"
            lines.append(
                f"<{(tag := self.chance.choice(('h4', 'h3', 'div', 'p')))}>{head}</{tag}>{date}{text}\n"
            )
        way = self.chance.choice(("div", "li"))
        inner = "".join(f"<{way}>{one}</{way}>" for one in lines)
        return f"<ul>{inner}</ul>" if way == "li" else inner

    def inset(self) -> str:
        """Something in the middle of a text that is not part of it."""
        kinds: Sequence[Callable[[], str]] = (
            lambda: f"<p>{self.link(3, 9)}</p>\n",
            lambda: f"<p><b>{escape(self.talk.label(1, 2))}:</b> {self.link(4, 10)}</p>\n",
            self.form, self.share, self.advert,
        )  # fmt: skip
        return self.chance.choice(kinds)()

    def form(self) -> str:
        """Search, sign in, or give an address."""
        text = f"<p>{escape(self.talk.sentence())}</p>" if self.chance.random() < 0.5 else ""
        inner = f'{text}<label>{escape(self.talk.label())}</label><input name="q"><input type="submit">'
        return self.box("form", f'<form action="/s">{inner}</form>')

    def about(self) -> str:
        """Who writes here: prose, but of every page."""
        text = " ".join(self.talk.sentence() for _ in range(self.chance.randint(1, 3)))
        return self.box("about", f"{self.heading()}<p>{escape(text)} {self.link()}</p>")

    def calendar(self) -> str:
        """A month."""
        days = "".join(f"<td>{day}</td>" + ("</tr><tr>" if day % 7 == 0 else "") for day in range(1, 31))
        return f"<table><tr>{days}</tr></table>\n"

    def facts(self) -> str:
        """Short lines that are no links: scores, prices, weather, who is online."""
        count, tag = self.chance.randint(2, 10), self.chance.choice(("li", "p", "div", "td"))
        lines = (
            f"<{tag}>{escape(self.talk.label(1, 6))}{self.chance.choice(('', ' 12', self.link()))}</{tag}>\n"
            for _ in range(count)
        )
        whole = "".join(lines)
        inner = (
            f"<ul>{whole}</ul>"
            if tag == "li"
            else f"<table><tr>{whole}</tr></table>"
            if tag == "td"
            else whole
        )
        return self.box(self.chance.choice(("side", "related", "about")), self.heading() + inner)

    def dated(self) -> str:
        """Headlines with the day after them."""
        lines = (
            f"<li>{self.link(4, 11)} {self.chance.choice(('', f'<span>{self.talk.date()}</span>'))}</li>\n"
            for _ in range(self.chance.randint(3, 12))
        )
        return self.box("related", f"{self.heading()}<ul>{''.join(lines)}</ul>")

    def cloud(self) -> str:
        """Tags, or months."""
        return self.box("related", self.heading() + self.links(self.chance.randint(6, 25), 1, 2))

    def poll(self) -> str:
        """A question to readers."""
        answers = "".join(f"<label><input type=radio> {escape(self.talk.label())}</label>" for _ in range(3))
        return self.box(
            "form", f"<form>{self.heading()}<p>{escape(self.talk.sentence())}</p>{answers}</form>"
        )

    def column(self) -> str:
        """A column beside the content."""
        kinds: Sequence[Callable[[], str]] = (
            self.related, self.related, self.advert, self.form, self.about, self.calendar, self.cloud,
            self.poll, self.facts, self.facts, self.dated, self.dated,
            lambda: self.heading() + self.links(self.chance.randint(3, 12), 1, 9),
        )  # fmt: skip
        boxes = "".join(self.chance.choice(kinds)() for _ in range(self.style.crowded))
        return self.box("side", boxes, self.tag("aside"))

    def comments(self) -> str:
        """What readers wrote: prose, but not the page's."""
        if self.chance.random() >= self.style.comments:
            return ""
        outer, inner = self.chance.choice((("ol", "li"), ("ul", "li"), ("div", "div"), ("dl", "dd")))
        lines = []
        for _ in range(self.chance.choice((1, 3, 8, 20, 40))):
            text = "".join(f"<p>{escape(self.prose(1, 5))}</p>" for _ in range(self.chance.choice((1, 1, 2))))
            name = f"{escape(self.talk.byline())} {self.link(1, 1)}"
            head = f"<dt>{name}</dt>" if inner == "dd" else self.box("meta", name)
            said = self.box("comment", text) if self.chance.random() < 0.5 else text
            body = f'<{inner} class="{self.style.name("comment")}">{{}}{said}{self.link(1, 1)}</{inner}>\n'
            lines.append(head + body.format("") if inner == "dd" else body.format(head))
        whole = f'<{outer} class="{self.style.name("comments")}">{"".join(lines)}</{outer}>\n'
        return self.box("comments", self.heading() + whole) + self.form()

    def prose(self, least: int, most: int) -> str:
        """Some sentences."""
        return " ".join(self.talk.sentence() for _ in range(self.chance.randint(least, most)))

    def after(self) -> str:
        """What follows an article."""
        kinds: Sequence[Callable[[], str]] = (
            self.share,
            self.related,
            self.about,
            self.cloud,
            self.advert,
            self.form,
        )
        return (
            "".join(one() for one in self.chance.sample(kinds, self.chance.randint(0, 4))) + self.comments()
        )

    def top(self) -> str:
        """The head of the page with its menus."""
        parts = [f'<a href="/">{escape(self.talk.label())}</a>']
        if self.chance.random() < 0.4:
            parts.append(f"<p>{escape(self.talk.label(3, 8))}</p>")
        if self.chance.random() < 0.5:
            parts.append(self.form())
        head = self.box("header", "".join(parts), self.tag("header"))
        menu = self.box("nav", self.links(self.chance.randint(4, 20)), self.tag("nav"))
        crumbs = self.box("crumbs", " &gt; ".join(self.link() for _ in range(3)))
        notice = self.box("cookie", f"<p>{escape(self.talk.sentence())} {self.link()}</p>")
        return (
            (notice if self.chance.random() < 0.15 else "")
            + head + menu
            + (self.advert() if self.chance.random() < 0.3 else "")
            + (crumbs if self.chance.random() < 0.5 else "")
        )  # fmt: skip

    def bottom(self) -> str:
        """The foot of the page."""
        parts = [self.links(self.chance.randint(2, 12))]
        parts += [f"<p>&copy; 2012 {escape(self.talk.label())}. {escape(self.talk.label(2, 6))}.</p>"]
        if self.chance.random() < 0.4:
            text = " ".join(self.talk.sentence() for _ in range(self.chance.randint(1, 4)))
            parts.append(f"<p>{escape(text)} {self.link()}</p>")
        self.chance.shuffle(parts)
        return self.box("footer", "".join(parts), self.tag("footer"))

    def page(self, inner: str, after: str) -> str:
        """Everything around the content."""
        tag = self.chance.choice(("article", "main", "div")) if self.style.era == "new" else "div"
        main = self.box("content", inner, tag)
        whole = self.box("content", main + after) if self.chance.random() < 0.5 else main + after
        before, behind = (self.column() if wanted else "" for wanted in self.style.sides)
        whole = self.box("wrap", whole) if self.chance.random() < 0.5 else whole
        if self.style.era == "old":
            middle = f"<table><tr><td>{before}</td><td>{whole}</td><td>{behind}</td></tr></table>"
        else:
            middle = before + whole + behind
        middle = self.box("wrap", middle) if self.chance.random() < 0.6 else middle
        text = self.top() + middle + self.bottom()
        for _ in range(self.style.wraps):
            text = self.box("wrap", text)
        title = escape(self.talk.headline())
        return f"<!doctype html><html><head><title>{title}</title></head><body>{text}</body></html>"
