"""The commands of the HTTP server: `serve` and `token`."""

import json
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from . import common
from .common import ListByDefault, archive_options, echo, open_archive, print_json, print_table, set_option

if TYPE_CHECKING:
    from fieldmouse.server.serving import Address
    from fieldmouse.store.inbox_contract import Inbox

ROLES = ("publish", "read", "administer")


@click.command()
@click.option(
    "--host", help="Sets serve.host: the address to listen on; default 127.0.0.1, this machine only."
)
@click.option("--port", type=click.IntRange(0, 65535), help="Sets serve.port; 0 takes a free port.")
@set_option
@archive_options
def serve(obj: str, /, host: str | None, port: int | None, sets: tuple[str, ...], as_json: bool) -> None:
    """Serve the dashboard, the HTTP API and the back-end of the browser extension.

    It can run at the same time as `crawl` and `run` on the same archive. The first start makes a token, which
    is shown once. Ctrl-C or SIGTERM finishes the requests under way.
    """
    try:
        from fieldmouse.server.serving import run_server
    except ImportError as error:
        raise UsageError(
            f"{error.name} is missing; install it with: pip install 'fieldmouse[serve]'"
        ) from None
    chosen = common.overrides(sets, {"serve.host": host, "serve.port": port})

    def ready(address: "Address") -> None:
        if as_json:
            print_json(address)
            return
        echo(f"serving {obj} at {address.url}")
        if address.token:
            echo(f"token, shown only now: {address.token}")
        echo(f"open the dashboard: {address.sign_in}")
        echo("stop with Ctrl-C")

    with open_archive(obj, chosen) as archive:
        run_server(archive.folder, archive.settings, ready)


@click.group(cls=ListByDefault)
def token() -> None:
    """Make, list and revoke the tokens of readers and programs."""


@token.command("add")
@click.argument("name")
@click.option(
    "--role", "roles", multiple=True, type=click.Choice(ROLES), required=True,
    help="publish: send pages and visits; read: see the archive; administer: everything.",
)  # fmt: skip
@archive_options
def token_add(obj: str, /, name: str, roles: tuple[str, ...], as_json: bool) -> None:
    """Make a token for the reader NAME and show it, once."""
    from fieldmouse.store.inbox_contract import Role

    if not name.strip() or not name.isprintable() or len(name) > 100:
        raise UsageError("the name of a token has 1 to 100 printable characters")
    with open_archive(obj) as archive, archive.inbox() as inbox:
        text = inbox.add_token(name, frozenset(map(Role, roles)), time.time())
    if as_json:
        print_json({"name": name, "roles": roles, "token": text})
    else:
        echo(text)
        echo("This is shown only now. Who has it can use it until `token revoke`.", err=True)


@token.command("list")
@archive_options
def token_list(obj: str, /, as_json: bool) -> None:
    """List the tokens, without their secrets."""
    with open_archive(obj) as archive, archive.inbox() as inbox:
        found = inbox.tokens()
    if as_json:
        print_json([{**common.plain(one), "roles": sorted(one.roles)} for one in found])
        return
    if not found:
        echo("no token yet; `fieldmouse token add NAME --role read` makes one")
        return
    rows = []
    for one in found:
        state = f"revoked {_day(one.revoked)}" if one.revoked else f"used {_day(one.used)}"
        rows.append([one.name, one.id, ", ".join(sorted(one.roles)), _day(one.created), state])
    print_table(["name", "id", "roles", "made", "state"], rows)


@token.command("revoke")
@click.argument("which", metavar="NAME|ID")
@archive_options
def token_revoke(obj: str, /, which: str, as_json: bool) -> None:
    """Revoke a token by its id, or all tokens of a name."""
    with open_archive(obj) as archive, archive.inbox() as inbox:
        count = inbox.revoke(which, time.time())
    if not count:
        raise UsageError(f"there is no valid token {which!r}; see `fieldmouse token list`")
    if as_json:
        print_json({"revoked": count})
    else:
        echo(f"revoked {count} token{'s' if count > 1 else ''} of {which}")


@click.group()
def submissions() -> None:
    """List, export and erase what a reader sent."""


def reader_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The reader whose submissions a command is about."""
    user = click.option("--user", default="", help="Only this user of the token, as the requests name it.")
    return click.argument("name", metavar="READER")(user(archive_options(command)))


def _user(inbox: "Inbox", name: str, user: str) -> str:
    from fieldmouse.store.inbox_contract import user_hash

    if name not in {one.name for one in inbox.tokens()}:
        raise UsageError(f"there is no token of {name!r}; see `fieldmouse token list`")
    return user_hash(inbox.salt(), name, user)


@submissions.command("list")
@reader_options
def submissions_list(obj: str, /, name: str, user: str, as_json: bool) -> None:
    """List what READER sent, newest first."""
    from fieldmouse.jobs.reader_data import item_fields, submission_fields
    from fieldmouse.report.wording import count

    with open_archive(obj) as archive, archive.inbox() as inbox:
        hashed, reader = _user(inbox, name, user), archive.reader.submissions
        found = [item_fields(one, archive.settings) for one in inbox.newest_of(hashed, inf, -1)]
        found += [submission_fields(one, archive.settings) for one in reader.of_user(hashed, most=-1)]
        visits = reader.counts(hashed)[1]
    if as_json:
        print_json({"submissions": found, "visits": visits})
        return
    for one in found:
        marks = [one["state"], *(["private"] if one["private"] else []), *(["spam"] if one["spam"] else [])]
        echo(f"{_day(one['received'])}  {one['id']}  {', '.join(marks)}  {one['url'] or one['kind']}")
    echo(f"{count(len(found), 'submission')}, {count(visits, 'visit')}")


@submissions.command("export")
@reader_options
@click.argument("file", type=common.NEW_FILE)
def submissions_export(obj: str, /, name: str, user: str, file: Path, as_json: bool) -> None:
    """Write everything READER sent, with contents, to FILE: one JSON object a line; - is stdout."""
    from fieldmouse.jobs.reader_data import exported

    with open_archive(obj) as archive, archive.inbox() as inbox:
        hashed = _user(inbox, name, user)
        lines = exported(archive.reader, inbox.pending_of(hashed), hashed, archive.settings)
        text = [json.dumps(one, ensure_ascii=str(file) == "-") + "\n" for one in lines]
    common.write_text(file, "".join(text))
    if str(file) != "-":
        print_json({"lines": len(text)}) if as_json else echo(f"{len(text)} lines written to {file}")


@submissions.command("erase")
@reader_options
@click.option("--id", "id_", default="", help="Only this submission.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def submissions_erase(obj: str, /, *, name: str, user: str, id_: str, yes: bool, as_json: bool) -> None:
    """Erase what READER sent: submissions with their content, and visits."""
    from fieldmouse.report.wording import count
    from fieldmouse.store.inbox_contract import Erasure, NewItem

    now = time.time()
    with open_archive(obj) as archive, archive.inbox() as inbox:
        hashed = _user(inbox, name, user)
        if not yes:
            what = f"submission {id_}" if id_ else "everything"
            click.confirm(f"Erase {what} that {common.visible(name)} sent?", abort=True, err=True)
        wish = NewItem(user=hashed, key=f"erase {now!r}", digest=b"", received=now, sent=Erasure(id_))
        inbox.accept([wish])
        erased = archive.take_in()
    if as_json:
        print_json({"erased": erased})
    elif erased is None:
        echo("another process writes to the archive; it erases the submissions within seconds")
    else:
        echo(f"{count(erased, 'submission')} erased")


def _day(when: float | None) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(when)) if when else "never"
