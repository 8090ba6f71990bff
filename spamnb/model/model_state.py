"""Turns a model into a state of builtins and plain arrays, and back; refuses a damaged state."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb._version import __version__
from spamnb.core import Record
from spamnb.counts import count_state
from spamnb.errors import ConfigError, ModelError
from spamnb.model import calibration as calibrations
from spamnb.model.base_model import BaseModel
from spamnb.model.change_history import ChangeHistory
from spamnb.model.decision import Decision
from spamnb.model.lesson_record import LessonMark
from spamnb.model.seen_messages import SeenMessages
from spamnb.model.weight_correction import Correction
from spamnb.scorers import make
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.storage import require

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

_HINT = "train the model again"
_LARGEST = 1 << 63


class Field(Record):
    """A key of the state: the type of its value there, and how the model's attribute is written and read.

    Where it is not `needed`, None stands for an attribute that the model does not have, or no key at all
    (`optional`).
    """

    key: str
    kind: type
    write: Callable[[SpamModel], Any]
    read: Callable[[Any], Any]
    needed: bool = True
    optional: bool = False
    attribute: str = ""  # of SpamModel, where it is not called as the key is


def to_state(model: SpamModel, keys: Collection[str] | None = None) -> dict[str, Any]:
    """Returns the state of a model, or only the part with these keys."""
    pairs = ((f, f.write(model)) for f in FIELDS if keys is None or f.key in keys)
    state = {f.key: value for f, value in pairs if value is not None or not f.optional}
    return state if keys is not None else {"written_by": __version__, **state}


def from_state(state: Mapping[str, Any], create: Callable[..., SpamModel]) -> SpamModel:
    """Returns the model of a state; `create` makes it from its attributes.

    A newer program may have written settings that this one does not know.
    """
    try:
        return _from_state(state, create)
    except ModelError as error:
        writer = str(state.get("written_by"))
        if not _is_newer(writer):
            raise
        what = error.message.rpartition("damaged: ")[2]
        text = f"the model was written by a newer spamnb ({writer}, this is {__version__}): {what}"
        raise ModelError(text, "upgrade spamnb, or train the model again") from None


def _is_newer(version: str) -> bool:
    """Tells whether a version is newer than that of this program.

    >>> _is_newer("99.0"), _is_newer("0.0.1"), _is_newer("damaged")
    (True, False, False)
    """
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})+", version, re.ASCII):
        return False
    written, own = ([int(number) for number in re.findall(r"\d+", one)] for one in (version, __version__))
    return written > own


def _from_state(state: Mapping[str, Any], create: Callable[..., SpamModel]) -> SpamModel:
    require(state, "written_by", str)
    if unknown := state.keys() - {"written_by", *(f.key for f in FIELDS)}:
        raise ModelError(f"the model has an unknown part: {min(unknown)!r:.40}", _HINT)
    values = {f.attribute or f.key: _read(f, state) for f in FIELDS}
    _check_positive(values["positive"], values["store"].labels)
    if values["seen_messages"] is not None:
        values["seen_messages"].check_counts(values["store"])
    if values["correction"] is not None:
        values["correction"] = Correction.from_state(values["correction"], values["store"])
    if values["base"] is not None:
        values["base"] = BaseModel.from_state(values["base"], lambda inner: _from_state(inner, create))
    try:
        if values["correction"] is not None and not make(values["scoring"]).linear:
            raise ConfigError(f"a correction does not fit the scorer {values['scoring'].name}")
        return create(**values)
    except ConfigError as error:  # settings that cannot be combined, or an unknown scorer
        raise _damaged("settings", error) from None


def _check_positive(positive: str, labels: tuple[str, ...]) -> None:
    """Refuses a model of two classes that looks for neither; with more classes it looks for none."""
    if len(labels) == 2 and positive not in labels:
        raise ModelError(f"the model looks for {positive!r:.40}, expected one of {list(labels)!r:.80}", _HINT)


def _read(field: Field, state: Mapping[str, Any]) -> Any:
    if not field.needed and state.get(field.key) is None and (field.optional or field.key in state):
        return None
    return field.read(require(state, field.key, field.kind))


def _damaged(part: str, what: object) -> ModelError:
    return ModelError(f"the {part} in the model are damaged: {what!s:.200}", _HINT)


def _read_features(state: Mapping[str, Any]) -> FeatureConfig:
    try:
        return FeatureConfig.from_state(state)
    except (TypeError, ValueError, ConfigError) as error:
        raise _damaged("settings", error) from None


def _read_scoring(state: Mapping[str, Any]) -> ScorerConfig:
    try:
        return ScorerConfig.from_state(state)
    except (TypeError, ValueError, ConfigError) as error:
        raise _damaged("settings", error) from None


def _read_generation(generation: int) -> int:
    if not 0 <= generation < _LARGEST:
        raise ModelError(f"the model's generation must be 0 or more, got {generation}", _HINT)
    return generation


def _read_share(share: float) -> float:
    if not 0 < share <= 1:
        raise ModelError(f"the model's min_known_words must be a share, got {share:g}", _HINT)
    return share


def _read_day(day: str) -> str:
    from datetime import date

    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        raise ModelError(f"the model's aged_until must be a day, got {day!r:.40}", _HINT) from None


def _write_metrics(model: SpamModel) -> dict[str, Any] | None:
    """Writes a confusion matrix of many classes as one array: single values are slow to read, and limited."""
    metrics = model.metrics
    if metrics is None or not metrics.get("confusion"):
        return None if metrics is None else dict(metrics)
    return {**metrics, "confusion": np.array(metrics["confusion"], np.int64)}


def read_metrics(state: dict[str, Any]) -> dict[str, Any]:
    """Returns the metrics of a state, after a check of each against the table below.

    >>> read_metrics({"folds": 5, "sample": 9, "of": 9, "accuracy": 0.5})["folds"]
    5
    """
    confusion = state.get("confusion")
    if isinstance(confusion, np.ndarray) and confusion.ndim == 2:
        state = {**state, "confusion": tuple(map(tuple, confusion.tolist()))}
    needed = _METRICS_WITH_RECALL if "recall" in state else _METRICS_NEEDED
    if not all(name in state for name in needed):
        raise _damaged("metrics", "one is missing")
    for name, value in state.items():
        if not _is_metric(name, value):
            raise _damaged("metrics", f"{name!s:.40} is {value!r:.80}")
    return state


def _is_metric(name: str, value: object) -> bool:
    return _METRICS.get(name, _is_number)(value)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _LARGEST


def _is_number(value: object) -> bool:
    """Returns whether a value is a finite number, or None for one that is undefined."""
    return value is None or (type(value) is float and math.isfinite(value)) or _is_count(value)


def _is_share(value: object) -> bool:
    return type(value) is float and 0 <= value <= 1


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _list_of(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, (list, tuple)) and all(map(check, value))


def _is_class(value: object) -> bool:
    return isinstance(value, dict) and "label" in value and all(_is_metric(n, v) for n, v in value.items())


_COUNTS = (
    *("folds", "sample", "of", "messages", "spam", "ham", "unsure", "support"),
    *("true_positives", "false_positives", "false_negatives", "true_negatives"),
)
# What the metrics hold; any other is a number.
_METRICS: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(_COUNTS, _is_count),
    **dict.fromkeys(("label", "refined", "started"), _is_text),
    "accuracy": _is_share,
    "of": lambda value: _is_count(value) and value != 0,
    "before": _list_of(_is_text),
    "classes": _list_of(_is_class),
    "confusion": _list_of(_list_of(_is_count)),
}
_METRICS_NEEDED = ("folds", "sample", "of", "accuracy")
_METRICS_WITH_RECALL = (*_METRICS_NEEDED, "ham", "false_positives")  # shown together for two classes


def _write_positive(model: SpamModel) -> str:
    """Writes, with two classes, the positive one: the second if the model was made for another one."""
    pair = model.pair if len(model.labels) == 2 else None
    return model.positive if pair is None else model.labels[pair[0]]


def _write_seen(model: SpamModel) -> dict[str, Any] | None:
    return None if model.seen_messages is None else model.seen_messages.to_state()


def _write_correction(model: SpamModel) -> dict[str, Any] | None:
    correction = model.active_correction
    return None if correction is None else correction.aligned(model.store.keys).to_state()


def _write_base(model: SpamModel) -> dict[str, Any] | None:
    return None if model.active_base is None else model.active_base.to_state()


def _write_mark(model: SpamModel) -> dict[str, Any] | None:
    return None if model.lesson_mark is None else model.lesson_mark.to_state()


def _same(value: Any) -> Any:
    return value


# The model file holds these keys. `correction` and `base` depend on other fields and are read after them.
FIELDS = (
    Field("positive", str, _write_positive, _same),
    Field("features", dict, lambda m: m.features.to_state(), _read_features),
    Field("scorer", dict, lambda m: m.scoring.to_state(), _read_scoring, attribute="scoring"),
    Field("decision", dict, lambda m: m.decision.to_state(), Decision.from_state),
    Field("calibration", dict, lambda m: m.calibration.to_state(), calibrations.from_state),
    Field("metrics", dict, _write_metrics, read_metrics, needed=False),
    Field("counts", dict, lambda m: count_state.to_state(m.store), count_state.from_state, attribute="store"),
    Field("seen_messages", dict, _write_seen, SeenMessages.from_state, needed=False),
    Field("change_history", dict, lambda m: m.change_history.to_state(), ChangeHistory.from_state),
    Field("generation", int, lambda m: m.generation, _read_generation),
    Field("correction", dict, _write_correction, _same, needed=False),
    Field("base", dict, _write_base, _same, needed=False),
    Field("min_known_words", float, lambda m: m.min_known_words, _read_share, needed=False),
    Field("aged_until", str, lambda m: m.aged_until, _read_day, needed=False),
    Field("lesson_mark", dict, _write_mark, LessonMark.from_state, needed=False, optional=True),
)
