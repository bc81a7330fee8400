"""Traps and honest sites written after the rule was corrected by `trap_kinds_seventh` and frozen again."""

import random
from datetime import date, timedelta
from urllib.parse import quote

from .trap_kinds import Answer, MadeHost, article, honest, html, with_trap, words
from .trap_kinds_later import Pages

# --- traps -----------------------------------------------------------------------------------------------


def filtered_lists() -> MadeHost:
    """A list with filters as parameters, each with a count; every link changes one of them."""
    names = ("brand", "colour", "size", "price", "rating")

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/list?"):
            return None
        chance = random.Random(str(sorted(parameters.items())))
        shown = chance.sample(range(50), chance.randrange(2, 9))
        body = f"<p>{len(shown)} found</p>" + "".join(f"<p>{words(('goods', n), 8)}</p>" for n in shown)
        links = []
        for name in names:
            for value in chance.sample(range(12), 2):
                chosen = {**parameters, name: str(value)}
                query = "&".join(f"{key}={one}" for key, one in sorted(chosen.items()))
                links.append((f"/list?{query}", f"{name} ({chance.randrange(40)})"))
        return Answer(html("List", body, links))

    return with_trap("filters with counts", trap, "/list?brand=1")


def mail_this_page() -> MadeHost:
    """A form to send the page to a friend, which can be sent to a friend too."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/mail"):
            return None
        page = parameters.get("page", "/")
        body = f"<p>Send this page</p><p>Subject {page[:60]}</p><p>To whom</p>"
        deeper = quote(target, safe="")[:1800]
        links = [(f"/mail?page={deeper}&as={kind}", kind) for kind in ("html", "text", "link")]
        return Answer(html("Send", body, links))

    return with_trap("send this page", trap, "/mail?page=%2F")


def weekly_plans() -> MadeHost:
    """Weeks without end with the same events in each, and a number of the week."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/week/"):
            return None
        week = date.fromisoformat(target.removeprefix("/week/"))
        body = "".join(f"<p>{week + timedelta(days=day)}: {words(('event', day), 7)}</p>" for day in range(7))
        near = [week + timedelta(days=step) for step in (-7, 7, -28, 28)]
        return Answer(html(f"Week of {week}", body, [(f"/week/{one}", f"{one}") for one in near]))

    return with_trap("the same week again", trap, "/week/2026-11-16")


# --- honest sites ----------------------------------------------------------------------------------------


def members(count: int = 900) -> MadeHost:
    """Members of a board, most of whom never wrote; lists by page and by letter lead to them."""
    pages: Pages = {}
    names = [f"{words(('member', n), 1)}{n}" for n in range(count)]
    for n, name in enumerate(names):
        text = "<p>No posts yet</p>" if n % 5 else f"<p>{words(('said', n), 25)}</p>"
        pages[f"/member.php?name={name}"] = (
            name,
            f"{text}<p>Member since {2001 + n % 20}</p>",
            [("/", "board")],
        )
    letters = sorted({name[0] for name in names})
    for letter in letters:
        found = [(f"/member.php?name={name}", name) for name in names if name[0] == letter]
        pages[f"/memberlist.php?letter={letter}"] = ("Members", "<p>Members</p>", found)
    home = [(f"/memberlist.php?letter={one}", one) for one in letters]
    pages["/"] = ("Board", "<p>Board</p>", home)
    return honest("members of a board", pages)


def questions_of_products(products: int = 220) -> MadeHost:
    """Products with pages for delivery, returns and reviews: the first two say the same of every product."""
    pages: Pages = {}
    for n in range(products):
        url = f"/product/{words(('product', n), 2).replace(' ', '-')}-{n}"
        links = [(f"{url}/{part}", part) for part in ("delivery", "returns", "reviews")]
        links += [(f"/product/{words(('product', k), 2).replace(' ', '-')}-{k}", "similar")
                  for k in ((n * 3 + 1) % products, (n + 1) % products)]  # fmt: skip
        pages[url] = (words(("product", n), 2), article(("product", n)), links)
        pages[f"{url}/delivery"] = ("Delivery", f"<p>{words('delivery', 30)}</p>", [(url, "back")])
        pages[f"{url}/returns"] = ("Returns", f"<p>{words('returns', 30)}</p>", [(url, "back")])
        review = f"<p>{words(('review', n), 12)}</p>" if n % 3 else "<p>No reviews yet</p>"
        pages[f"{url}/reviews"] = ("Reviews", review, [(url, "back")])
    first = words(("product", 0), 2).replace(" ", "-")
    pages["/"] = ("Shop", "<p>Shop</p>", [(f"/product/{first}-0", "begin")])
    return honest("questions of products", pages)


def diary(days: int = 1100) -> MadeHost:
    """Three years of days, two of three without an entry; each links to the days and the months around it."""
    begin = date(2023, 1, 1)
    pages: Pages = {}
    for n in range(days):
        day = begin + timedelta(days=n)
        text = f"<p>{words(('diary', n), 30)}</p>" if n % 3 == 0 else "<p>Nothing was written</p>"
        near = [n + step for step in (-1, 1, -30, 30) if 0 <= n + step < days]
        links = [(f"/diary/{begin + timedelta(days=k):%Y/%m/%d}", "day") for k in near]
        pages[f"/diary/{day:%Y/%m/%d}"] = (f"{day:%d %B %Y}", text, links)
    pages["/"] = ("Diary", "<p>Diary</p>", [("/diary/2023/01/01", "begin")])
    return honest("a diary", pages)


def inherited_members(classes: int = 60, each: int = 18) -> MadeHost:
    """A reference in which the methods of a class are repeated below each class that inherits them."""
    pages: Pages = {}
    for n in range(classes):
        methods = [f"/ref/Class{n}/method{k}" for k in range(each)]
        pages[f"/ref/Class{n}/"] = (f"Class {n}", article(("class", n)), [(one, one[-8:]) for one in methods])
        for k, url in enumerate(methods):
            owner = n if k >= each // 2 else n % 6  # half of them are of one of six bases
            text = f"<p>{words(('method', owner, k), 14)}</p>"
            pages[url] = (f"method{k}", text, [(f"/ref/Class{n}/", f"Class {n}")])
    index = [(f"/ref/Class{n}/", f"Class {n}") for n in range(classes)]
    pages["/"] = ("Reference", "<p>Reference</p>", index)
    return honest("inherited methods", pages)


def price_lists(regions: int = 30, goods: int = 40) -> MadeHost:
    """Prices of one of the goods in one region: a number each; both lists are on every page."""
    pages: Pages = {"/": ("Prices", "<p>Prices</p>", [("/price?region=0&goods=0", "begin")])}
    for region in range(regions):
        for one in range(goods):
            chance = random.Random(f"price {region} {one}")
            body = f"<p>{words(('goods', one), 2)}</p><p>{words(('region', region), 2)}</p>"
            body += f"<p>{chance.uniform(1, 90):.2f}</p>"
            links = [(f"/price?region={k}&goods={one}", words(("region", k), 2)) for k in range(regions)]
            links += [(f"/price?region={region}&goods={k}", words(("goods", k), 2)) for k in range(goods)]
            pages[f"/price?region={region}&goods={one}"] = ("Price", body, links)
    return honest("prices by region", pages)


TRAPS = (filtered_lists, mail_this_page, weekly_plans)
HONEST = (members, questions_of_products, diary, inherited_members, price_lists)
