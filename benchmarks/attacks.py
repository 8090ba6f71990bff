"""Measures what good words and poison do to a filter: undefended, without limits, and with the defaults.

Corpus: SMS Spam Collection, exact repeats removed; stratified 70/30 splits. Good words: the N words that most
ham of the training part has and no spam, appended to every spam of the test part; hidden: with a zero-width
space before each letter. Ham appended: a ham message of the training part. Poison: messages labelled spam, as
many as 1% of the training part, each of 100 words of its ham drawn by frequency; dictionary: the same with
every word of its ham; inverse dictionary: messages labelled ham, with every word of its spam. Undefended is
plain multinomial naive Bayes on words: all occurrences, add-one smoothing, no damping, no shapes.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.corpora import parse_seeds, read_messages, split
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.trainer import train

Train = Callable[[Sequence[str], Sequence[str]], SpamModel]


def undefended(texts: Sequence[str], labels: Sequence[str]) -> SpamModel:
    """Words, all occurrences, add-one smoothing."""
    scoring = ScorerConfig(alpha=1.0, once=False, damping=0.0)
    return train(
        texts, labels, features=FeatureConfig.plain(), scoring=scoring, training=TrainingConfig(folds=0)
    )


def defaults(texts: Sequence[str], labels: Sequence[str]) -> SpamModel:
    return train(texts, labels)


def unlimited(texts: Sequence[str], labels: Sequence[str]) -> SpamModel:
    """The defaults with --max-evidence 0."""
    return train(texts, labels, scoring=ScorerConfig(max_evidence=0))


MODELS: dict[str, Train] = {"undefended": undefended, "unlimited": unlimited, "defaults": defaults}


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def good_words(texts: Sequence[str], labels: Sequence[str], size: int) -> list[str]:
    """The words that most ham has and no spam."""
    ham: Counter[str] = Counter()
    spam: set[str] = set()
    for text, label in zip(texts, labels, strict=True):
        if label == "ham":
            ham.update(set(words(text)))
        else:
            spam.update(words(text))
    return [word for word, _ in ham.most_common() if word not in spam][:size]


def with_good_words(texts: Sequence[str], good: Sequence[str], rng: random.Random) -> list[str]:
    return [f"{text} {' '.join(rng.sample(good, len(good)))}" for text in texts]


def hide(word: str) -> str:
    """The word with an invisible character before each letter."""
    return "".join(f"\u200b{letter}" for letter in word)


def poison(
    texts: Sequence[str], labels: Sequence[str], rng: random.Random, whole: bool, of: str = "ham"
) -> list[str]:
    """Messages, 1% of the training part, of 100 words of a class each or of all of them."""
    ham = [word for text, label in zip(texts, labels, strict=True) if label == of for word in words(text)]
    number = len(texts) // 100
    if whole:
        return [
            " ".join(rng.sample(every, len(every))) for every in [sorted(set(ham))] for _ in range(number)
        ]
    return [" ".join(rng.choices(ham, k=100)) for _ in range(number)]


def rates(model: SpamModel, spam: Sequence[str], ham: Sequence[str]) -> tuple[float, float]:
    """Share of spam that is caught, and of ham that is misjudged."""
    caught = np.mean([label == "spam" for label in model.predict(spam)])
    lost = np.mean([label == "spam" for label in model.predict(ham)])
    return float(caught), float(lost)


POISONS = (("poison", False, "ham"), ("dictionary", True, "ham"), ("inverse dictionary", True, "spam"))


def one_split(make: Train, seed: int) -> dict[str, tuple[float, float]]:
    _, texts, is_spam = read_messages("uci")
    known, unseen = split(is_spam, seed)
    seen, labels = [texts[i] for i in known], ["spam" if is_spam[i] else "ham" for i in known]
    spam, ham = [texts[i] for i in unseen if is_spam[i]], [texts[i] for i in unseen if not is_spam[i]]
    model, rng = make(seen, labels), random.Random(seed)
    results = {"no attack": rates(model, spam, ham)}
    for size in (30, 150):
        good = good_words(seen, labels, size)
        results[f"{size} good words"] = rates(model, with_good_words(spam, good, rng), ham)
        hidden = with_good_words(spam, [hide(word) for word in good], rng)
        results[f"{size} good words, hidden"] = rates(model, hidden, ham)
    known_ham = [text for text, label in zip(seen, labels, strict=True) if label == "ham"]
    results["ham appended"] = rates(model, [f"{text} {rng.choice(known_ham)}" for text in spam], ham)
    for name, whole, of in POISONS:
        added, label = poison(seen, labels, rng, whole, of), "spam" if of == "ham" else "ham"
        results[f"1% {name}"] = rates(make([*seen, *added], [*labels, *[label] * len(added)]), spam, ham)
    return results


def run(models: dict[str, Train], seeds: Sequence[int]) -> dict[str, dict[str, tuple[float, float]]]:
    """Mean recall and false positive rate of each model under each attack."""
    results = {}
    for name, make in models.items():
        splits = [one_split(make, seed) for seed in seeds]
        results[name] = {
            attack: tuple(np.mean([s[attack] for s in splits], axis=0).tolist()) for attack in splits[0]
        }
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    _, seeds = parse_seeds(parser, 5)
    results = run(MODELS, seeds)
    print(f"{'recall / ham misjudged':<24}" + "".join(f"{name:>22}" for name in results))
    for attack in results["undefended"]:
        row = (f"{100 * r[attack][0]:.1f}% / {100 * r[attack][1]:.2f}%" for r in results.values())
        print(f"{attack:<24}" + "".join(f"{cell:>22}" for cell in row))


if __name__ == "__main__":
    main()
