"""Where a page sends its reader, as the crawl takes it: recorded always, followed where it is immediate.

Reading scripts costs more than all the rest of a page's study, so it is done only where a redirect can be:
a page with hardly anything to read that names `location`, or a frame, or a refresh in its header.
"""

from fieldmouse import urls
from fieldmouse.page.read import Facts
from fieldmouse.spam.redirects import LITTLE, READABLE, SOON, redirects
from fieldmouse.spam.script_redirects import may_redirect
from fieldmouse.types import Redirect, Response
from fieldmouse.urls import Canon

# A page that sends its reader on within these seconds is a redirect in all but name, and followed.
AT_ONCE = 1.0


def moves(url: str, answer: Response, facts: Facts, canon: Canon) -> tuple[Redirect, ...]:
    """The redirects of a page, in canonical addresses and none to the page itself."""
    if not may_move(answer, facts):
        return ()
    if facts.text_bytes > READABLE:
        found = _refreshes(url, answer, facts)
    else:
        found = redirects(url, headers=answer.headers, content=answer.content, facts=facts)
    return _canonical(url, found, canon)


def may_move(answer: Response, facts: Facts) -> bool:
    """Whether it is worth looking closer."""
    if facts.refresh_delay is not None or answer.header("refresh"):
        return True
    if facts.text_bytes > READABLE:
        return False
    return may_redirect(answer.content) or _framed(facts, answer.content)


def _framed(facts: Facts, body: bytes) -> bool:
    """Whether a frame may fill the window; what stands in `noframes` counts as text."""
    return (b"<frame" in body or b"<FRAME" in body) or (
        facts.text_bytes <= 2 * LITTLE and (b"<iframe" in body or b"<IFRAME" in body or b"<Iframe" in body)
    )


def _refreshes(url: str, answer: Response, facts: Facts) -> list[Redirect]:
    """The same without scripts and frames, which a page that has much to say does not use for this."""
    found = redirects(url, headers=answer.headers)
    if facts.refresh_delay is None or facts.refresh_delay > SOON:
        return found
    base = (urls.parse(facts.base, url) or url) if facts.base else url
    hrefs = (urls.parse(one.value, base) for one in facts.hrefs if one.kind == "refresh")
    return [*found, *(Redirect("meta", href, facts.refresh_delay) for href in hrefs if href)]


def _canonical(url: str, found: list[Redirect], canon: Canon) -> tuple[Redirect, ...]:
    """Each address once and in its canonical form; the page itself is no place to go to."""
    kept: dict[str, Redirect] = {}
    for one in found:
        target = canon(one.url)
        if target is not None and target != url:
            kept.setdefault(target, one._replace(url=target))
    return tuple(kept.values())


def followed(found: tuple[Redirect, ...]) -> str:
    """Where a reader is before he has read a word; empty for a page that stays."""
    return next((one.url for one in found if one.certain and one.delay <= AT_ONCE), "")
