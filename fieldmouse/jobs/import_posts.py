"""Import posts: what they name becomes links of the frontier, through scope and filters like any link.

Who wrote a post is kept as a salted hash. A post is known by its id, or by author, time and text, so a file
can be imported again, and a stream that broke off can be sent again.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

from fieldmouse.crawl.guide_setup import ready_guide
from fieldmouse.crawl.study import Rules
from fieldmouse.errors import ImportFailed
from fieldmouse.files.text_lines import TextLines
from fieldmouse.focus.guide import Guide
from fieldmouse.focus.link_learner import Parent
from fieldmouse.focus.words import page_text
from fieldmouse.page.addresses import FoundAddress
from fieldmouse.store import open_inbox
from fieldmouse.store.contract import Store
from fieldmouse.store.post_contract import NamedAddress, PostRecord
from fieldmouse.types import OutLink
from fieldmouse.urls import host_key

from .post_formats import LeftOut, Post, posts

BATCH = 500
SHORTEST_ID = 10  # digits of an id that stands for one post of a service
LONGEST_WORDS = 500  # characters of the words around an address that are kept


@dataclass(slots=True)
class PostImport:
    """The result of an import."""

    posts: int = 0  # that name an address
    new: int = 0  # that were not in the archive before
    addresses: int = 0  # in new and known posts
    wanted: int = 0  # of these, in scope
    position: int = 0  # bytes read of the file
    left_out: dict[str, int] = field(default_factory=dict)  # parts of the file and addresses, by reason

    def leave_out(self, reason: str) -> None:
        """Count what cannot be used."""
        if reason not in self.left_out and len(self.left_out) >= 20:
            reason = "other reasons"
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


def import_posts(
    store: Store, file: BinaryIO, name: str, rules: Rules, *, now: float, tell: Callable[[PostImport], None]
) -> PostImport:
    """Import a file or stream of posts; `tell` is called after each batch, which is stored by then."""
    result = PostImport()
    with open_inbox(store.folder) as inbox:
        salt = inbox.salt()
    guide = ready_guide(store, rules.settings) if rules.settings.focus.topic else None
    lines = TextLines(file)
    batch: list[PostRecord] = []

    def flush() -> None:
        if batch:
            store.require_space()
            result.new += store.posts.add(batch, now)
            batch.clear()
        result.position = lines.position
        tell(result)

    for one in posts(lines):
        if isinstance(one, LeftOut):
            result.leave_out(one.reason)
            continue
        named = _named(one, rules, guide, result)
        if not named:
            continue
        result.posts += 1
        result.addresses += len(named)
        result.wanted += sum(address.link.wanted for address in named)
        author = _hashed(one.author, salt, 8).hex() if one.author else ""
        local = (
            one.id.isdigit() and len(one.id) < SHORTEST_ID
        )  # a row of a table, maybe: other files have it too
        identity = one.id if one.id and not local else f"{one.id}\n{one.time}\n{one.text}"
        time = min(one.time, now) if one.time is not None else now
        batch.append(PostRecord(_hashed(f"{one.author}\n{identity}", b"", 16), author, time, name, named))
        if len(batch) >= BATCH:
            flush()
    flush()
    if lines.too_long:
        result.left_out["line too long"] = lines.too_long
    if lines.problem:
        result.left_out[f"the rest is damaged at {lines.problem}"] = 1
    if not result.posts:
        reasons = "; ".join(f"{n} × {reason}" for reason, n in result.left_out.items())
        raise ImportFailed(
            f"{name} has no post that names a URL ({reasons if lines.position else 'it is empty'}); "
            "give JSON, CSV, a feed, or text with links"
        )
    return result


def _named(post: Post, rules: Rules, guide: Guide | None, result: PostImport) -> list[NamedAddress]:
    """The addresses of a post that are URLs, each once."""
    found: dict[str, NamedAddress] = {}
    for one in post.addresses:
        url = rules.canon(one.url)
        if url is None:
            result.leave_out("not an http or https address")
            continue
        if url not in found:
            reason = rules.scope.reject(url)
            if reason:
                result.leave_out("address out of scope: kept as evidence; to visit it, change scope.allow")
            link = OutLink(host_key(url), url, wanted=not reason, score=_score(guide, url, one))
            found[url] = NamedAddress(link, one.around[:LONGEST_WORDS])
    return list(found.values())


def _score(guide: Guide | None, url: str, one: FoundAddress) -> float | None:
    """The score of an address for the topic: the words of the post are its anchor text."""
    if guide is None:
        return None
    read = guide.read(page_text(one.around))
    parent = Parent(relevance=guide.tally.harvest)
    (lead,) = guide.follow(parent, read.ids, read.size, [(url, 0, read.size, 0, read.size)])
    return lead.score


def _hashed(text: str, key: bytes, size: int) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), key=key, digest_size=size).digest()
