"""Traps of widespread programs, written without knowledge of the rule; the honest sites stand apart.

Special pages of wikis, calendars of plug-ins, text shuffled from the host's own pages, states in one
parameter, sliders, votes behind a login, views of every page, doorways, reply links, paths that only grow.
"""

import random
from collections.abc import Callable
from datetime import date, timedelta

from .trap_kinds import Answer, MadeHost, real_page, real_paths, split, tokens, words
from .trap_kinds_fourteenth_honest import HONEST, Links, shown

Trap = Callable[[str, dict[str, str]], Answer | None]


def _beside_each_page(name: str, trap: Trap, entries: Callable[[str, str], Links]) -> MadeHost:
    """A host of 203 real pages, each with entries of its own: `entries` takes its path and its title."""

    def answer(target: str) -> Answer | None:
        path, parameters = split(target)
        found = real_page(path) if "?" not in target else None
        if found is None:
            return trap(target, parameters)
        title, body, hrefs = found
        links = [(href, href.rpartition("/")[2] or "home") for href in hrefs]
        return Answer(shown(title, body, [*links, *entries(path, title)]), path)

    return MadeHost(name, answer, real_paths())


def _behind(name: str, trap: Trap, entry: str) -> MadeHost:
    """The same with one entry for all pages."""
    return _beside_each_page(name, trap, lambda _path, _title: [(entry, "more")])


def special_pages() -> MadeHost:
    """A wiki whose pages have histories, differences, old versions and links, in steps of any size."""

    def entries(path: str, _title: str) -> Links:
        kinds = ("history", "info", "links", "printable")
        return [(f"/w?title={path}&action={kind}", kind) for kind in kinds]

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        path, action = parameters.get("title", ""), parameters.get("action", "")
        found = real_page(path)
        if not target.startswith("/w?") or found is None:
            return None
        begin = int(parameters.get("offset", "900000"))
        if begin < 1000:
            return None
        links: Links = [(path, found[0]), *entries(path, found[0])]
        if action == "history":
            size = int(parameters.get("limit", "20"))
            older = [begin - 37 * n for n in range(1, 6)]
            body = "".join(
                f"<li>{one} {words(('editor', one % 40), 1)} (talk) small edit</li>" for one in older
            )
            links += [(f"/w?title={path}&action=diff&offset={one}&old={one - 37}", "diff") for one in older]
            links += [(f"/w?title={path}&action=old&offset={one}", f"{one}") for one in older]
            links += [(f"/w?title={path}&action=history&limit={n}", f"{n}") for n in (20, 50, 100, 250, 500)]
            older_page = f"/w?title={path}&action=history&limit={size}&offset={older[-1]}"
            return Answer(shown(f"{found[0]}: history", f"<ul>{body}</ul>", [*links, (older_page, "older")]))
        if action == "diff":
            links += [
                (f"/w?title={path}&action=diff&offset={begin - k}&old={begin - k - 37}", "older")
                for k in (37, 74)
            ]
            body = f"<p>Line {begin % 60}:</p>{found[1]}"
            return Answer(shown(f"{found[0]}: difference", body, links))
        if action in ("old", "printable"):
            return Answer(shown(found[0], f"<p>This is a version of the page.</p>{found[1]}", links))
        if action == "links":
            links += [(href, href) for href in found[2]]
        return Answer(shown(f"{found[0]}: {action}", f"<p>About the page {path}</p>", links))

    return _beside_each_page("special pages of a wiki", trap, entries)


def recurring_events() -> MadeHost:
    """A calendar by month, week, day and list, with events that recur each week, for any date."""
    titles = [words(("event", n), 3) for n in range(12)]

    def event(day: date, n: int) -> str:
        place = words(("hall", n % 5), 2)
        return f"<h3>{titles[n]}</h3><p>{day:%A} {8 + n}:30, {place}. {words(('teaser', n), 14)}.</p>"

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        path, _ = split(target)
        parts = path.strip("/").split("/")
        if parts[0] != "events" or len(parts) != 3:
            return None
        view, day = parts[1], date.fromisoformat(parts[2])
        if not 1000 < day.year < 9000 or view not in ("month", "week", "day", "list"):
            return None
        span = {"month": 28, "week": 7, "day": 1, "list": 10}[view]
        days = [day + timedelta(days=n) for n in range(span)]
        body = "".join(
            f"<h2>{one:%d %B %Y}</h2>" + "".join(event(one, n) for n in range(12) if n % 7 == one.weekday())
            for one in days
        )
        links: Links = [
            (f"/events/{other}/{day}", other) for other in ("month", "week", "day", "list") if other != view
        ]
        links += [(f"/events/{view}/{day + timedelta(days=k * span)}", "turn") for k in (-1, 1)]
        links += [(f"/events/day/{one}", f"{one:%d}") for one in days]
        links += [(f"/events/{view}/{day}?cat={n}", f"only {titles[n]}") for n in range(3)]
        if "ical" not in parameters:
            links.append((f"/events/{view}/{day}?ical=1", "subscribe"))
        return Answer(shown(f"Events from {day:%d %B %Y}", body, links))

    return _behind("events that recur", trap, "/events/month/2026-11-01")


