"""Scores of pages and comments by the models that ship, and by those of an archive."""

import subprocess
import sys
from pathlib import Path

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.learn.learner import make_learner
from fieldmouse.learn.ngram_linear import NgramLinear
from fieldmouse.spam.scores import (
    COMMENT,
    CONTENT,
    SpamScores,
    comment_score,
    content_score,
    from_percentile,
    open_model,
)

# Written for this test, in other words than the texts that the models learned from.
ADVERTISING = [
    "Hey everybody, could you come over and subscribe to our little channel? Thank you",
    "http://cheap-rolex-outlet.example.com/?id=12",
    "Get 5000 real followers for only $9, order at www.boostmyfame.example",
    "I earned 4000 dollars from home last month, click the link to see how",
]
REMARKS = [
    "The drums in the second half are far too loud for me",
    "I saw them live in Lisbon, it rained the whole evening and nobody left",
    "Does the recipe work with rye flour as well?",
    "haha the dog at the end",
    "Ich finde das Lied auch nach zehn Jahren noch schön",
]


def test_advertising_has_high_scores_and_remarks_have_low_ones() -> None:
    scores = SpamScores.open()
    assert [one for one in ADVERTISING if scores.score_comment(one) <= COMMENT.threshold] == []
    assert [one for one in REMARKS if scores.score_comment(one) > COMMENT.threshold] == []
    verdict = scores.judge_comment(ADVERTISING[0])
    assert verdict.score == scores.score_comment(ADVERTISING[0])
    assert "subscribe" in verdict.reasons[1]


def test_pages_are_scored_on_their_own_scale() -> None:
    scores = SpamScores.open()
    spam = "Buy cheap viagra online without prescription. Order now, free trial, best price for cialis. " * 5
    ham = "The library opens at nine. Children's books are on the second floor, and maps in the cellar. " * 5
    assert 99 >= scores.score_content(spam) > CONTENT.threshold
    assert 0 <= scores.score_content(ham) <= CONTENT.threshold
    assert scores.judge_content(spam).score == scores.score_content(spam)


def test_even_odds_are_at_the_thresholds_of_the_document() -> None:
    assert [comment_score(p) for p in (0.0, 0.5, 0.51, 1.0)] == [0, COMMENT.threshold, 67, 256]
    assert [content_score(p) for p in (0.0, 0.5, 0.53, 1.0)] == [0, CONTENT.threshold, 72, 99]


def test_a_waterloo_percentile_is_low_for_spam() -> None:
    assert from_percentile(69)
    assert not from_percentile(70)


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200b\ufeff", "!", "\ud800", "\0" * 50, "a" * 100_000, "&#x110000;"]
)
def test_any_text_has_a_score(text: str) -> None:
    scores = SpamScores.open()
    assert 0 <= scores.score_comment(text) <= 256
    assert 0 <= scores.score_content(text) <= 99
    assert scores.judge_content(text).reasons


def test_invisible_characters_and_other_alphabets_of_mathematics_hide_nothing() -> None:
    scores = SpamScores.open()
    plain = scores.score_comment("subscribe to my channel")
    assert scores.score_comment("sub\u200bscr\u00adibe to my chan\ufeffnel") == plain
    assert scores.score_comment("𝐬𝐮𝐛𝐬𝐜𝐫𝐢𝐛𝐞 to my ｃｈａｎｎｅｌ") == plain


def test_an_archive_may_have_models_of_its_own(tmp_path: Path) -> None:
    texts = ["green tea", "green apple", "red car", "red house"] * 5
    own = make_learner("linear words and characters", bits=12).fit(texts, [1, 1, 0, 0] * 5)
    assert isinstance(own, NgramLinear)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / COMMENT.model).write_bytes(own.to_file())
    scores = SpamScores.open(tmp_path)
    assert scores.score_comment("green") > COMMENT.threshold > scores.score_comment("red")
    assert scores.content.card() == open_model(CONTENT).card()


def test_a_damaged_model_is_reported(tmp_path: Path) -> None:
    data = (Path(__file__).parents[2] / "fieldmouse" / "spam" / COMMENT.model).read_bytes()
    file = tmp_path / "model"
    for bad in (
        b"",
        b"FM",
        b"x" * 200,
        data[:100],
        data[:-2],
        data[:-1] + b"x",
        data.replace(b'"format": 1', b'"format": 9'),
    ):
        file.write_bytes(bad)
        with pytest.raises(UsageError, match="is damaged or is not a model of texts"):
            NgramLinear.from_file(file)


def test_the_cards_say_what_the_models_are_not_for() -> None:
    for name in (COMMENT, CONTENT):
        card = open_model(name).card()
        assert card.examples > 1000
        assert "made-up texts" in card.training.data
        assert ("WEAK" in card.training.data) == (name == CONTENT)
        assert "decisions about people" in card.not_for


def test_scoring_needs_no_training_library() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['sklearn', 'scipy', 'vowpalwabbit']))\n"
        "from fieldmouse.spam.scores import SpamScores\n"
        "print(SpamScores.open().score_comment('please subscribe to my channel'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) > COMMENT.threshold
