"""The commands of the HTTP server: `serve` and `token`."""

import time
from typing import TYPE_CHECKING

import click

from fieldmouse.errors import UsageError

from . import common
from .common import archive_options, echo, open_archive, print_json, print_table, set_option

if TYPE_CHECKING:
    from fieldmouse.server.serving import Address

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

    It can run beside `crawl` and `run` on the same archive. The first start makes a token, which is shown
    once. Ctrl-C or SIGTERM finishes the requests under way.
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


@click.group()
def token() -> None:
    """Make, list and revoke the tokens of readers and programs."""


@token.command("add")
@click.argument("name")
@click.option(
    "--role", "roles", multiple=True, type=click.Choice(ROLES), required=True,
    help="publish: send pages and visits; read: see the archive; administer: everything..",
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


def _day(when: float | None) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(when)) if when else "never"
