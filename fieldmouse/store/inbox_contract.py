"""What the inbox of an archive offers: tokens, and what readers sent, before the archive takes it in.

The inbox is a store of its own, so `serve` can write while another process holds the archive's lock. Open it
with `fieldmouse.store.open_inbox`. Several processes may have it open.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, Self


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

    def open_session(self, token: str, expires: float, now: float) -> str:
        """Sign a browser in with a token's id, or with an empty one as the operator; returns its cookie."""

    def session(self, cookie: str, now: float) -> AccessToken | None:
        """Who signed in with this cookie, unless the session is over."""

    def close_session(self, cookie: str) -> None:
        """Sign a browser out."""
