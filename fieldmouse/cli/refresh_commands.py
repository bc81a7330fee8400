"""The commands on the refresh schedule: `weight`, `noise`, `train` and `replay`."""

import csv
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from . import common
from .common import EXISTING_FILE, archive_options, echo, open_archive, print_json, print_pairs, quiet_option

if TYPE_CHECKING:
    from fieldmouse.refresh.change_history import History

POLICIES = (
    *("default", "live", "uniform", "proportional", "paper", "bayes", "bayes-unit"),
    *("random-historic", "random-bayes", "nutch", "optimum", "hindsight"),
)

# Policies that see visits of readers.
READER_POLICIES = ("veto", "index", "veto-published")

seed_option = click.option("--seed", type=int, default=1, help="Random seed.")


class WeightCommand(click.Command):
    """Reports a negative number as a wrong weight; click would take it for an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for one in args:
            if re.fullmatch(r"-(\d*\.?\d+(e[+-]?\d+)?|inf)", one, re.IGNORECASE):
                raise UsageError(f"a weight must be 0 or more, not {one}")
        return super().parse_args(ctx, args)


@click.group()
def noise() -> None:
    """Show what counts as noise on a host, and decide otherwise.

    A place is a path of elements with its label, or the number that `noise list`, `changes` and `why` show
    for it. `noise rules` shows the rules, and switches them on and off.
    """


@noise.command("list")
@click.argument("host")
@archive_options
def list_(obj: str, host: str, as_json: bool) -> None:
    """List the rules of HOST and the places of its pages that differed."""
    from fieldmouse.report.host_noise import noise_report
    from fieldmouse.report.wording import count

    with open_archive(obj) as archive:
        found = noise_report(archive.reader, host)
    if as_json:
        print_json(found)
        return
    off = [rule for rule, state in found.rules.items() if state == "off"]
    echo(f"{host}: {len(found.places)} places differed; rules off: {', '.join(off) or 'none'}")
    for one in found.places:
        controls = f", noise on {one.noisy_pages} and calm on {one.calm_pages} pages by control fetches"
        said = controls if one.noisy_pages or one.calm_pages else ""
        decided = "" if one.state == "learned" else f"  {one.state}"
        visits, pages = count(one.visits, "visit"), count(one.pages, "page")
        echo(f"{one.id}  {one.kind:6}  differed at {one.share:.0%} of {visits} on {pages}{said}{decided}")
        echo(f"          {one.place}")


def place_arguments(command: Callable[..., Any]) -> Callable[..., Any]:
    """A host and a place of it."""
    return click.argument("host")(click.argument("place")(archive_options(command)))


def _decide(obj: str, host: str, place: str, state: str, as_json: bool) -> None:
    """Store a decision of the user about a place of a host."""
    from fieldmouse.report.host_noise import place_keys

    with open_archive(obj) as archive:
        keys = place_keys(archive.reader, host, place)
        with archive.writing() as store:
            store.schedule.set_noise_overrides(host, keys, state)
    if as_json:
        print_json({"host": host, "place": place, "state": state or "learned"})
    else:
        ends = {"muted": "never count", "counted": "always count", "": "are judged by what was learned"}
        echo(f"{host}: differences at {place} {ends[state]}")


@noise.command(short_help="Never count differences at PLACE.")
@place_arguments
def mute(obj: str, host: str, place: str, as_json: bool) -> None:
    """Never count differences at PLACE of HOST."""
    _decide(obj, host, place, "muted", as_json)


@noise.command(short_help="Always count differences at PLACE.")
@place_arguments
def unmute(obj: str, host: str, place: str, as_json: bool) -> None:
    """Always count differences at PLACE of HOST."""
    _decide(obj, host, place, "counted", as_json)


@noise.command(short_help="Judge PLACE by what was learned again.")
@place_arguments
def reset(obj: str, host: str, place: str, as_json: bool) -> None:
    """Judge PLACE of HOST by what was learned again."""
    _decide(obj, host, place, "", as_json)


@noise.command(short_help="Show the rules of HOST, or switch one.")
@click.argument("host")
@click.argument("rule", required=False)
@click.argument("state", required=False, type=click.Choice(["on", "off"]))
@archive_options
def rules(obj: str, host: str, rule: str | None, state: str | None, as_json: bool) -> None:
    """Show the rules of HOST, or switch one on or off for it: `noise rules a.test return off`.

    RULE is form, declared, control, template, counter, return, pool, moving, or all. What a rule
    that is off would take for noise counts.
    """
    from fieldmouse.refresh.change import RULES
    from fieldmouse.report.host_noise import noise_report

    if rule not in (None, "all", *RULES):
        raise UsageError(f"{rule!r} is not a rule; the rules are {', '.join(RULES)}, and all for all of them")
    if rule and not state:
        raise UsageError(f"say whether {rule} is to be on or off: noise rules {host} {rule} off")
    with open_archive(obj) as archive:
        noise_report(archive.reader, host)
        if rule:
            with archive.writing() as store:
                chosen = RULES if rule == "all" else (rule,)
                store.schedule.set_noise_overrides(host, chosen, "counted" if state == "off" else "")
            archive.close()
        found = noise_report(archive.reader, host).rules
    if as_json:
        print_json(found)
    else:
        print_pairs(list(found.items()))


@click.command(cls=WeightCommand)
@click.argument("url", required=False)
@click.argument("value", required=False, type=float)
@click.option(
    "--file", "table", type=EXISTING_FILE,
    help="CSV file with lines of URL,WEIGHT; a header line url,weight is skipped.",
)  # fmt: skip
@archive_options
def weight(obj: str, url: str | None, value: float | None, table: Path | None, as_json: bool) -> None:
    """Set how much the freshness of URL counts.

    The default is 1; 10 counts as ten pages; with 0 a page is not fetched again.
    """
    if table is not None and url is None:
        weights = _read_weights(table)
    elif table is None and url is not None and value is not None:
        weights = {url: value}
    else:
        raise UsageError("give URL and VALUE, or --file with lines of URL,WEIGHT")
    with open_archive(obj) as archive:
        archive.weigh(weights)
    if as_json:
        print_json({"weights": weights})
    elif not weights:
        echo(f"{table} has no pages; no weight was changed")
    else:
        pages = "1 page" if len(weights) == 1 else f"{len(weights)} pages"
        echo(f"weight of {pages} set; used from the next plan on")


def _read_weights(file: Path) -> dict[str, float]:
    """Weights by URL; an error names the line."""
    found: dict[str, float] = {}
    for number, row in enumerate(csv.reader(common.read_text(file).splitlines()), 1):
        if not row or (number == 1 and row[:2] == ["url", "weight"]):
            continue
        try:
            url, text = row
            weight = found[url.strip()] = float(text)
        except ValueError:
            raise UsageError(f"{file}, line {number}: not URL,WEIGHT: {','.join(row)[:80]!r}") from None
        if not 0.0 <= weight < math.inf:
            raise UsageError(f"{file}, line {number}: a weight must be 0 or more, not {weight}")
    return found


@click.group()
def train() -> None:
    """Train models: on the archive's own history, or on labelled texts."""


