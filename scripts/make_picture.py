"""Draws docs/demo.svg: runs the commands below for real and keeps what they print."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parents[1] / "docs" / "demo.svg"
COMMANDS = (
    ("demo", "town"),
    ("-C", "town", "status"),
)


def main() -> None:
    """Run, record, write."""
    console = Console(record=True, width=108, file=sys.stderr, force_terminal=True, color_system="truecolor")
    program = Path(sys.executable).with_name("fieldmouse")
    with tempfile.TemporaryDirectory() as folder:
        for words in COMMANDS:
            console.print(Text(f"$ fieldmouse {' '.join(words)}", "bold green"))
            done = subprocess.run([program, *words], cwd=folder, check=True, capture_output=True, text=True)
            console.print(Text(done.stdout))
    drawing = console.export_svg(title="fieldmouse")
    # The fonts it names would be fetched from elsewhere; the reader's own monospace will do.
    PICTURE.write_text(re.sub(r"@font-face \{.*?\}", "", drawing, flags=re.DOTALL), "utf-8")


if __name__ == "__main__":
    main()
