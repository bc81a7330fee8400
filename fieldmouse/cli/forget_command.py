"""The command `forget`: erase pages, and keep the crawler away from them."""

import time

import click

from fieldmouse.errors import UsageError

from .common import archive_options, echo, open_archive, print_json, when


@click.command()
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option("--allow", is_flag=True, help="Let pages be visited again; what was erased stays erased.")
@click.option("--list", "listed", is_flag=True, help="List the pages that were forgotten.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@archive_options
def forget(obj: str, urls: tuple[str, ...], *, allow: bool, listed: bool, yes: bool, as_json: bool) -> None:
    """Erase every version of each URL, and do not visit it again.

    Rows, texts and diffs go from the database, and the records in the WARC files are overwritten. Exports and
    backups made before are not reached.
    """
    if listed == bool(urls):
        raise UsageError("give the URLs to forget, or --list")
    with open_archive(obj) as archive:
        if listed:
            found = archive.reader.forgotten()
            if as_json:
                print_json({"forgotten": found})
            for one in found if not as_json else ():
                echo(f"{when(one.time, time.time())}  {one.url}  {one.versions} versions erased")
            return
        pages = [archive.canon(url) or url for url in urls]
        counts = {url: page.versions if (page := archive.reader.page(url)) else 0 for url in pages}
        if not allow and not yes:
            for url, number in counts.items():
                echo(f"{url}: {number} versions" if number else f"{url} is not in the archive", err=True)
            erasing = f"Erase {sum(counts.values())} versions for good?"
            question = erasing if any(counts.values()) else "Nothing is stored of this. Never visit it?"
            click.confirm(question, abort=True, err=True)
        erased = archive.forget(pages, allow=allow)
    if as_json:
        print_json({"pages": pages, "erased": erased})
    elif erased is None:
        echo("another process writes to the archive; it does this within seconds")
    elif allow:
        echo(f"{len(pages)} pages may be visited again; `fieldmouse crawl URL` does so")
    else:
        echo(f"{erased} versions of {len(pages)} pages erased; they are not visited again")