def own_text_shuffled() -> MadeHost:
    """Pages by hash that show sentences of the host's own articles in any order, and lead to more of them."""
    paths = sorted(one for one in real_paths() if one.startswith("/a/"))

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/read/"):
            return None
        chance = random.Random(target)
        pieces = []
        for path in chance.sample(paths, 4):
            found = real_page(path)
            text = found[1].replace("<p>", "").replace("</p>", " ").split() if found else []
            begin = chance.randrange(max(len(text) - 20, 1))
            pieces.append(f"<p>{' '.join(text[begin : begin + 20])} ...</p>")
        links = [(f"/read/{chance.getrandbits(48):012x}", "read this too") for _ in range(6)]
        links += [(path, "source") for path in chance.sample(paths, 2)]
        return Answer(shown(words(target, 4).capitalize(), "".join(pieces), links))

    return _behind("shuffled text of its own", trap, "/read/begin")


def application_states() -> MadeHost:
    """An application that holds page, session and values in one parameter, and gives each click a session."""
    sessions = tokens("application")
    paths = sorted(real_paths())

    def entries(path: str, _title: str) -> Links:
        return [(f"/f?p=100:{paths.index(path)}:{next(sessions)}::NO::", "open in the application")]

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        parts = parameters.get("p", "").split(":")
        if not target.startswith("/f?") or len(parts) < 4 or not parts[1].isdigit():
            return None
        path = paths[int(parts[1])]
        found = real_page(path)
        if found is None:
            return None
        links: Links = [
            (f"/f?p=100:{paths.index(href)}:{next(sessions)}::NO:RP:P1_ID:{n}", "next")
            for n, href in enumerate(found[2][:6])
        ]
        links.append((f"/f?p=100:{parts[1]}:{next(sessions)}:SORT:NO::", "sort"))
        return Answer(shown(found[0], found[1], links))

    return _beside_each_page("states of an application", trap, entries)


def sliders() -> MadeHost:
    """Eighty goods that are filtered by two sliders, sizes and colours, with parameters in any order."""
    goods = [(words(("ware", n), 2), 5 + n * 37 % 400) for n in range(80)]

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/filter?"):
            return None
        low, high = int(parameters.get("min", "0")), int(parameters.get("max", "500"))
        size = parameters.get("size", "")
        inside = [(name, price) for name, price in goods if low <= price <= high]
        some = inside[int(size or 0) % 3 :: 2] if size else inside
        rows = "".join(f"<tr><td>{name}</td><td>{price}.00</td></tr>" for name, price in some[:12])
        body = f"<p>{len(some)} goods from {low} to {high}</p><table>{rows}</table>"
        changes = {"min": (low + 5, low + 20), "max": (high - 5, high - 20), "size": (36, 38, 40, 42)}
        links: Links = []
        for key, values in changes.items():
            for value in values:
                rest = {k: v for k, v in parameters.items() if k != key}
                asked = "&".join(f"{k}={v}" for k, v in {**rest, key: str(value)}.items())
                links.append((f"/filter?{asked}", f"{key} {value}"))
        asked = target.partition("?")[2]
        links += [(f"/filter?{asked}&color={n}", f"color {n}") for n in range(4) if len(asked) < 300]
        return Answer(shown("Filter", body, links))

    return _behind("sliders of a shop", trap, "/filter?min=0&max=500")


def votes_behind_a_login() -> MadeHost:
    """Links to vote, follow, flag and answer, which show a login with the address to return to and a time."""
    clock = iter(range(1_790_000_000, 1_800_000_000, 3))

    def entries(path: str, title: str) -> Links:
        return [
            (f"/{act}?item={path}&dest={path}&t={next(clock)}", f"{act} {title}")
            for act in ("vote", "follow", "flag", "answer")
        ]

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        path, back = split(target)[0], parameters.get("dest", "")
        if path not in ("/vote", "/follow", "/flag", "/answer", "/login", "/register", "/forgot") or not back:
            return None
        item = parameters.get("item", "/")
        title = (real_page(item) or ("this page",))[0]
        body = (
            f"<p>You have to log in to {path[1:]}: {title}.</p><form><input name=user><input name=pass>"
            f'<input type="hidden" name="dest" value="{back}"></form>'
        )
        links: Links = [
            (f"{other}?item={item}&dest={path}%3Fdest%3D{back[:60]}&t={next(clock)}", other[1:])
            for other in ("/login", "/register", "/forgot")
        ]
        return Answer(shown(f"Log in to {path[1:]}", body, links))

    return _beside_each_page("votes behind a login", trap, entries)


