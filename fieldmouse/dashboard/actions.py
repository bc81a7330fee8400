"""The buttons: each is a small write that needs no lock, then a page that says what happened."""

import math
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from fieldmouse.errors import ArchiveBusy, UsageError
from fieldmouse.report.host_noise import place_keys
from fieldmouse.report.wording import count
from fieldmouse.store import open_actions
from fieldmouse.store.dashboard_contract import SeenChange

from .site import Undo, host_url, page_url

if TYPE_CHECKING:
    from starlette.responses import Response

    from fieldmouse.store.dashboard_contract import UserActions
    from fieldmouse.store.inbox_contract import Sent

    from .context import PageRequest

# Pages of a host that one click makes due.
MOST_DUE = 1000
SOON = "A running `fieldmouse run` visits it within a minute; otherwise `fieldmouse refresh` does."
NOISE = {
    "muted": "no longer counts as a change",
    "counted": "always counts as a change",
    "": "counts as it was learned",
}


class Writing:
    """The archive, opened for one action."""

    def __init__(self, request: "PageRequest") -> None:
        self._store = open_actions(request.context.folder)

    def __enter__(self) -> "UserActions":
        return self._store

    def __exit__(self, *_: object) -> None:
        self._store.close()


def back_to(where: str, **done: object) -> "Response":
    """A redirect to a page of ours that says what was done."""
    from starlette.responses import RedirectResponse

    parts = urlsplit(where)
    if parts.scheme or parts.netloc or not where.startswith("/") or where.startswith("//"):
        parts = urlsplit("/")
    query = [(key, value) for key, value in parse_qsl(parts.query) if not key.startswith("done")]
    query += [(key, str(value)) for key, value in done.items()]
    anchor = f"#{parts.fragment}" if parts.fragment else ""
    return RedirectResponse(f"{parts.path}?{urlencode(query)}{anchor}", 303)


def refused(message: str) -> "Response":
    """An answer to a form that makes no sense."""
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(f"{message}\n", 400)


def refresh_now(request: "PageRequest") -> "Response":
    """POST /refresh: make a page, or the pages of a host, due now."""
    url, host = request.form.get("url", ""), request.form.get("host", "")
    with Writing(request) as store:
        if url:
            if not store.refresh_page(url, request.now):
                return refused(f"{url} is not in the archive")
            return back_to(page_url(url), done="refresh")
        pages = store.refresh_host(host, request.now, MOST_DUE)
    return back_to(host_url(host), done="refresh_host", done_n=pages)


def mark_seen(request: "PageRequest") -> "Response":
    """POST /changes/seen: the reader has seen all changes until a time."""
    try:
        until = float(request.form.get("until", ""))
    except ValueError:
        until = math.nan
    if not 0.0 <= until < math.inf:
        return refused("say until when")
    before = request.reader.dashboard.seen(request.who)
    with Writing(request) as store:
        store.mark_seen(request.who, until)
    return back_to("/changes", done="seen", done_old=f"{before!r}")


def mark_change(request: "PageRequest") -> "Response":
    """POST /changes/seen-one: the reader has seen one change, or with `unseen` has not."""
    found = re.fullmatch(r"(\d{1,18})@(\d{1,12}(?:\.\d{1,9})?)", request.form.get("change", ""))
    if found is None:
        return refused("say which change")
    change, unseen = SeenChange(int(found[1]), float(found[2])), bool(request.form.get("unseen"))
    with Writing(request) as store:
        store.mark_change(request.who, change, seen=not unseen)
    back = request.form.get("back", "") or "/changes"
    return back_to(back) if unseen else back_to(back, done="seen_one", done_change=found[0])


def pause_host(request: "PageRequest") -> "Response":
    """POST /pause: do not visit a host until somebody resumes it, or resume it."""
    host, paused = request.form.get("host", ""), bool(request.form.get("paused"))
    with Writing(request) as store:
        if not store.pause_host(host, request.now, paused=paused):
            return refused(f"{host} is not in the archive")
    return back_to(host_url(host), done="paused" if paused else "resumed")


