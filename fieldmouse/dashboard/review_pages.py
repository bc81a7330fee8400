"""What a person should decide: labels of pages, and pages close to the line of a topic."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from fieldmouse.errors import UsageError
from fieldmouse.report.wording import percent
from fieldmouse.store.inbox_contract import Role

from . import charts
from .actions import notices
from .charts import Axes, Point, Tick
from .site import html_page

if TYPE_CHECKING:
    from starlette.responses import Response

    from fieldmouse.focus.topic import Topic
    from fieldmouse.store.records import Harvest

    from .context import PageRequest

# Pages that are asked about at a time, keywords of a topic, points of a curve.
ASKED, KEYWORDS, POINTS = 20, 12, 120


class LabelQuestion(NamedTuple):
    """A page whose label a person should confirm."""

    url: str
    title: str
    host: str
    best: str
    probability: float
    labelled: bool  # sure enough for a label
    evidence: list[str]


class ClassCount(NamedTuple):
    """Pages of a class by the trained classifier."""

    name: str
    pages: int


def show_labels(request: "PageRequest") -> "Response":
    """GET /labels: pages whose class is least certain, with the evidence; a person answers."""
    from fieldmouse.jobs.label_archive import archive_classes

    reader, name = request.reader, request.query.get("classes", "")
    notice, undo = notices(request)
    try:
        classes = archive_classes(reader, name)
    except UsageError as error:
        return html_page(
            request, "message.html", "labels", title="Labels", message="No labels to review",
            more=f"{str(error).capitalize()}, for example `fieldmouse label --classes business`.",
        )  # fmt: skip
    questions = []
    for row in reader.labels.uncertain(classes.name, ASKED):
        page = reader.dashboard.page(row.url)
        if page is None or (page.private and Role.ADMINISTER not in request.may):
            continue
        evidence = [line for line in row.evidence.splitlines() if not line.startswith("not sure enough")]
        questions.append(
            LabelQuestion(
                row.url, page.title or row.url, page.host, row.name, row.probability, row.chosen, evidence
            )
        )
    counts = [ClassCount(*one) for one in reader.labels.class_counts(classes.name) if one[0]]
    return html_page(
        request, "labels.html", "labels", title="Labels", questions=questions, names=classes.names,
        classes=classes.name, lists=[one for one, _ in reader.labels.lists()], counts=counts,
        answered=len(reader.labels.answers(classes.name)), notice=notice, undo=undo,
    )  # fmt: skip


# --- topics ----------------------------------------------------------------------------------------------


class TopicQuestion(NamedTuple):
    """A page close to the line."""

    url: str
    title: str
    host: str
    score: float
    reasons: str


class TopicView(NamedTuple):
    """A topic as it is shown."""

    name: str
    chosen: bool  # crawls look for it
    keywords: list[str]
    examples: str
    harvests: "list[Harvest]"
    curve: Markup | None
    questions: list[TopicQuestion]


def show_topics(request: "PageRequest") -> "Response":
    """GET /topics: what pages were judged for, how the harvest went, and pages close to the line."""
    reader, chosen = request.reader, request.context.settings.focus.topic
    known = _topic_files(request)
    names = list(dict.fromkeys([*known, *reader.dashboard.topics()]))
    harvests = reader.harvests()
    notice, undo = notices(request)
    views = [
        _topic_view(request, name, known.get(name), [one for one in harvests if one.topic == name], chosen)
        for name in names
    ]
    wanted = next((one.name for one in views if one.chosen), "")
    return html_page(
        request, "topics.html", "topics", title="Topics", topics=views, wanted=wanted,
        snapshot=reader.dashboard.snapshot(), notice=notice, undo=undo,
    )  # fmt: skip


def _topic_files(request: "PageRequest") -> "dict[str, Topic]":
    from fieldmouse.crawl.guide_setup import FOLDER
    from fieldmouse.focus.topic import load

    found: dict[str, Topic] = {}
    for file in sorted((request.context.folder / FOLDER).glob("*.toml")):
        try:
            one = load(file)
        except UsageError:
            continue  # `topic list` says what is wrong with it
        found[one.name] = one
    return found


def _topic_view(
    request: "PageRequest", name: str, topic: "Topic | None", harvests: "list[Harvest]", chosen: str
) -> TopicView:
    from fieldmouse.report.evidence_words import page_evidence

    answered = {*topic.relevant, *topic.irrelevant} if topic else set()
    pages = request.reader.dashboard.undecided(name, ASKED + len(answered)) if topic else []
    asked = [
        one
        for one in pages
        if one.url not in answered and (not one.private or Role.ADMINISTER in request.may)
    ]
    questions = []
    for one in asked[: ASKED // 2]:
        words = page_evidence(request.reader, request.reader.page(one.url), one.reasons)
        questions.append(TopicQuestion(one.url, one.title or one.url, one.host, one.score, words))
    examples = f"{len(topic.relevant)} pages on it, {len(topic.irrelevant)} off it" if topic else ""
    return TopicView(
        name, name == chosen, [one.word for one in topic.keywords[:KEYWORDS]] if topic else [], examples,
        harvests, harvest_curve(harvests), questions,
    )  # fmt: skip


def harvest_curve(harvests: "Sequence[Harvest]") -> Markup | None:
    """Pages on the topic by pages judged, of the learner that judged most; None with too few points."""
    longest = max(harvests, key=lambda one: one.pages, default=None)
    if longest is None or len(longest.curve) < 3:
        return None
    points = longest.curve[:: max(1, len(longest.curve) // POINTS)]
    if points[-1] != longest.curve[-1]:
        points = (*points, longest.curve[-1])
    most = max(longest.relevant, 1)
    line = [Point(0.0, 0.0), *(Point(pages / longest.pages, found / most) for pages, found in points)]
    label = f"{longest.relevant:,} pages on topic of {longest.pages:,} judged, {percent(longest.rate)}"
    x = [Tick(0.0, "0"), Tick(0.5, f"{longest.pages // 2:,} judged"), Tick(1.0, f"{longest.pages:,}")]
    y = [Tick(0.0, "0"), Tick(0.5, f"{most / 2:,.0f}"), Tick(1.0, f"{most:,}")]
    return charts.curve(line, [], [], goal=None, axes=Axes(x, y, label), height=120)
