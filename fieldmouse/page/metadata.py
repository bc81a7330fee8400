"""What a page states about itself: JSON-LD, microdata, OpenGraph and meta tags, and what they say together.

The markup is parsed by turbohtml. Here the thing that the page is about is chosen among those that it
describes, and its dates and authors are read. A list of articles has no author and no date of its own.
"""

import html
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fieldmouse.types import PageMetadata

from . import tags
from .charset import decode, octets
from .head import PageTags, page_tags
from .stated_dates import stated_date, url_date

if TYPE_CHECKING:
    from turbohtml import Document, MicrodataItem

LARGEST = 2_000_000  # bytes of a page that are read
LONGEST_DATA = 200_000  # characters of `data`; a larger part is left out and named
MOST_AUTHORS, LONGEST_NAME = 20, 100
NAME_WORDS = 4  # of a name in the text of a page; more are a sentence, such as "all posts of ..."
DEEPEST = 20  # things in things

# Meta tags that are kept, but those of OpenGraph.
_KEPT = re.compile(
    r"(?:description|keywords|news_keywords|author|creator|byl|subject|date|.*(?:date|time|publi|modif|revised).*"
    r"|(?:dc|dcterms|eprints|citation|parsely|sailthru|geo|prism)[.:_-].+)"
)
_OPENGRAPH = re.compile(r"(?:og|twitter|article|book|profile|video|music|product|event|place|fb):.+")

_PUBLISHED_TAGS = (
    "article:published_time", "og:published_time", "og:article:published_time", "book:release_date",
    "datepublished", "date_published", "publishdate", "publish-date", "publish_date", "pubdate", "published",
    "parsely-pub-date", "sailthru.date", "citation_publication_date", "citation_date", "citation_online_date",
    "prism.publicationdate", "dcterms.issued", "dc.date.issued", "dcterms.date", "dc.date", "dcterms.created",
    "dc.date.created", "dcterms.available", "article_date_original", "originalpublicationdate",
    "cxenseparse:recs:publishtime", "date", "datecreated",
)  # fmt: skip
_MODIFIED_TAGS = (
    "article:modified_time", "og:updated_time", "og:modified_time", "article:updated_time", "datemodified",
    "date_modified", "last-modified", "lastmod", "last_updated", "modified", "revised", "dcterms.modified",
    "dc.date.modified", "prism.modificationdate",
)  # fmt: skip
_AUTHOR_TAGS = (
    "author", "article:author", "citation_author", "dcterms.creator", "dc.creator", "parsely-author",
    "sailthru.author", "og:author", "article:author_name", "byl", "creator", "twitter:data1:author",
)  # fmt: skip

# Things that surround what a page is about. Those of the first line say at least what kind of page it is.
_SITE = frozenset({"WebSite", "WebPage", "Organization", "Blog", "NewsMediaOrganization", "Corporation"})
_PARTS = frozenset(
    """BreadcrumbList Breadcrumb SiteNavigationElement WPHeader WPFooter WPSideBar WPAdBlock ImageObject
    Person ListItem SearchAction Rating AggregateRating Review UserReview Comment UserComments Offer
    AggregateOffer Brand ContactPoint PostalAddress EntryPoint ImageGallery SpeakableSpecification ReadAction
    Place GeoCoordinates CommentAction ViewAction Thing Hatom Hcard Hentry Vcard Review-aggregate""".split()  # noqa: SIM905
)
_ARTICLES = frozenset(
    """Article NewsArticle BlogPosting Report ScholarlyArticle TechArticle AnalysisNewsArticle LiveBlogPosting
    OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle SocialMediaPosting
    DiscussionForumPosting""".split()  # noqa: SIM905
)
_OPENGRAPH_TYPES = {
    "article": "Article",
    "website": "WebSite",
    "blog": "Blog",
    "product": "Product",
    "product.item": "Product",
    "og:product": "Product",
    "book": "Book",
    "profile": "ProfilePage",
    "event": "Event",
    "video": "VideoObject",
    "video.movie": "Movie",
    "video.episode": "Episode",
    "video.tv_show": "TVSeries",
    "video.other": "VideoObject",
    "music.song": "MusicRecording",
    "music.album": "MusicAlbum",
    "recipe": "Recipe",
    "restaurant": "Restaurant",
    "place": "Place",
    "company": "Organization",
    "organization": "Organization",
}

