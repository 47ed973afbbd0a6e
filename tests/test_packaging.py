"""What is published and how: dependencies, the lock of developers, workflows, the sdist, hardened kernels."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import graphlang.content.native
import graphlang.db.native
import graphlang.graph.native
import graphlang.ingest.html.native
import graphlang.urls.native

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "tests" / "packaging" / "requirements-dev.txt"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def locked() -> dict[str, set[str]]:
    """Versions by package: several where they differ with the Python or the platform."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(name.lower(), set()).add(version)
    return found


def test_every_dependency_has_a_lower_bound_and_none_an_upper_one() -> None:
    settings = project()
    lists = [
        settings["project"]["dependencies"],
        *settings["project"]["optional-dependencies"].values(),
        *settings["dependency-groups"].values(),
    ]
    bounds = {one.name: {spec.operator for spec in one.specifier} for each in lists for one in map(Requirement, each)}
    assert {name: operators for name, operators in bounds.items() if operators != {">="}} == {}


def test_the_lock_has_all_that_developers_install_in_versions_that_are_allowed() -> None:
    settings = project()
    wanted = [Requirement(one) for one in (*settings["project"]["dependencies"], *settings["dependency-groups"]["dev"])]
    versions = locked()
    for one in wanted:
        assert versions[one.name.lower()], one
        for version in versions[one.name.lower()]:
            assert one.specifier.contains(Version(version)), (one, version)


def test_the_lock_has_a_digest_for_everything_and_names_no_place() -> None:
    text = LOCK.read_text(encoding="utf-8")
    blocks = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert len(blocks) > 30
    assert [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block] == []
    assert re.findall(r"://|--(?:extra-)?index|--find-links|@ ", text) == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_sound(path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert found["permissions"] == {"contents": "read"}  # a job that needs more says so itself
    for name, job in found["jobs"].items():
        assert job["runs-on"], name
        assert set(job.get("needs", ())) <= set(found["jobs"])
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), (name, step)
            assert "uses" not in step or re.fullmatch(r"[\w./-]+@[\w./-]+", step["uses"]), step


def test_only_a_tag_is_published_and_by_trusted_publishing_alone() -> None:
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8"))["jobs"]
    publish = jobs["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert set(publish["needs"]) == set(jobs) - {"publish"}
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["steps"][-1]["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert "password" not in str(publish)


def test_a_tag_that_is_not_the_version_is_not_published(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8"))["jobs"]
    [step] = [one for one in jobs["sdist"]["steps"] if one.get("if") == jobs["publish"]["if"]]

    def agree(tag: str, cited: str, heading: str) -> bool:
        (tmp_path / "CITATION.cff").write_text(f"version: {cited}\n")
        (tmp_path / "CHANGELOG.md").write_text(f"## [{heading}] - 2026-12-01\n")
        found = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=tmp_path,
            env={**os.environ, "GITHUB_REF_NAME": tag},
            stdout=subprocess.DEVNULL,
            check=False,
        )
        return found.returncode == 0

    assert agree("v0.2.0", "0.2.0", "0.2.0")
    assert not agree("v0.2.0", "0.1.0", "0.2.0")
    assert not agree("v0.2.0", "0.2.0", "Unreleased")


def test_the_sdist_has_the_sources_and_nothing_that_was_built(tmp_path: Path) -> None:
    source = _copy(tmp_path / "source")
    command = [sys.executable, "-c", "import sys, setuptools.build_meta as b; print(b.build_sdist(sys.argv[1]))"]
    done = subprocess.run([*command, str(tmp_path)], cwd=source, capture_output=True, text=True, check=True)
    with tarfile.open(tmp_path / done.stdout.splitlines()[-1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("graphlang", "db", "ingest"):
        for path in (source / folder).rglob("*.[ch]"):
            name = path.relative_to(source).as_posix()
            assert path.name == "entities.h" or name in names, name
    assert {"LICENSE", "pyproject.toml", "setup.py", "graphlang/native/build.py"} <= names
    assert [name for name in names if name.endswith((".so", ".o", "entities.h"))] == []


def _copy(folder: Path) -> Path:
    sys.path.insert(0, str(LOCK.parent))
    try:
        from wheels import checkout  # noqa: PLC0415 - the script beside this test
    finally:
        sys.path.pop(0)
    return checkout(folder)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the format of libraries is that of Linux")
def test_the_shipped_kernels_are_hardened() -> None:
    build = runpy.run_path(str(ROOT / "graphlang" / "native" / "build.py"))
    for one in map(build["choose_flags"], build["KERNELS"]):
        assert {"-D_FORTIFY_SOURCE=3", "-fstack-protector-strong"} <= set(one["extra_compile_args"])
        assert one["extra_link_args"] == ["-Wl,-z,relro,-z,now"]
    reader = shutil.which("readelf")
    if reader is None:
        pytest.skip("there is no readelf to look at what was built")
    rooms = (graphlang.db, graphlang.content, graphlang.graph, graphlang.ingest.html, graphlang.urls)
    for room in rooms:
        for library in Path(room.native.__path__[0]).glob("*.so"):
            told = subprocess.run([reader, "-dWl", library], capture_output=True, text=True, check=True).stdout
            assert "BIND_NOW" in told, library
            assert "GNU_RELRO" in told, library
            assert not re.search("GNU_STACK.* RWE ", told), library


def test_python_that_starts_in_the_checkout_finds_the_whole_package() -> None:
    code = (
        "import graphlang.db, graphlang as gl; print(gl.identify(['Der Nebel liegt noch über dem Tal.'])[0].language)"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == "deu\n"
