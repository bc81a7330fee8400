"""What a link that was not followed yet promises: asked of the guide as the last focused crawl left it."""

from dataclasses import dataclass

from fieldmouse.types import SavedGuide


@dataclass(frozen=True, slots=True)
class Promise:
    """A judged link with the evidence that spoke, strongest first."""

    topic: str
    learner: str
    score: float
    reasons: tuple[str, ...]
    level: int  # pages off the topic in a row, if it is followed


def promised(learned: SavedGuide | None, url: str) -> Promise | None:
    """What the guide says of a link; None without a guide, or when it remembers nothing of the link."""
    if learned is None:
        return None
    from fieldmouse.focus.evidence import level_of
    from fieldmouse.focus.guide import Guide  # with WordNet, a tenth of a second
    from fieldmouse.focus.wordnet import load

    guide = Guide.from_bytes(learned.data, load())
    if url not in guide.pending:
        return None
    verdict, level = guide.explain(url), level_of(guide.pending[url])
    return Promise(learned.topic, learned.learner, round(verdict.score, 4), verdict.reasons, level)
