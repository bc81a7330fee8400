"""Take what readers sent from the inbox into the archive; for whoever holds the archive's lock.

An item is taken in by one transaction that also records it. Only then the inbox forgets its content. After a
crash in between, the record is found and the item is not taken in again.

Content of a reader is what a browser showed, not what the server sent, so it is not compared with what the
crawler sees: it becomes a version of the page with the origin `reader`. Private content never leads the
crawler anywhere: the page is not scheduled for it, and its links are not followed.
"""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from math import inf
from time import monotonic

from fieldmouse.crawl.study import Rules, study
from fieldmouse.files.warc_record import payload_digest
from fieldmouse.frontier.scope import FORGOTTEN
from fieldmouse.page.charset import decode
from fieldmouse.page.read import read
from fieldmouse.page.tokens import Document
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.spam.scores import SpamScores
from fieldmouse.store.contract import Store
from fieldmouse.store.inbox_contract import Erasure, ForgetPage, Inbox, InboxItem, SentPage, SentVisits
from fieldmouse.store.submission_contract import ReaderVisit, SubmissionRecord, TakenIn
from fieldmouse.templates.strip import Stripper
from fieldmouse.types import Change, Finding, OutLink, ParsedPage, Response, Ticket
from fieldmouse.units import DAY
from fieldmouse.urls import host_key, hostname, is_ip

log = logging.getLogger(__name__)

# Pages and bytes of a transaction.
BATCH, BATCH_BYTES = 50, 16 << 20

# How long the keys of senders are kept.
KEY_DAYS = 30

# Names that mean a machine nearby.
LOCAL_ENDINGS = (".local", ".internal", ".localhost", ".lan", ".home.arpa", ".intranet", ".corp")

# Ways to sign out, as they stand in addresses and forms of pages for people who are signed in. To look for
# the plain words first is faster. A name of an attribute stands behind a blank or quotation mark, which its
# value cannot hold: so no byte is looked at twice, whatever a page consists of.
_ENDS = [f"{sign}{end}" for sign in ("", "-", "_") for end in ("out", "off")]
_SIGN_OUT_WORDS = tuple(f"{verb}{end}".encode() for verb in ("log", "sign") for end in _ENDS)
_SIGN_OUT = re.compile(
    rb"""(?<=[\s"'])(?:href|action|formaction|data-action)\s*+=\s*+["']?[^"'>\s]{0,300}?"""
    rb"""(?:log|sign)[-_]?(?:out|off)\b"""
)


def behind_login(html: bytes) -> bool:
    """Whether a page was shown to somebody who was signed in: it has a link or form to sign out."""
    lower = html.lower()
    return any(word in lower for word in _SIGN_OUT_WORDS) and _SIGN_OUT.search(lower) is not None


def is_nearby(url: str) -> bool:
    """Whether a URL names a machine of this network, whose pages are nobody else's business."""
    name = hostname(url)
    if is_ip(name):
        return not ip_address(name.strip("[]")).is_global
    return "." not in name or name.endswith(LOCAL_ENDINGS)


class SubmissionScorer:
    """Scores content and comments with both models, which stay in memory."""

    def __init__(self, models: SpamScores) -> None:
        self.models = models

    def score(self, item: InboxItem) -> tuple[int | None, int | None]:
        """The scores of a page's main text, and of its comment and tags; None for what is not there."""
        sent = item.sent
        if not isinstance(sent, SentPage):
            return None, None
        said = " ".join((sent.comment, *sent.tags)).strip()
        text = main_text(sent)
        return (
            self.models.score_content(text) if text else None,
            self.models.score_comment(said) if said else None,
        )


def main_text(sent: SentPage) -> str:
    """The main text of a page that a reader sent."""
    if not sent.content:
        return ""
    if not sent.mime.startswith("text/html"):
        return decode(sent.content, "utf-8")
    facts = read(sent.content, content_type=sent.mime)
    page = Document(content=sent.content, index=facts.index, charset=facts.charset, url=sent.url)
    return Stripper().strip(page).text()


@dataclass(slots=True)
class IntakeResult:
    """What was taken in."""

    pages: int = 0
    visits: int = 0
    erased: int = 0
    refused: int = 0


