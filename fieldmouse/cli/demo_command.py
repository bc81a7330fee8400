"""The command `demo`: the whole story in about a minute, over a small web on this machine."""

import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError
from fieldmouse.units import DAY, duration

from . import common
from .common import echo, json_option, print_json, quiet_option
from .crawl_commands import run_with_progress, summary
from .report_commands import open_in_browser

if TYPE_CHECKING:
    from fieldmouse.demo.leaping_clock import LeapingClock
    from fieldmouse.demo.server import DemoWeb
    from fieldmouse.library import Archive

BUDGET = 120.0  # fetches a day
# The server of the demo runs on this machine, so delays are not needed.
SETTINGS = {
    "crawl.contact": "https://fieldmouse.example/demo",
    "crawl.commit_seconds": 0.5,
    "manners.delay": 0.0,
    "manners.ip_delay": 0.0,
    "manners.max_crawl_delay": 0.1,
    "manners.backoff": 0.2,
    "refresh.budget": BUDGET,
    "refresh.audit": 0.1,
    "focus.level_limit": 0,
}
# Days that pass while the pages are kept fresh, and refreshes in that time. They are more than twelve hours
# apart: three within a day share its budget, and the last one, which the report shows, would have none left.
DAYS, PASSES = 14, 25
CHANGES, ALIKE = 6, 3  # that are shown, and of these at the same sort of place
NEXT = {
    "dashboard": "serve",
    "changes": "changes --since 3d",
    "full text": "search mackerel",
    "SQL": 'query "select host, count(*) from pages group by 1"',
    "parked names": "query \"select host from hosts where state = 'parked'\"",
}


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@quiet_option
@json_option
def demo(folder: str | None, quiet: bool, as_json: bool) -> int:
    """Run the whole pipeline over a small web on this machine.

    It takes about a minute: a crawl for a topic among spam, parked names and traps, two weeks of refreshes
    under a fast clock, the changes they found, and a report to look at. The archive stays in FOLDER (default
    demo-archive), to be explored with the other commands.
    """
    from fieldmouse import library
    from fieldmouse.demo.leaping_clock import LeapingClock
    from fieldmouse.demo.server import DemoWeb
    from fieldmouse.demo.story import TOPIC, build_demo_topic
    from fieldmouse.service import crawl_run, daemon

    where = _empty_folder(Path(folder or "demo-archive"))
    say = (lambda _: None) if as_json else echo
    quiet = quiet or as_json
    start = time.time() - DAYS * DAY
    clock = LeapingClock(start)
    with DemoWeb(days=lambda: (clock.now() - start) / DAY, slow=0.05) as web:
        overrides = {**SETTINGS, **web.overrides, "scope.allow": web.domains, "focus.topic": TOPIC}
        archive = library.create(where, **overrides)
        build_demo_topic(archive, web.town)
        say(f"1. Crawl a small web for “{TOPIC}”, among spam, parked names and traps.\n")
        crawl = partial(crawl_run.crawl, clock=clock)
        first = run_with_progress(archive, crawl, seeds=web.seeds, quiet=quiet)
        say("\n".join(islice(summary(first, archive), 2)))
        clock.leap(DAY)
        say("\n2. A day later, visit all again; parked names are known and left alone.\n")
        again = run_with_progress(archive, crawl, again=True, quiet=quiet)
        say(next(summary(again, archive)))
        say(f"\n3. Keep it fresh for {DAYS - 1} days under a fast clock, {BUDGET:.0f} fetches a day.\n")
        keep = partial(daemon.refresh_repeatedly, clock=clock, pauses=_pauses(clock))
        kept = run_with_progress(archive, keep, quiet=quiet)
        found = run_with_progress(archive, crawl, quiet=True)  # pages that sitemaps announced meanwhile
        visits = kept.progress.visits + found.progress.visits
        took = duration(kept.seconds + found.seconds)
        say(f"{visits:,} visits, {found.progress.stored} new pages, in {took}")
        report = _report(archive, web)
        archive.close()
    file = where / "report.html"
    with library.open(where) as archive:
        from fieldmouse.dashboard.report_file import report_html

        common.write_chunks(
            file, "html", [report_html(archive.reader, archive.settings, clock.now()).encode()]
        )
        if not as_json:
            _print_story(archive, report, clock.now())
    if as_json:
        print_json({**report, "folder": str(where), "report": str(file)})
    else:
        echo(f"\n6. Look at it: {file.resolve()}")
        echo("\nThen explore it:\n")
        commands = {**NEXT, "why it is here": f"why {(report['changed'] or ['URL'])[0]}"}
        program = f"{shlex.quote(_program())} -C {shlex.quote(str(where))}"
        common.print_pairs([(name, f"{program} {command}") for name, command in commands.items()], "   ")
        if sys.stdout.isatty():
            open_in_browser(file)
    return 1 if report["missing"] or report["trespassed"] else 0