_WRAPPING = re.compile(
    r"\A\s*(?:<!--|(?://|/\*)?\s*<!\[CDATA\[\s*(?:\*/)?)|(?:-->|(?://|/\*)?\s*\]\]>\s*(?:\*/)?);?\s*\Z"
)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
# Controls, and marks that turn the direction of a text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_BY = re.compile(r"(?:by|von|par|por|di|door)\s+(?=[A-Z])")

Thing = dict[str, Any]


def page_metadata(
    content: bytes, charset: str, *, url: str, time: float, known: PageTags | None = None
) -> PageMetadata:
    """What a page states that was fetched at a time. May raise ValueError or RecursionError on odd markup.

    A page that states nothing but in its meta tags, which may be `known`, is not parsed.
    """
    if known is None:
        known = page_tags(content, tags.index(octets(content, charset)[0]), charset)
    if not known.stated:
        return _by_meta_tags(_listed_tags(known.metas), url, time)
    from turbohtml import parse  # slow to load

    document = parse(decode(content[:LARGEST], charset))
    metas = _meta_tags(document)
    written, scoped = _json_ld(document), [_as_thing(one) for one in document.microdata(url)]
    things = [*_described(written), *_described(scoped)]
    about, is_list = _about(things, url)
    site = [one for one in things if _type(one) in _SITE]
    data = _as_json({"json_ld": written, "microdata": scoped, **_sorted_tags(metas)})

    published = modified = author = None
    if about is not None:
        published = _date(about, ("datePublished", "uploadDate", "datePosted", "dateCreated"), time)
        modified = _date(about, ("dateModified",), time)
        author = _names(about, written)
    published = published or _tagged_date(metas, _PUBLISHED_TAGS, time)
    modified = modified or _tagged_date(metas, _MODIFIED_TAGS, time)
    author = author or _tagged_names(metas)
    if not is_list:
        for one in site if about is None else []:
            published = published or _date(one, ("datePublished",), time)
            modified = modified or _date(one, ("dateModified",), time)
        published = published or _marked_date(document, time) or url_date(url, time)
        author = author or _linked_names(document)
    kind = "ItemList" if is_list else _type(about) if about else _kind(metas, things)
    return PageMetadata(published, modified, author, kind or None, data)


def _by_meta_tags(metas: dict[str, list[str]], url: str, time: float) -> PageMetadata:
    return PageMetadata(
        published=_tagged_date(metas, _PUBLISHED_TAGS, time) or url_date(url, time),
        modified=_tagged_date(metas, _MODIFIED_TAGS, time),
        author=_tagged_names(metas),
        type=_kind(metas, ()) or None,
        data=_as_json(_sorted_tags(metas)),
    )


# --- what is in the markup -------------------------------------------------------------------------------


def _meta_tags(document: "Document") -> dict[str, list[str]]:
    """The contents of meta tags by their names, in lower case."""
    found = []
    for tag in document.select("meta[content]"):
        name = tag.attrs.get("property") or tag.attrs.get("name") or tag.attrs.get("itemprop") or ""
        found.append((str(name).strip().lower() if name else "", str(tag.attrs.get("content") or "")))
    return _listed_tags(found)


