"""Writes the reference of the Python API from signatures and docstrings: docs/reference/python-api.md.

`make docs` runs it. Each public name has a docstring with an example, which the tests run.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import spamnb
from spamnb.metrics import MultiScores, Scores
from spamnb.model import LessonEntry, Predictions
from spamnb.model.evidence import Evidence
from spamnb.model.explanation import Explanation
from spamnb.training import LearnResult, LessonInfo, UndoResult

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "python-api.md"
# The methods that a user of the package needs; others serve the package itself.
MEMBERS = {
    "SpamModel": (
        *("predict", "predict_proba", "log_odds", "score", "explain", "evaluate"),
        *("learn", "forget", "sample", "save", "load"),
    ),
    "Learner": ("load", "learn", "forget", "compact"),
    "SpamClassifier": ("fit", "partial_fit", "predict", "predict_proba", "decision_function", "score"),
    "NaiveBayesFilter": ("fit", "data", "predict_proba", "predict", "predict_log_proba", "predict_log"),
    "PoissonBayesFilter": ("fit", "predict_log_proba", "predict"),
    "Texts": ("of", "lines", "concat", "select"),
    "FeatureConfig": ("usual",),
    "Decision": ("from_costs",),
}
# What these return, and the properties and methods that a user of the package needs.
RESULTS = {
    Explanation: ("lacks_evidence", "to_dict"),
    Evidence: ("name", "counts"),
    LearnResult: ("changes", "to_dict"),
    LessonEntry: (),
    LessonInfo: ("to_dict",),
    MultiScores: ("to_dict",),
    Predictions: ("labels", "unsure_reason", "taught_label"),
    Scores: ("to_dict",),
    UndoResult: (),
}
_SHORT = re.compile(r"[\w.,() {}+-]*|\[\]|'[^']*'")  # defaults that are shown
_WIDTH = 90  # of a signature on one line
_HEADER = """# The Python API

This page is written by `make docs` from the docstrings. Do not edit it by hand.
[Use from Python](../how-to/use-from-python.md) shows the same names at work.

"""


def main() -> None:
    """Writes the page if it has changed."""
    new = api_page()
    if not PAGE.exists() or PAGE.read_text("utf-8") != new:
        PAGE.write_text(new, "utf-8")
        print(f"wrote {PAGE.relative_to(ROOT)}")


def public_names() -> list[str]:
    return [name for name in spamnb.__all__ if name != "__version__"]


def api_page() -> str:
    """Returns the text of the page: functions, then classes, then results, each in alphabetical order."""
    objects = {name: getattr(spamnb, name) for name in public_names()}
    ordered = sorted(objects, key=lambda name: (inspect.isclass(objects[name]), name.lower()))
    index = "".join(f"- [`{name}`](#{name.lower()})\n" for name in ordered)
    sections = ("\n\n".join(_section(name, objects[name])) for name in ordered)
    results = "\n\n".join("\n\n".join(_result(one)) for one in RESULTS)
    return _HEADER + index + "\n" + "\n\n".join(sections) + f"\n\n## Results\n\n{results}\n"


def _section(name: str, thing: Any) -> Iterator[str]:
    yield f"## {name}"
    yield _code(_signature(name, thing))
    yield _text(thing)
    if inspect.isclass(thing):
        for member in MEMBERS.get(name, ()):
            yield from _member(f"{name}.{member}", inspect.getattr_static(thing, member))


def _result(cls: type) -> Iterator[str]:
    """Yields the section of a class that methods return: its fields, its docstring and its members."""
    yield f"### {cls.__name__}"
    bases = [base for base in cls.__mro__[::-1] if base.__module__.startswith("spamnb.")]
    each = {name: kind for base in bases for name, kind in inspect.get_annotations(base).items()}
    yield _code("\n".join(f"{name}: {kind}" for name, kind in each.items()))
    yield _text(cls)
    for member in RESULTS[cls]:
        value = inspect.getattr_static(cls, member)
        function = _function(value)
        shown = _signature(member, function)
        shown = shown if function is value else shown.replace("() -> ", ": ")
        yield f"`{shown}`: {_text(function)}"


def _function(value: Any) -> Callable[..., Any]:
    """Returns the function behind a property or a class method."""
    if isinstance(value, property):
        assert value.fget is not None
        return value.fget
    if isinstance(value, cached_property):
        return value.func
    return value.__func__ if isinstance(value, classmethod) else value


def _member(title: str, value: Any) -> Iterator[str]:
    yield f"### {title}"
    if not isinstance(value, (property, cached_property)):
        yield _code(_signature(title.partition(".")[2], _function(value)))
    yield _text(_function(value))


def _signature(name: str, thing: Any) -> str:
    """Returns a signature with types, on several lines if it is long."""
    signature = inspect.signature(thing)
    parameters = [_parameter(one) for one in signature.parameters.values() if one.name not in ("self", "cls")]
    parts = list(_with_markers(signature, parameters))
    untyped = inspect.isclass(thing) or signature.return_annotation is signature.empty
    result = "" if untyped else f" -> {_annotation(signature)}"
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) <= _WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def _annotation(signature: inspect.Signature) -> str:
    annotation = signature.return_annotation
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _with_markers(signature: inspect.Signature, parameters: list[str]) -> Iterator[str]:
    """Yields parameters, with a star before the first that is passed by name alone."""
    kinds = [one.kind for one in signature.parameters.values() if one.name not in ("self", "cls")]
    starred = inspect.Parameter.VAR_POSITIONAL in kinds
    for kind, text in zip(kinds, parameters, strict=True):
        if kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield text


def _parameter(parameter: inspect.Parameter) -> str:
    """Returns a parameter with its type; defaults made by a function are shown as dots."""
    text = str(parameter.replace(default=parameter.empty))
    text = re.sub(r": '(.*)'$", r": \1", text)
    if parameter.default is parameter.empty:
        return text
    default = repr(parameter.default)
    return f"{text} = {default if _SHORT.fullmatch(default) else '...'}"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _text(thing: Any) -> str:
    """Returns a docstring as Markdown: examples become code blocks."""
    blocks = re.split(r"\n\s*\n", inspect.getdoc(thing) or "")
    shown = [f"```pycon\n{inspect.cleandoc(block)}\n```" if ">>>" in block else block for block in blocks]
    return "\n\n".join(shown)


if __name__ == "__main__":
    main()
