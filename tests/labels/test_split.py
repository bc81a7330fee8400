"""Names into words: the model, its reference in Python, and the published rule."""

import random

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.labels import split, split_python
from fieldmouse.labels.split import DictionarySplitter, NameSplitter, name_parts, read_dictionary

WORDS = frozenset(
    {"an", "acid", "anacid", "car", "cars", "sale", "sales", "ale", "speed", "speedo", "of", "art", "fart"}
    | {"expert", "experts", "exchange", "sex", "change"}
)

# Published examples and others, read by the shipped model. The last three are known to be wrong.
READ = {
    "expertsexchange": "experts exchange",
    "carsales": "car sales",
    "speedofart": "speed of art",
    "therapistfinder": "therapist finder",
    "penisland": "pen island",
    "newyorkpizza": "new york pizza",
    "abcplumbing": "a b c plumbing",
    "bestlawfirm": "best law firm",
    "greenkitchenrecipes": "green kitchen recipes",
    "djmike": "d j mike",
    "whorepresents": "whore presents",
    "myithelpdesk": "my it help desk",
    "nightclubevents": "night club events",
}


@pytest.fixture(scope="module")
def splitter() -> NameSplitter:
    return NameSplitter()


@pytest.mark.parametrize(("name", "words"), READ.items())
def test_the_model_reads_known_names(splitter: NameSplitter, name: str, words: str) -> None:
    found = splitter.split(name)
    assert " ".join(found.words) == words
    assert 0 < found.probability <= 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("anacid", "anacid"),
        ("carsales", "car sales"),  # goes back from `cars ales`
        ("expertsexchange", "experts exchange"),
        ("carsale", "cars ale"),  # by the rule, although it means another thing
        ("speedofart", "speedo fart"),
        ("carxyz", ""),
    ],
)
def test_the_published_rule_takes_the_longest_word_first_and_goes_back(name: str, words: str) -> None:
    assert " ".join(DictionarySplitter(WORDS).split(name).words) == words


def test_the_published_rule_is_linear_where_every_place_fails() -> None:
    rule = DictionarySplitter(["aa", "aaa", "aaaa"])
    assert rule.cover("a" * 3000 + "b") == ()
    assert len(rule.cover("a" * 3001)) > 0


def test_the_published_rule_takes_no_single_letters_but_a_and_i() -> None:
    assert not DictionarySplitter("abcdefghijklmnopqrstuvwxyz").split("xyz").words
    assert DictionarySplitter("abcdefghijklmnopqrstuvwxyz").split("ia").words == ("i", "a")


@pytest.mark.parametrize(
    ("name", "parts", "readable"),
    [
        ("https://www.shop4you.co.uk:8080/path?q#f", ("shop", "4", "you"), True),
        ("www.müller-möbel.de", ("muller", "mobel"), True),
        ("xn--mller-kva.de", ("muller",), True),
        ("xn--e1afmkfd.xn--p1ai", ("пример",), False),
        ("日本-24.jp", ("日本", "24"), False),
        ("192.168.1.1", (), True),
        ("[::1]", (), True),
        ("", (), True),
        ("...", (), True),
        ("xn--99999999999.com", (), False),
    ],
)
def test_a_name_is_what_stands_before_the_public_suffix(
    name: str, parts: tuple[str, ...], readable: bool
) -> None:
    found = name_parts(name)
    assert found.parts == parts
    assert found.readable is readable


@pytest.mark.parametrize("name", ["", "日本.jp", "...", "10.0.0.1", "q" * 300, "-", "é́"])
def test_a_name_that_cannot_be_read_is_returned_whole_with_probability_0(
    splitter: NameSplitter, name: str
) -> None:
    assert splitter.split(name).probability == 0
    assert DictionarySplitter.shipped().split(name).probability == 0


def test_names_in_other_scripts_are_covered_by_given_words_and_keywords() -> None:
    words = read_dictionary("авто\nмашина\nαθήνα\n")
    for rule in (NameSplitter(words), DictionarySplitter(words)):
        assert rule.split("автомашина24.рф").words == ("авто", "машина", "24")
        assert rule.split("www.αθήνα.gr").words == ("αθήνα",)
        assert rule.split("автомобиль.рф").probability == 0
    assert NameSplitter(words).split("автомашина.рф").probability == split.COVERED
    more = NameSplitter(words).knowing(["日本", "旅行", "car"])
    assert more.split("日本旅行.jp").words == ("日本", "旅行")
    assert more.split("авто-машина.рф").words == ("авто", "машина")
    assert more.split("carsales").words == ("car", "sales")


def test_digits_are_words(splitter: NameSplitter) -> None:
    assert splitter.split("24hourfitness.com").words == ("24", "hour", "fitness")


def test_the_extension_in_c_and_the_reference_in_python_agree(splitter: NameSplitter) -> None:
    quick = pytest.importorskip("fieldmouse.labels._split")
    assert split.ENGINE is quick
    slow = NameSplitter(engine=split_python)
    rng = random.Random(5)
    names = [*list(READ)[:5], "a", "sss", "zq"]
    names += ["".join(rng.choice("aeinorstlbcq") for _ in range(rng.randint(1, 14))) for _ in range(12)]
    for name in names:
        ends, p = quick.split(splitter._model, name.encode())
        again, q = split_python.split(slow._model, name.encode())
        assert ends == again
        assert p == pytest.approx(q, abs=1e-9)


@pytest.mark.parametrize("engine", ["fieldmouse.labels._split", "fieldmouse.labels.split_python"])
def test_the_engines_refuse_what_is_no_name(engine: str) -> None:
    module = pytest.importorskip(engine)
    model = module.load(b"\x01(  car", bytes(2 * 28**3), b"", b"")
    for bad in (b"", b"A", b"a1", b"a" * 61, "é".encode()):
        with pytest.raises(ValueError, match="1 to 60 letters"):
            module.split(model, bad)


def test_a_damaged_model_is_refused() -> None:
    quick = pytest.importorskip("fieldmouse.labels._split")
    for words in (b"\x01(", b"\xffabc", b" " + b"a" * 100):
        with pytest.raises(ValueError, match="damaged"):
            quick.load(words, bytes(2 * 28**3), b"", b"")
    with pytest.raises(ValueError, match="size"):
        quick.load(b"", b"", b"", b"")


def test_a_dictionary_of_another_language_can_be_given() -> None:
    words = read_dictionary("# Basque\netxe,900\nmendi,800\nberria,700\n")
    assert NameSplitter(words).split("etxeberria.eus").words == ("etxe", "berria")
    assert read_dictionary("Müller\nstraße\n日本\n").keys() == {"muller", "strasse", "日本"}


@pytest.mark.parametrize(("text", "why"), [("", "no word"), ("24\n", "no word"), ("a,b\n", "line 1")])
def test_a_bad_dictionary_is_an_error_that_says_why(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_dictionary(text)
