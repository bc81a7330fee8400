"""What the inbox of an archive offers: tokens, and what readers sent, before the archive takes it in.

The inbox is a store of its own, so `serve` can write while another process holds the archive's lock. Open it
with `fieldmouse.store.open_inbox`. Several processes may have it open.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol, Self


class Role(StrEnum):
    """What a token allows."""

    PUBLISH = "publish"  # send pages and visits, and see what became of them
    READ = "read"  # see the archive
    ADMINISTER = "administer"  # everything


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token without its secret."""

    id: str
    name: str  # who uses it
    roles: frozenset[Role]
    created: float
    used: float | None = None  # the last day of use
    revoked: float | None = None

    def allows(self, role: Role) -> bool:
        """Whether the token has a role."""
        return role in self.roles or Role.ADMINISTER in self.roles


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPage:
    """A page that a reader sent: its address, and the content as seen if there was any."""

    url: str  # canonical
    content: bytes = b""
    mime: str = ""  # of the content, with its charset
    tags: tuple[str, ...] = ()
    comment: str = ""
    title: str = ""  # as the browser showed it
    private: bool = False
    seen: float = 0.0  # when the reader saw it; never after it was received


@dataclass(frozen=True, slots=True)
class SentVisits:
    """Visits of a reader to pages: canonical addresses and times."""

    visits: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Erasure:
    """The wish of a reader to erase a submission, or with an empty id everything they sent."""

    submission: str = ""


@dataclass(frozen=True, slots=True)
class ForgetPage:
    """The wish of the operator to erase a page and not to visit it again; or to let it be visited again."""

    url: str  # canonical
    allow: bool = False


Sent = SentPage | SentVisits | Erasure | ForgetPage


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """Something that a reader sent and that is not stored yet."""

    user: str  # salted hash
    key: str  # the same user and key: the same item
    digest: bytes  # of all that was sent
    received: float
    sent: Sent


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """Something that a reader sent."""

    seq: int  # in the order received
    id: str
    kind: str  # page, visits, erase, forget
    user: str
    received: float
    sent: Sent | None  # None once the archive has taken it
    content_score: int | None = None
    comment_score: int | None = None
    taken: float | None = None


class Accepted(NamedTuple):
    """What became of a new item."""

    id: str
    repeated: bool  # it was there before
    conflict: bool  # the key was used before for something else; nothing was stored


class Backlog(NamedTuple):
    """What the archive has not taken in yet."""

    items: int
    bytes: int
    oldest: float | None  # when the oldest was received


class Inbox(Protocol):
    """The inbox of an archive. Each thread that uses it opens its own."""

    def __enter__(self) -> Self:
        """Use as a context manager to close it at the end."""

    def __exit__(self, *_: object) -> None:
        """Close it."""

    def close(self) -> None:
        """Close the file."""

    def salt(self) -> bytes:
        """The secret that names of users are hashed with; it never leaves the inbox."""

    def add_token(self, name: str, roles: frozenset[Role], now: float) -> str:
        """Make a token; the text to give to its user, which cannot be shown again."""

    def tokens(self) -> list[AccessToken]:
        """Every token, oldest first."""

    def check_token(self, text: str, now: float) -> AccessToken | None:
        """The token of this text, unless it is unknown or revoked. Takes equally long for a wrong secret."""

    def revoke(self, which: str, now: float) -> int:
        """Revoke a token by its id, or all tokens of a name; returns how many. Their sessions end."""

    def revocations(self) -> int:
        """A number that grows with each call of `revoke`, in any process. Cheap: no query."""

    def open_session(self, token: str, expires: float, now: float) -> str:
        """Sign a browser in with a token's id, or with an empty one as the operator; returns its cookie."""

    def session(self, cookie: str, now: float) -> AccessToken | None:
        """Who signed in with this cookie, unless the session is over."""

    def close_session(self, cookie: str) -> None:
        """Sign a browser out."""

    # What readers sent

    def accept(self, items: Sequence[NewItem]) -> list[Accepted]:
        """Store items, all in one transaction; they survive a power cut from then on."""

    def item(self, id_: str) -> InboxItem | None:
        """One item, with the content of its page until the archive has it."""

    def summary(self, id_: str) -> InboxItem | None:
        """One item without the content of its page: it costs little, however large the page is."""

    def pending(self, after: int = 0) -> Iterator[InboxItem]:
        """Items that the archive has not taken in, in the order received; those after a `seq`."""

    def pending_of(self, user: str) -> Iterator[InboxItem]:
        """The same for one user."""

    def newest_of(self, user: str, before: float, n: int) -> list[InboxItem]:
        """What is pending of a user and was received before a time, newest first, without contents."""

    def pending_count(self, user: str, url: str = "") -> int:
        """How many items of a user are pending; with a URL, how many of this page."""

    def set_scores(self, scores: Iterable[tuple[str, int | None, int | None]]) -> None:
        """Store spam scores of items: id, of the content, of the comment."""

    def take(self, ids: Iterable[str], now: float) -> None:
        """The archive has these items: their content is forgotten here."""

    def forget(self, before: float) -> int:
        """Forget the keys of items taken before a time; returns how many."""

    def backlog(self) -> Backlog:
        """How much is pending."""


def user_hash(salt: bytes, name: str, user: str = "") -> str:
    """Who sent something: the name of the token and what the sender calls the user, as a salted hash."""
    return hmac.new(salt, f"{name}\0{user}".encode(), hashlib.sha256).hexdigest()[:32]
