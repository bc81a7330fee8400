"""The learners of texts: hashing, the published vectors of the byte filter, soft labels, measures."""

import math

import numpy as np
import pytest

from fieldmouse.learn.byte_filter import ByteFilter, byte_grams
from fieldmouse.learn.learner import make_learner
from fieldmouse.learn.ngram_linear import NgramLinear
from fieldmouse.learn.ranking_metrics import measure
from fieldmouse.learn.text_hashing import LONG, hashed, word_grams


def test_the_byte_filter_computes_the_published_vectors() -> None:
    assert sorted(byte_grams("abcdef").tolist()) == [388915, 547283, 705651]
    model = ByteFilter()
    model.learn("abcdef", 1.0)
    assert model.log_odds("abcdef") == pytest.approx(0.003)
    assert model.log_odds("abcdabcd") == pytest.approx(0.001)  # a repeated 4-gram counts once
    model.learn("cdefgh", 0.0)
    assert model.log_odds("abcdef") == pytest.approx(0.0019995, abs=1e-7)
    assert model.log_odds("cdefgh") == pytest.approx(-0.0020015, abs=1e-7)


def test_texts_are_counted_the_same_in_a_table_and_sorted() -> None:
    text = "one two three four " * 400
    long = hashed(text, words=2, chars=(2, 5), bits=17, limit=10_000)
    short = hashed("one two three four one two", words=2, chars=(2, 5), bits=17, limit=10_000)
    assert long.counts.sum() > LONG > short.counts.sum()
    places = dict(word_grams("one two", 2, 17, 100))
    for one in (long, short):
        counts = dict(zip(one.places[: one.words].tolist(), one.counts[: one.words].tolist(), strict=True))
        assert counts[places["one two"]] == text.count("one two") if one is long else 2
        assert len(set(one.places[: one.words].tolist())) == one.words
    assert short.counts[: short.words].sum() == 6 + 5


def test_a_text_without_words_has_no_places() -> None:
    assert len(hashed("", words=2, chars=(0, 0), bits=10, limit=10).places) == 0
    assert len(hashed(" \u200b ", words=4, chars=(2, 5), bits=10, limit=10).places) <= 1


def test_scores_are_those_of_the_library_that_trained_the_model() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    text = pytest.importorskip("sklearn.feature_extraction.text")
    texts = ["free money now", "free gift now", "the ferry is late", "late rain again", "money money", "rain"]
    labels = [1, 1, 0, 0, 1, 0]
    ours = make_learner("linear words", words=1, bits=18).fit(texts, labels)
    rows = text.TfidfVectorizer(sublinear_tf=True, token_pattern=r"\w+")
    model = linear_model.LogisticRegression(C=10.0).fit(rows.fit_transform(texts), labels)
    expected = model.predict_proba(rows.transform(texts))[:, 1]
    assert [ours.score(one) for one in texts] == pytest.approx(list(expected), abs=2e-3)


def test_a_label_between_is_learned_as_a_share() -> None:
    model = make_learner("linear words", words=1, bits=12, strength=100.0)
    model.fit(["sure"] * 10 + ["maybe"] * 10 + ["never"] * 10, [1.0] * 10 + [0.5] * 10 + [0.0] * 10)
    assert model.score("sure") > 0.8 > model.score("maybe") > 0.2 > model.score("never")


def test_an_adapted_model_knows_what_its_base_knows() -> None:
    base = make_learner("linear words and characters", bits=14)
    base.fit(["buy pills", "cheap pills", "good bread", "warm bread"] * 5, [1, 1, 0, 0] * 5)
    own = make_learner("linear words and characters", bits=14)
    assert isinstance(base, NgramLinear)
    assert isinstance(own, NgramLinear)
    own.adapt(base, ["join my party", "pills for you", "party is over", "bread is out"] * 3, [1, 1, 0, 0] * 3)
    assert own.score("cheap pills") > 0.5 > own.score("warm bread")
    assert own.score("join") > 0.5
    with pytest.raises(ValueError, match="same settings"):
        own.adapt(NgramLinear(bits=14), ["a"], [1])


def test_one_class_alone_can_be_learned() -> None:
    assert make_learner("linear words", bits=10).fit(["a b", "c"], [1, 1]).score("a") > 0.9
    assert make_learner("linear words", bits=10).fit(["a b", "c"], [0, 0]).score("a") < 0.1


def test_the_measures_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    labels = (rng.random(300) < 0.3).astype(float)
    scores = np.round(np.clip(labels * 0.3 + rng.random(300) * 0.7, 0, 1), 1)  # with many ties
    found = measure(scores.tolist(), labels.tolist())
    assert found.auc == pytest.approx(metrics.roc_auc_score(labels, scores))
    assert found.pr_auc == pytest.approx(metrics.average_precision_score(labels, scores))
    assert found.accuracy == pytest.approx(((scores > 0.5) == labels).mean())
    assert found.rmse == pytest.approx(math.sqrt(((scores - labels) ** 2).mean()))
    assert math.isnan(measure([0.1, 0.9], [1, 1]).auc)
