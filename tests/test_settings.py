"""Settings: where a value comes from, what is refused, and that what is written is read back the same."""

import math
import re
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import settings as given_settings
from hypothesis import strategies as st

from fieldmouse.errors import ConfigError
from fieldmouse.settings import FIELDS, SECTIONS, Settings, as_toml, load, variable, with_overrides

SLOW = given_settings(max_examples=100, deadline=None, derandomize=True)
ALL = [(section, name) for section, _, name in (full.partition(".") for full in FIELDS)]


def written(folder: Path, text: str) -> Path:
    file = folder / "fieldmouse.toml"
    file.write_text(text, "utf-8")
    return file


def refused(*, file: Path | None = None, environment: dict[str, str] | None = None, **overrides: Any) -> str:
    """What is said about settings that must not be accepted."""
    with pytest.raises(ConfigError) as caught:
        load(file, environment or {}, {name.replace("__", "."): value for name, value in overrides.items()})
    assert caught.value.exit_code == 4
    return str(caught.value)


def test_defaults_stand_alone() -> None:
    assert load(environment={}) == Settings()


def test_a_missing_file_means_defaults(tmp_path: Path) -> None:
    assert load(tmp_path / "nowhere.toml", {}) == Settings()


def test_the_file_changes_only_what_it_names(tmp_path: Path) -> None:
    file = written(tmp_path, "[manners]\ndelay = 3.5\n")
    expected = replace(Settings(), manners=replace(Settings().manners, delay=3.5))
    assert load(file, {}) == expected


def test_override_beats_environment_beats_file(tmp_path: Path) -> None:
    file = written(tmp_path, "[manners]\ndelay = 1\nparallel = 2\nretries = 7\n")
    environment = {"FIELDMOUSE_MANNERS_DELAY": "2", "FIELDMOUSE_MANNERS_PARALLEL": "3"}
    got = load(file, environment, {"manners.delay": 5}).manners
    assert (got.delay, got.parallel, got.retries) == (5.0, 3, 7)


def test_the_process_environment_is_the_default(tmp_path: Path) -> None:
    """In a process of its own, so that nothing here has to be patched."""
    import subprocess
    import sys

    code = "from fieldmouse.settings import load; print(load().manners.delay)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"FIELDMOUSE_MANNERS_DELAY": "4.25", "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "4.25"


def test_a_byte_order_mark_is_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "fieldmouse.toml"
    file.write_bytes(b"\xef\xbb\xbf[manners]\r\ndelay = 2\r\n")
    assert load(file, {}).manners.delay == 2.0


def test_settings_cannot_be_changed_in_place() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().manners.delay = 0  # type: ignore[misc]


@pytest.mark.parametrize(("section", "name"), ALL)
def test_every_setting_is_declared_in_full(section: str, name: str) -> None:
    """Each has help that ends a sentence, and a default that its own checks accept."""
    one = {field.name: field for field in fields(SECTIONS[section])}[name]
    assert one.metadata["help"].endswith(".")
    default = getattr(getattr(Settings(), section), name)
    assert with_overrides(Settings(), {f"{section}.{name}": default}) == Settings()


def test_every_section_says_what_it_is_for() -> None:
    assert [kind for kind in SECTIONS.values() if not kind.__doc__] == []


def test_every_setting_has_its_own_variable() -> None:
    variables = [variable(section, name) for section, name in ALL]
    assert len(set(variables)) == len(variables)
    assert variable("manners", "ip_delay") == "FIELDMOUSE_MANNERS_IP_DELAY"


