"""Tells whether a model knows mail, and warns of mail where it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spamnb.errors import warn
from spamnb.features import token_key
from spamnb.messages import Messages, Texts, as_texts
from spamnb.model.model_paths import MAIL, TEXT

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

# Nearly every mail has one of these, and no other message does.
_MAIL_TOKENS = ("mime:text_plain", "mime:text_html", "header:from", "header:subject")


def knows_mail(model: SpamModel) -> bool:
    """Returns whether the model, or its base model, has learned mail."""
    models = [model] if model.active_base is None else [model, model.active_base.model]
    return any(map(_has_mail_tokens, models))


def kind_of_model(model: SpamModel) -> str:
    """Returns `mail` or `text`: what the model learned itself, or before the first lesson its base model."""
    base = model.active_base
    if base is not None and not model.store.message_totals.any():
        return kind_of_model(base.model)
    return MAIL if _has_mail_tokens(model) else TEXT


def _has_mail_tokens(model: SpamModel) -> bool:
    keys = np.array([token_key(token) for token in _MAIL_TOKENS], np.uint64)
    return bool((model.store.find(keys) >= 0).any())


def texts_to_classify(model: SpamModel, messages: Messages) -> Texts:
    """Returns messages as texts; warns of mail that the model cannot classify."""
    texts = as_texts(messages)
    if texts.tags and not knows_mail(model):
        warn("this model was trained without mail; its verdicts on mail are unreliable")
    return texts
