"""The browser extension as the server hands it out: a page with instructions, and the packed files.

Both are for everybody who reaches the server; they hold no secret, and readers need them before they have
a token. An installed program has the files in the package, a checkout in `extension/`.
"""

import io
import json
import zipfile
from html import escape
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

PACKAGE = Path(__file__).parents[1]
FOLDERS = (PACKAGE / "extension", PACKAGE.parent / "extension")

# The time of every file in the package: the same files make the same bytes.
PACKED_TIME = (2020, 1, 1, 0, 0, 0)

PATH = "/extension"


def extension_folder() -> Path | None:
    """Where the files of the extension are; None if this installation has none."""
    return next((one for one in FOLDERS if (one / "manifest.json").is_file()), None)


def extension_version(folder: Path) -> str:
    """The version in the manifest."""
    return str(json.loads((folder / "manifest.json").read_text("utf-8"))["version"])


def packed_extension(folder: Path) -> bytes:
    """All files of the extension as a zip file, the same for Chrome and Firefox."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), PACKED_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, file.read_bytes())
    return data.getvalue()


async def show_extension(request: Request) -> Response:
    """GET /extension and the files next to it."""
    folder = extension_folder()
    if folder is None:
        return PlainTextResponse("this installation comes without the browser extension\n", 404)
    match request.path_params.get("name", ""):
        case "":
            return HTMLResponse(_page(str(request.base_url).rstrip("/"), extension_version(folder)))
        case "fieldmouse.zip":
            name = f"fieldmouse-extension-{extension_version(folder)}.zip"
            return Response(
                packed_extension(folder),
                media_type="application/zip",
                headers={"content-disposition": f'attachment; filename="{name}"'},
            )
        case "style.css":
            return Response((folder / "style.css").read_bytes(), media_type="text/css")
        case _:
            return PlainTextResponse("there is no such file\n", 404)


def _page(server: str, version: str) -> str:
    """The instructions, with the address of this server in them."""
    text = Template((Path(__file__).parent / "extension.html").read_text("utf-8"))
    return text.substitute(path=PATH, server=escape(server), version=escape(version))
