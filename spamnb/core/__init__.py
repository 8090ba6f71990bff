"""Provides numpy helpers and operating system services; knows nothing of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.core.arrays import (
        BoolArray as BoolArray,
        FloatArray as FloatArray,
        GrowableArray as GrowableArray,
        IntArray as IntArray,
        distinct_values as distinct_values,
        find_ranges as find_ranges,
        group_values as group_values,
        join_arrays as join_arrays,
        log_softmax as log_softmax,
        row_sums as row_sums,
        run_sizes as run_sizes,
        run_starts as run_starts,
    )
    from spamnb.core.bounded_cache import BoundedCache as BoundedCache
    from spamnb.core.cpu_and_memory import (
        available_cores as available_cores,
        keep_freed_memory as keep_freed_memory,
        release_memory as release_memory,
    )
    from spamnb.core.file_access import (
        Account as Account,
        describe_file as describe_file,
        find_account as find_account,
        obstacles as obstacles,
        read_byte as read_byte,
        try_as as try_as,
    )
    from spamnb.core.file_owner import (
        check_owner as check_owner,
        group_name as group_name,
        is_trusted as is_trusted,
        share_like as share_like,
        user_name as user_name,
    )
    from spamnb.core.new_files import (
        NewFile as NewFile,
        Replacements as Replacements,
        SecondName as SecondName,
        remove_leftovers as remove_leftovers,
    )
    from spamnb.core.record import Record as Record
    from spamnb.core.strings import (
        Bytes as Bytes,
        StringArray as StringArray,
        copy_spans as copy_spans,
        reorder_strings as reorder_strings,
        string_bounds as string_bounds,
    )
    from spamnb.core.terminal_text import (
        UNSAFE as UNSAFE,
        cut_to_width as cut_to_width,
        display_width as display_width,
        excerpt as excerpt,
        visible as visible,
        visible_bytes as visible_bytes,
    )
    from spamnb.core.user_folders import (
        user_config_folder as user_config_folder,
        user_data_folder as user_data_folder,
    )
    from spamnb.core.worker_pool import (
        ResultCollector as ResultCollector,
        WorkerPool as WorkerPool,
        can_fork as can_fork,
        ordered_map as ordered_map,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "arrays": [
                "BoolArray",
                "FloatArray",
                "GrowableArray",
                "IntArray",
                "distinct_values",
                "find_ranges",
                "group_values",
                "join_arrays",
                "log_softmax",
                "row_sums",
                "run_sizes",
                "run_starts",
            ],
            "bounded_cache": ["BoundedCache"],
            "cpu_and_memory": ["available_cores", "keep_freed_memory", "release_memory"],
            "file_access": ["Account", "describe_file", "find_account", "obstacles", "read_byte", "try_as"],
            "file_owner": ["check_owner", "group_name", "is_trusted", "share_like", "user_name"],
            "new_files": ["NewFile", "Replacements", "SecondName", "remove_leftovers"],
            "record": ["Record"],
            "strings": ["Bytes", "StringArray", "string_bounds", "copy_spans", "reorder_strings"],
            "terminal_text": [
                "UNSAFE",
                "cut_to_width",
                "display_width",
                "excerpt",
                "visible",
                "visible_bytes",
            ],
            "user_folders": ["user_config_folder", "user_data_folder"],
            "worker_pool": ["ResultCollector", "WorkerPool", "can_fork", "ordered_map"],
        },
        modules=["cpu_and_memory", "files"],
    )
