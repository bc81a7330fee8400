"""A small made-up site whose template is known, used by several tests."""

import random

from fieldmouse.page.tokens import Document

WORDS = [
    *("harbour", "boat", "tide", "net", "rope", "gull", "pier", "wind", "sail", "crew"),
    *("catch", "storm", "lamp", "quay", "buoy", "anchor", "deck", "wave", "salt", "cloud"),
]

HEAD = (
    '<!doctype html><html><head><meta charset="utf-8"><title>{title}</title><style>p {{ margin: 0 }}</style>'
    '<script>track("{seed}")</script></head><body>'
    '<div class="nav"><ul><li><a href="{up}index.html">Home</a></li><li><a href="{up}news.html">News</a></li>'
    '<li><a href="{up}about.html">About us</a></li></ul></div>'
)
FOOT = (
    '<div class="footer"><p>Port Authority, Quay 1. <a href="{up}terms.html">Terms</a></p></div>'
    "</body></html>"
)


def sentence(chance):
    return " ".join(chance.choices(WORDS, k=chance.randint(8, 18))).capitalize() + ", so they say."


def article(number, folder="news", paragraphs=5):
    """One article page: address, bytes, and its own text."""
    chance = random.Random(f"{folder}{number}")
    up = "../"
    texts = [" ".join(sentence(chance) for _ in range(3)) for _ in range(paragraphs)]
    title = f"{chance.choice(WORDS).title()} report {number}"
    body = f'<div class="story"><h1>{title}</h1>' + "".join(f"<p>{one}</p>\n" for one in texts) + "</div>"
    page = HEAD.format(title=title, seed=number, up=up) + body + FOOT.format(up=up)
    return f"http://port.example/{folder}/{number}.html", page.encode(), [title, *texts]


def listing(number):
    """A page of another mould on the same host."""
    chance = random.Random(f"list{number}")
    cells = "".join(
        f'<tr class="row"><td class="name">{chance.choice(WORDS)} {i}</td>'
        f'<td class="price">{chance.random():.3f}</td></tr>'
        for i in range(8)
    )
    page = (
        "<html><body class=shop><table class=goods><caption>Fish on sale today</caption><thead><tr>"
        f"<th class=head>Name</th><th class=head>Price</th></tr></thead><tbody>{cells}</tbody></table>"
        '<form class="order"><input class="amount"><button class="buy">Buy</button></form></body></html>'
    )
    return f"http://port.example/shop?page={number}", page.encode()


def document(url, content):
    return Document.of(content, "text/html; charset=utf-8", url)


def articles(count, **options):
    return [document(*article(number, **options)[:2]) for number in range(count)]


def listings(count):
    return [document(*listing(number)) for number in range(count)]
