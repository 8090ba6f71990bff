"""Combines settings, counts, scorer, calibration and decision into a spam filter, `SpamModel`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.errors import JournalError, ModelError
from spamnb.features import extract
from spamnb.messages import Categories, Messages, Numbers, Texts, as_texts, one_message
from spamnb.model import model_paths, model_state
from spamnb.model.batch_scorer import BatchScorer
from spamnb.model.listed_verdicts import follow_lists
from spamnb.model.mail_knowledge import texts_to_classify
from spamnb.model.message_digest import BLANK, message_digests
from spamnb.model.predictions import Predictions, remember
from spamnb.readers import columns_of_values
from spamnb.storage import model_file

if TYPE_CHECKING:
    from spamnb.metrics import MultiScores, Scores
    from spamnb.model.explanation import Explanation
    from spamnb.model.model_delta import Change
    from spamnb.model.pseudo_messages import PseudoMessage

Labels = Iterable[object]  # texts; 1, 0, True and False mean spam and ham


class SpamModel(BatchScorer):
    """A spam filter. It is immutable: learning and forgetting return a new one.

    >>> model = SpamModel().learn(["win a prize", "free prize", "see you"], ["spam", "spam", "ham"])
    >>> model
    <SpamModel: classes ham, spam; 3 messages, 21 tokens; scorer multinomial>
    >>> model.predict(["free prize now", "see you soon"])
    ['spam', 'ham']
    """

    def __repr__(self) -> str:
        messages, classes = int(self.store.message_totals.sum()), ", ".join(self.labels) or "none"
        size = f"{messages:,} messages, {self.store.vocabulary:,} tokens"
        return f"<SpamModel: classes {classes}; {size}; scorer {self.scoring.name}>"

    def learn(
        self,
        messages: Messages,
        labels: Labels,
        categories: Categories = None,
        numbers: Numbers = None,
        *,
        new_classes: bool = False,
    ) -> SpamModel:
        """Returns a new model with these messages added; this one stays as it is.

        1, True and words such as junk mean the class for spam; 0, False and words such as legit the class for
        ham. A model of two or more classes refuses other labels. With `new_classes`, labels are taken as
        written and may add classes to it.
        """
        from spamnb.model.model_update import learn_messages

        return learn_messages(self, messages, labels, categories, numbers, new_classes=new_classes)

    def forget(
        self, messages: Messages, labels: Labels, categories: Categories = None, numbers: Numbers = None
    ) -> SpamModel:
        """Returns a new model that never learned these messages; refuses messages it never learned.

        Labels are read as by `learn`.
        """
        from spamnb.model.model_update import forget_messages

        return forget_messages(self, messages, labels, categories, numbers)

    def changed(self, change: Change) -> SpamModel:
        """Returns this model with a change applied."""
        from spamnb.model.model_update import apply_change

        return apply_change(self, change)

    def score(
        self,
        messages: Messages,
        categories: Categories = None,
        numbers: Numbers = None,
        *,
        memory: bool = True,
    ) -> Predictions:
        """Returns verdicts, probabilities and raw scores of these messages.

        A message that a learner has taught word for word gets the label that it was taught with; without
        `memory` only the evidence counts. A mail of a listed sender gets the verdict of the list.
        """
        texts, _ = as_texts(messages), self.pair
        columns = columns_of_values(self.features, len(texts), categories, numbers)
        predictions = self.score_batch(extract(texts, self.features), *columns)
        taught_as = self.taught_as(texts, *columns) if memory else None
        predictions = predictions if taught_as is None else remember(self, predictions, taught_as)
        return follow_lists(self, predictions, texts.listed)

    def taught_as(
        self, texts: Texts, categories: Categories = None, numbers: Numbers = None
    ) -> IntArray | None:
        """Returns (n,): the class that a learner has taught each message with, -1 for none or several.

        None if the model does not remember any lesson.
        """
        if self.seen_messages is None or not self.seen_messages.has_lessons:
            return None
        digests = message_digests(texts, *self.own_columns(categories, numbers))
        labels = self.seen_messages.taught_labels(self.labels, digests)
        return np.where(digests == BLANK, -1, labels)  # one blank lesson says nothing about other blanks

    def predict(
        self, messages: Messages, categories: Categories = None, numbers: Numbers = None
    ) -> list[str]:
        """Returns a label for each message, or "unsure"."""
        return self.score(texts_to_classify(self, messages), categories, numbers).labels

    def predict_proba(
        self, messages: Messages, categories: Categories = None, numbers: Numbers = None
    ) -> FloatArray:
        """Returns (n, K): the probability of every class, in the order of `labels`."""
        return self.proba(self.score(texts_to_classify(self, messages), categories, numbers))

    def log_odds(
        self, messages: Messages, categories: Categories = None, numbers: Numbers = None
    ) -> FloatArray:
        """Returns (n,): log P(positive) - log P(not positive) of each message.

        These are not limited, as the probability of a message is that is unsure for lack of evidence.
        """
        return self.score(texts_to_classify(self, messages), categories, numbers).log_odds

    def evaluate(
        self,
        messages: Messages | Any,
        labels: Labels | None = None,
        categories: Categories = None,
        numbers: Numbers = None,
        *,
        text: str | None = None,
        label: str | None = None,
    ) -> Scores | MultiScores:
        """Computes accuracy, recall, ROC AUC and all other metrics of `spamnb evaluate`.

        They are Scores, or MultiScores with more than two classes. An unsure message counts as not spam, or
        with more classes as the likeliest one. A warning says how many of the messages the model was trained
        on, if these are more than a few.
        `messages` may be a DataFrame; `text` and `label` name its columns, which otherwise need usual names.
        It has the categorical and numeric columns too, unless these are passed.

        >>> model = SpamModel().learn(["win a prize", "free prize", "see you"], ["spam", "spam", "ham"])
        >>> model.evaluate(["prize", "you"], [1, 0]).accuracy
        1.0
        """
        from spamnb.model.model_metrics import evaluate

        return evaluate(self, messages, labels, categories, numbers, (text, label))

    def explain(
        self,
        message: str | bytes | Texts,
        categories: Categories = None,
        numbers: Numbers = None,
        *,
        memory: bool = True,
    ) -> Explanation:
        """Explains the prediction for a message (a text, or Texts of one message with its tags).

        The evidence and the bias sum to the log-odds. `memory` is that of `score`.
        """
        from spamnb.model.explanation import explain_batch

        texts = one_message(message)
        columns = columns_of_values(self.features, 1, categories, numbers)
        batch = extract(texts, self.features)
        taught_as = self.taught_as(texts, *columns) if memory else None
        return explain_batch(self, batch, *columns, taught_as, texts.listed)

    def sample(self, label: str, n: int = 1, seed: int = 0) -> list[PseudoMessage]:
        """Draws n pseudo messages of a class: what the model thinks that they look like."""
        from spamnb.model.pseudo_messages import draw_messages

        return draw_messages(self, label, n, seed)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        backup: str | None = None,
        mode: int | None = None,
        force: bool = False,
    ) -> int:
        """Writes the model file as a whole or not at all; returns its size in bytes.

        A missing folder is created. A file that is no model is replaced only with `force`. `backup` is a
        second name for the file that is replaced, `mode` the permissions, such as 0o640.

        The lessons of a file that is replaced can no longer be undone, and those after this model was loaded
        are lost. `backup=f"{path}.bak"` keeps them beside the old file, as the command line does.
        """
        from spamnb.storage import model_writer

        model_paths.check_path(path)
        has_content = os.path.isfile(path) and os.path.getsize(path) > 0
        if has_content and not force and not model_file.is_model_file(path):
            raise ModelError(
                f"{os.fspath(path)} exists and is not a spamnb model: it was not overwritten",
                hint="choose another name, or pass force=True",
            )
        return model_writer.write(self.to_state(), path, backup=backup, mode=mode)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, warn: Callable[[JournalError], None] | None = None
    ) -> SpamModel:
        """Reads a model file and its journal, without executing anything in them.

        A journal that cannot be used is an error. With `warn`, that gets the error, and the model is as it
        was when its file was written.
        """
        model_paths.check_path(path)
        model_paths.check_no_name(path, hint=f"a model of that name: spamnb.load({os.fspath(path)!r})")
        model = cls._load(path, warn)
        if model.base is None or not model.base.path:
            return model
        from spamnb.model.base_reload import with_newest_base

        return with_newest_base(model)

    @classmethod
    def _load(cls, path: str | os.PathLike[str], warn: Callable[[JournalError], None] | None) -> SpamModel:
        if not os.path.lexists(os.path.realpath(path) + model_file.JOURNAL):
            return cls.from_state(model_file.read(path))
        from spamnb.model.journal_records import load_with_journal

        return load_with_journal(cls, path, warn)

    def to_state(self) -> dict[str, Any]:
        """Returns the model as builtins and plain arrays."""
        return model_state.to_state(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SpamModel:
        """Returns the model of a state; refuses a damaged one."""
        return model_state.from_state(state, cls)
