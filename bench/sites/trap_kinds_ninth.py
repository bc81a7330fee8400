"""Traps and honest sites written after the rule was corrected by `trap_kinds_eighth` and frozen again."""

import random

from .trap_kinds import Answer, MadeHost, article, honest, html, with_trap, words
from .trap_kinds_later import Pages

# --- traps -----------------------------------------------------------------------------------------------


def pages_past_the_end() -> MadeHost:
    """News by page: past the last one the last items come again, and there is always a next page."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/news?"):
            return None
        page = min(int(parameters["page"]), 12)
        body = "".join(f"<p>{words(('news', page * 5 + n), 14)}</p>" for n in range(5))
        links = [(f"/news?page={int(parameters['page']) + step}", "next") for step in (1, 2, 10)]
        return Answer(html("News", body, links))

    return with_trap("pages past the end", trap, "/news?page=1")


def clicks() -> MadeHost:
    """Links that carry a number of the click; the page says the same for each."""
    count = iter(range(10_000_000))

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/go/"):
            return None
        shown = target.split("/")[2]
        links = [(f"/go/{n}/{next(count)}", "more") for n in range(6)]
        return Answer(html("Offer", f"<p>{words(('offer', shown), 20)}</p>", links))

    return with_trap("numbers of clicks", trap, "/go/0/0")


# --- honest sites ----------------------------------------------------------------------------------------


def comments(count: int = 400) -> MadeHost:
    """A blog whose comments are on pages of their own; two of three say that there are none."""
    pages: Pages = {}
    for n in range(count):
        url = f"/{2015 + n // 60}/{n % 12 + 1:02}/{words(('post', n), 2).replace(' ', '-')}-{n}/"
        links = [(f"{url}comments/", "comments"), ("/", "home")]
        pages[url] = (words(("post", n), 2), article(("post", n)), links)
        said = f"<p>{words(('comment', n), 18)}</p>" if n % 3 == 0 else "<p>No comments yet</p>"
        pages[f"{url}comments/"] = ("Comments", said, [(url, "the post")])
    urls = [one for one in pages if not one.endswith("comments/")]
    for page in range(count // 20):
        found = [(one, "post") for one in urls[page * 20 : page * 20 + 20]]
        found += [(f"/page/{k}/", str(k)) for k in (page - 1, page + 1) if 0 <= k < count // 20]
        pages[f"/page/{page}/"] = ("Blog", "<p>Posts</p>", found)
    pages["/"] = ("Blog", "<p>Blog</p>", [("/page/0/", "posts")])
    return honest("a blog with comments", pages)


def tracker(count: int = 450) -> MadeHost:
    """Bugs with a page of their history and one of votes; states and names repeat."""
    pages: Pages = {"/": ("Bugs", "<p>Bugs</p>", [("/bugs?start=0", "all")])}
    states = ("open", "closed", "needs info", "duplicate")
    for n in range(count):
        links = [(f"/bug/{n}/history", "history"), (f"/bug/{n}/votes", "votes"), ("/bugs?start=0", "all")]
        pages[f"/bug/{n}"] = (f"Bug {n}", f"<p>{words(('bug', n), 16)}</p><p>{states[n % 4]}</p>", links)
        steps = "".join(
            f"<p>{words(('person', (n + k) % 30), 1)} {states[(n + k) % 4]}</p>" for k in range(n % 4)
        )
        pages[f"/bug/{n}/history"] = ("History", steps or "<p>Nothing happened</p>", [(f"/bug/{n}", "back")])
        pages[f"/bug/{n}/votes"] = ("Votes", f"<p>{n % 7} votes</p>", [(f"/bug/{n}", "back")])
    for start in range(0, count, 25):
        found = [(f"/bug/{n}", f"bug {n}") for n in range(start, start + 25)]
        found += [(f"/bugs?start={k}", "page") for k in (start - 25, start + 25) if 0 <= k < count]
        pages[f"/bugs?start={start}"] = ("Bugs", "<p>List</p>", found)
    return honest("a bug tracker", pages)


def printable(count: int = 500) -> MadeHost:
    """Articles with a version for printing that says the same without the menu."""
    pages: Pages = {}
    for n in range(count):
        url = f"/article/{words(('article', n), 2).replace(' ', '-')}-{n}"
        links = [(f"{url}/print", "print")]
        for k in ((n * 3 + 1) % count, (n + 1) % count):
            links.append((f"/article/{words(('article', k), 2).replace(' ', '-')}-{k}", "more"))
        pages[url] = (words(("article", n), 2), article(("print", n)), links)
        pages[f"{url}/print"] = (words(("article", n), 2), article(("print", n)), [(url, "back")])
    first = words(("article", 0), 2).replace(" ", "-")
    pages["/"] = ("Magazine", "<p>Magazine</p>", [(f"/article/{first}-0", "begin")])
    return honest("articles to print", pages)


def departures(stops: int = 70, lines: int = 6) -> MadeHost:
    """Times of each line at each stop on weekdays, Saturdays and Sundays; many lines have the same times."""
    pages: Pages = {
        "/": ("Stops", "<p>Stops</p>", [(f"/stop/{n}/", words(("stop", n), 1)) for n in range(stops)])
    }
    for stop in range(stops):
        own = [f"/stop/{stop}/line/{(stop + k) % 20}/" for k in range(lines)]
        pages[f"/stop/{stop}/"] = (words(("stop", stop), 1), "<p>Lines</p>", [(one, "line") for one in own])
        for one in own:
            line = int(one.split("/")[4])
            days = [(f"{one}{day}", day) for day in ("weekdays", "saturdays", "sundays")]
            pages[one] = (f"Line {line}", f"<p>{words(('line', line), 4)}</p>", days)
            for place, (url, _) in enumerate(days):
                chance = random.Random(f"{line % 5} {place}")
                times = "".join(f"<td>{hour}:{chance.randrange(60):02}</td>" for hour in range(5, 24))
                pages[url] = ("Times", f"<table><tr>{times}</tr></table>", [(one, "back")])
    return honest("departures", pages)


TRAPS = (pages_past_the_end, clicks)
HONEST = (comments, tracker, printable, departures)
