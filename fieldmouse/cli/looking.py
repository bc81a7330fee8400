"""Commands that only read: status, why, robots, version."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.units import DAY

from .common import as_json, duration, opened, print_json, size, table

if TYPE_CHECKING:
    from fieldmouse.report.freshness import Freshness
    from fieldmouse.report.why import Why
    from fieldmouse.store.sqlite.reader import Totals
    from fieldmouse.store.sqlite.topic_judgements import Harvest


HARVEST_MARKS = (50, 100, 200, 500, 1000, 2000)


@click.command()
@as_json
@click.pass_obj
def status(obj: str, as_json: bool) -> None:
    """Show what is in the archive: pages, versions, hosts, bytes, what waits."""
    with opened(obj) as archive:
        totals, statuses, fresh = archive.status(), archive.reader.statuses(), archive.freshness()
        focus = archive.reader.harvests()
        if as_json:
            answers = [{"status": s, "trouble": t, "pages": n} for s, t, n in statuses]
            print_json(
                {
                    "folder": obj,
                    "totals": totals,
                    "freshness": fresh,
                    "focus": focus,
                    "last_visits": answers,
                }
            )
            return
    stored = f"{totals.stored:,} of {totals.pages:,} addresses asked for"
    table(
        [
            ("pages", stored),
            ("versions", f"{totals.versions:,}, {totals.changes:,} of them changes of the text"),
            (
                "visits",
                f"{totals.visits:,}, {totals.unchanged:,} unchanged, {totals.failures:,} without answer",
            ),
            (
                "hosts",
                ", ".join(f"{n:,} {state.replace('_', ' ')}" for state, n in totals.hosts.items()) or "none",
            ),
            ("waiting", f"{totals.waiting:,} pages of hosts not finished"),
            ("fresh", _fresh(fresh)),
            *((f"on {one.topic}", _harvest(one)) for one in focus),
            ("copies", _copies(totals)),
            ("received", size(totals.body_bytes)),
            ("files", ", ".join(f"{kind} {size(n)}" for kind, n in totals.files.items()) or "none"),
        ]
    )
    if statuses:
        click.echo("\nlast visits")
        table([(str(s or t), f"{n:,}") for s, t, n in statuses], "  ")


def _harvest(one: "Harvest") -> str:
    """The answer to "how much of what I downloaded is on my topic?"."""
    told = f"{one.relevant:,} of {one.pages:,} pages ({one.rate:.1%}), links judged by {one.learner}"
    marks = [f"{found / n:.2f} after {n:,}" for n, found in one.curve if n in HARVEST_MARKS]
    return f"{told}: {', '.join(marks)}" if marks else told


def _copies(totals: "Totals") -> str:
    """Pages that say what another one says."""
    told = f"{totals.copies:,} pages are copies of another"
    return told + (f"; {totals.uncleaned:,} hosts not looked at yet" if totals.uncleaned else "")


def _fresh(found: "Freshness") -> str:
    """The answer to "how fresh is my copy?"."""
    if found.estimated is None:
        return "nothing is kept fresh yet"
    told = f"{found.estimated:.1%} believed ({found.low:.1%} to {found.high:.1%})"
    if found.measured is not None:
        told += f", {found.measured:.1%} measured ({found.measured_low:.1%} to {found.measured_high:.1%})"
    return f"{told}; copies are {duration((found.age_days or 0.0) * DAY)} old on average"


@click.command()
@click.argument("sql")
@as_json
@click.pass_obj
def query(obj: str, sql: str, as_json: bool) -> None:
    """Ask the archive's database in SQL, read-only; rows come as tab-separated lines."""
    with opened(obj) as archive:
        names, rows = archive.query(sql)
        if as_json:
            print_json([dict(zip(names, row, strict=True)) for row in rows])
            return
        click.echo("\t".join(names))
        for row in rows:
            click.echo("\t".join("" if value is None else str(value) for value in row))


@click.command()
@click.argument("url")
@as_json
@click.pass_obj
def why(obj: str, url: str, as_json: bool) -> None:
    """Explain what became of URL: fetched, skipped or waiting, and why."""
    with opened(obj) as archive:
        found = archive.why(url)
    if as_json:
        print_json(found)
    else:
        _explain(found)


