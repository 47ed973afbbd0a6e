"""What the table of languages says of captures and answers: who makes these hands it to the tasks of their pages.

Otherwise their tables would have to be opened again, and read as a whole.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import CAPTURES

FACTS_TABLE: Final = f"{WORK}/facts"
#: Of the capture that is a page's own.
FACTS: Final = pa.schema(
    [CAPTURES.field(name) for name in ("page", "status", "mime", "charset", "charset_from", "date", "length")]
)
TOLD_TABLE: Final = f"{WORK}/told"
#: Of the answer for a page.
TOLD: Final = pa.schema(
    [
        *(("page", pa.int64()), ("label", pa.string()), ("confidence", pa.float64()), ("runner_up_label", pa.string())),
        *(("runner_up_confidence", pa.float64()), ("characters", pa.int64()), ("encoding", pa.string())),
    ]
)
