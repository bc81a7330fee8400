"""Porter's own examples, stop words, and the words of addresses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.focus.words import Stems, counts, stem, surface, terms, url_words

# The examples of Porter's paper, step by step, taken through all steps.
PORTER = """
caresses caress  ponies poni  ties ti  caress caress  cats cat  feed feed  agreed agre  plastered plaster
bled bled  motoring motor  sing sing  conflated conflat  troubled troubl  sized size  hopping hop
tanned tan  falling fall  hissing hiss  fizzed fizz  failing fail  filing file  happy happi  sky sky
relational relat  conditional condit  rational ration  valenci valenc  hesitanci hesit  digitizer digit
conformabli conform  radicalli radic  differentli differ  vileli vile  analogousli analog
vietnamization vietnam  predication predic  operator oper  feudalism feudal  decisiveness decis
hopefulness hope  callousness callous  formaliti formal  sensitiviti sensit  sensibiliti sensibl
triplicate triplic  formative form  formalize formal  electriciti electr  electrical electr  hopeful hope
goodness good  revival reviv  allowance allow  inference infer  airliner airlin  gyroscopic gyroscop
adjustable adjust  defensible defens  irritant irrit  replacement replac  adjustment adjust  dependent depend
adoption adopt  homologou homolog  communism commun  activate activ  angulariti angular  homologous homolog
effective effect  bowdlerize bowdler  probate probat  rate rate  cease ceas  controll control  roll roll
generalizations gener  oscillators oscil
""".split()  # noqa: SIM905


@pytest.mark.parametrize(("word", "stemmed"), [*zip(PORTER[::2], PORTER[1::2], strict=True)])
def test_porters_examples(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize(
    ("word", "stemmed"), [("trekking", "trek"), ("revved", "rev"), ("specced", "spec"), ("soccer", "soccer")]
)
def test_doubled_consonants_become_single_as_in_porters_paper(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize("word", ["a", "is", "été", "naïvely", "can't", "", "x2s"])
def test_other_letters_and_short_words_stay(word: str) -> None:
    assert stem(word) == word


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="abcdefghilmnorstuyz", min_size=1, max_size=20))
def test_a_stem_is_never_longer_than_its_word_and_one_more(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word) + 1


def test_terms_leave_out_stop_words_numbers_and_possessives() -> None:
    text = "The stocks of 1929, and the Market\u2019s falling prices; it's a b"
    assert terms(text, Stems()) == ["stock", "market", "fall", "price"]


def test_counts_are_those_of_terms() -> None:
    stems, text = Stems(), "Markets market the marketing of a stock market"
    assert counts(text, stems) == {"market": 4, "stock": 1}


def test_other_languages_are_words_too() -> None:
    assert terms("Börsenkurse fallen in Zürich", Stems()) == ["börsenkurse", "fallen", "zürich"]
    assert terms("株式市場 рынок акций", Stems()) == ["株式市場", "рынок", "акций"]


def test_a_word_without_end_is_no_term() -> None:
    assert terms("a" * 5000, Stems()) == []


def test_the_word_shown_is_the_most_frequent() -> None:
    assert surface(["market markets markets"], Stems()) == {"market": "markets"}


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://money.cnn.com/data/markets", ["money", "cnn", "data", "markets"]),
        ("https://www.example.org/Stock_Market/index.html?newsId=7", ["example", "stock", "market", "news"]),
        ("http://example.com/%73tockPrices.php", ["example", "stock", "prices"]),
    ],
)
def test_words_of_an_address(url: str, found: list[str]) -> None:
    assert url_words(url) == found
