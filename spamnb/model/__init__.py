"""Combines counts, scorer, calibration and decision into a SpamModel that explains its verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.model.base_model import USUAL as USUAL, BaseModel as BaseModel
    from spamnb.model.calibration import (
        LIMIT as LIMIT,
        Beta as Beta,
        Calibration as Calibration,
        Floats as Floats,
        Platt as Platt,
        fit as fit,
        fit_isotonic as fit_isotonic,
        minimise as minimise,
        probability as probability,
    )
    from spamnb.model.change_history import ChangeHistory as ChangeHistory
    from spamnb.model.decision import (
        HAM as HAM,
        SPAM as SPAM,
        UNSURE as UNSURE,
        Decision as Decision,
        describe as describe,
        probability_text as probability_text,
    )
    from spamnb.model.explanation import Evidence as Evidence, Explanation as Explanation
    from spamnb.model.inspection import (
        Inspector as Inspector,
        Linear as Linear,
        TokenRow as TokenRow,
        card as card,
        count_seen as count_seen,
        knows_mail as knows_mail,
        row_dict as row_dict,
    )
    from spamnb.model.model_delta import (
        Change as Change,
        decode as decode,
        encode as encode,
        negative as negative,
        sum_counts as sum_counts,
        total as total,
        wide as wide,
    )
    from spamnb.model.model_merge import merge_models as merge_models, merge_stores as merge_stores
    from spamnb.model.predictions import Predictions as Predictions
    from spamnb.model.prune_model import age as age, prune as prune
    from spamnb.model.scoring_engine import (
        Engine as Engine,
        WordCounts as WordCounts,
        damping_scale as damping_scale,
        log_odds_of as log_odds_of,
        weighted as weighted,
    )
    from spamnb.model.seen_messages import (
        SeenMessages as SeenMessages,
        all_known as all_known,
        by_label as by_label,
        content_digests as content_digests,
        word_digests as word_digests,
    )
    from spamnb.model.spam_model import SpamModel as SpamModel
    from spamnb.model.text_export import export_lines as export_lines, import_lines as import_lines
    from spamnb.model.weight_correction import Correction as Correction
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "base_model": ["BaseModel", "USUAL"],
            "calibration": [
                "Beta",
                "Calibration",
                "Floats",
                "LIMIT",
                "Platt",
                "fit",
                "fit_isotonic",
                "minimise",
                "probability",
            ],
            "change_history": ["ChangeHistory"],
            "decision": ["Decision", "HAM", "SPAM", "UNSURE", "describe", "probability_text"],
            "explanation": ["Evidence", "Explanation"],
            "inspection": ["Inspector", "Linear", "TokenRow", "card", "count_seen", "knows_mail", "row_dict"],
            "model_delta": ["Change", "decode", "encode", "negative", "sum_counts", "total", "wide"],
            "model_merge": ["merge_models", "merge_stores"],
            "predictions": ["Predictions"],
            "prune_model": ["age", "prune"],
            "scoring_engine": ["Engine", "WordCounts", "damping_scale", "log_odds_of", "weighted"],
            "seen_messages": ["SeenMessages", "all_known", "by_label", "content_digests", "word_digests"],
            "spam_model": ["SpamModel"],
            "text_export": ["export_lines", "import_lines"],
            "weight_correction": ["Correction"],
        },
        modules=["calibration"],
    )
