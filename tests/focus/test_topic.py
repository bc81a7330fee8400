"""The keyword table by its three recipes, its file, and topics that make no sense."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import UsageError
from fieldmouse.focus import topic as topics
from fieldmouse.focus.topic import Examples, Keyword, Topic, build, seed_idf, top, weigh
from fieldmouse.focus.wordnet import Background, load

from .topics import TABLE, stock_market

DOCS = [{"stock": 3, "market": 2}, {"stock": 1, "price": 2}, {"pizza": 4, "price": 1}]
PLAIN = Background(1000.0, {"stock": 5, "market": 5, "page": 900})


def weights_of(topic: Topic) -> dict[str, float]:
    return {one.stem: one.weight for one in topic.keywords}


def test_the_published_recipe_promotes_words_off_the_topic() -> None:
    weights = top(weigh(DOCS, seed_idf(DOCS)))
    expected = {"pizza": 1.0, "market": 0.5, "stock": 0.3691, "price": 0.2768}
    assert weights == pytest.approx(expected, abs=5e-5)
    assert list(weights) == list(expected)


def test_the_published_recipe_gives_nothing_to_a_word_of_every_seed() -> None:
    weights = weigh(DOCS[:2], seed_idf(DOCS[:2]))
    assert weights == pytest.approx({"stock": 0.0, "market": 1.3863, "price": 1.3863}, abs=5e-5)


def test_the_printed_weights_are_counts() -> None:
    assert all(abs(weight * 332 - round(weight * 332)) < 0.001 for weight in TABLE.values())


def test_the_norm_of_the_printed_table() -> None:
    topic = stock_market()
    assert topic.norm == pytest.approx(1.535, abs=0.005)
    assert weights_of(topic)["market"] / topic.norm == pytest.approx(0.508, abs=0.002)


def test_the_corrected_recipe_finds_the_topic() -> None:
    texts = ["page stock stock stock market market", "page stock price price"]
    topic = build("shares", Examples(texts, ["page pizza pizza"]), background=PLAIN, size=4)
    weights = weights_of(topic)
    assert max(weights, key=weights.__getitem__) in ("stock", "price")
    assert "page" not in weights
    assert "pizza" not in weights
    assert weights["share"] >= 0.4


def test_a_table_has_14_words_unless_told_otherwise() -> None:
    text = " ".join(f"word{chr(97 + n)}" for n in range(26))
    wordnet = load()
    assert len(build("x-rays", Examples([text]), background=wordnet.background).keywords) == 14
    assert len(build("x-rays", Examples([text]), background=wordnet.background, size=5).keywords) == 5


def test_words_alone_make_a_topic() -> None:
    topic = build("stock market", background=load().background)
    assert {one.stem for one in topic.keywords} == {"stock", "market"}
    assert max(one.weight for one in topic.keywords) == 1.0


@pytest.mark.parametrize("recipe", topics.RECIPES)
def test_every_recipe_is_normalised(recipe: str) -> None:
    topic = build(
        "trade",
        Examples(["stock market", "stock price trade"], ["pizza"]),
        background=PLAIN,
        recipe=recipe,
    )
    assert max(one.weight for one in topic.keywords) == 1.0


@pytest.mark.parametrize(
    ("name", "said"),
    [("", "empty"), ("   ", "empty"), ("the of and", "only stop words"), ("42 !", "no word")],
)
def test_a_topic_that_says_nothing_is_refused(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        build(name, background=PLAIN)


def test_an_unknown_recipe_is_refused() -> None:
    with pytest.raises(UsageError, match="there are corrected, published, counts"):
        build("a stock", Examples(["stock"]), background=PLAIN, recipe="magic")


def test_a_seed_on_both_sides_is_refused() -> None:
    with pytest.raises(UsageError, match=r"http://a\.test/ is both"):
        Topic(
            name="x",
            keywords=(Keyword("x", "x", 1.0),),
            relevant=("http://a.test/",),
            irrelevant=("http://a.test/",),
        )


def test_a_file_can_be_edited_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "topic.toml"
    topics.save(build("stock market", background=PLAIN, seeds=(["http://a.test/"], [])), file)
    text = file.read_text("utf-8").replace("[keywords]", '[keywords]\n"dividends" = 0.25')
    file.write_text(text, "utf-8")
    topic = topics.load(file)
    assert weights_of(topic)["dividend"] == 0.25
    assert topic.relevant == ("http://a.test/",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "not valid TOML"),
        ('name = "x"\ncolour = 1', "unknown key 'colour'"),
        ('name = "x"\n[keywords]', "no keywords"),
        ('name = "x"\n[keywords]\nthe = 1', "stop word"),
        ('name = "x"\n[keywords]\nstock = "much"', "must be a number"),
        ('name = "x"\n[keywords]\nstock = 0', "above 0"),
        ('name = "x"\n[keywords]\nstock = inf', "above 0"),
        ('name = "x"\n[keywords]\nstock = 1\nstocks = 1', "same stem"),
        ('name = 3\n[keywords]\nstock = 1', "name must be"),
        ('name = "x"\nrelevant = [1]\n[keywords]\nstock = 1', "list of addresses"),
    ],
)  # fmt: skip
def test_a_bad_file_is_told_why(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        topics.from_toml_text(text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        topics.load(tmp_path / "none.toml")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.text(min_size=1, max_size=30),
    st.dictionaries(st.sampled_from(["stock", "market", "price"]), st.floats(0.001, 9), min_size=1),
)
def test_files_bring_back_what_was_written(name: str, weights: dict[str, float]) -> None:
    rows = tuple(Keyword(word, word if word != "price" else "price", w) for word, w in weights.items())
    rows = tuple(one._replace(stem=topics.Stems()[one.word]) for one in rows)
    topic = Topic(name=name, keywords=rows, relevant=("http://é.test/\x7f\"'",))
    assert topics.from_toml_text(topics.to_toml_text(topic)) == topic


def test_idf_is_smooth() -> None:
    assert PLAIN.idf("stock") == pytest.approx(math.log(1 + 1000 / 5))
    assert PLAIN.idf("page") < PLAIN.idf("stock") < PLAIN.idf("never met")
    more = PLAIN.more([["never met"]])
    assert more.idf("never met") < PLAIN.idf("never met")


def test_lines_that_most_examples_share_give_no_keywords() -> None:
    pages = [
        f"frobozz zorkmid\n{own}"
        for own in ("the planet and its moon", "a moon of a planet", "planet, no moon")
    ]
    found = build("sky", Examples(pages), background=load().background)
    assert not {"frobozz", "zorkmid"} & {one.word for one in found.keywords}
    assert {"planet", "moon"} <= {one.word for one in found.keywords}
    same = build("sky", Examples(["frobozz zorkmid"] * 3), background=load().background)
    assert "frobozz" in {one.word for one in same.keywords}
