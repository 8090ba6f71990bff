"""Whether a model is asked about what it was made for: has it met mail, are these very messages new to it."""

from __future__ import annotations

import numpy as np

from spamnb.digests import content_digests
from spamnb.features import extract
from spamnb.features.hashing import token_key
from spamnb.message import Chunk
from spamnb.model import SpamModel

# Nearly every mail has one of these, and no other message does.
_OF_MAIL = ("mime:text_plain", "mime:text_html", "header:from", "header:subject")


def knows_mail(model: SpamModel) -> bool:
    """Were there mails among the messages of the model, or of the one that it starts from?"""
    keys = np.array([token_key(token) for token in _OF_MAIL], np.uint64)
    models = [model] if model.started is None else [model, model.started.model]
    return any(bool((each.store.find(keys) >= 0).any()) for each in models)


def learned(model: SpamModel, chunk: Chunk) -> int:
    """How many of these messages the model has learned, under whatever label; 0 if it does not remember."""
    if model.known is None:
        return 0
    categories = {name: chunk.categories[name] for name in model.features.categorical}
    numbers = {name: chunk.numbers[name] for name in model.features.numeric}
    digests = content_digests(extract(chunk.texts, model.features), None, categories, numbers)
    times = sum(model.known.count(label, digests) for label in model.known.labels)
    return int(np.count_nonzero(times))