def _explain(found: "Why") -> None:
    from fieldmouse.jobs.export import moment

    click.echo(found.url or found.asked)
    click.echo(f"  {found.summary}")
    rows = [("scope", found.scope or "in scope"), ("robots", found.robots or "nothing known")]
    if found.skipped:
        rows.append(("skipped", found.skipped))
    if (page := found.page) is not None:
        rows += [
            ("title", page.title),
            ("way here", f"depth {page.depth}, trail {page.trail or 'seed'}, via {page.via}"),
        ]
    if (host := found.host) is not None:
        rows.append(
            (
                "host",
                f"{host.name}: {host.state} ({host.reason}), linked from {host.in_hosts} hosts",
            )
        )
    rows += [("spam", told) for told in found.spam]
    if found.copy:
        rows.append(("copy", found.copy))
    if found.copies:
        more = f" and {len(found.copies) - 1} more" if len(found.copies) > 1 else ""
        rows.append(("copies", f"{found.copies[0]}{more}"))
    table(rows, "  ")
    if found.due is not None:
        rate = f"changes every {1 / found.rate:.3g} d" if found.rate else "rate not known"
        click.echo(f"  due {moment(found.due)}, {rate}")
    for line in _on_topic(found):
        click.echo(f"  {line}")
    for one in found.signals:
        click.echo(f"  {one.source} of its host: {one.agreed} times true, {one.misled} times misleading")
    for plan in found.predictions[-3:]:
        click.echo(f"  {moment(plan.time)}  planned by {plan.predictor}: {plan.reasons}")
    for visit in found.visits:
        ended = visit.status or visit.trouble
        change = "changed" if visit.changed else f"known by {visit.known_by}"
        place = f" {visit.place.file}@{visit.place.offset}" if visit.place else ""
        cost = f"{size(visit.size)}  {duration(visit.took)}"
        click.echo(f"  {moment(visit.time)}  {ended}  {cost}  {change}{place}  {visit.note}")


def _on_topic(found: "Why") -> Iterator[str]:
    """What was said of a page or of a waiting link by a topic, and which evidence spoke."""
    for one in found.judgements:
        verdict = "on" if one.score > 0.5 else "off"
        yield f"{verdict} the topic {one.topic!r}: {one.score:.2f} by {one.judge}, level {one.level}"
        if one.reasons:
            yield f"  its words: {one.reasons}"
        if one.expected is not None:
            yield f"  its link promised {one.expected:.2f}: {one.promise or 'no evidence spoke'}"
    if (promise := found.promise) is not None:
        told = "; ".join(promise.reasons) or "no evidence spoke"
        yield f"promises {promise.score:.2f} for the topic {promise.topic!r} by {promise.learner}: {told}"


@click.command()
@as_json
@click.pass_obj
def check(obj: str, as_json: bool) -> int:
    """Read every record of the archive and say whether it is whole."""
    from fieldmouse.errors import ArchiveDamaged

    with opened(obj) as archive:
        done = archive.check()
    if as_json:
        print_json(done)
    else:
        click.echo(f"{done.pages:,} pages, {done.versions:,} versions, {done.records:,} WARC records read")
        for leftover in done.leftovers:
            click.echo(f"left by a crash, and cut off by the next crawl: {leftover}", err=True)
        for problem in done.problems:
            click.echo(problem, err=True)
        click.echo(f"{len(done.problems)} problems" if done.problems else "the archive is whole")
    return ArchiveDamaged.exit_code if done.problems else 0


@click.command()
@click.argument("url")
@as_json
@click.pass_obj
def robots(obj: str, url: str, as_json: bool) -> None:
    """Fetch the robots.txt that governs URL and say what it allows us."""
    from pathlib import Path

    from fieldmouse.service.robots_check import ask_robots
    from fieldmouse.settings import load
    from fieldmouse.store.sqlite.crawl_store import SETTINGS_FILE

    answer = ask_robots(load(Path(obj) / SETTINGS_FILE), url)
    if as_json:
        print_json(answer)
        return
    table(
        [
            ("robots.txt", answer.robots_url),
            ("answer", answer.answer),
            ("verdict", f"{'allows' if answer.allowed else 'forbids'} {answer.url} ({answer.rule})"),
            ("crawl-delay", f"{answer.crawl_delay} s" if answer.crawl_delay is not None else "none"),
            ("sitemaps", ", ".join(answer.sitemaps) or "none"),
        ]
    )


@click.command()
@as_json
def version(as_json: bool) -> None:
    """Print the versions of Fieldmouse and of what it stands on."""
    import platform

    from fieldmouse.version import VERSION

    parts: dict[str, Any] = {"fieldmouse": VERSION, "python": platform.python_version(), **_libraries()}
    if as_json:
        print_json(parts)
    else:
        table([(name, str(value)) for name, value in parts.items()])


def _libraries() -> dict[str, str]:
    import ssl
    from importlib.metadata import version as installed

    from fieldmouse.page.tags import ENGINES
    from fieldmouse.store.sqlite.database import library_version

    return {
        "sqlite": library_version(),
        "openssl": ssl.OPENSSL_VERSION.split()[1],
        "tokenizer": "C" if len(ENGINES) > 1 else "Python (no compiler was found at installation)",
        **{name: installed(name) for name in ("aiodns", "uvloop", "ada-url", "isal", "publicsuffixlist")},
    }
