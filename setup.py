"""The compiled part of the package; all else is in pyproject.toml."""

import os
import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

_BUILD = runpy.run_path("graphlang/native/build.py")


class _Kernels(build_ext):
    """Beside each compiled module, the Python module that calls it."""

    def run(self) -> None:
        super().run()
        for path, source in self._wrappers().items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")

    def get_outputs(self) -> list[str]:
        return [*super().get_outputs(), *map(str, self._wrappers())]

    def _wrappers(self) -> dict[Path, str]:
        return {Path(self.build_lib, path): source for path, source in _BUILD["write_wrappers"]().items()}


class _Wheel(bdist_wheel):
    """A wheel whose bytes do not depend on the modes of the files in the checkout, nor on the umask."""

    def egg2dist(self, egginfo_path: str, distinfo_path: str) -> None:
        super().egg2dist(egginfo_path, distinfo_path)
        os.umask(0o022)  # for the two files that are still to be written
        for path in Path(self.bdist_dir).rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.suffix == ".so" else 0o644)


setup(
    cmdclass={"bdist_wheel": _Wheel, "build_ext": _Kernels},
    cffi_modules=_BUILD["CFFI_MODULES"],
    # The kernels know nothing of Python, and cffi's part keeps to the limited interface: one wheel for all versions.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
