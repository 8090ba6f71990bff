"""Combines counts, scorer, calibration and decision into a SpamModel that explains its verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.model.base_model import (
        FOLLOWS as FOLLOWS,
        USUAL_SLOPE as USUAL_SLOPE,
        BaseModel as BaseModel,
        usual_share as usual_share,
    )
    from spamnb.model.base_reload import (
        base_of_file as base_of_file,
        stamp_of as stamp_of,
        with_newest_base as with_newest_base,
    )
    from spamnb.model.calibration import (
        LIMIT as LIMIT,
        Beta as Beta,
        Calibration as Calibration,
        Platt as Platt,
        Temperature as Temperature,
        identity as identity,
        probability as probability,
    )
    from spamnb.model.change_history import LOSS_UNIT as LOSS_UNIT, ChangeHistory as ChangeHistory
    from spamnb.model.column_tables import columns_of as columns_of
    from spamnb.model.decision import (
        HAM as HAM,
        SPAM as SPAM,
        UNSURE as UNSURE,
        Decision as Decision,
    )
    from spamnb.model.decision_text import describe as describe, probability_text as probability_text
    from spamnb.model.default_model import (
        MODEL_VARIABLE as MODEL_VARIABLE,
        choose_model as choose_model,
        chosen_names as chosen_names,
        existing_path_of as existing_path_of,
        load as load,
        no_such_name as no_such_name,
        own_file_of as own_file_of,
        own_model as own_model,
    )
    from spamnb.model.evidence import Basis as Basis, Evidence as Evidence
    from spamnb.model.explanation import Explanation as Explanation
    from spamnb.model.formula import (
        Formula as Formula,
        Linear as Linear,
        linear_view as linear_view,
    )
    from spamnb.model.inspection import (
        Inspector as Inspector,
        TokenRow as TokenRow,
        card as card,
        row_dict as row_dict,
    )
    from spamnb.model.journal_records import (
        decode_all as decode_all,
        decode_each as decode_each,
        encode as encode,
        with_records as with_records,
    )
    from spamnb.model.lesson_block import LessonBlock as LessonBlock, join_blocks as join_blocks
    from spamnb.model.lesson_record import (
        SOURCE_LENGTH as SOURCE_LENGTH,
        LessonEntry as LessonEntry,
        LessonMark as LessonMark,
        Ranges as Ranges,
        as_ranges as as_ranges,
        short_digest as short_digest,
    )
    from spamnb.model.mail_knowledge import kind_of_model as kind_of_model, knows_mail as knows_mail
    from spamnb.model.message_digest import message_digests as message_digests, word_digests as word_digests
    from spamnb.model.message_numbers import (
        Verification as Verification,
        numbers_of as numbers_of,
        verify as verify,
    )
    from spamnb.model.model_delta import (
        NO_WEIGHTS as NO_WEIGHTS,
        Change as Change,
        ChangedDigests as ChangedDigests,
        Weights as Weights,
        merge_weights as merge_weights,
        sum_changes as sum_changes,
    )
    from spamnb.model.model_lookup import (
        choose_existing as choose_existing,
        find_model as find_model,
        model_to_change as model_to_change,
        refuse_shipped as refuse_shipped,
    )
    from spamnb.model.model_merge import (
        fitted_parts as fitted_parts,
        largest_model as largest_model,
        merge_models as merge_models,
    )
    from spamnb.model.model_paths import (
        AUTO as AUTO,
        BOTH_READY_MADE as BOTH_READY_MADE,
        LONG_TEXT as LONG_TEXT,
        MAIL as MAIL,
        MESSAGE_KINDS as MESSAGE_KINDS,
        OWN_MODELS as OWN_MODELS,
        READY_MADE as READY_MADE,
        READY_MADE_NAMES as READY_MADE_NAMES,
        TEXT as TEXT,
        check_path as check_path,
        common_model as common_model,
        data_folder as data_folder,
        is_common as is_common,
        is_name as is_name,
        is_shipped as is_shipped,
        kind_by_length as kind_by_length,
        model_path as model_path,
        name_of as name_of,
        named_models as named_models,
        new_path_of as new_path_of,
        shipped_model as shipped_model,
        text_or_mail as text_or_mail,
        use_model as use_model,
        used_model as used_model,
    )
    from spamnb.model.predictions import (
        Predictions as Predictions,
        class_probabilities as class_probabilities,
        predict_pair as predict_pair,
    )
    from spamnb.model.prune_model import (
        age as age,
        age_by_half_life as age_by_half_life,
        prune as prune,
    )
    from spamnb.model.raw_scores import (
        WordCounts as WordCounts,
        prior_if_impossible as prior_if_impossible,
    )
    from spamnb.model.recomputation import Recomputed as Recomputed, recompute as recompute
    from spamnb.model.scoring_engine import (
        Engine as Engine,
        damping_scale as damping_scale,
        log_odds_of as log_odds_of,
        weighted as weighted,
    )
    from spamnb.model.seen_messages import (
        SeenMessages as SeenMessages,
        by_label as by_label,
        merge_seen as merge_seen,
    )
    from spamnb.model.spam_class import (
        Classes as Classes,
        positive_class as positive_class,
        require_spam as require_spam,
        spam_classes as spam_classes,
    )
    from spamnb.model.spam_model import SpamModel as SpamModel
    from spamnb.model.spamassassin_score import (
        REQUIRED as REQUIRED,
        spam_level as spam_level,
        spam_score as spam_score,
    )
    from spamnb.model.text_export import export_lines as export_lines
    from spamnb.model.text_import import import_lines as import_lines
    from spamnb.model.training_overlap import TrainingOverlap as TrainingOverlap
    from spamnb.model.unsure_verdicts import Verdicts as Verdicts
    from spamnb.model.verdict_on_mail import (
        MailVerdict as MailVerdict,
        mail_verdict as mail_verdict,
        verdict_fields as verdict_fields,
        with_verdict as with_verdict,
    )
    from spamnb.model.weight_correction import Correction as Correction
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "base_model": ["BaseModel", "FOLLOWS", "USUAL_SLOPE", "usual_share"],
            "calibration": [
                "Beta",
                "Calibration",
                "LIMIT",
                "Platt",
                "Temperature",
                "identity",
                "probability",
            ],
            "change_history": ["ChangeHistory", "LOSS_UNIT"],
            "column_tables": ["columns_of"],
            "decision": ["Decision", "HAM", "SPAM", "UNSURE"],
            "decision_text": ["describe", "probability_text"],
            "evidence": ["Basis", "Evidence"],
            "explanation": ["Explanation"],
            "formula": ["Formula", "Linear", "linear_view"],
            "inspection": ["Inspector", "TokenRow", "card", "row_dict"],
            "mail_knowledge": ["kind_of_model", "knows_mail"],
            "journal_records": ["decode_all", "decode_each", "encode", "with_records"],
            "lesson_block": ["LessonBlock", "join_blocks"],
            "lesson_record": [
                "LessonEntry",
                "LessonMark",
                "Ranges",
                "SOURCE_LENGTH",
                "as_ranges",
                "short_digest",
            ],
            "message_digest": ["message_digests", "word_digests"],
            "message_numbers": ["Verification", "numbers_of", "verify"],
            "base_reload": ["base_of_file", "stamp_of", "with_newest_base"],
            "model_delta": [
                "Change",
                "ChangedDigests",
                "NO_WEIGHTS",
                "Weights",
                "merge_weights",
                "sum_changes",
            ],
            "model_lookup": ["choose_existing", "find_model", "model_to_change", "refuse_shipped"],
            "model_merge": ["fitted_parts", "largest_model", "merge_models"],
            "model_paths": [
                "AUTO",
                "BOTH_READY_MADE",
                "LONG_TEXT",
                "MAIL",
                "MESSAGE_KINDS",
                "OWN_MODELS",
                "READY_MADE",
                "TEXT",
                "text_or_mail",
                "READY_MADE_NAMES",
                "data_folder",
                "check_path",
                "is_name",
                "common_model",
                "is_common",
                "is_shipped",
                "kind_by_length",
                "name_of",
                "named_models",
                "new_path_of",
                "model_path",
                "shipped_model",
                "use_model",
                "used_model",
            ],
            "default_model": [
                "MODEL_VARIABLE",
                "choose_model",
                "chosen_names",
                "existing_path_of",
                "load",
                "no_such_name",
                "own_file_of",
                "own_model",
            ],
            "predictions": ["Predictions", "class_probabilities", "predict_pair"],
            "prune_model": ["age", "age_by_half_life", "prune"],
            "recomputation": ["Recomputed", "recompute"],
            "raw_scores": ["WordCounts", "prior_if_impossible"],
            "scoring_engine": ["Engine", "damping_scale", "log_odds_of", "weighted"],
            "seen_messages": ["SeenMessages", "by_label", "merge_seen"],
            "spam_class": ["Classes", "positive_class", "require_spam", "spam_classes"],
            "spam_model": ["SpamModel"],
            "spamassassin_score": ["REQUIRED", "spam_level", "spam_score"],
            "text_export": ["export_lines"],
            "text_import": ["import_lines"],
            "training_overlap": ["TrainingOverlap"],
            "verdict_on_mail": ["MailVerdict", "mail_verdict", "verdict_fields", "with_verdict"],
            "unsure_verdicts": ["Verdicts"],
            "weight_correction": ["Correction"],
        },
        modules=["calibration"],
    )
