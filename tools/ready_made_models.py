"""`make model`: builds the models that are shipped, one for short messages and one for mail.

Counts of all sources are added up. A token stays if enough messages hold it (five, or one or two of those
written for spamnb), it may be published (publishable_tokens.py) and it is among the most telling ones, by
|log-odds weight| * log(messages). That nothing is said (no link, no number) and the length of a message are
left out: they are about what a message lacks, and decided short ones alone.

The correction of the weights is fitted to all sources, each as often as its mass says (model_sources.py):

    log-odds_j = sum_i v_i s_i |w_i|^(1/2) / m_j^d + v_0      penalty |v|^2 / (2 C)

s_i is 1 for words and less for tokens about how a mail is made (html:, mime:, header:), which depend on its
year more than on its class. In the mail model each weight is at most `LARGEST_WEIGHT`.

Probabilities are calibrated on sources that were left out: a filter meets messages of other people. All
settings here were chosen by leaving out sources, on training data (docs/internals/quality.md).

Beside each model lie digests of its messages, by which `evaluate` recognises them. `--digests` writes only
these: after a change of how mail is read, which changes the digests.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spamnb.core.arrays import FloatArray
from spamnb.counts.count_store import CountStore
from spamnb.counts.entries import Entries
from spamnb.counts.store_merge import merge_stores
from spamnb.counts.tally import Tally
from spamnb.features import extract
from spamnb.features.batch import OTHER, SHAPE, Batch
from spamnb.model import calibration as calibrations
from spamnb.model.decision import Decision
from spamnb.model.message_digest import message_digests
from spamnb.model.scoring_engine import Engine, damping_scale, log_odds_of
from spamnb.model.spam_model import SpamModel
from spamnb.model.training_overlap import digest_file, write_digests
from spamnb.model.weight_correction import Correction
from spamnb.scorers import Stats, make
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training import fit_linear
from spamnb.training.fit_min_known_words import lowest_usual
from spamnb.training.logistic_regression import Pattern, SparseRows, fit
from tools.model_sources import LEFT_OUT, MASS, ROOT, Source, read_sources
from tools.publishable_tokens import Names, allowed, census_names, person_names

MODELS = ROOT / "spamnb" / "model" / "ready_made"
FEWEST_MESSAGES, FEWEST_WRITTEN = 5, 2  # messages with a token; a single word of a written one is enough
LARGEST = {"sms": 60_000, "mail": 80_000}  # tokens
# The most a token may say, for and against spam. In a mail no single word decides; a short message has few.
LARGEST_WEIGHT = {"sms": np.inf, "mail": 2.5}
# Between the two it is unsure. Mail: at most 0.5% of ham of sources left out, except newsletters, is lost.
DECISIONS = {"sms": Decision(0.75, unsure_from=0.35), "mail": Decision(0.87, unsure_from=0.4)}
SCORING = ScorerConfig(alpha=0.5, damping=0.5, prior="uniform")
CALIBRATING = 700
CONTENT = ("subject:", "url:")  # tags of words; the others are about how a mail is made
STRUCTURE = 0.4  # freedom of their weights
STRENGTH = {"sms": 10.0, "mail": 20.0}  # C, with rows whose mean squared length is 1


@dataclass(frozen=True)
class Counted:
    """A source, its tokens and their counts."""

    source: Source
    batches: list[Batch]
    store: CountStore

    @classmethod
    def of(cls, source: Source) -> Counted:
        batches = [extract(part.texts, FeatureConfig()) for part in source.parts]
        tally = Tally()
        for batch, part in zip(batches, source.parts, strict=True):
            tally.add(batch, part.labels)
        return cls(source, batches, tally.finish()[0])


def telling(store: CountStore) -> FloatArray:
    """|log((D_i1 + 1/2) / D_1) - log((D_i0 + 1/2) / D_0)| * log(D_i): how much a token says, how often."""
    rates = np.log((store.messages + 0.5) / store.message_totals)
    return np.asarray(np.abs(rates[:, 1] - rates[:, 0]) * np.log(store.messages.sum(axis=1)))


def says_something(spelling: str) -> bool:
    """Whether a shape is about what a message has; not its length, and not that it has none of something."""
    return not (spelling.endswith("=0") or spelling.startswith("shape:length="))


def reduced(sources: Sequence[Counted], names: Names, largest: int) -> CountStore:
    """The counts of sources, as far as they may be published, and fit."""
    store = merge_stores([counted.store for counted in sources])
    own = merge_stores([counted.store for counted in sources if counted.source.written])
    at = own.find(store.keys)
    written = np.where(at >= 0, own.messages.sum(axis=1)[at], 0) if own.vocabulary else np.zeros(len(at))
    often = (store.messages.sum(axis=1) >= FEWEST_MESSAGES) | (
        written >= np.where(store.kinds == 1, 1, FEWEST_WRITTEN)
    )
    store = store.rows(np.flatnonzero(often & ~only_ham_of_enron(store, sources)))
    kinds, spellings = store.kinds.tolist(), store.spellings
    keep = [
        says_something(spellings[i]) if kind == SHAPE else allowed(spellings[i], kind, names)
        for i, kind in enumerate(kinds)
    ]
    store = store.rows(np.flatnonzero(keep))
    score = np.where(store.kinds == SHAPE, np.inf, telling(store))
    return store.rows(np.sort(np.argsort(-score, kind="stable")[:largest]))


def only_ham_of_enron(store: CountStore, sources: Sequence[Counted]) -> NDArray[np.bool_]:
    """Returns which tokens only ham of Enron-Spam holds: mostly surnames, written small, that no list has."""
    others = merge_stores([c.store for c in sources if not c.source.name.startswith("enron")])
    spam = store.messages[:, store.labels.index("spam")]
    return np.asarray((others.find(store.keys) < 0) & (spam == 0))


def fit_weights(kind: str, store: CountStore, sources: Sequence[Counted]) -> Correction:
    """Fits token weights to all messages of sources; returns what they add to those of naive Bayes."""
    scorer, largest = make(SCORING), LARGEST_WEIGHT[kind]
    entries = Entries.concat([entries_of(batch, store) for c in sources for batch in c.batches])
    strength = np.concatenate([c.source.weights() for c in sources])
    spam = np.array([label == "spam" for c in sources for label in c.source.labels])
    weights = log_odds_of(scorer.estimate(Stats.of(store)), store.labels.index("spam"))
    row_scale = damping_scale(np.bincount(entries.rows, minlength=entries.size), SCORING)
    pattern = Pattern.of(entries.size, store.vocabulary, entries.rows, entries.ids, None)
    scale = np.sqrt(np.abs(weights)) * freedom(store)
    scale = scale / np.sqrt(np.average(pattern.lengths(scale) * row_scale**2, weights=strength))
    rows = SparseRows.of(pattern, row_scale, scale)
    c = STRENGTH[kind] * strength / strength.mean()
    fitted, bias = fit(rows, np.where(spam, 1.0, -1.0), np.zeros(len(spam)), c, 1e-3, 200)
    added = (np.clip(fitted * scale, -largest, largest) - weights).astype(np.float32)
    return Correction(store.keys, added, bias, "spam", int(store.message_totals.sum()))


def freedom(store: CountStore) -> FloatArray:
    """Returns how far the weight of each token may move; how a mail is made depends on its year."""
    spellings, tagged = store.spellings, np.flatnonzero(store.kinds == OTHER)
    structural = [i for i in tagged.tolist() if not spellings[i].startswith(CONTENT)]
    free = np.ones(store.vocabulary)
    free[structural] = STRUCTURE
    return free


def entries_of(batch: Batch, store: CountStore) -> Entries:
    return Entries.of(batch, [store.find(stream.keys) for stream in batch.streams], None, False)


def build(kind: str, names: Names, sources: Sequence[Counted]) -> SpamModel:
    """Returns a model of sources, not calibrated."""
    store = reduced(sources, names, LARGEST[kind])
    correction = fit_weights(kind, store, sources)
    return SpamModel(
        FeatureConfig(),
        SCORING,
        store,
        DECISIONS[kind],
        calibrations.identity(2),
        seen_messages=None,
        correction=correction,
    )


@dataclass(frozen=True)
class LeftOut:
    """What a model without a source says of its messages: log-odds before calibration, known words."""

    scores: FloatArray
    known_share: FloatArray


def left_out_scores(kind: str, names: Names, sources: Sequence[Counted]) -> dict[str, LeftOut]:
    """Classifies each source by a model without it and those that are left out with it."""
    scores = {}
    for group in LEFT_OUT[kind]:
        model = build(kind, names, [c for c in sources if c.source.name not in group])
        for counted in sources:
            if counted.source.name in group:
                scores[counted.source.name] = classify(model, counted.batches)
    return scores


def classify(model: SpamModel, batches: Iterable[Batch]) -> LeftOut:
    """Scores messages before calibration."""
    engine, plus = Engine(model.store, model.scoring, model.correction), model.labels.index("spam")
    scored = [engine.score(batch, words=True) for batch in batches]
    scores = [log_odds_of(s.damped, plus) + np.asarray(s.correction) for s in scored]
    shares = [s.words.share for s in scored if s.words is not None]
    return LeftOut(np.concatenate(scores), np.concatenate(shares))


def is_spam(source: Source) -> NDArray[np.bool_]:
    return np.array([label == "spam" for label in source.labels])


def calibrated(
    kind: str, model: SpamModel, sources: Iterable[Source], left_out: dict[str, LeftOut]
) -> SpamModel:
    """Returns a model with the line through the scores of sources that were left out.

    Those are the messages written for spamnb, the nearest to what a phone receives today; for mail all but
    Enron-Spam, whose texts have no headers. A source counts with at most `CALIBRATING` messages. Messages
    with fewer known words than all but one in 200 of them are not called ham.
    """
    chosen = [source for source in sources if source.name in left_out and source.name != "enron"]
    if kind == "sms":
        chosen = [source for source in chosen if source.written]
    steps = [max(1, len(source.labels) // CALIBRATING) for source in chosen]
    pairs = list(zip(chosen, steps, strict=True))
    values = np.concatenate([left_out[source.name].scores[::step] for source, step in pairs])
    truth = np.concatenate([is_spam(source)[::step] for source, step in pairs])
    shares = np.concatenate([left_out[source.name].known_share[::step] for source, step in pairs])
    fitted = fit_linear(values, truth.astype(np.int64), 2)
    return replace(model, calibration=fitted, min_known_words=lowest_usual(shares) or None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=MODELS)
    parser.add_argument("--digests", action="store_true", help="write the digests, leave the models")
    options = parser.parse_args()
    options.output.mkdir(exist_ok=True)
    for kind in MASS:
        with tempfile.TemporaryDirectory() as folder:
            sources = read_sources(kind, Path(folder))
        write(kind, sources, options.output, options.digests)


def names_in(sources: Iterable[Source]) -> Names:
    """Returns the names of persons in sources; Enron-Spam is lower-cased, so it cannot tell a name."""
    cased = [part for source in sources if not source.name.startswith("enron") for part in source.parts]
    return Names.of(person_names(), census_names(), (text for part in cased for text in part.texts.tolist()))


def write(kind: str, sources: Sequence[Source], output: Path, digests_only: bool) -> None:
    """Writes the digests of the sources, and the model."""
    path = output / f"{kind}.spamnb"
    digests = [message_digests(part.texts) for source in sources for part in source.parts]
    print(f"{kind}: digests of {write_digests(digest_file(str(path)), digests):,} messages")
    if digests_only:
        return
    names = names_in(sources)
    counted = [Counted.of(source) for source in sources]
    model = calibrated(kind, build(kind, names, counted), sources, left_out_scores(kind, names, counted))
    size = model.save(path)
    print(f"{kind}: {model.store.vocabulary:,} tokens, {size / 1e6:.2f} MB, {model.calibration}")


if __name__ == "__main__":
    main()
