"""The commands on changes: `changes` lists them, `notify` sends them."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from . import common
from .common import archive_options, echo, open_archive, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fieldmouse.store.change_contract import ChangeRow
    from fieldmouse.store.contract import StoreReader
    from fieldmouse.store.page_records import PageFilter

# Differences of a change on a terminal, and characters of a title and of a difference there.
SHOWN, LONGEST, DIFFERENCE = 6, 110, 240
LAST = "last"
MOST, ALL = 100, 1_000_000


class SinceLast(common.Moment):
    """A time, or `last`: since the reader looked last."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds since the epoch; -1 for `last`."""
        return -1.0 if value == LAST else super().convert(value, param, ctx)


@click.command()
@click.option(
    "--since", type=SinceLast(), default="yesterday", show_default=True,
    help="Since then: yesterday, 7d, 2026-11-17, or last: since --reader looked last.",
)  # fmt: skip
@click.option("--reader", default="me", show_default=True, help="Whose last look counts.")
@click.option("--host", default="", help="Only this host.")
@click.option("--domain", default="", help="Only this registrable domain.")
@click.option("--language", default="", help="Only pages in this language.")
@click.option("--topic", default="", help="Only pages on this topic.")
@click.option("--class", "in_class", default="", help="Only pages of this class.")
@click.option("--include-spam", "spam", is_flag=True, help="Also spam hosts and pages scored as spam.")
@click.option("-n", "--limit", type=click.IntRange(1), help="At most so many; default: 100, with last all.")
@click.option("--gone", is_flag=True, help="List dead links and pages that are gone instead.")
@click.option("--moved", is_flag=True, help="List pages that redirect elsewhere instead.")
@click.option("--feed", type=click.Choice(["atom", "json"]), help="Write a feed instead of a list.")
@click.option("-o", "--output", type=common.NEW_FILE, help="File of the feed; default: stdout.")
@archive_options
def changes(obj: str, **options: Any) -> None:
    """List what changed: the place, before, after, why, and how to mute it.

    The newest come first. With --since last, a look is noted when everything was printed: not with a --limit
    that leaves out some. Private pages are
    listed, but never in a feed.
    """
    from fieldmouse.store.page_records import PageFilter

    if options["gone"] and options["moved"]:
        raise UsageError("give --gone or --moved, not both")
    if options["feed"] and (options["gone"] or options["moved"]):
        raise UsageError("a feed is of changes; leave out --gone and --moved")
    if options["output"] and not options["feed"]:
        raise UsageError("--output needs --feed atom or --feed json")
    links = options["gone"] or options["moved"]
    options["limit"] = options["limit"] or (ALL if options["since"] < 0 and not links else MOST)
    where = PageFilter(
        host=options["host"], domain=options["domain"], language=options["language"], topic=options["topic"],
        in_class=options["in_class"],
        spam=options["spam"], private=not options["feed"], everything=links,
    )  # fmt: skip
    with open_archive(obj) as archive:
        common.refuse_unknown(archive.reader, where)
        if links:
            _print_links(archive.reader, where, options)
            return
        now, newest = time.time(), archive.reader.changes.last()
        since, after = _begin(archive.reader, options)
        rows = archive.reader.changes.listed(where, since=since, after=after, n=options["limit"])
        from fieldmouse.report.changes import iso_time, shown_change

        found = [shown_change(one) for one in rows]
        if options["feed"]:
            from fieldmouse.report.change_feed import change_feed

            said = [
                one for one in (where.host, where.domain, where.topic, where.in_class, where.language) if one
            ]
            title = f"Changes: {', '.join(said)}" if said else f"Changes of {archive.folder.resolve().name}"
            text = change_feed(options["feed"], title, found, iso_time(now))
            common.write_text(options["output"] or Path("-"), text)
        elif options["as_json"]:
            print_json(found)
        else:
            _print(rows, options["limit"], now)
        if options["since"] < 0 and len(found) == options["limit"]:
            echo("the look is not noted, because not everything is shown", err=True)
        elif options["since"] < 0:
            from fieldmouse.store import open_outbox
            from fieldmouse.store.change_contract import ChangeCursor

            outbox = open_outbox(archive.folder)
            outbox.set_cursor(_name(options), ChangeCursor(newest, now))
            outbox.close()


