"""Folders where Spark writes: on this machine, HDFS, S3 or whatever else Hadoop's file systems reach."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from graphlang.whole_file import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Folder:
    """A folder as Spark sees it.

    Args:
        spark: the session.
        path: of the folder.
    """

    def __init__(self, spark: Any, path: str) -> None:
        jvm = spark.sparkContext._jvm  # noqa: SLF001 - PySpark has no other way to Hadoop's file systems
        self._kind = jvm.org.apache.hadoop.fs.Path
        self._of_hadoop = self._kind(path)
        self._files = self._of_hadoop.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())  # noqa: SLF001 - as above
        self.path = path

    def exists(self) -> bool:
        """Whether there is anything of this name."""
        return bool(self._files.exists(self._of_hadoop))

    def delete(self) -> None:
        """Delete it, with all in it."""
        self._files.delete(self._of_hadoop, True)  # noqa: FBT003 - Java has no names

    def rename(self, other: Folder) -> bool:
        """Give it another name; whether that could be done."""
        return bool(self._files.rename(self._of_hadoop, other._of_hadoop))


@contextmanager
def replacing(spark: Any, path: str, *, overwrite: bool) -> Iterator[str]:
    """A folder to write tables to, which gets its name when the block ends without an exception.

    It lies beside the target until then, so that whoever sees the target sees all of it.

    Args:
        spark: the session.
        path: of the target.
        overwrite: whether something that is there gives way; it stays until the new one is complete.

    Raises:
        OutputError: there is something already, or it cannot be replaced.
    """
    target = Folder(spark, path.rstrip("/") or "/")
    refuse_existing(target, overwrite=overwrite)
    mark = uuid.uuid4().hex[:12]
    part = Folder(spark, f"{target.path}.{mark}.part")
    try:
        yield part.path
        refuse_existing(target, overwrite=overwrite)
        _put(part, target, Folder(spark, f"{target.path}.{mark}.former"))
    except BaseException:
        part.delete()
        raise


def _put(part: Folder, target: Folder, former: Folder) -> None:
    """Give the new folder the name of the target; what has it goes when that is done."""
    there = target.exists()
    if there and not target.rename(former):
        raise OutputError(f"cannot replace {target.path}")
    if not part.rename(target):
        if there:
            former.rename(target)
        raise OutputError(f"cannot write {target.path}")
    if there:
        former.delete()


def refuse_existing(target: Folder, *, overwrite: bool) -> None:
    """Refuse to write where something is.

    Args:
        target: to be written.
        overwrite: whether it may give way.

    Raises:
        OutputError: it exists and may not.
    """
    if target.exists() and not overwrite:
        raise OutputError(f"{target.path} exists; name another folder, or replace it with --overwrite")