def views_of_every_page() -> MadeHost:
    """Each page in six languages of its frame, four themes, three sizes of letters, with or without text."""
    marks = {"lang": "de fr es it pl cs", "theme": "dark light plain blue", "font": "s m l", "text": "0 1"}
    menus = {one: words(("menu", one), 6) for one in marks["lang"].split()}

    def with_(parameters: dict[str, str], path: str) -> str:
        asked = "&".join(f"{key}={value}" for key, value in parameters.items())
        return f"{path}?{asked}" if asked else path

    def entries(path: str, _title: str) -> Links:
        return [(f"{path}?lang={one}", one) for one in menus]

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        path = split(target)[0]
        found = real_page(path)
        if found is None or not parameters:
            return None
        links: Links = [(with_(parameters, href), href) for href in found[2]]
        for key, values in marks.items():
            links += [(with_({**parameters, key: one}, path), f"{key} {one}") for one in values.split()]
        menu = menus.get(parameters.get("lang", ""), "")
        return Answer(shown(found[0], f"<div>{menu}</div>{found[1]}", links), path)

    return _beside_each_page("views of every page", trap, entries)


def doorways() -> MadeHost:
    """A page for every trade in every town with every promise, put together from forty sentences."""
    trades, towns = [words(("trade", n), 1) for n in range(150)], [words(("town", n), 1) for n in range(400)]
    promises = ("cheap", "fast", "best", "local", "24h", "certified")

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        parts = target.strip("/").split("/")
        if parts[0] != "services" or len(parts) != 3:
            return None
        promise, _, trade = parts[1].partition("-")
        town, chance = parts[2], random.Random(target)
        said = "".join(
            f"<p>{promise.capitalize()} {trade} in {town}: {words(('pitch', chance.randrange(40)), 12)}"
            f" {trade} {words(('close', chance.randrange(40)), 8)}.</p>"
            for _ in range(4)
        )
        near = [f"/services/{promise}-{trade}/{one}" for one in chance.sample(towns, 5)]
        near += [f"/services/{chance.choice(promises)}-{one}/{town}" for one in chance.sample(trades, 5)]
        links = [(one, one.rpartition("/")[2]) for one in near]
        return Answer(shown(f"{promise.capitalize()} {trade} in {town}", said, links))

    return _behind("doorway pages", trap, f"/services/cheap-{trades[0]}/{towns[0]}")


def reply_to_comments() -> MadeHost:
    """Comments below each page in parts, and a link to answer each, which shows the page again."""

    def entries(path: str, _title: str) -> Links:
        return [(f"{path}/comment-page-1", "comments")] if path.startswith("/a/") else []

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        path, _, number = split(target)[0].partition("/comment-page-")
        found = real_page(path)
        if found is None or not path.startswith("/a/") or not number.isdigit():
            return None
        # Past the last part the program shows the last part.
        part = min(int(number), 3)
        numbers = range(part * 10, part * 10 + 8)
        body = "".join(f"<p>{words((path, n, 'comment'), 7)}</p>" for n in numbers)
        links: Links = [
            (f"{path}/comment-page-{int(number) + k}", "comments") for k in (-1, 1) if number != "0"
        ]
        base = int(parameters.get("replytocom", "0"))
        links += [
            (f"{path}/comment-page-{number}?replytocom={base * 7 % 9000 + n}", "answer") for n in numbers
        ]
        return Answer(shown(found[0], found[1] + body, links))

    return _beside_each_page("links to answer comments", trap, entries)


def path_info() -> MadeHost:
    """A program that reads only the end of its path, with relative links: each click makes it longer."""

    def answer(target: str) -> Answer | None:
        parts = split(target)[0].strip("/").split("/")
        path = "/" + "/".join(parts[-2:])
        found = real_page(path)
        if found is None:
            return None
        title, body, hrefs = found
        slashed = "/".join([*parts[-1:], ""]) if path != "/" else ""
        links = [(slashed + href.lstrip("/"), href) for href in hrefs if href != "/"]
        return Answer(shown(title, body, [*links, ("/", "home")]), path)

    return MadeHost("paths that grow", answer, real_paths())


TRAPS = (
    special_pages, recurring_events, own_text_shuffled, application_states, sliders, votes_behind_a_login,
    views_of_every_page, doorways, reply_to_comments, path_info,
)  # fmt: skip

__all__ = ["HONEST", "TRAPS"]
