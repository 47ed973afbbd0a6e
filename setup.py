"""The compiled part of the package; all else is in pyproject.toml."""

import runpy

from setuptools import setup

setup(
    cffi_modules=runpy.run_path("graphlang/native/build.py")["CFFI_MODULES"],
    # The kernels know nothing of Python, and cffi's part keeps to the limited interface: one wheel for all versions.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
