"""The score of a pending link, from the guide of the last focused crawl."""

from dataclasses import dataclass

from fieldmouse.types import SavedGuide


@dataclass(frozen=True, slots=True)
class LinkScore:
    """The score of a link with its evidence, strongest first."""

    topic: str
    learner: str
    score: float
    reasons: tuple[str, ...]
    level: int  # pages in a row off topic before it


def link_score(learned: SavedGuide | None, url: str) -> LinkScore | None:
    """The score of a link; None without a guide, or if the guide does not know the link."""
    if learned is None:
        return None
    from fieldmouse.focus.evidence import level_of
    from fieldmouse.focus.guide import Guide  # with WordNet, a tenth of a second
    from fieldmouse.focus.wordnet import load

    guide = Guide.from_bytes(learned.data, load())
    if url not in guide.pending:
        return None
    verdict, level = guide.explain(url), level_of(guide.pending[url])
    return LinkScore(learned.topic, learned.learner, round(verdict.score, 4), verdict.reasons, level)
