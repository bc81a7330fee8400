"""The process that reads PDF files with pypdf. It has a limit of memory, and is killed if it takes too long.

On stdin and stdout a message is its length as 8 bytes, then its bytes: a PDF file comes in, JSON goes out.
"""

import io
import json
import logging
import resource
import struct
import sys
from typing import Any

MEMORY = 2 * 1024**3
LONGEST_TEXT = 1_000_000  # characters
MOST_PAGES = 2000


def main() -> None:
    """Answer one file after the other, until stdin is closed."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    logging.disable()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(8)) == 8:
        data = source.read(*struct.unpack(">Q", head))
        try:
            answer = read_pdf(data)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        text = json.dumps(answer).encode()
        target.write(struct.pack(">Q", len(text)) + text)
        target.flush()


def read_pdf(data: bytes) -> dict[str, Any]:
    """The text of a file, and what it says about itself."""
    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"error": "encrypted"}
    info = {str(name).lstrip("/"): str(value)[:500] for name, value in (reader.metadata or {}).items()}
    parts: list[str] = []
    length, error = 0, ""
    for number, page in enumerate(reader.pages):
        if number >= MOST_PAGES or length >= LONGEST_TEXT:
            break
        try:
            parts.append(page.extract_text())
        except Exception as problem:
            error = f"page {number + 1}: {type(problem).__name__}: {problem}"[:200]
            continue
        length += len(parts[-1])
    return {"text": "\n\n".join(parts)[:LONGEST_TEXT], "info": info, "error": error}


if __name__ == "__main__":
    main()
