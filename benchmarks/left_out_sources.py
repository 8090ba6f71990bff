"""Measures the ready-made models on sources that they have not seen.

Sources of the models are left out in turn (tools/model_sources.py has the groups): what a model of the others
says about them is what a ready-made model is for. Sources that may not train a shipped model are classified
by a model of all."""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spamnb.core.arrays import FloatArray
from spamnb.metrics import roc_auc
from spamnb.model.decision import SPAM, UNSURE
from spamnb.model.spam_model import SpamModel
from tools import ready_made_models
from tools.model_sources import MASS, ROOT, Source, read, read_sources
from tools.ready_made_models import Counted, calibrated, is_spam, left_out_scores, names_in

ONLY_MEASURED = {
    "sms": ("nus_en", "nus_zh", "bank_fixtures", "smishtank", "spamhunter_en", "spamhunter_multi", "fbs_zh"),
    "mail": ("trec07p-10k",),
}
COLUMNS = (
    "source",
    "ham",
    "spam",
    "AUC",
    "ham called spam",
    "spam called spam",
    "spam called ham",
    "wrong, P beyond .99",
)


def row(name: str, model: SpamModel, scores: FloatArray, spam: NDArray[np.bool_]) -> str:
    """A line of the table, by calibrated log-odds."""
    verdicts = model.decide(scores, np.ones(len(scores), np.int64))
    codes, p = verdicts.codes, verdicts.probability
    both = 0 < spam.sum() < len(spam)
    auc = f"{roc_auc(spam, scores):.3f}" if both else ""
    wrong = np.where(spam, p < 0.01, p > 0.99).mean()
    shares = [
        _share(codes[~spam] == SPAM),
        _share(codes[spam] == SPAM),
        _share((codes[spam] != SPAM) & (codes[spam] != UNSURE)),
        f"{wrong:.1%}",
    ]
    return f"| {name} | {int((~spam).sum()):,} | {int(spam.sum()):,} | {auc} | {' | '.join(shares)} |"


def _share(flags: NDArray[np.bool_]) -> str:
    return f"{flags.mean():.1%}" if len(flags) else ""


def tables(kind: str, folder: Path) -> Iterator[str]:
    """The lines for one kind of model."""
    sources = read_sources(kind, folder)
    names = names_in(sources)
    counted = [Counted.of(source) for source in sources]
    scores = left_out_scores(kind, names, counted)
    model = calibrated(kind, ready_made_models.build(kind, names, counted), sources, scores)
    apply = model.calibration.apply
    left_out = [source for source in sources if source.name in scores]
    for source in left_out:
        yield row(source.name, model, apply(scores[source.name].scores), is_spam(source))
    if kind == "sms":
        yield from written_rows(model, {name: apply(each.scores) for name, each in scores.items()})
    for name in ONLY_MEASURED[kind]:
        source = Source(name, read(name, folder / name))
        log_odds = np.concatenate([model.log_odds(part.texts) for part in source.parts])
        yield row(f"{name} (only measured)", model, log_odds, is_spam(source))


def written_rows(model: SpamModel, scores: dict[str, FloatArray]) -> Iterator[str]:
    """The messages written for spamnb, by language and kind."""
    with (ROOT / "data" / "messages" / "train.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    place = {name: iter(values.tolist()) for name, values in scores.items()}
    values = np.array([next(place[f"written {r['writer']}"]) for r in rows])
    spam = np.array([r["label"] == "spam" for r in rows])
    language, which = np.array([r["language"] for r in rows]), np.array([r["kind"] for r in rows])
    typed, notices = which == "typed", np.isin(which, ("code", "bank-alert", "parcel", "bill"))
    groups = {
        "written, English": language == "en",
        "written, English one-liners": (language == "en") & typed,
        "written, notifications": notices,
        "written, other languages": language != "en",
    }
    for name in sorted(set(language.tolist())):
        groups[f"written, {name}"] = language == name
    for name, there in groups.items():
        yield row(name, model, values[there], spam[there])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=sorted(MASS), help="only this model")
    options = parser.parse_args()
    for kind in [options.kind] if options.kind else MASS:
        print(f"\n{kind}\n\n| {' | '.join(COLUMNS)} |\n|---|{'--:|' * 7}")
        with tempfile.TemporaryDirectory() as folder:
            for line in tables(kind, Path(folder)):
                print(line, flush=True)


if __name__ == "__main__":
    main()
