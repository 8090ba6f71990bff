"""Holds the sparse count store: integers that add, subtract and merge exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.counts.apply_delta import add_delta as add_delta
    from spamnb.counts.count_store import (
        LARGEST as LARGEST,
        CountStore as CountStore,
        are_grams as are_grams,
        rows_with_any as rows_with_any,
        sum_of_sizes as sum_of_sizes,
    )
    from spamnb.counts.entries import NO_GRAM as NO_GRAM, Entries as Entries
    from spamnb.counts.key_table import KeyTable as KeyTable
    from spamnb.counts.moments import Moments as Moments, co_scatter as co_scatter
    from spamnb.counts.pair_columns import (
        PairColumns as PairColumns,
        is_pair as is_pair,
        pair_name as pair_name,
        split_values as split_values,
    )
    from spamnb.counts.store_merge import merge_stores as merge_stores, subtract_store as subtract_store
    from spamnb.counts.tally import Tally as Tally, count as count
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "apply_delta": ["add_delta"],
            "count_store": ["LARGEST", "CountStore", "are_grams", "rows_with_any", "sum_of_sizes"],
            "entries": ["NO_GRAM", "Entries"],
            "key_table": ["KeyTable"],
            "moments": ["Moments", "co_scatter"],
            "pair_columns": ["PairColumns", "is_pair", "pair_name", "split_values"],
            "store_merge": ["merge_stores", "subtract_store"],
            "tally": ["Tally", "count"],
        },
        modules=["count_state"],
    )
