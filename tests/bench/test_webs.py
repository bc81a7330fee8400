"""What a program costs, as the benchmarks measure it."""

import sys
from pathlib import Path

import pytest

from bench.webs import cost


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from Linux")
def test_the_peak_is_that_of_the_program_and_not_of_the_bench(tmp_path: Path) -> None:
    held = b"x" * 200_000_000  # a child that is started now inherits this as its peak
    small = cost([sys.executable, "-c", "import time; time.sleep(0.5)"], {}, tmp_path, limit=30)
    large = cost(
        [sys.executable, "-c", "import time; x = b'x' * 150_000_000; time.sleep(0.5); exit(3)"],
        {}, tmp_path, limit=30,
    )  # fmt: skip
    assert len(held) > small.peak_mb * 1e6 > 0
    assert small.peak_mb < 100 < 150 < large.peak_mb < 250
    assert (small.code, large.code) == (0, 3)
