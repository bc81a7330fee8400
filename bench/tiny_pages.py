"""Memory of a crawl of many tiny pages on few hosts: `python -m bench.tiny_pages --figure FILE.svg`.

Ten hosts of 6,000 pages each are served on loopback and crawled by the command `crawl` without delays. Prints
megabytes of the crawler by pages fetched, as JSON. The memory has to level off while all hosts are open.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

NETWORK = "127.91.0"
WORDS = ("heron", "barge", "lock", "weir", "ferry", "mooring", "sluice", "towpath", "otter", "willow")


class TinyHosts:
    """Serves `hosts` hosts of `pages` pages: a tree of six links a page."""

    def __init__(self, hosts: int, pages: int) -> None:
        self.hosts, self.pages, self.served = hosts, pages, 0
        self.port = 0
        self.ready = threading.Event()

    def body(self, number: int) -> bytes:
        """A page of some hundred bytes."""
        links = "".join(
            f"<a href=/p/{kid}>{kid}</a> "
            for kid in range(6 * number + 1, 6 * number + 7)
            if kid < self.pages
        )
        text = " ".join(WORDS[int(digit)] for digit in f"{number * 7919:09}")
        return f"<title>{number}</title><p>{text}</p>{links}".encode()

    async def attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                target = head.split(b" ", 2)[1].decode("latin-1")
                number = int(target.rpartition("/")[2] or 0) if target != "/robots.txt" else -1
                body = b"" if number < 0 else self.body(number)
                self.served += number >= 0
                status = "404 Not Found" if number < 0 else "200 OK"
                lines = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(lines.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    async def serve(self) -> None:
        """Listen until the process ends."""
        for n in range(self.hosts):
            server = await asyncio.start_server(self.attend, f"{NETWORK}.{n + 1}", self.port)
            self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await asyncio.Event().wait()


def measured(hosts: int, pages: int) -> list[tuple[int, float]]:
    """Pages served and megabytes of the crawler, from its start to its end."""
    web = TinyHosts(hosts, pages)
    threading.Thread(target=lambda: asyncio.run(web.serve()), daemon=True).start()
    web.ready.wait(10)
    found: list[tuple[int, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(sys.executable).with_name("fieldmouse"))
        sets = {
            "manners.delay": 0, "manners.ip_delay": 0, "web.allow_addresses": f'["{NETWORK}.0/24"]',
            "frontier.depth": 20, "archive.min_free": 0, "templates.automatic": "false",
        }  # fmt: skip
        subprocess.run([program, "init", folder], check=True, capture_output=True)
        chosen = [word for name, value in sets.items() for word in ("-s", f"{name}={value}")]
        seeds = [f"http://{NETWORK}.{n + 1}:{web.port}/" for n in range(hosts)]
        with subprocess.Popen([program, "-C", folder, "crawl", "-q", *chosen, *seeds]) as crawler:
            process = psutil.Process(crawler.pid)
            while crawler.poll() is None:
                try:
                    found.append((web.served, process.memory_info().rss / 1e6))
                except psutil.Error:
                    break
                time.sleep(0.5)
        if crawler.returncode:
            raise SystemExit(f"the crawl ended with {crawler.returncode}")
    return found


def drawn(points: list[tuple[int, float]], pages: int) -> str:
    """The curve as SVG."""
    width, height, left, bottom = 640, 300, 60, 40
    most = 50.0 * (int(max(size for _, size in points) / 50) + 1)

    def place(count: float, size: float) -> str:
        x = left + (width - left - 20) * count / pages
        return f"{x:.1f},{20 + (height - bottom - 20) * (1 - size / most):.1f}"

    line = " ".join(place(count, size) for count, size in points)
    marks = []
    for part in range(5):
        x, y = place(pages * part / 4, 0).split(",")
        marks.append(f'<text x="{x}" y="{float(y) + 18}" text-anchor="middle">{pages * part // 4:,}</text>')
        x, y = place(0, most * part / 4).split(",")
        marks.append(
            f'<text x="{float(x) - 8}" y="{float(y) + 4}" text-anchor="end">{most * part / 4:.0f}</text>'
        )
        end = place(pages, most * part / 4).split(",")[0]
        marks.append(f'<line x1="{x}" y1="{y}" x2="{end}" y2="{y}" stroke="#ccc"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="12"><title>Megabytes of a crawler by pages fetched</title>{"".join(marks)}'
        f'<polyline points="{line}" fill="none" stroke="#1f6f8b" stroke-width="2"/>'
        f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">pages fetched</text>'
        f'<text x="{left}" y="12">megabytes</text></svg>\n'
    )


def at_share(points: list[tuple[int, float]], pages: int, share: float) -> float:
    """Megabytes when this share of the pages was fetched."""
    return next(size for count, size in points if count >= share * pages)


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--pages", type=int, default=6000, help="of each host")
    parser.add_argument("--figure", type=Path)
    asked = parser.parse_args()
    points, pages = measured(asked.hosts, asked.pages), asked.hosts * asked.pages
    if asked.figure:
        asked.figure.write_text(drawn(points, pages), "utf-8")
    shares = (0.1, 0.25, 0.5, 0.75, 0.95)
    print(
        json.dumps(
            {
                "pages": points[-1][0],
                "megabytes_at": {
                    f"{share:.0%}": round(at_share(points, pages, share), 1) for share in shares
                },
                "most": round(max(size for _, size in points), 1),
            }
        )
    )


if __name__ == "__main__":
    main()
