"""The commands that show what is in an archive, and move pages in and out of it."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from fieldmouse.errors import ArchiveDamaged, UsageError
from fieldmouse.exits import Exit
from fieldmouse.units import DAY, duration

from . import common
from .common import archive_options, echo, open_archive, print_json, print_pairs, size, when

if TYPE_CHECKING:
    from fieldmouse.jobs.rebuild import Rebuilt
    from fieldmouse.report.freshness import Freshness
    from fieldmouse.report.why import Why
    from fieldmouse.settings import Settings
    from fieldmouse.types import Visit

# Visits that `why` lists, and differences of each.
LISTED_VISITS, LISTED_DIFFERENCES = 10, 6
# What a visit without a note found, by how that is known.
RESULTS = {"first": "first version", "304": "not modified", "digest": "unchanged"}
HARVEST_MARKS = (50, 100, 200, 500, 1000, 2000)
LIBRARIES = ("aiodns", "uvloop", "ada-url", "isal", "publicsuffixlist", "numpy", "starlette", "pyarrow")


class OptionalPart(NamedTuple):
    """A part that Fieldmouse can do without, and what that costs."""

    name: str
    module: str
    cost: str
    remedy: str


_COMPILE = "install a C compiler and the headers of Python, then install Fieldmouse again"
PAGE_READER = "fieldmouse.page._scan"
OPTIONAL_PARTS = (
    OptionalPart(
        "the page reader in C", PAGE_READER, "pages are read ten to thirty times slower", _COMPILE
    ),
    OptionalPart(
        "the term finder in C", "fieldmouse.focus._terms", "topics are judged several times slower", _COMPILE
    ),
    OptionalPart(
        "the name splitter in C", "fieldmouse.labels._split", "labelling by name is slower", _COMPILE
    ),
    OptionalPart("uvloop", "uvloop", "crawls use more processor time", "pip install uvloop"),
    OptionalPart(
        "the server", "starlette", "`serve` does not work: no dashboard, no API",
        "pip install 'fieldmouse[serve]'",
    ),
    OptionalPart(
        "columnar files", "pyarrow", "no Parquet files and no `query --columnar`",
        "pip install 'fieldmouse[columnar]'",
    ),
    OptionalPart(
        "scikit-learn", "sklearn", "some learners cannot be trained; their models work",
        "pip install 'fieldmouse[learn]'",
    ),
)  # fmt: skip


def deferred_text(pages: int, settings: "Settings") -> str:
    """How many pages are deferred, and when they are visited."""
    from fieldmouse.report.wording import count

    most = settings.scope.trap_pages_per_day
    later = f"each day `crawl` or `run` visits at most {most:,} of each host" if most else "none is visited"
    return f"{count(pages, 'page looks', 'pages look')} like a trap; {later} (scope.trap_pages_per_day)"


@click.command()
@archive_options
def status(obj: str, as_json: bool) -> None:
    """Show what is in the archive and how fresh it is."""
    with open_archive(obj) as archive:
        totals, statuses, fresh = archive.status(), archive.reader.statuses(), archive.freshness()
        focus, texts, readers = archive.harvests(), archive.reader.text_sizes(), archive.readers()
    if as_json:
        last_visits = [{"status": s, "trouble": t, "pages": n} for s, t, n in statuses]
        print_json(
            {"folder": obj, "totals": totals, "freshness": fresh, "focus": focus, "last_visits": last_visits}
            | {"texts": texts, "readers": readers}
        )
        return
    from fieldmouse.report.reader_status import status_text
    from fieldmouse.report.wording import count

    hosts = ", ".join(f"{n:,} {state.replace('_', ' ')}" for state, n in totals.hosts.items())
    topics = []
    for one in focus:
        shares = [f"{found / n:.0%} of the first {n:,}" for n, found in one.curve if n in HARVEST_MARKS]
        text = f"{one.stated}; {', '.join(shares)}" if shares else one.stated
        topics.append((f"topic {one.topic}", f"{text} (learner: {one.learner})"))
    unchecked = f"; {count(totals.uncleaned, 'host')} not checked yet" if totals.uncleaned else ""
    print_pairs(
        [
            ("pages", f"{totals.stored:,} stored, {totals.pages:,} URLs requested"),
            ("versions", f"{totals.versions:,}, {totals.changes:,} of them text changes"),
            ("visits", f"{totals.visits:,}, {totals.unchanged:,} unchanged, {totals.failures:,} failed"),
            ("hosts", hosts or "none"),
            *([("paused", paused_text(totals.paused))] if totals.paused else []),
            ("pending", f"{totals.waiting:,} pages on unfinished hosts"),
            *([("deferred", deferred_text(totals.deferred, archive.settings))] if totals.deferred else []),
            ("freshness", freshness_text(fresh)),
            *([("readers", status_text(readers, time.time()))] if readers.visits.visits else []),
            *topics,
            ("copies", f"{totals.copies:,} pages are copies of other pages{unchecked}"),
            ("received", size(totals.body_bytes)),
            ("text", f"{size(texts.text_bytes)} of main text, {size(texts.index_bytes)} of search index"),
            ("files", ", ".join(f"{kind} {size(n)}" for kind, n in totals.files.items()) or "none"),
        ]
    )
    if not totals.pages:
        echo(f"\n{common.EMPTY}")
    if statuses:
        echo("\nlast visits")
        print_pairs([(str(s or t), f"{n:,}") for s, t, n in statuses], "  ")


def paused_text(hosts: list[str]) -> str:
    """Which hosts a person paused, and how they are visited again."""
    more = f" and {len(hosts) - 3} more" if len(hosts) > 3 else ""
    return f"{', '.join(hosts[:3])}{more}: not visited until `hosts resume`"


def freshness_text(found: "Freshness") -> str:
    """Estimated and measured freshness in one line."""
    if found.estimated is None:
        return "not estimated yet: no page has a refresh plan"
    text = f"{found.estimated:.1%} estimated ({found.low:.1%} to {found.high:.1%})"
    if found.measured is not None:
        text += f", {found.measured:.1%} measured ({found.measured_low:.1%} to {found.measured_high:.1%})"
    return f"{text}; average copy age {duration((found.age_days or 0.0) * DAY)}"


@click.command()
@click.argument("url")
@archive_options
def why(obj: str, url: str, as_json: bool) -> None:
    """Explain the state of URL: fetched, skipped or pending, and why."""
    with open_archive(obj) as archive:
        found = archive.why(url)
    if not found.url:
        raise UsageError(f"{url!r} is not an http or https URL")
    if as_json:
        print_json(found)
        return
    echo(found.url)
    colours = {"stored": "green", "pending": "yellow", "requested": "red", "skipped": "yellow"}
    summary = f"  {common.wrapped(found.summary, 2)}"
    echo(summary, colour=colours.get(found.summary.partition(" ")[0].rstrip(":,"), ""))
    now = time.time()
    print_pairs(list(_facts(found, now)), "  ")
    for line in _lines(found, now):
        depth = 2 + len(line) - len(line.lstrip())
        echo(f"  {common.wrapped(line, depth + 2)}")


def _facts(found: "Why", now: float) -> Iterator[tuple[str, str]]:
    """Scope, robots.txt, discovery, host, spam and copies, as pairs of name and text."""
    from fieldmouse.report.wording import count

    yield "scope", found.scope.removeprefix("scope: ") or "in scope"
    yield "robots", found.robots or "no robots.txt stored"
    if found.skipped:
        yield "skipped", found.skipped
    if (page := found.page) is not None:
        if page.title:
            yield "title", page.title
        via = "" if page.via == "seed" else f" via {page.via}"
        yield "found", f"depth {page.depth}, path {page.trail or 'seed'}{via}"
    if (host := found.host) is not None:
        state = host.reason if host.reason.startswith(host.state) else f"{host.state} ({host.reason})"
        paused = f"paused since {when(host.paused_at, now)}, " if host.paused_at is not None else ""
        yield "host", f"{host.name}: {paused}{state}, linked from {count(host.in_hosts, 'host')}"
    for line in found.spam:
        yield "spam", line
    for line in found.named:
        yield "named", line
    for line in found.readers:
        yield "readers", line
    if found.copy:
        yield "copy", found.copy
    if found.copies:
        more = f" and {len(found.copies) - 1} more" if len(found.copies) > 1 else ""
        yield "copies", f"{found.copies[0]}{more}"


def _lines(found: "Why", now: float) -> Iterator[str]:
    """How topics judged the page or the pending link, the next visit, visits and plans, newest first."""
    from fieldmouse.report.wording import count, signal_words

    for one in found.judgements:
        verdict = "on" if one.score > 0.5 else "off"
        away = f", {count(one.level, 'page')} off topic before it" if one.level else ""
        yield f"{verdict} topic {one.topic!r}: score {one.score:.2f} (judge: {one.judge}){away}"
        if one.reasons:
            yield f"  words: {one.reasons}"
        if one.expected is not None:
            yield f"  link score before the visit {one.expected:.2f}: {one.promise or 'no evidence'}"
    if (link := found.promise) is not None:
        reasons = "; ".join(link.reasons) or "no evidence"
        yield f"link score {link.score:.2f} for topic {link.topic!r} by {link.learner}: {reasons}"
    if found.due is not None:
        ahead = f"planned {when(found.due, now)}" if found.due > now else "due now"
        rate = f"changes about every {duration(DAY / found.rate)}" if found.rate else "change rate unknown"
        resumed = ", once its host is resumed" if found.host and found.host.paused_at is not None else ""
        yield f"next visit {ahead}{resumed}; {rate}"
    for signal in found.signals:
        source, record = signal_words(signal.source, signal.agreed, signal.misled)
        yield f"{source} of its host: {record[:1].lower()}{record[1:-1]}"
    yield from _visits(found, now)
    for plan in reversed(found.predictions[-3:]):
        yield f"{when(plan.time, now)}  plan ({plan.predictor}): {plan.reasons}"


def _visits(found: "Why", now: float) -> Iterator[str]:
    """Each visit, newest first: its result, and what differs, with the code that `noise mute` takes."""
    from fieldmouse.report.wording import count

    for visit in found.visits[: -LISTED_VISITS - 1 : -1]:
        result = visit.note or RESULTS.get(visit.known_by, "")
        answer = f"{visit.status or visit.trouble}  {size(visit.size)}"
        lines, more = _differences(visit) if visit.diff else ([], 0)
        if lines:  # the note names them too
            from fieldmouse.report.changes import CONFIRMED

            confirmed = f" {CONFIRMED}" if CONFIRMED in result else ""
            result = f"{result.partition(':')[0]}{confirmed}"
        yield f"{when(visit.time, now)}  {answer}  {result}".rstrip()
        yield from lines
        if more:
            yield f"    and {count(more, 'more difference')}"
    if earlier := len(found.visits[:-LISTED_VISITS]):
        yield f"and {count(earlier, 'earlier visit')}; --json lists all"


def _differences(visit: "Visit") -> tuple[list[str], int]:
    """What differs at a visit, and how many differences more. It loads much, and few visits have any."""
    from fieldmouse.refresh.diff_entries import entries_from_json
    from fieldmouse.report.differences import RULE_WORDS, diff_line

    entries, more = entries_from_json(visit.diff)
    lines = []
    for one in map(diff_line, entries[:LISTED_DIFFERENCES]):
        by = f" ({one.by})" if one.by else ""
        rule = f", does not count: {RULE_WORDS[one.rule]}" if one.rule else ""
        lines.append(f"    {one.place}: {one.plain}{by}{rule}  [{one.spot}]")
    return lines, more + len(entries[LISTED_DIFFERENCES:])


@click.command()
@click.option("--repair", is_flag=True, help="Set damaged records aside in damaged/, then check.")
@archive_options
def check(obj: str, repair: bool, as_json: bool) -> int:
    """Read every record of the archive and report damage."""
    with open_archive(obj) as archive:
        repaired = archive.repair() if repair else None
        done = archive.check()
    code = ArchiveDamaged.exit_code if done.problems else 0
    if as_json:
        print_json({**common.plain(done), **({"repaired": repaired} if repair else {})})
        return code
    from fieldmouse.report.wording import count

    if repaired is not None:
        for one in (*repaired.files, *repaired.records):
            echo(f"set aside: {one}", err=True)
        for one in repaired.restored:
            echo(f"written again from the copy in this folder: {one}", err=True)
        for one in repaired.copies:
            echo(f"the copy in this folder differed and was fetched again: {one}", err=True)
        aside = count(len(repaired.records), "damaged record")
        echo(f"{aside} set aside, {count(repaired.tags, 'tag index', 'tag indexes')} made again")
    echo(f"{done.pages:,} pages, {done.versions:,} versions, {done.records:,} WARC records read")
    for leftover in done.leftovers:
        echo(f"left by a crash, removed by the next crawl: {leftover}", err=True)
    for problem in done.problems:
        echo(problem, err=True)
    if done.set_aside:
        echo(f"{count(done.set_aside, 'damaged record is', 'damaged records are')} set aside")
    if done.erasing:
        echo(f"{done.erasing:,} records of forgotten pages are not overwritten yet; the next crawl does it")
    if done.problems:
        advice = (
            "`rebuild` makes a new database from the files"
            if repair
            else "`check --repair` sets damage aside"
        )
        echo(f"{count(len(done.problems), 'problem')}; {advice}", colour="red")
    else:
        echo("no problems found" if not done.set_aside else "no other problems found", colour="green")
    return code


@click.command()
@click.option("--force", is_flag=True, help="Replace a database that is sound.")
@common.quiet_option
@archive_options
def rebuild(obj: str, force: bool, quiet: bool, as_json: bool) -> int:
    """Rebuild the database from the WARC, tag and log files.

    Use it if the database is damaged or missing. The old one is moved to aside/. The files stay as they are.
    """
    from fieldmouse import library

    line = common.StatusLine(quiet=quiet)

    def show(done: "Rebuilt") -> None:
        line.show(
            f"{done.visits:,} of {done.total:,} visits · {done.pages:,} pages"
            if done.visits
            else f"reading files · {done.total:,} visits found"
        )

    done = library.rebuild(obj, force=force, progress=show)
    line.end()
    code = Exit.LEFT_OUT if done.damaged else Exit.DONE
    if as_json:
        print_json(done)
        return code
    for part in done.damaged:
        echo(f"left out, damaged: {part}", err=True)
    echo(f"{done.visits:,} visits to {done.pages:,} pages of {done.hosts:,} hosts are in the new database")
    if done.old_database:
        echo(f"the old database was moved to {done.old_database}")
    if done.without_content:
        echo(f"{done.without_content:,} visits refer to content that is missing or damaged")
    if done.without_line and done.without_line < done.visits:
        echo(f"{done.without_line:,} visits have no line in a log: how they were found is not known")
    echo("could not be restored:")
    for lost in done.lost:
        echo(f"  {lost}")
    return code


@click.command()
@click.argument("url")
@archive_options
def robots(obj: str, url: str, as_json: bool) -> int:
    """Fetch robots.txt and show whether it allows URL."""
    from fieldmouse.service.robots_check import ask_robots
    from fieldmouse.settings import load
    from fieldmouse.store import SETTINGS_FILE

    answer = ask_robots(load(Path(obj) / SETTINGS_FILE), url)
    if as_json:
        print_json(answer)
        return Exit.DONE if answer.reached else Exit.ALL_FAILED
    print_pairs(
        [
            ("robots.txt", answer.robots_url),
            ("answer", answer.answer),
            ("verdict", f"{'allows' if answer.allowed else 'forbids'} {answer.url} ({answer.rule})"),
            ("crawl-delay", f"{answer.crawl_delay} s" if answer.crawl_delay is not None else "none"),
            ("sitemaps", ", ".join(answer.sitemaps) or "none"),
        ]
    )
    return Exit.DONE if answer.reached else Exit.ALL_FAILED


@click.command()
@common.json_option
def version(as_json: bool) -> None:
    """Print the versions of Fieldmouse, Python and the libraries, and what is missing."""
    import platform
    import ssl
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed
    from importlib.util import find_spec

    from fieldmouse.page import tags
    from fieldmouse.store import engine_version
    from fieldmouse.version import VERSION

    versions = {
        "fieldmouse": VERSION,
        "python": platform.python_version(),
        "sqlite": engine_version(),
        "openssl": ssl.OPENSSL_VERSION.split()[1],
    }
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            versions[name] = installed(name)
    # A page reader that was built for an older release is there, and is not used.
    used = {engine.__name__ for engine in tags.ENGINES}
    missing = [
        one
        for one in OPTIONAL_PARTS
        if find_spec(one.module) is None or (one.module == PAGE_READER and PAGE_READER not in used)
    ]
    if as_json:
        print_json({**versions, "missing": missing})
        return
    print_pairs(list(versions.items()))
    for one in missing:
        echo(f"missing: {one.name}. Without it, {one.cost}. To get it: {one.remedy}")
    if not missing:
        echo("nothing is missing")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands and options in SHELL.

    \b
    bash: fieldmouse completion bash > ~/.local/share/bash-completion/completions/fieldmouse
    zsh:  fieldmouse completion zsh > ~/.zfunc/_fieldmouse    (a folder in $fpath)
    fish: fieldmouse completion fish > ~/.config/fish/completions/fieldmouse.fish
    """  # noqa: D301  the backspace is click's sign for "do not wrap"
    from click.shell_completion import get_completion_class

    from . import cli

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(cli, {}, "fieldmouse", "_FIELDMOUSE_COMPLETE").source())
