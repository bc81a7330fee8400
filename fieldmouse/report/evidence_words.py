"""The evidence of a topic's judge in words that people know: judges see stems of words."""

import re

from fieldmouse.focus.words import Stems, surface, url_words

# Characters of a text that are looked through.
LONGEST = 100_000

_TERM = re.compile(r"(\S+)( [+-]\d+(?:\.\d+)?)")


def whole_words(reasons: str, *, url: str, title: str, text: str | None) -> str:
    """The evidence with each stem as the word of the page that it mostly stands for.

    `insolv +1.20; bank +0.80` is `insolvency +1.20; banks +0.80` on a page with these words.
    """
    shown = surface([title, (text or "")[:LONGEST], " ".join(url_words(url))], Stems())
    found = ((one, _TERM.fullmatch(one)) for one in reasons.split("; "))
    return "; ".join(f"{shown.get(term[1], term[1])}{term[2]}" if term else one for one, term in found)
