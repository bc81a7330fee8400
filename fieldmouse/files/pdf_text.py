"""The text of PDF files, read by pypdf (the extra `pdf`) in a process of its own.

A file of a stranger can make a reader of PDF loop or fill the memory. So another process reads it, with a
limit of memory, and is killed when it takes too long; the next file gets a new one.
"""

import json
import os
import select
import struct
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple

from . import pdf_child

SECONDS = 30.0  # for one file
LARGEST = 100 * 1024 * 1024  # bytes of a file


class PdfText(NamedTuple):
    """What a PDF file says."""

    text: str = ""
    title: str = ""
    author: str = ""
    created: str = ""  # ISO 8601, or empty
    modified: str = ""
    info: tuple[tuple[str, str], ...] = ()  # as it is in the file
    error: str = ""  # why there is no text, or not all of it


class PdfReader:
    """Reads PDF files one after the other; close it after use."""

    def __init__(self, seconds: float = SECONDS, largest: int = LARGEST) -> None:
        self.seconds, self.largest = seconds, largest
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None

    def read(self, data: bytes) -> PdfText:
        """The text of a file; never raises."""
        if find_spec("pypdf") is None:
            return PdfText(error="the text of PDF files needs pypdf: pip install 'fieldmouse[pdf]'")
        if len(data) > self.largest:
            return PdfText(error=f"larger than {self.largest:,} bytes")
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", Path(pdf_child.__file__).read_text("utf-8")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        try:
            answer = self._exchange(self._process, data)
        except OSError as error:
            self.close()
            return PdfText(error=str(error))
        info = {str(name): str(value) for name, value in answer.get("info", {}).items()}
        return PdfText(
            text=_sound(answer.get("text", "")),
            title=_sound(" ".join(info.get("Title", "").split())),
            author=_sound(" ".join(info.get("Author", "").split())),
            created=pdf_date(info.get("CreationDate", "")),
            modified=pdf_date(info.get("ModDate", "")),
            info=tuple((_sound(name), _sound(value)) for name, value in info.items()),
            error=answer.get("error", ""),
        )

    def _exchange(self, process: "subprocess.Popen[bytes]", data: bytes) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        end = time.monotonic() + self.seconds
        message = memoryview(struct.pack(">Q", len(data)) + data)
        while message:
            _wait([], [process.stdin], end)
            message = message[os.write(process.stdin.fileno(), message[: select.PIPE_BUF]) :]
        answer = b""
        while len(answer) < 8 or len(answer) < 8 + struct.unpack(">Q", answer[:8])[0]:
            _wait([process.stdout], [], end)
            part = os.read(process.stdout.fileno(), 1 << 20)
            if not part:
                raise OSError("the reader of PDF files died, perhaps for lack of memory")
            answer += part
        found: dict[str, Any] = json.loads(answer[8:])
        return found


def _wait(readable: list[IO[bytes]], writable: list[IO[bytes]], end: float) -> None:
    if not any(select.select(readable, writable, [], max(end - time.monotonic(), 0.0))[:2]):
        raise OSError("reading it took too long")


def pdf_date(text: str) -> str:
    """A date of a PDF file (D:20261117093000+01'00') as ISO 8601; empty if it is none."""
    digits = text.removeprefix("D:").replace("'", "")
    date, time_of_day, zone = digits[:8], digits[8:14], digits[14:19]
    if not (len(date) == 8 and date.isdecimal()):
        return ""
    day = f"{date[:4]}-{date[4:6]}-{date[6:]}"
    if not (len(time_of_day) == 6 and time_of_day.isdecimal()):
        return day
    return f"{day}T{time_of_day[:2]}:{time_of_day[2:4]}:{time_of_day[4:]}{zone}"


def _sound(text: str) -> str:
    """A text that a database takes."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
