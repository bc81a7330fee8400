"""Sends changes by webhook and mail, through an outbox in the database.

First all new changes go into the outbox, in the transaction that notes how far each target is. Then each
delivery is sent, and leaves the outbox when its receiver has taken it. So nothing is lost by a crash, and
something may come twice, with the same id.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import NamedTuple

from fieldmouse.errors import ArchiveError, ConfigError, UsageError
from fieldmouse.report.change_feed import change_id
from fieldmouse.report.changes import ShownChange, difference_text, iso_time, shown_change
from fieldmouse.settings import NotifySettings, Settings
from fieldmouse.store import open_outbox
from fieldmouse.store.change_contract import ChangeCursor, ChangeRow, Delivery, Outbox
from fieldmouse.store.page_records import PageFilter
from fieldmouse.units import DAY, HOUR
from fieldmouse.urls import without_password
from fieldmouse.web.guard import Guard
from fieldmouse.web.mail import send_mail
from fieldmouse.web.webhooks import post_json

# Changes of a delivery to a webhook, and of a mail.
BATCH, MAIL_CHANGES = 100, 500
# Seconds for which a delivery belongs to the process that sends it; the first pause after a failure, and the
# longest.
CLAIMED, FIRST_PAUSE, LONGEST_PAUSE = 120.0, 30.0, 6 * HOUR
MAIL = "mail"
# Seconds that a daemon waits for a turn.
WAITED = 5.0
# Deliveries of a turn, and a time after all others.
MOST, LATEST = 1000, 1e12
# What a terminal or a mail program may obey instead of showing it.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


log = logging.getLogger(__name__)


class Notified(NamedTuple):
    """What a turn did."""

    queued: int  # deliveries put into the outbox
    delivered: int
    failed: int
    pending: int  # deliveries that are still in the outbox
    errors: tuple[str, ...]


class Notifier:
    """Fills the outbox with new changes and sends what is in it."""

    def __init__(self, outbox: Outbox, settings: NotifySettings, guard: Guard) -> None:
        self.outbox, self.settings, self.guard = outbox, settings, guard
        check_settings(settings)

    def turn(self, now: Callable[[], float], *, hurry: bool = False, digest: bool = False) -> Notified:
        """Fill the outbox, then send what is due.

        With `hurry` also what waits after a failure; with `digest` the digest of the day is made now.
        """
        queued = self.fill(now(), digest=digest)
        delivered, errors = 0, []
        for one in self.outbox.due(LATEST if hurry else now(), MOST):
            if not self.outbox.claim(one, now() + CLAIMED):
                continue
            if error := self._send(one):
                pause = min(FIRST_PAUSE * 2**one.attempts, LONGEST_PAUSE)
                self.outbox.failed(one.id, error, now() + pause)
                errors.append(f"{one.channel} {without_password(one.target)}: {error}")
            else:
                self.outbox.delivered(one.id)
                delivered += 1
        pending = self.outbox.pending().number
        return Notified(queued, delivered, len(errors), pending, tuple(dict.fromkeys(errors)))

    def fill(self, now: float, *, digest: bool = False) -> int:
        """Put new changes into the outbox, for each target; `digest` makes the digest of the day early."""
        queued = 0
        for url in self.settings.webhooks:
            queued += self._fill(f"webhook {url}", now, BATCH, partial(_webhook, url, now=now))
        if self.settings.mail_to:
            cursor = self.outbox.begin(MAIL, now)
            if (
                digest
                or not self.settings.digest
                or now >= next_digest(cursor.time, self.settings.digest_hour)
            ):
                queued += self._fill(MAIL, now, MAIL_CHANGES, partial(_mail, self.settings, now=now))
        return queued

    def _fill(
        self, name: str, now: float, most: int, delivery: Callable[[Sequence[ChangeRow]], Delivery]
    ) -> int:
        queued = 0
        old = self.outbox.begin(name, now)
        while True:
            rows = self.outbox.to_send(PageFilter(topic=self.settings.only_topic), old.number, most)
            if not rows and name != MAIL:
                return queued
            wanted = [
                one for one in rows if not self.settings.only_hosts or one.host in self.settings.only_hosts
            ]
            new = ChangeCursor(rows[-1].number if rows else old.number, now)
            found = [delivery(wanted)] if wanted else []
            if not self.outbox.put(name, old, new, found) or len(rows) < most:
                return queued + len(found)
            queued, old = queued + len(found), new

    def _send(self, one: Delivery) -> str:
        if one.channel == MAIL:
            return send_mail(one.body, one.target.split(", "), self.settings)
        body = one.body.encode()
        headers = {"Fieldmouse-Delivery": one.id, "User-Agent": "Fieldmouse"}
        if self.settings.webhook_secret:
            digest = hmac.new(self.settings.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
            headers["Fieldmouse-Signature"] = f"sha256={digest}"
        return post_json(one.target, body, headers, self.guard)


class BackgroundNotifier:
    """Notifies in a thread while a daemon goes on; a turn that takes long is left to end by itself."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        check_settings(settings.notify)
        self.folder, self.settings = folder, settings
        self._turn: asyncio.Task[None] | None = None

    async def turn(self, now: Callable[[], float]) -> None:
        """Begin a turn unless the last one is still going on; wait for it a moment."""
        if not has_targets(self.settings.notify):
            return
        if self._turn is None or self._turn.done():
            self._turn = asyncio.create_task(asyncio.to_thread(self._once, now))
        await asyncio.wait((self._turn,), timeout=WAITED)

    def _once(self, now: Callable[[], float]) -> None:
        outbox = open_outbox(self.folder)
        try:
            done = Notifier(outbox, self.settings.notify, webhook_guard(self.settings)).turn(now)
        except ArchiveError as error:  # it is tried again at the next turn
            log.warning("changes could not be sent: %s", error)
            return
        finally:
            outbox.close()
        for failed in done.errors:
            log.warning("a delivery failed and is tried again: %s", failed)


