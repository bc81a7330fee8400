"""What the bundled file holds."""

from fieldmouse.focus.wordnet import load


def test_synonyms_are_those_of_the_first_sense() -> None:
    wordnet = load()
    rows = (row.split(" ") for row in wordnet.related.splitlines())
    synonyms = {term: kin for term, *kin in rows}
    assert synonyms["car"] == ["auto", "automobil", "machin"]
    assert "motor" not in synonyms["car"]  # nor a wider word such as "motor vehicle"
    assert max(map(len, synonyms.values())) == 3
    assert wordnet.synonyms_of({"car"})["automobil"] == "car"


def test_common_words_tell_less() -> None:
    background = load().background
    assert background.total == 117659
    assert background.idf("person") < background.idf("market") < background.idf("dividend")


def test_the_licence_stands_in_the_file() -> None:
    from importlib.resources import files

    import zstandard

    packed = files("fieldmouse.focus").joinpath("wordnet.dat").read_bytes()
    text = zstandard.ZstdDecompressor().decompress(packed)
    assert b"Copyright 2006 by Princeton University" in text[:500]
    assert len(packed) < 400_000
