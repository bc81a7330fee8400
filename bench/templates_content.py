"""Main content: how much of a page's gold text is found, beside other tools; pages of several sets."""

import collections
import contextlib
import html
import io
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

from fieldmouse.page.tokens import Document
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper

Row = dict[str, Any]
Tool = Callable[[Row], str]

COMPANY = 4  # pages of one site from which a template can be told

_WORD = re.compile(r"\w+")


# --- pages -----------------------------------------------------------------------------------------------


def read_rows(file: Path) -> Iterator[Row]:
    """Pages with gold text, one JSON object a line."""
    with file.open("rb") as raw:
        plain = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(raw, read_across_frames=True)
        for line in io.TextIOWrapper(plain, encoding="utf-8"):
            yield json.loads(line)


def page_of(row: Row) -> Document:
    """The page of a row, without the line that CleanEval put in front."""
    address = row["url"] or row["id"]
    return Document.of(source(row).encode("utf-8", "replace"), "text/html; charset=utf-8", address)


def source(row: Row) -> str:
    """The HTML of a row."""
    return re.sub(r"\A<text id=[^\n]*\n", "", row["html"])


def terms(folder: Path) -> Iterator[Row]:
    """Terms of use and privacy pages with the text that hand-written selectors took from them."""
    pages = {(row["site"], row["page"]): row for row in read_rows(folder / "pages.jsonl.zst")}
    for row in read_rows(folder / "gold_main_content.jsonl.zst"):
        page = pages.get((row["site"], row["page"]))
        if page and page["html"] and row["word_coverage"] >= 0.9:
            yield {
                "id": row["page"], "url": page["url"], "host": row["site"], "gold_kind": "text",
                "gold": row["gold"], "html": page["html"],
            }  # fmt: skip


def gold_text(row: Row) -> str:
    """The gold text, without marks and without readers' comments."""
    gold: str = row["gold"] or ""
    if row["gold_kind"] == "marked":
        return re.sub(r"</?[phl]>", " ", re.sub(r"\A\s*URL:[^\n]*", "", gold), flags=re.IGNORECASE)
    if row["gold_kind"] == "html":
        gold = re.sub(r"<(script|style)\b.*?</\1>", " ", gold, flags=re.DOTALL)
        return html.unescape(re.sub(r"<[^>]*>", " ", gold))
    return re.split(r"\n[^\n]*!@#\$%\^&\*[^\n]*COMMENT", gold, flags=re.IGNORECASE)[0]


def words(text: str) -> list[str]:
    """Words in lower case."""
    return _WORD.findall(text.lower())


# --- main content ----------------------------------------------------------------------------------------