@train.command()
@click.option("--learner", default="J48", help="J48 is a pruned tree; an unknown name lists the others.")
@click.option("--features", default="", help="Comma-separated; selected by cross-validation if not given.")
@click.option(
    "--groups", default="4", help="Groups of pages by change frequency, 2 to 6; 0 to choose from the data."
)
@seed_option
@common.executor_options
@quiet_option
@archive_options
def static(obj: str, /, learner: str, features: str, *, groups: str, seed: int, **options: Any) -> None:
    """Train the model that predicts how often a page changes from its first visit: models/static.json."""
    from fieldmouse.jobs.train import save, train_static
    from fieldmouse.refresh.static_classifier import FEATURES, LEARNERS

    chosen = [one.strip() for one in features.split(",") if one.strip()]
    if learner not in LEARNERS:
        raise UsageError(f"unknown learner {learner!r}; known are {', '.join(LEARNERS)}")
    if wrong := [one for one in chosen if one not in FEATURES]:
        raise UsageError(f"unknown feature {wrong[0]!r}; known are {', '.join(FEATURES)}")
    if groups not in ("0", "2", "3", "4", "5", "6"):
        raise UsageError(f"--groups must be 2 to 6, or 0 to choose from the data, not {groups}")
    line = common.StatusLine(quiet=options["quiet"])
    pool = common.opened_executor(obj, options["executor"], options["jobs"])
    with open_archive(obj) as archive, pool as executor:
        lesson = train_static(
            archive.reader, name=learner, features=chosen, groups=int(groups), seed=seed, tell=line.show,
            executor=executor,
        )  # fmt: skip
        file = save(lesson.learner, archive.folder)
    line.end()
    if options["as_json"]:
        names = ("groups", "features", "pages", "page_error", "site_error")
        figures = {name: common.plain(getattr(lesson, name)) for name in names}
        print_json({"file": str(file), **figures, "card": common.plain(lesson.learner.card())})
        return
    for reason in lesson.groups:
        echo(reason)
    print_pairs(
        [
            ("pages", str(lesson.pages)),
            ("features", ", ".join(lesson.features)),
            ("error", f"{lesson.page_error:.1%} on other pages, {lesson.site_error:.1%} on other sites"),
            ("written to", str(file)),
        ]
    )


