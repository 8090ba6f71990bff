"""Renders measurements for the terminal, as lines, JSON, HTML and SVG; computes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.report.column_fit import UNLIMITED as UNLIMITED
    from spamnb.report.html.page import render_page as render_page
    from spamnb.report.html.page_style import page_style as page_style
    from spamnb.report.json_output import dumps as dumps
    from spamnb.report.mistake_list import mistake_rows as mistake_rows, show_mistakes as show_mistakes
    from spamnb.report.plots.evaluation_plots import EvaluationPlots as EvaluationPlots
    from spamnb.report.plots.svg import svg_file as svg_file
    from spamnb.report.prediction_csv import Csv as Csv
    from spamnb.report.prediction_jsonl import (
        Jsonl as Jsonl,
        explanation_row as explanation_row,
        message_text as message_text,
        prediction_rows as prediction_rows,
        reason_row as reason_row,
        verdict_row as verdict_row,
    )
    from spamnb.report.prediction_lines import (
        Explain as Explain,
        Terse as Terse,
        Tsv as Tsv,
        evidence_text as evidence_text,
        header_reasons as header_reasons,
    )
    from spamnb.report.prediction_parquet import ParquetWriter as ParquetWriter
    from spamnb.report.prediction_table import (
        ReplyWriter as ReplyWriter,
        Screen as Screen,
        TableWriter as TableWriter,
    )
    from spamnb.report.setting_tables import (
        show_comparison as show_comparison,
        show_steps as show_steps,
        show_tuning as show_tuning,
    )
    from spamnb.report.text_plots import Curves as Curves
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "column_fit": ["UNLIMITED"],
            "html.page": ["render_page"],
            "html.page_style": ["page_style"],
            "json_output": ["dumps"],
            "mistake_list": ["mistake_rows", "show_mistakes"],
            "plots.evaluation_plots": ["EvaluationPlots"],
            "plots.svg": ["svg_file"],
            "prediction_csv": ["Csv"],
            "prediction_jsonl": [
                "Jsonl",
                "explanation_row",
                "message_text",
                "prediction_rows",
                "reason_row",
                "verdict_row",
            ],
            "prediction_lines": ["Explain", "Terse", "Tsv", "evidence_text", "header_reasons"],
            "prediction_parquet": ["ParquetWriter"],
            "prediction_table": ["ReplyWriter", "Screen", "TableWriter"],
            "setting_tables": ["show_comparison", "show_steps", "show_tuning"],
            "text_plots": ["Curves"],
        },
        modules=["model_card", "terminal", "token_tables"],
    )