def quality(text: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F1 over words, each counted as often as it stands there."""
    found, wanted = collections.Counter(words(text)), collections.Counter(words(gold))
    if not found or not wanted:
        return (float(not found and not wanted),) * 3
    common = (found & wanted).total()
    return common / found.total(), common / wanted.total(), 2 * common / (found.total() + wanted.total())


def snippet_quality(texts: Sequence[str], rows: Sequence[Row]) -> tuple[float, float, float]:
    """The same over snippets that must be kept and snippets that must go, over all pages together."""
    kept = lost = wrong = 0
    for text, row in zip(texts, rows, strict=True):
        flat = " ".join(text.split())
        good = [" ".join(one.split()) in flat for one in row["with"] or ()]
        kept, lost = kept + sum(good), lost + len(good) - sum(good)
        wrong += sum(" ".join(one.split()) in flat for one in row["without"] or ())
    return kept / max(1, kept + wrong), kept / max(1, kept + lost), 2 * kept / max(1, 2 * kept + wrong + lost)


def scored(rows: Sequence[Row], tool: Tool) -> dict[str, float]:
    """How good and how fast a tool is on some pages."""
    began = time.process_time()
    texts = [tool(row) for row in rows]
    spent = time.process_time() - began
    if rows[0]["gold"] is None:
        result = snippet_quality(texts, rows)
    else:
        each = [quality(text, gold_text(row)) for text, row in zip(texts, rows, strict=True)]
        result = tuple(sum(column) / len(each) for column in zip(*each, strict=True))
    figures = dict(zip(("precision", "recall", "f1"), (round(one, 4) for one in result), strict=True))
    return {**figures, "ms": round(spent / len(rows) * 1000, 1)}


def alone() -> Tool:
    """Each page judged by its form only."""
    stripper = Stripper()
    return lambda row: stripper.strip(page_of(row)).text()


def by_site(rows: Sequence[Row], *, main: bool) -> Tool:
    """Each page with the templates of its site and year."""
    strippers = {site: Stripper(distil(site, pages).templates) for site, pages in sites(rows).items()}
    return lambda row: strippers[site_of(row)].strip(page_of(row)).text(main=main)


def site_of(row: Row) -> str:
    """What a page's template is shared by: its host, in one year where the years are known."""
    return f"{row['host']} {row.get('year') or ''}".strip()


def sites(rows: Sequence[Row]) -> dict[str, list[Document]]:
    """The pages of each site."""
    found: dict[str, list[Document]] = collections.defaultdict(list)
    for row in rows:
        found[site_of(row)].append(page_of(row))
    return found


def with_company(rows: Sequence[Row]) -> list[Row]:
    """The pages of which there are at least `COMPANY` of one site."""
    counts = collections.Counter(site_of(row) for row in rows)
    return [row for row in rows if row["host"] and counts[site_of(row)] >= COMPANY]


def _trafilatura() -> Tool:
    import trafilatura  # type: ignore[import-not-found,unused-ignore]

    return lambda row: trafilatura.extract(source(row)) or ""


def _readability() -> Tool:
    import readability  # type: ignore[import-not-found,unused-ignore]

    return lambda row: html.unescape(
        re.sub(r"<[^>]*>", " ", str(readability.Document(source(row)).summary()))
    )


def _resiliparse() -> Tool:
    from resiliparse.extract import html2text  # type: ignore[import-not-found,unused-ignore]

    return lambda row: str(html2text.extract_plain_text(source(row), main_content=True))


def _justext() -> Tool:
    import justext  # type: ignore[import-not-found,unused-ignore]

    stop = frozenset(word for name in justext.get_stoplists() for word in justext.get_stoplist(name))
    return lambda row: "\n".join(
        one.text for one in justext.justext(source(row).encode(), stop) if not one.is_boilerplate
    )


PEERS: Mapping[str, Callable[[], Tool]] = {
    "trafilatura": _trafilatura,
    "readability": _readability,
    "resiliparse": _resiliparse,
    "jusText": _justext,
}


def peers() -> tuple[dict[str, Tool], list[str]]:
    """Other tools that are installed, and the names of those that are not."""
    found: dict[str, Tool] = {}
    for name, get in PEERS.items():
        with contextlib.suppress(ImportError):
            found[name] = _careful(get())
    return found, [name for name in PEERS if name not in found]


def _careful(tool: Tool) -> Tool:
    """A page that a tool cannot take counts as one it found nothing on."""

    def careful(row: Row) -> str:
        try:
            return tool(row)
        except Exception:
            return ""

    return careful


def content_figures(rows: Sequence[Row]) -> dict[str, Any]:
    """All tools on one set, and again on those of its pages that have company of their site."""
    others, absent = peers()
    found: dict[str, Any] = {"not installed": absent} if absent else {}
    company = with_company(rows)
    if len(company) < len(rows):
        alone_tools = {"form alone": alone(), **others}
        found |= {"pages": len(rows), **{tool: scored(rows, run) for tool, run in alone_tools.items()}}
    if company:
        tools = {
            "template": by_site(company, main=False),
            "template and form": by_site(company, main=True),
            "form alone": alone(),
            **others,
        }
        figures = {tool: scored(company, run) for tool, run in tools.items()}
        found["sites"] = {"pages": len(company), "sites": len(sites(company)), **figures}
    return found
