"""Turns files, pipes and mailboxes into chunks of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.readers.byte_stream import (
        StoredFile as StoredFile,
        open_bytes as open_bytes,
        peek_stdin as peek_stdin,
    )
    from spamnb.readers.decoded_input import (
        LONGEST_RECORD as LONGEST_RECORD,
        DecodedInput as DecodedInput,
        refuse_binary as refuse_binary,
        too_long as too_long,
    )
    from spamnb.readers.encodings import as_utf8 as as_utf8
    from spamnb.readers.format_detection import (
        by_first_lines as by_first_lines,
        certain_mail as certain_mail,
        looks_like as looks_like,
        many_messages as many_messages,
        names_one_column as names_one_column,
    )
    from spamnb.readers.formats import (
        FORMATS as FORMATS,
        any_of as any_of,
        format_by_suffix as format_by_suffix,
        labelled_formats as labelled_formats,
        mail_formats as mail_formats,
        table_formats as table_formats,
    )
    from spamnb.readers.job_count import choose_jobs as choose_jobs
    from spamnb.readers.path_list import (
        existing_paths as existing_paths,
        plan as plan,
        read_paths as read_paths,
    )
    from spamnb.readers.read_options import ReadOptions as ReadOptions
    from spamnb.readers.row_blocks import BlockReader as BlockReader
    from spamnb.readers.skipped_rows import NO_LABEL as NO_LABEL, SkippedRecords as SkippedRecords
    from spamnb.readers.source import Source as Source
    from spamnb.readers.source_opener import open_source as open_source
    from spamnb.readers.tables.label_words import (
        LABEL_NAMES as LABEL_NAMES,
        TEXT_NAMES as TEXT_NAMES,
        is_label_name as is_label_name,
        is_spam_word as is_spam_word,
        normalize_name as normalize_name,
        spam_of_two as spam_of_two,
    )
    from spamnb.readers.tables.labelled_table import (
        is_table as is_table,
        labelled_messages as labelled_messages,
    )
    from spamnb.readers.tables.labels import (
        UNSURE_NAME as UNSURE_NAME,
        unknown_spam_label as unknown_spam_label,
    )
    from spamnb.readers.tables.prediction_columns import StatedColumns as StatedColumns
    from spamnb.readers.tables.prediction_file import (
        PredictionFile as PredictionFile,
        read_predictions as read_predictions,
    )
    from spamnb.readers.tables.python_columns import (
        columns_of_table as columns_of_table,
        columns_of_values as columns_of_values,
    )
    from spamnb.readers.tables.python_labels import (
        ReadLabels as ReadLabels,
        class_names as class_names,
        classes_by_meaning as classes_by_meaning,
        label_names as label_names,
        written_labels as written_labels,
    )
    from spamnb.readers.tables.usable_rows import (
        check_lengths as check_lengths,
        usable_rows as usable_rows,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "source_opener": ["open_source"],
            "byte_stream": ["StoredFile", "open_bytes", "peek_stdin"],
            "decoded_input": ["DecodedInput", "LONGEST_RECORD", "refuse_binary", "too_long"],
            "encodings": ["as_utf8"],
            "format_detection": [
                "by_first_lines",
                "certain_mail",
                "looks_like",
                "many_messages",
                "names_one_column",
            ],
            "formats": [
                "FORMATS",
                "any_of",
                "format_by_suffix",
                "labelled_formats",
                "mail_formats",
                "table_formats",
            ],
            "job_count": ["choose_jobs"],
            "path_list": ["existing_paths", "plan", "read_paths"],
            "read_options": ["ReadOptions"],
            "row_blocks": ["BlockReader"],
            "source": ["Source"],
            "skipped_rows": ["NO_LABEL", "SkippedRecords"],
            "tables.label_words": [
                "LABEL_NAMES",
                "TEXT_NAMES",
                "is_label_name",
                "is_spam_word",
                "normalize_name",
                "spam_of_two",
            ],
            "tables.labels": ["UNSURE_NAME", "unknown_spam_label"],
            "tables.prediction_columns": ["StatedColumns"],
            "tables.prediction_file": ["PredictionFile", "read_predictions"],
            "tables.labelled_table": ["is_table", "labelled_messages"],
            "tables.python_columns": ["columns_of_table", "columns_of_values"],
            "tables.python_labels": [
                "ReadLabels",
                "class_names",
                "classes_by_meaning",
                "label_names",
                "written_labels",
            ],
            "tables.usable_rows": ["check_lengths", "usable_rows"],
        },
    )
