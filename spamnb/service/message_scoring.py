"""Scores messages of clients, texts and mails, by the models in use."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from spamnb.mail import DEFAULT, Limits, mail_texts, parse_mail
from spamnb.messages import Texts
from spamnb.model import MAIL, Predictions, SpamModel, kind_by_length
from spamnb.readers import as_utf8, by_first_lines
from spamnb.service.live_model import LiveModels, LoadedModel

Models = LiveModels | Mapping[str, LoadedModel]
Notes = tuple[tuple[str, ...], ...]  # of each mail: the limits at which it was cut
T = TypeVar("T")


class Message(NamedTuple):
    """A message as it came: the bytes of a text, or of a raw mail."""

    raw: bytes
    is_mail: bool = False

    @classmethod
    def of_text(cls, text: str) -> Message:
        """Returns the message of a text, as `spamnb predict -t` reads it."""
        return cls(text.encode("utf-8", "surrogatepass"))

    @classmethod
    def of_bytes(cls, raw: bytes, charset: str = "utf-8") -> Message:
        """Returns the message of bytes: a mail if they begin like one, else a text, decoded as on stdin."""
        if by_first_lines(raw):
            return cls(raw, True)
        is_utf8 = codecs.lookup(charset).name in ("utf-8", "ascii")
        text = as_utf8(raw) if is_utf8 else raw.decode(charset, "replace").encode()
        return cls(text.rstrip(b"\r\n"))

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


class ScoredGroup(NamedTuple):
    """Messages of one kind that were scored together, and their places among all that were."""

    loaded: LoadedModel
    texts: Texts
    predictions: Predictions
    notes: Notes
    places: Sequence[int]

    def scored(self) -> list[Scored]:
        """Returns the predictions for each message."""
        shared = self.loaded, self.texts, self.predictions
        return [Scored(*shared, row, note) for row, note in enumerate(self.notes)]


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


def score_groups(models: Models, messages: Sequence[Message]) -> list[ScoredGroup]:
    """Scores messages, those of one kind together."""
    kinds, groups = [message.kind for message in messages], []
    for kind in dict.fromkeys(kinds):
        places, loaded = [place for place, other in enumerate(kinds) if other == kind], models[kind]
        texts, notes = texts_of([messages[place] for place in places], loaded.limits)
        groups.append(ScoredGroup(loaded, texts, score_texts(loaded.model, texts), notes, places))
    return groups


def in_order(groups: Sequence[ScoredGroup], values_of: Callable[[ScoredGroup], Sequence[T]]) -> list[T]:
    """Returns a value for each message, in the order in which they were given to `score_groups`."""
    if len(groups) == 1:
        return [*values_of(groups[0])]
    values: list[Any] = [None] * sum(len(group.places) for group in groups)
    for group in groups:
        for place, value in zip(group.places, values_of(group), strict=True):
            values[place] = value
    return values


def score_messages(models: Models, messages: Sequence[Message]) -> list[Scored | Exception]:
    """Scores messages in their order; a failure is in place of its message, and does not fail the others."""
    try:
        return [*in_order(score_groups(models, messages), ScoredGroup.scored)]
    except Exception as error:
        if len(messages) == 1:
            return [error]
        return [result for message in messages for result in score_messages(models, [message])]


def verdict_of(scored: Scored | Exception) -> str:
    """Returns the verdict on a message, empty for a failure."""
    return "" if isinstance(scored, Exception) else scored.verdict