# --- the environment -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "value"), [("true", True), ("YES", True), (" 1 ", True), ("No", False)])
def test_booleans_in_the_environment(text: str, value: bool) -> None:
    assert load(environment={"FIELDMOUSE_WEB_IPV6": text}).web.ipv6 is value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", ()),
        ("[]", ()),
        ("a.example", ("a.example",)),
        (" a.example , b.example,", ("a.example", "b.example")),
        ('["x{1,2}", "y"]', ("x{1,2}", "y")),
        ("[0-9]+,[a]", ("[0-9]+", "[a]")),
        ("[0]", ("[0]",)),
    ],
)
def test_lists_in_the_environment(text: str, value: tuple[str, ...]) -> None:
    assert load(environment={"FIELDMOUSE_SCOPE_DENY_URLS": text}).scope.deny_urls == value


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("FIELDMOUSE_WEB_IPV6", "maybe", "true or false"),
        ("FIELDMOUSE_MANNERS_PARALLEL", "1.5", "a whole number"),
        ("FIELDMOUSE_MANNERS_DELAY", "soon", "a number"),
        ("FIELDMOUSE_MANNERS_DELAY", "nan", "a number"),
        ("FIELDMOUSE_MANNERS_DELAY", "inf", "a number"),
        ("FIELDMOUSE_MANNERS_DELAY", "-1", "at least 0"),
        ("FIELDMOUSE_FRONTIER_ESTIMATOR", "guess", "bloom, in-degree"),
    ],
)
def test_wrong_values_in_the_environment_name_their_variable(key: str, text: str, said: str) -> None:
    message = refused(environment={key: text})
    assert key in message
    assert said in message


@pytest.mark.parametrize("key", ["FIELDMOUSE_MANNERS_DELLAY", "FIELDMOUSE_MANNER_DELAY"])
def test_misspelt_variables_are_refused_with_the_nearest(key: str) -> None:
    assert "did you mean FIELDMOUSE_MANNERS_DELAY?" in refused(environment={key: "1"})