def _program() -> str:
    """How a shell calls this program from here: by its name if it is on the path."""
    here = Path(sys.argv[0])
    named = shutil.which("fieldmouse")
    if here.name != "fieldmouse" or (named and here.exists() and here.samefile(named)):
        return "fieldmouse"
    return str(here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here)


def _empty_folder(where: Path) -> Path:
    """The folder, without what an earlier demo left there."""
    if (where / "demo").is_file():
        shutil.rmtree(where)
    elif where.exists() and any(where.iterdir()):
        raise UsageError(f"{where} is not empty and not an earlier demo; give another folder")
    where.mkdir(parents=True, exist_ok=True)
    (where / "demo").write_text("made by `fieldmouse demo`, and removed by the next one\n")
    return where


def _pauses(clock: "LeapingClock") -> Iterator[float]:
    """Let time pass before each refresh, in equal parts until now."""
    for left in range(PASSES, 0, -1):
        clock.leap(max(0.0, (time.time() - clock.now()) / left))
        yield clock.now()


def _report(archive: "Archive", web: "DemoWeb") -> dict[str, Any]:
    """What the crawl and the refreshes did, in numbers."""
    pages, totals = list(archive.pages()), archive.status()
    stored = {page.url for page in pages}
    changed = [page.url for page in pages if any(visit.changed for visit in page.visits())]
    return {
        "stored": len(stored),
        "missing": sorted(web.pages - stored),
        "trespassed": sorted(web.requested & web.forbidden),
        "changed": sorted(changed),
        "new_bytes": sum(page.record.versions > 1 for page in pages) - len(changed),
        "trap_pages": sum(web.in_trap(url) for url in stored),
        "templates": archive.reader.templates.hosts(),
        "parked": totals.hosts.get("parked", 0),
        "redirect_spam": len(archive.redirect_farms()),
        "requests": len(web.requests),
        "totals": totals,
        "finished": time.time(),
    }


def _print_story(archive: "Archive", report: dict[str, Any], now: float) -> None:
    """What was found: the archive in a few lines, and the last changes, only what changed."""
    from fieldmouse.dashboard.change_list import change_view
    from fieldmouse.report.wording import Words, percent

    totals, fresh = report["totals"], archive.freshness(now)
    rows = {
        "stored": f"{report['stored']} pages, {len(report['missing'])} missing",
        "fresh": f"{percent(fresh.estimated)} of the copies are current, audited {percent(fresh.measured)}",
        "robots.txt": f"{len(report['trespassed'])} forbidden pages requested",
        "traps": f"an endless calendar, left after {report['trap_pages']} pages",
        "spam": f"{report['parked']} parked names and {report['redirect_spam']} redirect farm, "
        "not visited again",
        "templates": f"found on {report['templates']} hosts; {totals.copies} pages are copies",
        "noise": f"{report['new_bytes']} pages differ in bytes at each visit, not in what they say",
    }
    echo("\n4. What is in the archive:\n")
    common.print_pairs(list(rows.items()), "   ")
    pages = len(report["changed"])
    echo(f"\n5. What changed: {totals.changes} changes on {pages} pages; the most important:\n")
    words = Words(now)
    newest = {row.url: row for row in reversed(archive.reader.dashboard.changes(now + DAY, 0.0, 100))}
    views = sorted(map(change_view, newest.values()), key=lambda one: (-one.level, -one.time))
    places = [view.lines[0].place if view.lines else "" for view in views]
    # Not more than a few of one sort: prices, headlines, tables.
    shown = [view for n, view in enumerate(views) if places[:n].count(places[n]) < ALIKE]
    for view in shown[:CHANGES]:
        echo(f"   {words.when(view.time)}  {view.title[:58]}")
        for line in view.lines[:2]:
            by = f"  ({line.by})" if line.by else ""
            echo(f"       {line.place}: {line.plain}{by}")