def set_weight(request: "PageRequest") -> "Response":
    """POST /weight: how much the freshness of a page is worth."""
    url = request.form.get("url", "")
    try:
        weight = float(request.form.get("weight", ""))
    except ValueError:
        weight = math.nan
    if not 0.0 <= weight < math.inf:
        return refused("a weight is a number of 0 or more")
    page = request.reader.dashboard.page(url)
    if page is None:
        return refused(f"{url} is not in the archive")
    with Writing(request) as store:
        store.set_weight(url, weight)
    return back_to(page_url(url), done="weight", done_old=f"{page.weight:g}", done_new=f"{weight:g}")


def decide_noise(request: "PageRequest") -> "Response":
    """POST /noise: mute a place of a host, count it always, or leave it to what was learned."""
    host, what, state = (request.form.get(name, "") for name in ("host", "what", "state"))
    if state not in NOISE:
        return refused("the state of a place is muted, counted or empty")
    try:
        keys = place_keys(request.reader, host, what) if what else []
    except UsageError as error:
        if not re.fullmatch(r"[0-9a-f]{8}", what) or request.reader.host(host) is None:
            return refused(str(error))
        keys = [str(int(what, 16))]  # a place that is not kept any more
    if not keys:
        return refused("say which place")
    decided = dict(request.reader.host_noise(host)[1])
    before = {"muted": "muted", "counted": "counted"}.get(decided.get(keys[0], ""), "")
    with Writing(request) as store:
        store.set_noise_overrides(host, keys, state)
    where = request.form.get("back", "") or f"{host_url(host)}#noise"
    return back_to(where, done="noise", done_host=host, done_what=what, done_old=before, done_new=state)


def answer_label(request: "PageRequest") -> "Response":
    """POST /label: what class a page is of; an empty class is none of them, `undo` takes an answer back."""
    from fieldmouse.jobs.label_archive import archive_classes
    from fieldmouse.store.label_contract import LabelAnswer

    url, name = request.form.get("url", ""), request.form.get("class", "")
    try:
        classes = archive_classes(request.reader, request.form.get("classes", ""))
    except UsageError as error:
        return refused(str(error))
    page = request.reader.dashboard.page(url)
    if page is None:
        return refused(f"{url} is not in the archive")
    if name and name not in classes.names:
        return refused(f"there is no class {name!r}; there are {', '.join(classes.names)}")
    back = request.form.get("back", "") or "/labels"
    with Writing(request) as store:
        if request.form.get("undo"):
            store.labels.drop_answer(classes.name, page.id)
            return back_to(back, classes=classes.name)
        store.labels.answer(classes.name, LabelAnswer(page.id, (name,) if name else ()), request.now)
    return back_to(back, classes=classes.name, done="label", done_url=url, done_new=name)


def answer_topic(request: "PageRequest") -> "Response":
    """POST /topic-label: whether a page is on a topic. The judge learns it at once, so it needs the lock."""
    from fieldmouse import library

    url, topic, answer = (request.form.get(name, "") for name in ("url", "topic", "answer"))
    if answer not in ("yes", "no"):
        return refused("answer yes or no")
    back = request.form.get("back", "") or "/topics"
    try:
        with library.open(request.context.folder) as archive:
            archive.label_topic(topic, {url: answer == "yes"})
    except UsageError as error:
        return refused(str(error))
    except ArchiveBusy:
        return back_to(back, done="busy")
    return back_to(back, done="topic", done_url=url, done_new=answer)


def set_private(request: "PageRequest") -> "Response":
    """POST /publish: let what a reader sent leave the archive, or keep it in."""
    id_, private = request.form.get("id", ""), bool(request.form.get("private"))
    try:
        with Writing(request) as store:
            if not store.set_submission_private(id_, private=private):
                return refused("there is no such submission")
    except UsageError as error:
        return refused(str(error))
    return back_to("/submissions", done="private" if private else "published", done_id=id_)


def forget_page(request: "PageRequest") -> "Response":
    """POST /forget-page: erase a page and leave it alone, or `allow` visits of a forgotten one.

    Whoever writes to the archive does it, within seconds.
    """
    from fieldmouse.store.inbox_contract import ForgetPage

    url, allow = request.form.get("url", ""), bool(request.form.get("allow"))
    if request.reader.dashboard.page(url) is None:
        return refused(f"{url} is not in the archive")
    _wish(request, "", f"forget {url} {request.now!r}", ForgetPage(url, allow))
    return back_to(page_url(url), done="allow" if allow else "forget")


