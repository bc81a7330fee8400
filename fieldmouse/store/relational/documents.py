"""The text of pages in the store, and the search in it.

A document, its text and its place in the index are written in one transaction, so they always agree.
"""

import json
from collections.abc import Iterable
from heapq import nsmallest

from fieldmouse.store.page_records import (
    DocumentRow,
    FacetCount,
    PageFilter,
    SearchFacets,
    SearchHit,
    SearchResult,
)

from .database import Database
from .page_filter import filtered
from .search_text import marked

# Pages that are ranked, newest first, and counted; ranking a word that every page has would take seconds.
# A search for common words, narrowed, takes 1.5 times as long with twice as many.
RANKED = 5_000

# Values of each facet of a search.
FACETS = 8

# Words, or characters of scripts without spaces, in a snippet.
SNIPPET_TOKENS = 32

# The largest number that a database holds.
_LARGEST = 2**63 - 1


def put_documents(db: Database, rows: Iterable[DocumentRow]) -> None:
    """Store documents, new or changed, of different pages. Inside a transaction."""
    new = list(rows)
    for (page,) in list(db.rows("documents_there", pages=json.dumps([row.page for row in new]))):
        drop_document(db, page)
    stored, size = db.texts.stored, 0
    db.many(
        "put_document",
        [
            (
                *(row.page, row.version, row.title, len(row.text), row.published, row.modified, row.author),
                *(row.type, stored(row.data) if row.data else None),
                *(row.spam_score, int(row.spam), row.spam_words),
            )
            for row in new
        ],
    )
    for row in new:
        data, facts = stored(row.text), None if row.facts is None else stored(row.facts)
        db.run("put_page_text", page=row.page, data=data, facts=facts)
        db.texts.add(row.page, row.title, row.text)
        size += len(data)
    db.run("add_text_bytes", n=size)


def drop_document(db: Database, page: int, version: int | None = None) -> None:
    """Remove the text of a page (of one version, or of any) and its words. Inside a transaction."""
    size = db.one("text_size", page=page, version=version)[0]
    if size:
        db.run("unindex_page", page=page)
        db.run("drop_page_text", page=page)
        db.run("drop_document", page=page)
        db.run("add_text_bytes", n=-size)


def search(
    db: Database, words: str, where: PageFilter, n: int, offset: int, *, newest: bool = False, facets: int = 0
) -> SearchResult:
    """Pages with these words, and how the newest of them divide.

    The index is read once: a phrase of common words is slow to find, and ranking it reads it once more.
    Raises OverflowError for numbers that no database holds.
    """
    if max(n, offset) > _LARGEST:
        raise OverflowError("a search has no page of such a number")
    match = db.texts.expression(words)
    of_host = where.host and "search_hits_of_host" in db.queries
    sql, values = filtered(db, "search_hits_of_host" if of_host else "search_hits", where)
    wanted = {"match": match, "cap": RANKED, "newest": int(newest)}
    rows = [(score, page) for page, score in db.select(sql, {**values, **wanted})]
    hits = []
    for score, page in nsmallest(offset + n, rows)[offset:]:
        row = db.one("search_hit", match=match, page=page, tokens=SNIPPET_TOKENS)
        url, host, title, language, first_seen, last_change, private, snippet = row
        text, marks = marked(db.texts.snippet(snippet, words, SNIPPET_TOKENS))
        times, rank = (first_seen, last_change), 0.0 if newest else round(-score, 4)
        hits.append(SearchHit(page, url, host, title, language, *times, bool(private), rank, text, marks))
    divided = _facets(db, [page for _, page in rows[:facets]]) if facets else None
    return SearchResult(tuple(hits), len(rows), len(rows) >= RANKED, divided)


def _facets(db: Database, found: list[int]) -> SearchFacets:
    """How pages divide by language, topic and class."""
    pages = json.dumps(found)
    parts = [
        tuple(FacetCount(*row) for row in db.rows(name, pages=pages, n=FACETS))
        for name in ("facet_languages", "facet_topics", "facet_classes")
    ]
    return SearchFacets(len(found), db.one("facet_hosts", pages=pages)[0], *parts)
