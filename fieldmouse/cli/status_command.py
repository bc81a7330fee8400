"""The command `status`."""

from typing import TYPE_CHECKING

import click

from fieldmouse.units import DAY

from .common import duration, json_option, open_archive, print_json, print_pairs, size

if TYPE_CHECKING:
    from fieldmouse.report.freshness import Freshness
    from fieldmouse.store.records import Harvest

HARVEST_MARKS = (50, 100, 200, 500, 1000, 2000)


@click.command()
@json_option
@click.pass_obj
def status(obj: str, as_json: bool) -> None:
    """Show what is in the archive and how fresh it is."""
    with open_archive(obj) as archive:
        totals, statuses, fresh = archive.status(), archive.reader.statuses(), archive.freshness()
        focus = archive.harvests()
    if as_json:
        last_visits = [{"status": s, "trouble": t, "pages": n} for s, t, n in statuses]
        print_json(
            {"folder": obj, "totals": totals, "freshness": fresh, "focus": focus, "last_visits": last_visits}
        )
        return
    hosts = ", ".join(f"{n:,} {state.replace('_', ' ')}" for state, n in totals.hosts.items())
    unchecked = f"; {totals.uncleaned:,} hosts not checked yet" if totals.uncleaned else ""
    print_pairs(
        [
            ("pages", f"{totals.stored:,} stored, {totals.pages:,} URLs requested"),
            ("versions", f"{totals.versions:,}, {totals.changes:,} of them text changes"),
            ("visits", f"{totals.visits:,}, {totals.unchanged:,} unchanged, {totals.failures:,} failed"),
            ("hosts", hosts or "none"),
            ("pending", f"{totals.waiting:,} pages on unfinished hosts"),
            ("freshness", _freshness(fresh)),
            *((f"topic {one.topic}", _harvest(one)) for one in focus),
            ("copies", f"{totals.copies:,} pages are copies of other pages{unchecked}"),
            ("received", size(totals.body_bytes)),
            ("files", ", ".join(f"{kind} {size(n)}" for kind, n in totals.files.items()) or "none"),
        ]
    )
    if statuses:
        click.echo("\nlast visits")
        print_pairs([(str(s or t), f"{n:,}") for s, t, n in statuses], "  ")


def _freshness(found: "Freshness") -> str:
    if found.estimated is None:
        return "not estimated yet: no page has a refresh plan"
    text = f"{found.estimated:.1%} estimated ({found.low:.1%} to {found.high:.1%})"
    if found.measured is not None:
        text += f", {found.measured:.1%} measured ({found.measured_low:.1%} to {found.measured_high:.1%})"
    return f"{text}; average copy age {duration((found.age_days or 0.0) * DAY)}"


def _harvest(one: "Harvest") -> str:
    text = f"{one.relevant:,} of {one.pages:,} pages on topic ({one.rate:.1%}), links ranked by {one.learner}"
    marks = [f"{found / n:.2f} after {n:,}" for n, found in one.curve if n in HARVEST_MARKS]
    return f"{text}: {', '.join(marks)}" if marks else text
