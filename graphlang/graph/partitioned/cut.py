"""Which hosts and directories have their pages in several partitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Hosts and directories whose pages lie in several partitions (see ``assign.Cuts``)."""

    hosts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  #: keys, ascending
    directories: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  #: keys, ascending