def _wish(request: "PageRequest", user: str, key: str, wish: "Sent") -> None:
    """Put a wish into the inbox."""
    from fieldmouse.store import open_inbox
    from fieldmouse.store.inbox_contract import NewItem

    item = NewItem(user=user, key=key, digest=b"", received=request.now, sent=wish)
    with open_inbox(request.context.folder) as inbox:
        inbox.accept([item])


def forget_submission(request: "PageRequest") -> "Response":
    """POST /forget: erase what a reader sent. Whoever writes to the archive does it, within seconds."""
    from fieldmouse.store.inbox_contract import Erasure

    id_ = request.form.get("id", "")
    record = request.reader.submissions.get(id_)
    if record is None:
        return refused("there is no such submission")
    _wish(request, record.user, f"erase {id_} {request.now!r}", Erasure(id_))
    return back_to("/submissions", done="forget")


def notices(request: "PageRequest") -> tuple[str, Undo | None]:
    """What the last action did, and how to take it back; from the address of the page, and checked."""
    query = request.query
    done = query.get("done", "")
    if done == "refresh":
        return f"It is due now. {SOON}", None
    if done == "refresh_host" and (number := query.get("done_n", "")).isdigit():
        return f"{count(int(number), 'page')} are due now. {SOON.replace('it', 'them', 1)}", None
    if done == "seen" and re.fullmatch(r"[\d.e+]{1,30}", old := query.get("done_old", "")):
        return "All of these changes are marked as seen.", Undo("/changes/seen", {"until": old})
    if done == "seen_one" and re.fullmatch(r"[\d.@]{1,40}", change := query.get("done_change", "")):
        here = {key: value for key, value in query.items() if not key.startswith("done")}
        fields = {"change": change, "unseen": "1", "back": f"/changes?{urlencode(here)}"}
        return "This change is marked as seen.", Undo("/changes/seen-one", fields)
    if done in ("paused", "resumed") and (host := request.path.get("name", "")):
        said = "It is visited again when its pages are due."
        if done == "paused":
            said = "It is not visited any more; a crawl that runs leaves it within seconds."
        return said, Undo("/pause", {"host": host, "paused": "" if done == "paused" else "1"})
    if done == "weight":
        old, new = query.get("done_old", ""), query.get("done_new", "")
        if re.fullmatch(r"[\d.e+]{1,12}", old) and re.fullmatch(r"[\d.e+]{1,12}", new):
            undo = Undo("/weight", {"url": query.get("url", ""), "weight": old})
            return f"Its weight is {new} from now on.", undo
    if done in ("busy", "forget", "allow", "topic", "private", "published", "label"):
        return _answer_notice(request, done)
    if done == "noise":
        host, what = query.get("done_host", ""), query.get("done_what", "")
        old, new = query.get("done_old", ""), query.get("done_new", "")
        if re.fullmatch(r"[0-9a-f]{8}", what) and old in NOISE and new in NOISE and len(host) < 300:
            back = f"{host_url(host)}#noise"
            undo = Undo("/noise", {"host": host, "what": what, "state": old, "back": back})
            return f"This place of {host} {NOISE[new]}, from the next visit on.", undo
    return "", None


def _answer_notice(request: "PageRequest", done: str) -> tuple[str, Undo | None]:
    """What an answer or a decision about a submission did."""
    query = request.query
    url, new, id_ = query.get("done_url", "")[:500], query.get("done_new", "")[:100], query.get("done_id", "")
    if done == "busy":
        return (
            "A crawl holds the archive, so the judge could not learn; answer again when it has ended.",
            None,
        )
    if done == "forget":
        return "It is erased as soon as the archive is written to: within seconds.", None
    if done == "allow":
        return (
            "In a few seconds it may be visited again; `fieldmouse crawl URL` does so.",
            None,
        )
    if done == "topic":
        return f"{url} is {'on' if new == 'yes' else 'off'} topic; the judge has learned it.", None
    if done == "label":
        fields = {"url": url, "classes": query.get("classes", "")[:100], "undo": "1"}
        return f"{url} is {new or 'none of the classes'}; the next `label` learns from it.", Undo(
            "/label", fields
        )
    if not re.fullmatch(r"[\w-]{1,64}", id_):
        return "", None
    said = "It is private: it leaves the archive by no export, feed or search."
    if done == "published":
        said = "It is public: exports, feeds and searches have it from now on."
    return said, Undo("/publish", {"id": id_, "private": "1" if done == "published" else ""})
