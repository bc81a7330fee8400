"""The command `why`."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from fieldmouse.units import DAY

from .common import duration, json_option, open_archive, print_json, print_pairs, size

if TYPE_CHECKING:
    from fieldmouse.report.why import Why


@click.command()
@click.argument("url")
@json_option
@click.pass_obj
def why(obj: str, url: str, as_json: bool) -> None:
    """Explain the state of URL: fetched, skipped or pending, and why."""
    with open_archive(obj) as archive:
        found = archive.why(url)
    if as_json:
        print_json(found)
        return
    click.echo(found.url or found.asked)
    click.echo(f"  {found.summary}")
    print_pairs(list(_facts(found)), "  ")
    for line in (*_topic_lines(found), *_refresh_lines(found, time.time())):
        click.echo(f"  {line}")


def _facts(found: "Why") -> Iterator[tuple[str, str]]:
    """Scope, robots.txt, discovery, host, spam and copies, as pairs of name and text."""
    yield "scope", found.scope or "in scope"
    yield "robots", found.robots or "no robots.txt stored"
    if found.skipped:
        yield "skipped", found.skipped
    if (page := found.page) is not None:
        yield "title", page.title
        yield "found", f"depth {page.depth}, path {page.trail or 'seed'}, via {page.via}"
    if (host := found.host) is not None:
        yield "host", f"{host.name}: {host.state} ({host.reason}), linked from {host.in_hosts} hosts"
    for line in found.spam:
        yield "spam", line
    if found.copy:
        yield "copy", found.copy
    if found.copies:
        more = f" and {len(found.copies) - 1} more" if len(found.copies) > 1 else ""
        yield "copies", f"{found.copies[0]}{more}"


def _topic_lines(found: "Why") -> Iterator[str]:
    """How a topic judged the page, or the pending link, with the evidence."""
    for one in found.judgements:
        verdict = "on" if one.score > 0.5 else "off"
        yield f"{verdict} topic {one.topic!r}: score {one.score:.2f} by {one.judge}, level {one.level}"
        if one.reasons:
            yield f"  words: {one.reasons}"
        if one.expected is not None:
            yield f"  link score before the visit {one.expected:.2f}: {one.promise or 'no evidence'}"
    if (link := found.promise) is not None:
        reasons = "; ".join(link.reasons) or "no evidence"
        yield f"link score {link.score:.2f} for topic {link.topic!r} by {link.learner}: {reasons}"


def _refresh_lines(found: "Why", now: float) -> Iterator[str]:
    """The next visit, the last plans, and all visits."""
    from fieldmouse.jobs.export import moment

    if found.due is not None:
        ahead = f"planned in about {duration(found.due - now)}" if found.due > now else "due now"
        rate = f"changes about every {duration(DAY / found.rate)}" if found.rate else "change rate unknown"
        yield f"next visit {ahead} ({moment(found.due)}); {rate}"
    for one in found.signals:
        yield f"{one.source} of its host: right {one.agreed} times, wrong {one.misled} times"
    for plan in found.predictions[-3:]:
        yield f"{moment(plan.time)}  planned by {plan.predictor}: {plan.reasons}"
    for visit in found.visits:
        change = "changed" if visit.changed else f"known by {visit.known_by}"
        place = f" {visit.place.file}@{visit.place.offset}" if visit.place else ""
        cost = f"{size(visit.size)}  {duration(visit.took)}"
        text = f"{visit.status or visit.trouble}  {cost}  {change}{place}  {visit.note}"
        yield f"{moment(visit.time)}  {text}".rstrip()
