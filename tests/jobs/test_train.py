"""The static classifier learns from the archive's visits: long pages change daily here, short ones never."""

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from fieldmouse.cli import cli
from fieldmouse.errors import ConfigError, UsageError
from fieldmouse.jobs.train import host_ranks, load, save, static_prediction, train_static
from fieldmouse.refresh.planner import FIRST_PRIOR
from fieldmouse.refresh.rate_groups import Grouping
from fieldmouse.refresh.static_classifier import LEARNERS, make_classifier, page_rank
from fieldmouse.store import open_reader
from fieldmouse.types import Features
from fieldmouse.units import DAY
from tests.jobs.watched_pages import watched_archive
from tests.store.answers import BEGAN
from tests.store.stores import make


@pytest.fixture
def archive(tmp_path):
    watched_archive(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_tells_long_pages_from_short_ones(archive, name):
    with open_reader(archive) as reader:
        lesson = train_static(reader, name=name, features=("text_bytes", "links"), groups=2)
    assert lesson.pages == 60
    assert lesson.page_error <= 0.1
    assert lesson.site_error <= 0.1


def test_the_features_are_chosen_and_the_model_is_used_at_first_sight(archive):
    with open_reader(archive) as reader:
        lesson = train_static(reader, groups=2)
    assert "text_bytes" in lesson.features
    assert lesson.groups[-1] in ("chosen: 2 groups", "requested and used: 2 groups")
    assert (
        lesson.learner.card().training.date == datetime.fromtimestamp(BEGAN + 7 * DAY, UTC).date().isoformat()
    )
    save(lesson.learner, archive)
    judge = static_prediction(load(archive))
    looks = Features(
        links=0, emails=0, images=0, text_bytes=1800, has_last_modified=False, depth=0, directory_level=0
    )
    small = Features(**{**as_dict(looks), "text_bytes": 60})
    fast, steady = judge("h1.test", looks)[1], judge("h1.test", small)[1]
    assert fast.shape / fast.days > 3 * steady.shape / steady.days


def test_the_card_is_printed_and_impossible_groups_are_told(archive):
    words = ["-C", str(archive), "train", "static", "--features", "links,text_bytes"]
    told = json.loads(CliRunner().invoke(cli, [*words, "--groups", "2", "--json"]).stdout)
    assert told["card"]["settings"]["schema"]["features"] == ["links", "text_bytes"]
    assert told["card"]["training"]["figures"]["error_on_other_sites"] == told["site_error"]
    for wrong in ("9", "-1", "1", "many"):
        done = CliRunner().invoke(cli, [*words, "--groups", wrong])
        assert isinstance(done.exception, UsageError)
        assert "--groups must be 2 to 6" in str(done.exception)


def test_what_other_hosts_say_counts_at_first_sight_too():
    """A model that was taught by ranks is asked with ranks, and the links are read for nobody else."""
    looks = Features(
        links=0, emails=0, images=0, text_bytes=9, has_last_modified=False, depth=0, directory_level=0
    )
    edges = [("a", "famous", 3), ("b", "famous", 1), ("famous", "a", 1)]
    rows = [(0.6, 4.0), (0.5, 4.0), (0.1, 0.0), (0.0, 0.0)] * 5
    groups = Grouping((1.0, 90.0), (1, 1), 0.0)
    model = make_classifier("J48", ("host_rank", "in_links"), groups).fit(rows, [0, 0, 1, 1] * 5)
    judge = static_prediction(model, lambda: host_ranks(edges))
    assert host_ranks(edges)["famous"][0] == 4
    assert [judge(host, looks)[0] for host in ("famous", "b", "never heard of")] == [0, 1, 1]
    plain = make_classifier("J48", ("links",), groups).fit([(1.0,), (2.0,)], [0, 1])
    static_prediction(plain, lambda: pytest.fail("nobody asked"))("famous", looks)


def as_dict(features: Features) -> dict[str, int | bool]:
    return {name: getattr(features, name) for name in Features.__slots__}


def test_too_little_to_learn_from_says_what_to_do(tmp_path):
    make(tmp_path)
    with open_reader(tmp_path) as reader, pytest.raises(UsageError, match="for some days first"):
        train_static(reader)


def test_the_model_that_ships_has_a_card_and_an_opinion(tmp_path):
    model = load(tmp_path)
    assert "Apache-2.0" in model.card().training.data
    assert model.card().training.figures["error_on_other_pages"] > 0
    looks = Features(
        links=3, emails=0, images=1, text_bytes=900, has_last_modified=True, depth=1, directory_level=1
    )
    group, prior = static_prediction(model)("h1.test", looks)
    assert 0 <= group < len(model.schema.values)
    assert 1 / 120 < prior.shape / prior.days < 1
    assert prior != FIRST_PRIOR


def test_a_damaged_model_says_so(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "static.json").write_text("{")
    with pytest.raises(ConfigError, match=r"static.json: the saved model is damaged.*run `train static`"):
        load(tmp_path)


def test_ranks_of_hosts():
    ranks = page_rank([("a", "b"), ("c", "b"), ("b", "a")])
    assert ranks["b"] > ranks["a"] > ranks["c"]
    assert sum(ranks.values()) == pytest.approx(1.0)
    assert page_rank([]) == {}
