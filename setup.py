"""Builds the optional parts in C; without a compiler those in Python are used, with the same results.

The browser extension is packed into the program, for the server to hand out.
"""

import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py


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


class BuildWithExtension(build_py):
    """Copies the browser extension into the package; an editable installation finds it beside the package."""

    def run(self) -> None:
        """Build the modules, then copy."""
        super().run()
        if not self.editable_mode:
            shutil.copytree("extension", Path(self.build_lib, "fieldmouse", "extension"), dirs_exist_ok=True)


setup(
    cmdclass={"build_py": BuildWithExtension},
    ext_modules=[quick("page._scan"), quick("focus._terms"), quick("labels._split")],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
