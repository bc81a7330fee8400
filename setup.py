"""Builds the optional tokenizer in C; without a compiler the Python one is used, with the same results."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "fieldmouse.page._scan",
            ["fieldmouse/page/_scan.c"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            extra_compile_args=["-O3"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