@pytest.mark.parametrize("key", ["FIELDMOUSE_HOME", "FIELDMOUSE_COLOUR", "MANNERS_DELAY", "PATH"])
def test_variables_of_others_are_left_alone(key: str) -> None:
    assert load(environment={key: "1"}) == Settings()


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[manner]\ndelay = 1", "there is no section [manner]; did you mean manners?"),
        ("[manners]\ndely = 1", "there is no setting manners.dely; did you mean manners.delay?"),
        ("[web]\ndelay = 1", "there is no setting web.delay"),
        ("delay = 1", "setting delay is outside a section; did you mean manners.delay?"),
        ("manners = 1", "[manners] must be a table"),
        ("[manners]\ndelay = '1'", "manners.delay must be a number, not '1'"),
        ("[manners]\ndelay = true", "manners.delay must be a number, not True"),
        ("[manners]\ndelay = nan", "manners.delay must be a number, not nan"),
        ("[manners]\ndelay = 1" + "0" * 400, "manners.delay must be a number"),
        ("[manners]\nparallel = 1.0", "manners.parallel must be a whole number"),
        ("[manners]\nparallel = 0", "manners.parallel must be at least 1, not 0"),
        ("[manners]\nobey_robots = 1", "manners.obey_robots must be true or false"),
        ("[crawl]\ncontact = 1", "crawl.contact must be a string"),
        ("[scope]\ndeny = 'a.example'", "scope.deny must be a list of strings"),
        ("[scope]\ndeny = [1]", "scope.deny must be a list of strings"),
        ("[scope]\ndeny_urls = ['(']", "'(' is not a regular expression"),
        ("[scope]\ndeny_urls = ['a{99999999999}']", "is not a regular expression"),
        ("[frontier]\nsketch_error = 0.9", "frontier.sketch_error must be at most 0.5"),
        ("[frontier]\nestimator = 'x'", "must be one of bloom, in-degree"),
        ("[manners\ndelay = 1", "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_and_named(tmp_path: Path, text: str, said: str) -> None:
    file = written(tmp_path, text)
    message = refused(file=file)
    assert said in message
    assert str(file) in message


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "fieldmouse.toml"
    file.write_bytes(b"[manners]\n# \xff\xfe\n")
    assert "is not UTF-8 text" in refused(file=file)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "cannot be read" in refused(file=tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("manners.dealy", "did you mean manners.delay?"),
        ("delay", "did you mean manners.delay?"),
        ("manners", "there is no setting manners"),
        ("", "there is no setting"),
        (".delay", "there is no section []"),
        ("polite.delay", "there is no section [polite]"),
    ],
)
def test_overrides_with_unknown_names(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        with_overrides(Settings(), {name: 1})


def test_whole_numbers_serve_as_numbers_and_become_them() -> None:
    delay = with_overrides(Settings(), {"manners.delay": 2}).manners.delay
    assert (delay, type(delay)) == (2.0, float)


def test_overrides_of_several_sections_meet() -> None:
    got = with_overrides(Settings(), {"manners.delay": 0, "web.ipv6": False, "manners.retries": 1})
    assert (got.manners.delay, got.manners.retries, got.web.ipv6) == (0.0, 1, False)


# --- the file that `init` writes ------------------------------------------------------------------------


def test_the_default_file_is_all_comments(tmp_path: Path) -> None:
    text = as_toml()
    assert load(written(tmp_path, text), {}) == Settings()
    live = [line for line in text.splitlines() if line and not line.startswith(("#", "["))]
    assert live == []


@pytest.mark.parametrize(("section", "name"), ALL)
def test_the_default_file_shows_every_setting(section: str, name: str) -> None:
    table = as_toml().split(f"\n[{section}]\n")[1].split("\n[")[0]
    assert re.search(rf"^# {name} = ", table, re.MULTILINE)


def test_taking_away_the_marks_changes_nothing(tmp_path: Path) -> None:
    """The shown defaults are valid lines, not only comments that look like them."""
    text = re.sub(r"^# (\w+ = )", r"\1", as_toml(), flags=re.MULTILINE)
    assert text.count("\n# ") < as_toml().count("\n# ")
    assert load(written(tmp_path, text), {}) == Settings()


def values(section: str, name: str) -> st.SearchStrategy[Any]:
    """Everything a setting may hold."""
    limits = {one.name: one for one in fields(SECTIONS[section])}[name].metadata
    kind = get_type_hints(SECTIONS[section])[name]
    low = None if limits["low"] == -math.inf else limits["low"]
    high = None if limits["high"] == math.inf else limits["high"]
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    if limits["choices"]:
        return st.sampled_from(limits["choices"])
    if limits["regex"]:
        return st.lists(text.map(re.escape), max_size=3).map(tuple)
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(low if low is None else math.ceil(low), high if high is None else int(high))
    if kind is float:
        return st.floats(low, high, allow_nan=False, allow_infinity=False)
    return text if kind is str else st.lists(text, max_size=3).map(tuple)


any_settings = st.fixed_dictionaries(
    {}, optional={f"{section}.{name}": values(section, name) for section, name in ALL}
).map(lambda overrides: with_overrides(Settings(), overrides))


@SLOW
@given(any_settings)
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, wanted: Settings) -> None:
    file = tmp_path_factory.mktemp("settings") / "fieldmouse.toml"
    file.write_bytes(as_toml(wanted).encode())
    assert load(file, {}) == wanted


@SLOW
@given(st.sampled_from(ALL).flatmap(lambda full: st.tuples(st.just(full), values(*full))))
def test_numbers_and_switches_pass_through_the_environment(case: tuple[tuple[str, str], Any]) -> None:
    (section, name), value = case
    if not isinstance(value, tuple):
        got = load(environment={variable(section, name): str(value)})
        assert getattr(getattr(got, section), name) == value


@SLOW
@given(st.sampled_from(ALL), st.text(max_size=10))
def test_any_text_is_taken_or_refused_in_words(full: tuple[str, str], text: str) -> None:
    """Nothing but a ConfigError ever comes out of a bad value."""
    said = ""
    try:
        got = load(environment={variable(*full): text})
    except ConfigError as error:
        said, got = str(error), Settings()
    assert not said or variable(*full) in said
    value = getattr(getattr(got, full[0]), full[1])
    assert load(environment={}, overrides={".".join(full): value}) == got
