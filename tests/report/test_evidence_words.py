"""Evidence of a judge in the words of the page."""

from fieldmouse.report.evidence_words import whole_words


def unread() -> str:
    raise AssertionError("nothing is left to look for")


def test_stems_are_the_words_of_the_page() -> None:
    text = "The insolvency of a bank. Insolvency courts; insolvent banks, banks and companies."
    said = whole_words("insolv +1.20; bank +0.80; compani -0.10", (lambda: text, unread))
    assert said == "insolvency +1.20; banks +0.80; companies -0.10"


def test_the_first_text_that_has_a_word_decides_and_what_none_has_stays() -> None:
    reasons = "only 7 different words; bankruptci +0.50; quai +0.25; insolv +0.10"
    said = whole_words(reasons, (lambda: "Bankruptcies", lambda: "bankruptcy on the quay"))
    assert said == "only 7 different words; bankruptcies +0.50; quay +0.25; insolv +0.10"
    assert whole_words("", (unread,)) == ""