def _listed_tags(metas: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The contents of each tag, without those that are empty or repeated."""
    found: dict[str, list[str]] = {}
    for name, content in metas:
        value = _clean(content)
        if name and value and value not in (values := found.setdefault(name, [])):
            values.append(value)
    return found


def _sorted_tags(tags: dict[str, list[str]]) -> dict[str, dict[str, str | list[str]]]:
    """The tags that are kept: those of OpenGraph, and others."""
    parts: dict[str, dict[str, str | list[str]]] = {"opengraph": {}, "meta": {}}
    for name, values in tags.items():
        if _OPENGRAPH.fullmatch(name):
            parts["opengraph"][name] = values[0] if len(values) == 1 else values
        elif _KEPT.fullmatch(name):
            parts["meta"][name] = values[0] if len(values) == 1 else values
    return parts


def _json_ld(document: "Document") -> list[Any]:
    found = []
    for script in document.select('script[type*="ld+json" i]'):
        text = script.text
        for mended in (
            text,
            _WRAPPING.sub("", text),
            _TRAILING_COMMA.sub("", _WRAPPING.sub("", html.unescape(text))),
        ):
            try:
                value, _ = _DECODER.raw_decode(mended.lstrip(" \t\r\n\ufeff"))
            except (ValueError, RecursionError):
                continue
            found.append(value)
            break
    return found


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


# Control characters in strings are common; NaN is no JSON.
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=_finite)


def _as_thing(item: "MicrodataItem", depth: int = 0) -> Thing:
    """An item of microdata in the form of JSON-LD."""
    thing: Thing = {"@type": _short(item.type.split()[0])} if item.type and item.type.strip() else {}
    if item.id:
        thing["@id"] = item.id
    for name, values in item.properties.items():
        plain = [
            (_as_thing(one, depth + 1) if depth < DEEPEST else {})
            if not isinstance(one, str)
            else _clean(one)
            for one in values
        ]
        thing[name] = plain[0] if len(plain) == 1 else plain
    return thing


def _as_json(parts: dict[str, Any]) -> str | None:
    """The parts that are not empty and fit, the names of those that do not."""
    kept, left_out, room = [], [], LONGEST_DATA
    for name, value in sorted(parts.items(), key=lambda one: one[0] in ("json_ld", "microdata")):
        text = json.dumps(value, ensure_ascii=False) if value else ""
        if len(text) > room:
            left_out.append(name)
        elif text:
            kept.append(f'"{name}": {text}')
            room -= len(text)
    if left_out:
        kept.append(f'"left_out": {json.dumps(left_out)}')
    data = f"{{{', '.join(kept)}}}" if kept else ""
    return data.encode("utf-8", "replace").decode() or None  # lone surrogates


# --- what the page is about ------------------------------------------------------------------------------


def _described(values: Iterable[Any], depth: int = 0) -> Iterator[Thing]:
    """The things that a page describes, without what is only part of another."""
    for value in values:
        if isinstance(value, list) and depth < DEEPEST:
            yield from _described(value, depth + 1)
        elif isinstance(value, dict):
            graph = value.get("@graph")
            if isinstance(graph, list | dict) and depth < DEEPEST:
                yield from _described(graph if isinstance(graph, list) else [graph], depth + 1)
            main = value.get("mainEntity")
            if isinstance(main, dict) and _type(main) and depth < DEEPEST:
                yield from _described([main], depth + 1)
            if _type(value):
                yield value


def _about(things: Sequence[Thing], url: str) -> tuple[Thing | None, bool]:
    """The thing that a page is about, and whether the page is a list of several."""
    found = [one for one in things if _type(one) not in _SITE | _PARTS]
    named = [one for one in found if any(_same(address, url) for address in _addresses(one))]
    if named or not found:
        return (_first(named) if named else None), False
    pages = [one for one in found if _type(one).endswith("Page") or _type(one) == "ItemList"]
    others = [one for one in found if one not in pages]
    for kinds in (_ARTICLES, None):
        same = [one for one in others if kinds is None or _type(one) in kinds]
        if same and len({_label(one) for one in same if _type(one) == _type(same[0])}) > 1:
            return None, True
        if same:
            return _first(same), False
    return pages[0], _type(pages[0]) == "ItemList"


def _first(things: Sequence[Thing]) -> Thing:
    """An article before other things, and one with a date before those without."""
    return min(things, key=lambda one: (_type(one) not in _ARTICLES, "datePublished" not in one))


def _label(thing: Thing) -> str:
    return str(thing.get("headline") or thing.get("name") or thing.get("url") or thing.get("@id") or "")


def _addresses(thing: Thing) -> Iterator[str]:
    for name in ("url", "@id", "mainEntityOfPage"):
        value = thing.get(name)
        value = value.get("@id") or value.get("url") if isinstance(value, dict) else value
        if isinstance(value, str):
            yield value


def _same(address: str, url: str) -> bool:
    """Whether two URLs differ in no more than scheme, www, fragment and a slash at the end."""
    short = [
        re.sub(r"\A(?:https?:)?//(?:www\.)?", "", one.partition("#")[0]).rstrip("/") for one in (address, url)
    ]
    return short[0] == short[1] != ""


def _type(thing: Thing) -> str:
    value = thing.get("@type")
    value = next((one for one in value if isinstance(one, str)), "") if isinstance(value, list) else value
    return _short(value) if isinstance(value, str) else ""


def _short(name: str) -> str:
    last = _clean(re.split(r"[/#:]", name.strip())[-1])[:LONGEST_NAME]
    return last[:1].upper() + last[1:]


def _kind(tags: dict[str, list[str]], things: Sequence[Thing]) -> str:
    """The type of a page that describes nothing but its site, or nothing at all."""
    declared = _OPENGRAPH_TYPES.get(tags.get("og:type", [""])[0].lower(), "")
    site = next((_type(one) for one in things if _type(one) in _SITE), "")
    return declared if declared not in ("", "WebSite") else site or declared


# --- dates and authors -----------------------------------------------------------------------------------


def _date(thing: Thing, names: Sequence[str], time: float) -> str | None:
    for name in names:
        value = thing.get(name)
        value = value[0] if isinstance(value, list) and value else value
        value = value.get("@value") if isinstance(value, dict) else value
        if isinstance(value, str | int) and (found := stated_date(str(value), time)):
            return found
    return None


def _tagged_date(tags: dict[str, list[str]], names: Sequence[str], time: float) -> str | None:
    values = (value for name in names for value in tags.get(name, ()))
    return next((found for value in values if (found := stated_date(value, time))), None)


def _marked_date(document: "Document", time: float) -> str | None:
    """The date in the text that is marked as that of publication, if there is only one."""
    found = set()
    for place in document.select(
        "time[pubdate], [itemprop~=datePublished], time.published, time.entry-date, abbr.published"
    ):
        attrs = place.attrs
        text = str(attrs.get("datetime") or attrs.get("content") or attrs.get("title") or "") or place.text
        if "updated" not in str(attrs.get("class") or "") and (date := stated_date(text, time)):
            found.add(date)
    return found.pop() if len(found) == 1 else None


def _names(thing: Thing, written: Sequence[Any]) -> str | None:
    """The authors of a thing; one that is only named by its id is looked up."""
    by_id = {one["@id"]: one for one in _described(written) if isinstance(one.get("@id"), str)}
    found = []
    for value in _listed(thing.get("author") or thing.get("creator")):
        known = value
        if isinstance(value, dict) and "name" not in value:
            known = by_id.get(str(value.get("@id")), value)
        found += _listed(known.get("name") if isinstance(known, dict) else known)
    return _joined(one for one in found if isinstance(one, str))


def _tagged_names(tags: dict[str, list[str]]) -> str | None:
    return next((found for name in _AUTHOR_TAGS if (found := _joined(tags.get(name, ())))), None)


def _linked_names(document: "Document") -> str | None:
    places = document.select('a[rel~="author"], [itemprop~=author]')
    return _joined(text for one in places[:MOST_AUTHORS] if len((text := one.text).split()) <= NAME_WORDS)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _joined(names: Iterable[str]) -> str | None:
    """Names of authors, each once; addresses and texts are no names."""
    found: dict[str, None] = {}
    for name in names:
        short = _BY.sub("", " ".join(_clean(name).split()), count=1).strip(" ,;|")
        if short and len(short) <= LONGEST_NAME and "://" not in short and "@" not in short[1:]:
            found[short] = None
    return ", ".join(list(found)[:MOST_AUTHORS]) or None


def _clean(text: str) -> str:
    """A text without control characters."""
    text = _CONTROL.sub(" ", text).strip()
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