def _name(options: dict[str, Any]) -> str:
    """Whose look it is, and at what: a look at one host says nothing of the others."""
    names = ("host", "domain", "language", "topic", "in_class", "spam")
    chosen = [f" {name}={options[name]}" for name in names if options[name]]
    return f"reader {options['reader']}{''.join(chosen)}"


def _begin(reader: "StoreReader", options: dict[str, Any]) -> tuple[float, int]:
    """The time and the number from which on changes are listed; the first look of a reader is at all."""
    if options["since"] >= 0:
        return options["since"], 0
    cursor = reader.changes.cursor(_name(options))
    return 0.0, cursor.number if cursor else 0


def _print(rows: "Sequence[ChangeRow]", limit: int, now: float) -> None:
    """Each change with its places, before and after; the code of a place is what `noise mute` takes."""
    from fieldmouse.refresh.diff_entries import entries_from_json
    from fieldmouse.report.changes import shown_change
    from fieldmouse.report.differences import diff_line
    from fieldmouse.report.wording import Words

    words = Words(now)
    if not rows:
        echo("no changes in this time")
    for row in rows:
        one = shown_change(row)
        echo(f"{words.when(row.time)}  {_cut(one.title)}")
        echo(f"  {one.url}")
        lines = [diff_line(entry) for entry in entries_from_json(row.diff)[0] if entry.counted]
        for line in lines[:SHOWN]:
            by = f"  ({line.by})" if line.by else ""
            said = f"{_cut(f'{line.place}: {line.plain}', DIFFERENCE)}{by}  [{line.spot}]"
            echo(f"  {common.wrapped(said, 4)}")
        if more := one.more + max(len(lines) - SHOWN, 0):
            echo(f"  and {more} more differences")
        reasons = list(dict.fromkeys(each.why for each in one.differences)) or [_cut(one.note)]
        echo(f"  {one.size:.1%} of the words; it counts: {', '.join(reasons)}")
        echo()
    if rows:
        echo("`fieldmouse noise mute HOST CODE` keeps a place from counting; its [code] ends the line.")
    if len(rows) == limit:
        echo(f"the newest {limit} are shown; --limit shows more", err=True)


def _print_links(reader: "StoreReader", where: "PageFilter", options: dict[str, Any]) -> None:
    since = options["since"] if options["since"] >= 0 else 0.0
    if options["gone"]:
        gone = reader.changes.gone(where, since=since, n=options["limit"])
        if options["as_json"]:
            print_json(gone)
            return
        for one in gone:
            kept = "a copy is kept" if one.stored else "never stored"
            echo(f"{one.status or one.error}  {one.url}")
            visits = "1 visit" if one.visits == 1 else f"{one.visits} visits in a row"
            echo(f"    {visits} without content, {kept}; linked from {one.found_on or 'a seed'}")
        if not gone:
            echo("no dead links in this time")
        return
    moved = reader.changes.moved(where, since=since, n=options["limit"])
    if options["as_json"]:
        print_json(moved)
        return
    for each in moved:
        echo(f"{each.status}  {each.url}\n    -> {each.target} ({each.kind})")
    if not moved:
        echo("no moved pages in this time")


def _cut(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


@click.command()
@click.option("--digest", is_flag=True, help="Make the daily mail now.")
@archive_options
def notify(obj: str, digest: bool, as_json: bool) -> None:
    """Send new changes by webhook and e-mail, as set in [notify].

    `run` does the same as it goes on. What a receiver has not taken stays in the outbox and is sent again,
    with the same id. A new receiver gets what changes from then on.
    """
    from fieldmouse.service.notifications import notify_now

    with open_archive(obj) as archive:
        done = notify_now(archive.folder, archive.settings, time.time, digest=digest)
    if as_json:
        print_json(done)
    else:
        if done.delivered or done.failed or done.pending:
            echo(f"{done.delivered} delivered, {done.failed} failed, {done.pending} in the outbox")
        else:
            echo("there are no new changes to send")
        for error in done.errors:
            echo(error, err=True)
    if done.failed:
        raise click.exceptions.Exit(1)