@train.command("classes")
@click.option("--classes", "name", default="", help="List of classes; by default that of the last `label`.")
@seed_option
@common.executor_options
@archive_options
def train_classes_(
    obj: str, /, name: str, *, seed: int, jobs: int | None, executor: str, as_json: bool
) -> None:
    """Train the classifier of pages on the labels of `label` and your answers: models/classes.json.

    From then on a crawl classifies new pages; `classify --classes` does so with the pages that are stored.
    """
    from fieldmouse.jobs.train_classes import save_classifier, train_classes

    with open_archive(obj) as archive, common.opened_executor(obj, executor, jobs) as pool:
        trained = train_classes(archive.reader, name, seed=seed, executor=pool)
        file = save_classifier(trained, archive.folder)
    if as_json:
        figures = {"pages": trained.pages, "answered": trained.answered, "accuracy": trained.accuracy}
        print_json({"file": str(file), **figures, "card": common.plain(trained.learner.card())})
        return
    print_pairs(
        [
            ("pages", f"{trained.pages}, {trained.answered} of them answered by you"),
            ("agreement", f"{trained.accuracy:.1%} with the labels of hosts that were left out"),
            ("written to", str(file)),
        ]
    )


@click.command()
@click.argument("history", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--policy", "policies", multiple=True, type=click.Choice([*POLICIES, *READER_POLICIES]), metavar="NAME",
    help=f"Policy to replay: {', '.join(POLICIES)}; with --visits also {', '.join(READER_POLICIES)}. Can be "
    "given several times.",
)  # fmt: skip
@click.option(
    "--budget", "budgets", multiple=True, type=float,
    help="Share of the pages fetched a day; can be given several times.",
)  # fmt: skip
@click.option("--days", type=float, default=365.0, help="Days measured, up to the end of the history.")
@click.option("--warmup", type=float, default=365.0, help="Days replayed before those, not measured.")
@click.option(
    "--holdout", type=float, default=0.0, help="Share of the sites replayed; the others train the models."
)
@seed_option
@click.option("--changes", type=click.Choice(["content", "bytes"]), help="What counts as a change.")
@click.option("--weights", "table", type=EXISTING_FILE, help="CSV of site, page, weight.")
@click.option(
    "--visits",
    type=EXISTING_FILE,
    help="CSV of site, page, time, user: visits of readers, for veto and index.",
)
@click.option("--tables", is_flag=True, help="Print the paper's Tables 1, 3 and 5 for this history.")
@click.option("--plot", type=common.NEW_FILE, help="Write an HTML page with the curves.")
@common.json_option
def replay(history: Path, **options: Any) -> None:
    """Replay refresh policies over a recorded history.

    HISTORY is a history folder or an archive. A policy sees only what its own visits would have seen.
    Intervals are bootstrapped over sites.
    """
    import tempfile

    from fieldmouse.jobs.export import write_history
    from fieldmouse.refresh.barbosa2005_tables import tables
    from fieldmouse.refresh.change_history import load
    from fieldmouse.store import is_archive

    with tempfile.TemporaryDirectory() as scratch:
        folder, meaning = history, options["changes"] or ""
        if is_archive(history):
            folder = Path(scratch)
            with open_archive(str(history)) as archive:
                if not write_history(archive.reader, folder).count:
                    raise UsageError(f"{history} has no pages yet; crawl, and refresh for some days first")
        found = load(folder, meaning)
        if folder != history and found.end - found.start < 1.0:
            raise UsageError(f"{history} covers less than a day; refresh for some days first")
        if not options["tables"]:
            _replay(found, options)
        elif options["as_json"]:
            print_json(tables(found, options["seed"]).to_json())
        else:
            echo(tables(found, options["seed"]).text())


