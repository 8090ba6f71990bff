"""Names the columns that predictions add to those of the input, so that no two have the same name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count

from spamnb.core import excerpt
from spamnb.errors import DataError
from spamnb.messages import InputColumns

_MOST_NAMES = 20  # of values that were left out


def free_prefix(new: Sequence[str], taken: Iterable[str]) -> str:
    """Returns the prefix with which no new name is taken, in upper or lower case.

    All new names get it: a verdict of another filter must not be taken for part of these predictions.

    >>> free_prefix(["verdict", "probability"], ["id", "text"])
    ''
    >>> free_prefix(["verdict", "probability"], ["id", "Verdict"])
    'spamnb_'
    >>> free_prefix(["verdict", "probability"], ["verdict", "spamnb_verdict"])
    'spamnb2_'
    """
    names = {name.strip().casefold() for name in taken}
    prefixes = chain(["", "spamnb_"], (f"spamnb{number}_" for number in count(2)))
    return next(prefix for prefix in prefixes if names.isdisjoint(prefix + name for name in new))


class Header:
    """The names of the columns of an output that has one header for all its inputs."""

    def __init__(self, new: Sequence[str]) -> None:
        self.new = tuple(new)
        self.prefix = ""
        self.left_out = set[str]()  # names of values that the header lacks
        self._columns: tuple[str, ...] | None = None
        self._begun = False

    def begin(self, source: str, columns: tuple[str, ...] | None) -> bool:
        """Begins a source with these columns, None if it is no table; returns whether it is the first."""
        if not self._begun:
            self.begin_records(columns)
            return True
        if columns != self._columns:
            raise DataError(
                f"{source} has other columns than the input before it: {_listed(columns)} "
                f"in place of {_listed(self._columns)}",
                hint="classify them one by one, or use --format jsonl, in which each line has its own",
            )
        return False

    def begin_records(self, columns: tuple[str, ...] | None) -> None:
        """Begins a source of which every record has its own names in the output."""
        self._begun, self._columns = True, columns
        self.prefix = free_prefix(self.new, columns or ())

    def prefix_beside(self, record: Mapping[str, object]) -> str:
        """Returns the prefix for one record: another one if it has a name that the first records lack."""
        if record.keys().isdisjoint(self.names):
            return self.prefix
        return free_prefix(self.new, (*(self._columns or ()), *record))

    @property
    def names(self) -> list[str]:
        """The names of the new columns."""
        return [self.prefix + name for name in self.new]

    def observe(self, columns: InputColumns | None) -> None:
        """Remembers values of later records whose names the header lacks."""
        other_names = getattr(columns, "other_names", None)
        if other_names is not None and len(self.left_out) < _MOST_NAMES:
            self.left_out |= other_names()


def _listed(columns: tuple[str, ...] | None) -> str:
    return "no columns" if columns is None else ", ".join(excerpt(name) for name in columns[:_MOST_NAMES])
