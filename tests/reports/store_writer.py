"""Write cells first, first+1, ... (count of them) into a store, and print a line when the first is there.

Run as a program by the tests of the store, which kill it or run two of them at once.
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from reports.cells import BLOCK, Cell, CellResult
from reports.store import Store
from theorems.claim import Observation


def numbered_cell(number: int) -> tuple[str, Cell, CellResult]:
    """A cell whose content follows from its number, so that a reader can tell whether it is intact."""
    seen = Observation("simulate.none:none", 2, {"number": number}, cost=1.0)
    name = hashlib.sha256(b"%d" % number).hexdigest()
    return name, Cell(seen, number, 0), CellResult(np.arange(BLOCK) + float(number), number / 8)


def main(path: str, first: str, count: str) -> None:
    with Store(path) as store:
        for number in range(int(first), int(first) + int(count)):
            store.put(*numbered_cell(number))
            if number == int(first):
                print("writing", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
