"""The command `robots`."""

from pathlib import Path

import click

from .common import json_option, print_json, print_pairs


@click.command()
@click.argument("url")
@json_option
@click.pass_obj
def robots(obj: str, url: str, as_json: bool) -> None:
    """Fetch robots.txt and show whether it allows URL."""
    from fieldmouse.service.robots_check import ask_robots
    from fieldmouse.settings import load
    from fieldmouse.store import SETTINGS_FILE

    answer = ask_robots(load(Path(obj) / SETTINGS_FILE), url)
    if as_json:
        print_json(answer)
        return
    print_pairs(
        [
            ("robots.txt", answer.robots_url),
            ("answer", answer.answer),
            ("verdict", f"{'allows' if answer.allowed else 'forbids'} {answer.url} ({answer.rule})"),
            ("crawl-delay", f"{answer.crawl_delay} s" if answer.crawl_delay is not None else "none"),
            ("sitemaps", ", ".join(answer.sitemaps) or "none"),
        ]
    )