def _replay(history: "History", options: dict[str, Any]) -> None:
    from fieldmouse.refresh.change_history import read_weights
    from fieldmouse.refresh.replay import ReplaySetup, replay_budgets
    from fieldmouse.refresh.replay_plot import plot

    file, target = options["table"], options["plot"]
    weights = read_weights(file) if file else {}
    known = {(page.site, page.page) for page in history.pages}
    unknown = [key for key in weights if key not in known]
    if file and not weights:
        echo(f"{file} has no pages: every page has weight 1", err=True)
    elif unknown:
        example = " ".join(unknown[0])
        if len(unknown) == len(weights):
            raise UsageError(f"{file}: none of its pages is in the history, as {example}")
        echo(f"{file}: {len(unknown)} pages are not in the history, as {example}", err=True)
    if target and not target.absolute().parent.is_dir():
        raise UsageError(f"{target} cannot be written: its folder does not exist")
    policies = options["policies"] or ("default", "uniform", "paper", "nutch", "optimum")
    further: dict[str, Any] = {}
    if options["visits"]:
        from fieldmouse.behaviour.reader_policies import reader_policies
        from fieldmouse.behaviour.recorded_visits import read_visits

        further = reader_policies(read_visits(options["visits"]))
        policies = options["policies"] or ("default", *READER_POLICIES[:2])
    elif unseen := [name for name in policies if name in READER_POLICIES]:
        raise UsageError(f"the policy {unseen[0]} needs visits of readers: give --visits FILE")
    setup = ReplaySetup(
        weights=weights,
        further=further,
        **{name: options[name] for name in ("days", "warmup", "holdout", "seed")},
    )
    report = replay_budgets(history, policies, options["budgets"] or (0.03,), setup)
    if target:
        plot(report, target)
    if options["as_json"]:
        print_json(report.to_json())
        return
    echo(
        f"{'policy':16}{'budget':>7}{'fresh':>8}{'low':>8}{'high':>8}{'weighted':>10}"
        f"{'stale':>8}{'ratio':>7}{'changing':>10}{'age':>8}{'wasted':>8}"
    )
    for one, ratio in zip(report.scores, report.ratios(), strict=True):
        wasted = one.wasted / one.fetches if one.fetches else 0.0
        over = "" if ratio is None else f"{ratio:.2f}"
        echo(
            f"{one.policy:16}{one.budget:>7.3g}{one.freshness:>8.4f}{one.low:>8.4f}{one.high:>8.4f}"
            f"{one.weighted_freshness:>10.4f}{one.stale:>8.4f}{over:>7}{one.changing_stale:>10.4f}"
            f"{one.age_days:>7.2f}d{wasted:>8.1%}"
        )
    for note in report.notes:
        echo(note, err=True)