def check_settings(settings: NotifySettings) -> None:
    """Raise ConfigError if mail cannot be sent with these settings."""
    if settings.mail_to and not (settings.smtp_host and settings.mail_from):
        raise ConfigError("notify.mail_to needs notify.smtp_host and notify.mail_from")
    for one in settings.webhooks:
        if not one.startswith(("http://", "https://")):
            raise ConfigError(f"notify.webhooks: {one!r} is not an http or https URL")
    for one in (*settings.mail_to, *filter(None, (settings.mail_from,))):
        try:
            Address(addr_spec=one)
        except ValueError as error:
            raise ConfigError(f"notify: {one!r} is not an e-mail address: {error}") from None


def next_digest(last: float, hour: int) -> float:
    """When the digest after a time is due."""
    day = (last - hour * HOUR) // DAY * DAY + hour * HOUR
    return day + DAY


def _webhook(url: str, rows: Sequence[ChangeRow], now: float) -> Delivery:
    """The delivery of changes to a webhook."""
    id_ = str(uuid.uuid4())
    changes = [{"id": change_id(one), **asdict(one)} for one in map(shown_change, rows)]
    body = {"delivery": id_, "created": iso_time(now), "changes": changes}
    return Delivery(id_, "webhook", url, json.dumps(body, ensure_ascii=True), now)


def _mail(settings: NotifySettings, rows: Sequence[ChangeRow], now: float) -> Delivery:
    """The delivery of changes by mail."""
    id_ = str(uuid.uuid4())
    changes = [shown_change(one) for one in rows]
    hosts = len({one.host for one in changes})
    message = EmailMessage()
    said = "1 change" if len(changes) == 1 else f"{len(changes)} changes"
    message["Subject"] = f"{said} on {'1 host' if hosts == 1 else f'{hosts} hosts'}"
    message["From"], message["To"] = settings.mail_from, ", ".join(settings.mail_to)
    message["Date"] = datetime.fromtimestamp(now, UTC)
    message["Message-ID"] = f"<{id_}@fieldmouse>"
    message["Fieldmouse-Delivery"] = id_
    message.set_content("\n\n".join(map(change_text, changes)) + "\n", cte="quoted-printable")
    return Delivery(id_, MAIL, ", ".join(settings.mail_to), message.as_string(), now)


def change_text(change: ShownChange) -> str:
    """A change in some lines of plain text."""
    lines = [f"{change.title}", f"{change.url}", f"{change.time}, {', '.join(change.kinds)}"]
    for one in change.differences:
        lines += [f"  {difference_text(one)}", f"    why: {one.why}", f"    mute: {one.mute}"]
    lines += [f"  and {change.more} more"] if change.more else []
    return "\n".join(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", line) for line in lines)


def notify_now(
    folder: Path, settings: Settings, now: Callable[[], float], *, digest: bool = False
) -> Notified:
    """One turn that also tries again what has failed."""
    if not has_targets(settings.notify):
        raise UsageError(
            "there is nobody to notify; set notify.webhooks or notify.mail_to in fieldmouse.toml"
        )
    outbox = open_outbox(folder)
    try:
        return Notifier(outbox, settings.notify, webhook_guard(settings)).turn(now, hurry=True, digest=digest)
    finally:
        outbox.close()


def has_targets(settings: NotifySettings) -> bool:
    """Whether somebody is to be notified."""
    return bool(settings.webhooks or settings.mail_to)


def webhook_guard(settings: Settings) -> Guard:
    """Which addresses the name of a webhook may lead to."""
    return Guard(settings.web.allow_addresses)
