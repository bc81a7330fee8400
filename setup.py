"""Builds the optional parts in C; without a compiler those in Python are used, with the same results."""

import sys
from pathlib import Path

from setuptools import Extension, setup


def quick(name: str) -> Extension:
    """A part in C; products are not joined with sums, as Python does not do that either."""
    file = Path("fieldmouse", *name.split(".")).with_suffix(".c")
    return Extension(
        f"fieldmouse.{name}",
        [file.as_posix()],
        depends=[one.as_posix() for one in sorted(file.parent.glob("*.c"))],  # a part may include another
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        extra_compile_args=["-O3", "-ffp-contract=off"],
        libraries=[] if sys.platform == "win32" else ["m"],
        py_limited_api=True,
        optional=True,
    )


setup(
    ext_modules=[quick("page._scan"), quick("focus._terms"), quick("labels._split")],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
