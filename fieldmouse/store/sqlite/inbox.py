"""The inbox on SQLite: a separate database next to the archive's, see `store/inbox_contract.py`."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import zstandard

from fieldmouse.store.inbox_contract import (
    Accepted,
    AccessToken,
    Backlog,
    Erasure,
    ForgetPage,
    Inbox,
    InboxItem,
    NewItem,
    Role,
    Sent,
    SentPage,
    SentVisits,
)
from fieldmouse.units import DAY

from .sqlite_database import SqliteDatabase

# The start of every token, so that scanners for leaked secrets recognise it.
TOKEN_PREFIX = "fieldmouse"  # noqa: S105

# Who signed in with the link that `serve` printed.
OPERATOR = AccessToken("", "operator", frozenset(Role), 0.0)


KINDS = {SentPage: "page", SentVisits: "visits", Erasure: "erase", ForgetPage: "forget"}

PENDING_BATCH = 20


class SqliteInbox(Inbox):
    """The contract's Inbox on SQLite."""

    def __init__(self, path: Path) -> None:
        created = not path.exists()
        self.db = SqliteDatabase(path, schema="inbox")
        if created:
            path.chmod(0o600)
        self._revocations = path.with_name(path.name + "-revocations")
        if self.db.one("property", name="salt") is None:
            with self.db.durable_transaction():
                self.db.run("add_fact", name="salt", value=secrets.token_hex(32))
        self._salt = bytes.fromhex(self.db.get_property("salt"))

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
        with self._revocations.open("ab") as file:  # after the commit: who sees it finds the token revoked
            file.write(b".")
        return count

    def revocations(self) -> int:
        try:
            return self._revocations.stat().st_size
        except FileNotFoundError:
            return 0

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

    # What readers sent

    def accept(self, items: Sequence[NewItem]) -> list[Accepted]:
        rows = [_packed(one) for one in items]
        with self.db.durable_transaction():
            return [self._accept(one, *row) for one, row in zip(items, rows, strict=True)]

    def _accept(self, item: NewItem, data: str, body: bytes) -> Accepted:
        id_ = secrets.token_hex(12)
        added = self.db.run(
            "add_item", id=id_, kind=KINDS[type(item.sent)], user=item.user, key=item.key, digest=item.digest,
            received=item.received, url=getattr(item.sent, "url", ""), data=data, body=body,
            size=len(data) + len(body),
        )  # fmt: skip
        if added.rowcount:
            return Accepted(id_, repeated=False, conflict=False)
        found, digest = self.db.one("item_by_key", user=item.user, key=item.key)
        return Accepted(found, repeated=digest == item.digest, conflict=digest != item.digest)

    def item(self, id_: str) -> InboxItem | None:
        row = self.db.one("item", id=id_)
        return _item(row) if row else None

    def summary(self, id_: str) -> InboxItem | None:
        row = self.db.one("item_summary", id=id_)
        return _item(row) if row else None

    def pending(self, after: int = 0) -> Iterator[InboxItem]:
        while rows := self.db.run("pending_items", after=after, n=PENDING_BATCH).fetchall():
            yield from map(_item, rows)
            after = rows[-1][0]

    def pending_of(self, user: str) -> Iterator[InboxItem]:
        after = 0
        while rows := self.db.run("pending_of_user", user=user, after=after, n=PENDING_BATCH).fetchall():
            yield from map(_item, rows)
            after = rows[-1][0]

    def newest_of(self, user: str, before: float, n: int) -> list[InboxItem]:
        return [_item(row) for row in self.db.rows("newest_of_user", user=user, before=before, n=n)]

    def pending_count(self, user: str, url: str = "") -> int:
        if url:
            return int(self.db.one("pending_count_url", user=user, url=url)[0])
        return int(self.db.one("pending_count", user=user)[0])

    def set_scores(self, scores: Iterable[tuple[str, int | None, int | None]]) -> None:
        with self.db.transaction():
            for id_, content, comment in scores:
                self.db.run("set_scores", id=id_, content=content, comment=comment)

    def take(self, ids: Iterable[str], now: float) -> None:
        with self.db.transaction():
            for id_ in ids:
                self.db.run("take_item", id=id_, now=now)

    def forget(self, before: float) -> int:
        with self.db.transaction():
            return self.db.run("forget_items", before=before).rowcount

    def backlog(self) -> Backlog:
        return Backlog(*self.db.one("backlog"))


def _packed(item: NewItem) -> tuple[str, bytes]:
    """What an item says as JSON, and the content of its page, compressed."""
    fields = asdict(item.sent)
    body = fields.pop("content", b"")
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return text, zstandard.compress(body, 1) if body else b""


def _item(row: Any) -> InboxItem:
    seq, id_, kind, user, received, data, body, content_score, comment_score, taken = row
    sent: Sent | None = None
    if data:
        fields = json.loads(data)
        if kind == "page":
            content = zstandard.decompress(body) if body else b""
            sent = SentPage(**{**fields, "tags": tuple(fields["tags"])}, content=content)
        elif kind == "visits":
            sent = SentVisits(tuple((url, time) for url, time in fields["visits"]))
        else:
            sent = Erasure(**fields) if kind == "erase" else ForgetPage(**fields)
    return InboxItem(
        seq=seq, id=id_, kind=kind, user=user, received=received, sent=sent, content_score=content_score,
        comment_score=comment_score, taken=taken,
    )  # fmt: skip


def _hash(secret: str) -> bytes:
    """One round is enough for a secret of 32 random bytes."""
    return hashlib.sha256(secret.encode()).digest()


def _token(row: Any) -> AccessToken:
    id_, name, roles, created, used, revoked = row
    return AccessToken(id_, name, frozenset(map(Role, roles.split())), created, used, revoked)
