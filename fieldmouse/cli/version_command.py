"""The command `version`."""

import click

from .common import json_option, print_json, print_pairs

LIBRARIES = ("aiodns", "uvloop", "ada-url", "isal", "publicsuffixlist")


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Print the versions of Fieldmouse, Python and the libraries."""
    import platform
    import ssl
    from importlib.metadata import version as installed

    from fieldmouse.page.tags import ENGINES
    from fieldmouse.store import engine_version
    from fieldmouse.version import VERSION

    versions = {
        "fieldmouse": VERSION,
        "python": platform.python_version(),
        "sqlite": engine_version(),
        "openssl": ssl.OPENSSL_VERSION.split()[1],
        "tokenizer": "C" if len(ENGINES) > 1 else "Python (no compiler was found at installation)",
        **{name: installed(name) for name in LIBRARIES},
    }
    if as_json:
        print_json(versions)
    else:
        print_pairs(list(versions.items()))
