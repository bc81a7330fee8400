"""The seven static features by which the refresh model guesses how often a page will change."""

from fieldmouse.types import Features
from fieldmouse.urls import directory_level

from .read import Facts


def static_features(facts: Facts, *, has_last_modified: bool, depth: int, url: str) -> Features:
    """The features of Barbosa et al. (2005): four from the page, two from the crawl, one from the header."""
    return Features(
        links=facts.links,
        emails=facts.emails,
        images=facts.images,
        text_bytes=facts.text_bytes,
        has_last_modified=has_last_modified,
        depth=depth,
        directory_level=directory_level(url),
    )
