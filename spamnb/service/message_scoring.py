"""Scores messages of clients, texts and mails, by the models in use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spamnb.mail import DEFAULT, Limits, mail_texts, parse_mail
from spamnb.messages import Texts
from spamnb.model import MAIL, Predictions, SpamModel, kind_by_length
from spamnb.readers import by_first_lines
from spamnb.service.live_model import LiveModels, LoadedModel

Notes = tuple[tuple[str, ...], ...]  # of each mail: the limits at which it was cut


class Message(NamedTuple):
    """A message as it came: the bytes of a text, or of a raw mail."""

    raw: bytes
    is_mail: bool = False

    @classmethod
    def of_text(cls, text: str) -> Message:
        """Returns the message of a text, as `spamnb predict -t` reads it."""
        return cls(text.encode("utf-8", "surrogatepass"))

    @classmethod
    def of_bytes(cls, raw: bytes) -> Message:
        """Returns the message of bytes without a type: a mail if they begin like one, as on stdin."""
        return cls(raw, True) if by_first_lines(raw) else cls(raw.rstrip(b"\r\n"))

    @property
    def kind(self) -> str:
        """The kind that the model is chosen by: that of mails, of texts, or of texts as long as mails."""
        return MAIL if self.is_mail else kind_by_length(len(self.raw))


class Scored(NamedTuple):
    """The predictions for one message: row `row` of the texts that `loaded` has scored."""

    loaded: LoadedModel
    texts: Texts
    predictions: Predictions
    row: int
    notes: tuple[str, ...] = ()

    @property
    def message(self) -> Texts:
        """Returns the message alone, as it was read."""
        return self.texts if len(self.texts) == 1 else self.texts.select(np.array([self.row]))

    @property
    def verdict(self) -> str:
        return self.predictions.names[int(self.predictions.codes[self.row])]

    @property
    def probability(self) -> float:
        return float(self.predictions.probability[self.row])


def texts_of(messages: Sequence[Message], limits: Limits = DEFAULT) -> tuple[Texts, Notes]:
    """Returns messages, all of them texts or all mails, as a batch; notes only of mails."""
    if not messages[0].is_mail:
        return Texts.of([message.raw for message in messages]), ((),) * len(messages)
    mails = [parse_mail(message.raw, limits) for message in messages]
    return mail_texts(mails), tuple(mail.notes for mail in mails)


def score_texts(model: SpamModel, texts: Texts) -> Predictions:
    """Scores texts; columns that the model has beside the text are missing."""
    features, count = model.features, len(texts)
    if not (features.categorical or features.numeric):
        return model.score(texts)
    categories = {name: [""] * count for name in features.categorical}
    return model.score(texts, categories, {name: np.full(count, np.nan) for name in features.numeric})


def score_messages(
    models: LiveModels | Mapping[str, LoadedModel], messages: Sequence[Message]
) -> list[Scored | Exception]:
    """Scores messages in their order, those of one kind together; a failure is in place of its message."""
    results: list[Scored | Exception] = [KeyError()] * len(messages)
    groups: dict[tuple[int, bool], tuple[LoadedModel, list[int]]] = {}
    for row, message in enumerate(messages):
        loaded = models[message.kind]
        groups.setdefault((id(loaded), message.is_mail), (loaded, []))[1].append(row)
    for loaded, rows in groups.values():
        scored = _score_group(loaded, [messages[row] for row in rows])
        for row, result in zip(rows, scored, strict=True):
            results[row] = result
    return results


def verdict_of(scored: Scored | Exception) -> str:
    """Returns the verdict on a message, empty for a failure."""
    return "" if isinstance(scored, Exception) else scored.verdict


def _score_group(loaded: LoadedModel, messages: Sequence[Message]) -> list[Scored | Exception]:
    def score(part: Sequence[Message]) -> list[Scored]:
        texts, notes = texts_of(part, loaded.limits)
        predictions = score_texts(loaded.model, texts)
        return [Scored(loaded, texts, predictions, row, note) for row, note in enumerate(notes)]

    try:
        return [*score(messages)]
    except Exception:  # one message must not fail the others
        return [_one_or_error(lambda one=message: score([one])[0]) for message in messages]  # type: ignore[misc]


def _one_or_error(score: Callable[[], Scored]) -> Scored | Exception:
    try:
        return score()
    except Exception as error:
        return error
