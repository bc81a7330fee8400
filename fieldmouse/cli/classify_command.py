"""The command `classify`."""

import click

from .common import json_option, open_archive, print_json


@click.command()
@click.option("--topic", "name", help="A topic of the archive, or a topic file; by default focus.topic.")
@click.option("--least", default=0.5, show_default=True, help="Print pages with at least this score.")
@json_option
@click.pass_obj
def classify(obj: str, name: str | None, least: float, as_json: bool) -> None:
    """Judge every stored page, crawled or imported, by a topic.

    It uses the page judge of a focused crawl, with what it learned. The scores are stored: see the views
    relevant_table and irrelevant_table.
    """
    with open_archive(obj) as archive:
        judged = list(archive.classify(name or ""))
    relevant = sorted((one for one in judged if one.score >= least), key=lambda one: (-one.score, one.url))
    if as_json:
        print_json({"pages": len(judged), "relevant": len(relevant), "judged": judged})
        return
    for one in relevant:
        click.echo(f"{one.score:.4f}  {one.url}")
    click.echo(f"{len(relevant)} of {len(judged)} pages are on topic", err=True)
