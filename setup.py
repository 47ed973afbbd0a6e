"""The compiled part of the package; all else is in pyproject.toml."""

import os
import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel


class _Wheel(bdist_wheel):
    """A wheel whose bytes do not depend on the modes of the files in the checkout, nor on the umask."""

    def egg2dist(self, egginfo_path: str, distinfo_path: str) -> None:
        super().egg2dist(egginfo_path, distinfo_path)
        os.umask(0o022)  # for the two files that are still to be written
        for path in Path(self.bdist_dir).rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.suffix == ".so" else 0o644)


setup(
    cmdclass={"bdist_wheel": _Wheel},
    cffi_modules=runpy.run_path("graphlang/native/build.py")["CFFI_MODULES"],
    # The kernels know nothing of Python, and cffi's part keeps to the limited interface: one wheel for all versions.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
