"""Folders where Spark writes: on this machine, HDFS, S3 or whatever else Hadoop's file systems reach."""

from __future__ import annotations

import re
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

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
        self._spark = spark
        self.path = path

    def of_this_machine(self) -> str | None:
        """Its path where it is one of the machine's own files, or of a disk that all executors see; else None."""
        address = self._files.makeQualified(self._of_hadoop).toUri()
        return str(address.getPath()) if address.getScheme() == "file" else None

    def exists(self) -> bool:
        """Whether there is anything of this name."""
        return bool(self._files.exists(self._of_hadoop))

    def size(self) -> int:
        """Bytes of all files in it."""
        return int(self._files.getContentSummary(self._of_hadoop).getLength())

    def beside(self, begin: str, end: str) -> list[Folder]:
        """The folders beside it that are called as it is and so on, the latest last.

        Args:
            begin: of what follows its name.
            end: of that.
        """
        parent = self._of_hadoop.getParent()
        if parent is None or not self._files.exists(parent):
            return []
        name = f"{self._of_hadoop.getName()}{begin}"
        found = [
            (one.getModificationTime(), one.getPath().getName())
            for one in self._files.listStatus(parent)
            if one.getPath().getName().startswith(name) and one.getPath().getName().endswith(end)
        ]
        folder = self.path.removesuffix(self._of_hadoop.getName())
        return [Folder(self._spark, f"{folder}{name}") for _, name in sorted(found)]

    def within(self, other: Folder) -> Folder:
        """What has the other's name, and is in this one."""
        return Folder(self._spark, f"{self.path}/{other._of_hadoop.getName()}")

    def delete(self) -> None:
        """Delete it, with all in it."""
        self._files.delete(self._of_hadoop, True)  # noqa: FBT003 - Java has no names

    def rename(self, other: Folder) -> bool:
        """Give it another name; whether that could be done."""
        return bool(self._files.rename(self._of_hadoop, other._of_hadoop))


def literal(path: str) -> str:
    r"""A path as Spark reads it, which takes what it is given for a pattern.

    Args:
        path: of what is meant, and nothing else.

    >>> literal("/data/tables [2]")
    '/data/tables \\[2\\]'
    """
    return re.sub(r"[\[\]{}*?\\]", r"\\\g<0>", path)


def written(spark: Any, path: str, frame: Any) -> Any:
    """Write a DataFrame and read it from there; what an earlier try has finished is only read.

    Args:
        spark: the session.
        path: of the folder; what an earlier try left unfinished is written anew.
        frame: to be written.
    """
    if not is_finished(spark, path):
        Folder(spark, path).delete()
        frame.write.parquet(path)
    return spark.read.schema(frame.schema).parquet(literal(path))


def is_finished(spark: Any, path: str) -> bool:
    """Whether Spark has written all of a folder: it says so last.

    Args:
        spark: the session.
        path: of the folder.
    """
    return Folder(spark, f"{path}/_SUCCESS").exists()


@contextmanager
def replacing(
    spark: Any,
    path: str,
    *,
    key: str,
    overwrite: bool = False,
    resume: bool = False,
    lost: tuple[type[Exception], ...] = (),
) -> Iterator[str]:
    """A folder to write tables to, which gets its name when the block ends without an exception.

    It lies beside the target until then, so that whoever sees the target sees all of it. Its name says what it is made
    of, and has a mark of its own: two jobs never write to the same folder. After an error it stays, for ``resume``.

    Args:
        spark: the session.
        path: of the target.
        key: a digest of all that the tables depend on.
        overwrite: whether something that is there gives way; it stays until the new one is complete.
        resume: go on with the folder that an earlier job with the same key left, which must not work any more.
        lost: errors that no other try would get round: after one nothing stays.

    Raises:
        OutputError: there is something already, or it cannot be replaced; or there is nothing to go on with.
    """
    target = Folder(spark, path.rstrip("/") or "/")
    mark = uuid.uuid4().hex[:12]
    part = Folder(spark, f"{target.path}.{key}.{mark}.part")
    if resume:
        left = target.beside(f".{key}.", ".part")
        if not left or not left[-1].rename(part):
            told = (
                f"there is nothing to resume beside {target.path}: no job of the same archives and options left tables"
            )
            raise OutputError(f"{told}; repeat the command without --resume")
    try:
        yield part.path
    except lost:
        part.delete()
        raise
    refuse_existing(target, overwrite=overwrite)
    Folder(spark, f"{part.path}/{WORK}").delete()
    _put(part, target, Folder(spark, f"{target.path}.{mark}.former"))


#: What a job needs on its way, within the folder that it writes.
WORK: Final = "work"


def _put(part: Folder, target: Folder, former: Folder) -> None:
    """Give the new folder the name of the target; what has it goes when that is done.

    Raises:
        OutputError: that cannot be done, or another job gave its folder the name at the same moment.
    """
    there = target.exists()
    if there and not target.rename(former):
        raise OutputError(f"cannot replace {target.path}")
    if not part.rename(target):
        if there:
            former.rename(target)
        raise OutputError(f"cannot write {target.path}")
    if there:
        former.delete()
    inside = target.within(part)  # where Hadoop moves it if there is a folder of that name by now
    if inside.exists():
        left = part if inside.rename(part) else inside
        raise OutputError(f"{target.path} was written by another job meanwhile; this one's tables are in {left.path}")


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
