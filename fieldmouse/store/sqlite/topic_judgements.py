"""How pages turned out for a topic: the rows of the Relevant and the Irrelevant Table, and the harvest."""

from collections.abc import Sequence

from fieldmouse.store.records import Harvest
from fieldmouse.types import Finding, TopicJudgement

from .database import Database

# The harvest is kept for every so many pages.
STEP = 50


def put_judgements(db: Database, found: Sequence[tuple[int, Finding]]) -> None:
    """Write what a crawl thinks of its pages, given with their ids. Call inside a transaction."""
    judged = [(page, one.judged, one.outcome.began) for page, one in found if one.judged is not None]
    if judged:
        db.many("put_judgement", [_row(*one) for one in judged])
    new = [one.judged for _, one in found if one.judged is not None and not one.ticket.refresh]
    if new:
        _put_harvest(db, new)


def put_classified(db: Database, judged: Sequence[tuple[int, TopicJudgement, float]]) -> None:
    """Write what was said of pages after the crawl. Call inside a transaction."""
    db.many("put_classified", [_row(*one) for one in judged])


def _row(page: int, one: TopicJudgement, time: float) -> tuple[object, ...]:
    reasons, promise = "; ".join(one.reasons), "; ".join(one.promise)
    return (one.topic, page, time, one.score, one.expected, one.level, one.judge, reasons, promise)


def _put_harvest(db: Database, judged: Sequence[TopicJudgement]) -> None:
    """Add pages to the curve; a batch holds pages of one crawl, so of one topic and learner."""
    key = {"topic": judged[0].topic, "learner": judged[0].judge}
    pages, relevant = db.one("last_harvest", **key) or (0, 0)
    db.run("drop_harvest", **key, pages=pages, step=STEP)
    rows = []
    for one in judged:
        pages, relevant = pages + 1, relevant + (one.score > 0.5)
        if pages % STEP == 0:
            rows.append((*key.values(), pages, relevant))
    db.many("put_harvest", [*rows, (*key.values(), pages, relevant)])


def harvests(db: Database) -> list[Harvest]:
    """The curves of all crawls."""
    curves: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for topic, learner, pages, relevant in db.rows("harvests"):
        curves.setdefault((topic, learner), []).append((pages, relevant))
    return [
        Harvest(*key, *curve[-1], rate=round(curve[-1][1] / curve[-1][0], 4), curve=tuple(curve))
        for key, curve in curves.items()
    ]
