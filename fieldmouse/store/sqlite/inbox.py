"""The inbox on SQLite: a database of its own beside the archive's, see `store/inbox_contract.py`."""

import hashlib
import hmac
import secrets
from pathlib import Path
from typing import Any, Self

from fieldmouse.store.inbox_contract import AccessToken, Inbox, Role
from fieldmouse.units import DAY

from .database import Database

# The start of every token, so that scanners for leaked secrets recognise it.
TOKEN_PREFIX = "fieldmouse"  # noqa: S105

# Who signed in with the link that `serve` printed.
OPERATOR = AccessToken("", "operator", frozenset(Role), 0.0)


class SqliteInbox(Inbox):
    """The contract's Inbox on SQLite."""

    def __init__(self, path: Path) -> None:
        created = not path.exists()
        self.db = Database(path, schema="inbox")
        if created:
            path.chmod(0o600)
        if self.db.one("fact", name="salt") is None:
            with self.db.durable_transaction():
                self.db.run("add_fact", name="salt", value=secrets.token_hex(32))
        self._salt = bytes.fromhex(self.db.fact("salt"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.db.close()

    def salt(self) -> bytes:
        return self._salt

    # Tokens

    def add_token(self, name: str, roles: frozenset[Role], now: float) -> str:
        id_, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        with self.db.durable_transaction():
            self.db.run(
                "add_token", id=id_, name=name, roles=" ".join(sorted(roles)), hash=_hash(secret), created=now
            )
        return f"{TOKEN_PREFIX}_{id_}_{secret}"

    def tokens(self) -> list[AccessToken]:
        return [_token(row) for row in self.db.rows("tokens")]

    def check_token(self, text: str, now: float) -> AccessToken | None:
        prefix, _, rest = text.partition("_")
        id_, _, secret = rest.partition("_")
        row = self.db.one("token", id=id_)
        expected = row[-1] if row else _hash("")
        right = hmac.compare_digest(expected, _hash(secret)) and prefix == TOKEN_PREFIX
        if row is None or not right or row[5] is not None:
            return None
        token = _token(row[:-1])
        if token.used is None or now // DAY != token.used // DAY:
            with self.db.transaction():
                self.db.run("use_token", id=id_, now=now // DAY * DAY)
        return token

    def revoke(self, which: str, now: float) -> int:
        with self.db.durable_transaction():
            count = self.db.run("revoke_tokens", which=which, now=now).rowcount
            self.db.run("drop_revoked_sessions", now=now)
        return count

    # Sessions

    def open_session(self, token: str, expires: float, now: float) -> str:
        cookie = secrets.token_urlsafe(32)
        with self.db.transaction():
            self.db.run("drop_revoked_sessions", now=now)
            self.db.run("add_session", hash=_hash(cookie), token=token, expires=expires)
        return cookie

    def session(self, cookie: str, now: float) -> AccessToken | None:
        row = self.db.one("session", hash=_hash(cookie))
        if row is None or row[1] < now:
            return None
        if not row[0]:
            return OPERATOR
        found = self.db.one("token", id=row[0])
        return _token(found[:-1]) if found and found[5] is None else None

    def close_session(self, cookie: str) -> None:
        with self.db.transaction():
            self.db.run("drop_session", hash=_hash(cookie))


def _hash(secret: str) -> bytes:
    """One round is enough for a secret of 32 random bytes."""
    return hashlib.sha256(secret.encode()).digest()


def _token(row: Any) -> AccessToken:
    id_, name, roles, created, used, revoked = row
    return AccessToken(id_, name, frozenset(map(Role, roles.split())), created, used, revoked)