@dataclass(slots=True)
class _Batch:
    """What the next transaction writes."""

    findings: dict[str, Finding] = field(default_factory=dict)  # by URL
    submissions: list[tuple[SubmissionRecord, str]] = field(default_factory=list)
    visits: list[ReaderVisit] = field(default_factory=list)
    offered: list[OutLink] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    bytes: int = 0


class Intake:
    """Takes items from the inbox in the order received."""

    def __init__(
        self, store: Store, inbox: Inbox, rules: Rules, scorer: SubmissionScorer | None = None
    ) -> None:
        self.store = store
        self.inbox = inbox
        # What a reader chose to send is kept, whatever the page says to robots; links are another matter.
        kept = with_overrides(rules.settings, {"manners.obey_noindex": False})
        self.rules = replace(rules, settings=kept, focus=None)
        self.settings: Settings = rules.settings
        self.scorer = scorer
        self.result = IntakeResult()
        self._batch = _Batch()

    def run(self, now: Callable[[], float], seconds: float = inf) -> IntakeResult:
        """Take in what is pending, or for about so many seconds; the next call goes on."""
        self.result = IntakeResult()
        ends = monotonic() + seconds
        for item in self.inbox.pending():
            try:
                self._take(item, now())
            except (
                ValueError,
                LookupError,
                RecursionError,
                MemoryError,
            ) as error:  # never twice the same one
                log.exception("submission %s cannot be read", item.id)
                self._refuse(item, now(), f"it cannot be read: {error}"[:200])
            if len(self._batch.ids) >= BATCH or self._batch.bytes >= BATCH_BYTES:
                self._flush(now())
            if monotonic() >= ends:
                break
        self._flush(now())
        return self.result

    def expire(self, now: float) -> None:
        """Erase what is older than the settings want it kept."""
        serve = self.settings.serve
        visits = now - serve.visit_days * DAY if serve.visit_days else 0.0
        submissions = now - serve.submission_days * DAY if serve.submission_days else 0.0
        self.store.submissions.expire(visits, submissions)
        self.inbox.forget(now - KEY_DAYS * DAY)
        for page in self.store.forgotten():
            if page.stored:
                self.store.forget_page(page.url, now)

    def _take(self, item: InboxItem, now: float) -> None:
        sent = item.sent
        if isinstance(sent, SentVisits):
            self._batch.visits += [ReaderVisit(item.user, url, time) for url, time in sent.visits]
            self.result.visits += len(sent.visits)
        elif isinstance(sent, Erasure):
            self._flush(now)
            self._erase(item, sent)
            self.inbox.take([item.id], now)  # at once: repeated later, it would erase what came after it
            return
        elif isinstance(sent, ForgetPage):
            self._flush(now)
            self._forget(sent, now)
            self.inbox.take([item.id], now)
            return
        elif isinstance(sent, SentPage) and self.store.submissions.get(item.id) is None:
            self._take_page(item, sent, now)
        self._batch.ids.append(item.id)

    def _take_page(self, item: InboxItem, sent: SentPage, now: float) -> None:
        scores = item.content_score, item.comment_score
        if scores == (None, None) and self.scorer is not None:
            scores = self.scorer.score(item)
        record = SubmissionRecord(
            id=item.id, url=sent.url, user=item.user, received=item.received, taken=now, state="address",
            private=sent.private, tags=sent.tags, comment=sent.comment,
            content_score=scores[0], comment_score=scores[1],
            spam=bool(is_spam((scores[0], None), self.settings)),
        )  # fmt: skip
        self.result.pages += 1
        if self.settings.serve.drop_spam and is_spam(scores, self.settings):
            self._batch.submissions.append(
                (replace(record, state="spam", reason="not kept", comment="", tags=()), "")
            )
            return
        outside = self.rules.scope.reject(sent.url)
        if outside == FORGOTTEN:
            self._batch.submissions.append((replace(record, state="refused", reason=outside), ""))
            return
        if not sent.content:
            if not sent.private and not outside:
                self._batch.offered.append(OutLink(host_key(sent.url), sent.url, wanted=True))
            self._batch.submissions.append((replace(record, reason=outside), ""))
            return
        if sent.url in self._batch.findings:
            self._flush(now)  # this content is compared with the one before it
        digest = payload_digest(sent.content)
        state = "unchanged"
        if not self.store.submissions.has_content(sent.url, digest, private=sent.private):
            state = "stored"
            self._batch.findings[sent.url] = self._finding(item, sent, digest, outside)
            self._batch.bytes += len(sent.content)
        self._batch.submissions.append((replace(record, state=state), digest))

    def _finding(self, item: InboxItem, sent: SentPage, digest: str, outside: str) -> Finding:
        """A page as a reader saw it, studied; `outside` says why the crawler would not visit it."""
        time = sent.seen or item.received
        while self.store.has_visit(sent.url, time):
            time += 1e-5
        ticket = Ticket(url=sent.url, host=host_key(sent.url), via="reader", trail="P")
        follow = not sent.private and not outside
        rules = self.rules if follow else replace(self.rules, planner=None)
        finding, content, *_ = study(ticket, _response(sent, time), None, rules)
        links = content.links if not sent.private else []
        wanted = ((link, not self.rules.scope.reject(link)) for link in links)
        reading = finding.reading
        if isinstance(reading, ParsedPage) and not reading.title and sent.title:
            reading = replace(reading, title=sent.title)
        return replace(
            finding,
            change=Change(known_by="reader", digest=digest, new_version=True),
            reading=reading,
            outside=tuple(OutLink(host_key(link), link, wanted=good) for link, good in wanted),
            redirects=(),
            private=sent.private,
            imported=True,
            note="sent by a reader",
        )

    def _refuse(self, item: InboxItem, now: float, reason: str) -> None:
        if isinstance(item.sent, SentPage):
            record = SubmissionRecord(
                id=item.id, url=item.sent.url, user=item.user, received=item.received, taken=now,
                state="refused", reason=reason, private=item.sent.private,
            )  # fmt: skip
            self._batch.submissions.append((record, ""))
        self._batch.ids.append(item.id)
        self.result.refused += 1

    def _erase(self, item: InboxItem, wish: Erasure) -> None:
        """Erase submissions of the sender, and nobody else's."""
        submissions = self.store.submissions
        if wish.submission:
            record = submissions.get(wish.submission)
            if record is not None and record.user == item.user:
                self.result.erased += submissions.erase(record.id)
            return
        while some := submissions.of_user(item.user):
            for record in some:
                self.result.erased += submissions.erase(record.id)
        submissions.erase_visits(item.user)

    def _forget(self, wish: ForgetPage, now: float) -> None:
        if wish.allow:
            self.store.allow_page(wish.url)
            return
        self.rules.scope.forget(wish.url)
        self.result.erased += self.store.forget_page(wish.url, now)

    def _flush(self, now: float) -> None:
        """One transaction of the archive, then the inbox forgets."""
        batch, self._batch = self._batch, _Batch()
        if batch.findings or batch.submissions or batch.visits or batch.offered:
            hosts = {one.ticket.host for one in batch.findings.values()}
            self.store.adopt_hosts(hosts, "sent by a reader", now)
            taken = TakenIn(batch.submissions, batch.visits, batch.offered)
            self.store.submissions.take_in(list(batch.findings.values()), taken, now)
        if batch.ids:
            self.inbox.take(batch.ids, now)


def is_spam(scores: Sequence[int | None], settings: Settings) -> bool | None:
    """Whether one of the scores, of the content and of the comment, is above its threshold.

    None: nothing was scored.
    """
    if all(score is None for score in scores):
        return None
    limits = settings.spam.content_threshold, settings.spam.comment_threshold
    return any(score is not None and score > limit for score, limit in zip(scores, limits, strict=True))


def _response(sent: SentPage, time: float) -> Response:
    """What a reader sent, as an answer of the page's server; a header says that it is none."""
    origin = "X-Fieldmouse-Origin: reader; private" if sent.private else "X-Fieldmouse-Origin: reader"
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {sent.mime}\r\n{origin}\r\n\r\n"
    path = sent.url.split("/", 3)[3]
    request = f"GET /{path} HTTP/1.1\r\nHost: {host_key(sent.url)}\r\nX-Fieldmouse-Origin: reader\r\n\r\n"
    return Response(
        url=sent.url, status=200, head=head.encode(), headers=(("content-type", sent.mime),),
        body=sent.content, content=sent.content, request=request.encode(), address="", began=time, took=0.0,
    )  # fmt: skip
