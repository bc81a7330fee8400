"""Write the packed browser extension: `python -m scripts.pack_extension [FOLDER]`."""

import sys
from pathlib import Path

from fieldmouse.server.extension_page import extension_folder, extension_version, packed_extension


def main(target: Path) -> None:
    """Write the zip file into a folder and print its path."""
    folder = extension_folder()
    if folder is None:
        raise SystemExit("there is no folder `extension` here")
    target.mkdir(parents=True, exist_ok=True)
    file = target / f"fieldmouse-extension-{extension_version(folder)}.zip"
    file.write_bytes(packed_extension(folder))
    sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["dist"]))
