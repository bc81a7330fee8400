"""Evidence of a judge in the words of the page."""

from fieldmouse.report.evidence_words import whole_words


def test_stems_are_the_words_of_the_page() -> None:
    text = "The insolvency of a bank. Insolvency courts; insolvent banks, banks and companies."
    said = whole_words("insolv +1.20; bank +0.80; compani -0.10", url="http://a.test/", title="", text=text)
    assert said == "insolvency +1.20; banks +0.80; companies -0.10"


def test_words_of_the_title_and_of_the_address_are_known_and_others_stay() -> None:
    reasons = "only 7 different words; bankruptci +0.50; filing +0.25; insolv +0.10"
    said = whole_words(reasons, url="http://a.test/bankruptcies", title="Filing", text=None)
    assert said == "only 7 different words; bankruptcies +0.50; filing +0.25; insolv +0.10"
    assert whole_words("", url="http://a.test/", title="", text=None) == ""
