"""The inbox: tokens and sessions."""

import stat
from dataclasses import replace
from math import inf
from pathlib import Path

from fieldmouse.store import open_inbox
from fieldmouse.store.inbox_contract import Backlog, NewItem, Role, SentPage
from fieldmouse.units import DAY
from tests.store.answers import BEGAN
from tests.store.stores import make


def test_tokens_are_found_by_their_text_only(tmp_path: Path) -> None:
    make(tmp_path)
    with open_inbox(tmp_path) as inbox:
        text = inbox.add_token("ann", frozenset({Role.READ}), BEGAN)
        token = inbox.check_token(text, BEGAN)
        assert token is not None
        assert token.allows(Role.READ)
        assert not token.allows(Role.PUBLISH)
        for wrong in ("", text[:-1], text + "x", text.upper(), "_".join(text.split("_")[1:]), "fieldmouse__"):
            assert inbox.check_token(wrong, BEGAN) is None
        admin = inbox.check_token(inbox.add_token("b", frozenset({Role.ADMINISTER}), BEGAN), BEGAN)
        assert admin is not None
        assert all(admin.allows(role) for role in Role)


def test_revoked_tokens_end_their_sessions(tmp_path: Path) -> None:
    make(tmp_path)
    with open_inbox(tmp_path) as inbox, open_inbox(tmp_path) as other:
        text = inbox.add_token("ann", frozenset({Role.READ}), BEGAN)
        token = inbox.check_token(text, BEGAN)
        assert token is not None
        cookie = inbox.open_session(token.id, BEGAN + 10, BEGAN)
        assert inbox.session(cookie, BEGAN + 9) is not None
        assert inbox.session(cookie, BEGAN + 11) is None
        assert inbox.session(cookie + "x", BEGAN) is None
        assert other.revoke("ann", BEGAN) == 1, "another process may revoke it"
        assert inbox.session(cookie, BEGAN) is None
        assert inbox.check_token(text, BEGAN) is None
        assert other.revoke("ann", BEGAN) == 0
        operator = inbox.open_session("", BEGAN + 10, BEGAN)
        found = inbox.session(operator, BEGAN)
        assert found is not None
        assert found.allows(Role.ADMINISTER)
        inbox.close_session(operator)
        assert inbox.session(operator, BEGAN) is None


def test_use_is_noted_to_the_day(tmp_path: Path) -> None:
    make(tmp_path)
    with open_inbox(tmp_path) as inbox:
        text = inbox.add_token("ann", frozenset({Role.READ}), BEGAN)
        assert [one.used for one in inbox.tokens()] == [None]
        inbox.check_token(text, BEGAN)
        assert [one.used for one in inbox.tokens()] == [BEGAN // DAY * DAY]


def test_the_salt_stays_and_nobody_else_reads_the_file(tmp_path: Path) -> None:
    make(tmp_path)
    with open_inbox(tmp_path) as inbox:
        salt = inbox.salt()
        assert len(salt) == 32
    with open_inbox(tmp_path) as inbox:
        assert inbox.salt() == salt
    assert stat.S_IMODE((tmp_path / "inbox.sqlite").stat().st_mode) == 0o600


def test_what_is_pending_of_a_user_is_told_without_contents(tmp_path: Path) -> None:
    """A reader may have thousands of pages in the inbox; the popup asks about one of them."""
    make(tmp_path)
    with open_inbox(tmp_path) as inbox:
        sent = [
            SentPage(url=f"http://a.test/{n % 7}", content=b"<p>%d" % n, mime="text/html") for n in range(50)
        ]
        ids = [
            inbox.accept([NewItem(user=user, key=str(n), digest=b"", received=BEGAN - n, sent=one)])[0].id
            for n, one in enumerate(sent)
            for user in ("ann", "bob")
        ][::2]
        assert [one.id for one in inbox.newest_of("ann", inf, 3)] == ids[:3], "by the time received"
        assert [one.id for one in inbox.newest_of("ann", BEGAN - 47, -1)] == ids[48:]
        found = inbox.newest_of("ann", inf, 1)[0]
        assert found == inbox.summary(ids[0])
        assert found.sent == replace(sent[0], content=b"")
        whole = inbox.item(ids[0])
        assert whole is not None
        assert whole.sent == sent[0]
        assert [one.sent for one in inbox.pending_of("ann")] == sent
        assert inbox.backlog() == Backlog(100, inbox.backlog().bytes, BEGAN)
        inbox.take(ids[:8], BEGAN)
        assert (inbox.pending_count("ann"), inbox.pending_count("bob"), inbox.pending_count("eve")) == (
            42,
            50,
            0,
        )
        assert (
            inbox.pending_count("ann", "http://a.test/0"),
            inbox.pending_count("bob", "http://a.test/0"),
        ) == (6, 8)
