"""Submissions and settings."""

import tomllib
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from fieldmouse.settings import FIELDS, Settings
from fieldmouse.store import INBOX_FILE, SETTINGS_FILE, open_inbox
from fieldmouse.store.inbox_contract import Role
from fieldmouse.units import DAY
from fieldmouse.urls import without_password

from .actions import notices
from .site import html_page

if TYPE_CHECKING:
    from starlette.responses import Response

    from .context import PageRequest

# Submissions on a page.
SUBMISSIONS = 50
SECRET = ("password", "secret")


def show_submissions(request: "PageRequest") -> "Response":
    """GET /submissions: what readers sent, newest first."""
    before = request.query.get("before", "")
    try:
        start = float(before) if before else request.now + DAY
    except ValueError:
        start = request.now + DAY
    url = request.query.get("url", "")
    found = request.reader.dashboard.submissions(start, SUBMISSIONS, url)
    following = ""
    if len(found) == SUBMISSIONS:
        following = f"/submissions?{urlencode({'before': repr(found[-1].received), 'url': url})}"
    shown = [one for one in found if not one.private or Role.ADMINISTER in request.may]
    waiting = 0
    if (request.context.folder / INBOX_FILE).is_file():
        with open_inbox(request.context.folder) as inbox:
            waiting = inbox.backlog().items
    notice, undo = notices(request)
    return html_page(
        request, "submissions.html", "submissions", title="Submissions", submissions=shown, next=following,
        waiting=waiting, url=url, notice=notice, undo=undo,
    )  # fmt: skip


class SettingRow(NamedTuple):
    """A setting as it is."""

    name: str
    value: str
    default: str
    help: str
    changed: bool


def show_settings(request: "PageRequest") -> "Response":
    """GET /settings: every setting as this server uses it; what differs from the default is marked."""
    settings, plain = request.context.settings, Settings()
    rows: dict[str, list[SettingRow]] = {}
    for name, field in FIELDS.items():
        section, _, key = name.partition(".")
        value, default = getattr(getattr(settings, section), key), getattr(getattr(plain, section), key)
        shown = "(set)" if any(word in key for word in SECRET) and value else _said(value)
        row = SettingRow(name, shown, _said(default), field.metadata["help"], value != default)
        rows.setdefault(section, []).append(row)
    try:
        written = tomllib.loads((request.context.folder / SETTINGS_FILE).read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError):
        written = {}
    return html_page(
        request, "settings.html", "settings", title="Settings", sections=rows, file=SETTINGS_FILE,
        own=sum(len(one) for one in written.values() if isinstance(one, dict)),
    )  # fmt: skip


def _said(value: object) -> str:
    if isinstance(value, tuple):
        text = ", ".join(map(without_password, map(str, value)))
        return f"{text[:80]}…" if len(text) > 80 else text or "none"
    if isinstance(value, bool):
        return str(value).lower()
    return without_password(str(value)) if value != "" else "empty"
