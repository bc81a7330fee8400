"""Judgements on pages for a topic, and the harvest of focused crawls."""

from collections.abc import Sequence

from fieldmouse.types import Finding, TopicJudgement

from .database import Database

# The harvest is kept for every so many pages.
STEP = 50


def put_judgements(db: Database, found: Sequence[tuple[int, Finding]]) -> None:
    """Write what a crawl thinks of its pages, given with their ids. Call inside a transaction."""
    judged = [(page, one.judged, one.outcome.began) for page, one in found if one.judged is not None]
    db.many("put_judgement", [judgement_row(*one) for one in judged])


def put_harvest(db: Database, found: Sequence[Finding]) -> None:
    """Write how many of the pages are on the topic. Call inside a transaction, at its end."""
    new = [one.judged for one in found if one.judged is not None and not one.ticket.refresh]
    if not new:
        return
    # A batch has pages of one crawl, so of one topic and learner.
    key = {"topic": new[0].topic, "learner": new[0].judge}
    db.hold("harvest")  # each commit goes on from the count of the last one
    pages, relevant = db.one("last_harvest", **key) or (0, 0)
    db.run("drop_harvest", **key, pages=pages, step=STEP)
    rows = []
    for one in new:
        pages, relevant = pages + 1, relevant + (one.score > 0.5)
        if pages % STEP == 0:
            rows.append((*key.values(), pages, relevant))
    db.many("put_harvest", [*rows, (*key.values(), pages, relevant)])


def judgement_row(page: int, one: TopicJudgement, time: float) -> tuple[object, ...]:
    """A row of the table `judgement`."""
    reasons, promise = "; ".join(one.reasons), "; ".join(one.promise)
    return (one.topic, page, time, one.score, one.expected, one.level, one.judge, reasons, promise)
