"""The peer of `spamnb compare`: a scikit-learn script that tries its naive Bayes variants in 5 folds.

python -m benchmarks.peers.compare_script DATA.tsv [--paired]

It reads a file of label, tab and text, makes stratified folds in which copies of a text stay together, tries
every naive Bayes variant for counts that scikit-learn has on words and pairs of words, and prints a table
with the best first. The vectorizer is fitted once for each fold, not for each variant. With --paired it also
works out what `compare` does: 1,000 paired bootstrap draws of the AUC.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

VARIANTS: dict[str, Any] = {
    "MultinomialNB": MultinomialNB(),
    "MultinomialNB alpha=0.1": MultinomialNB(alpha=0.1),
    "MultinomialNB once": MultinomialNB(alpha=0.1),
    "MultinomialNB uniform prior": MultinomialNB(fit_prior=False),
    "ComplementNB": ComplementNB(),
    "ComplementNB norm": ComplementNB(norm=True),
    "BernoulliNB": BernoulliNB(),
}
DRAWS = 1000


def out_of_fold(table: pd.DataFrame) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Is it spam, and P(spam) of each variant for each message."""
    spam = (table["label"] == "spam").to_numpy()
    groups = table["text"].str.lower().factorize()[0]
    scores = {name: np.zeros(len(table)) for name in VARIANTS}
    folds = StratifiedGroupKFold(5, shuffle=True, random_state=0)
    for learn, held_out in folds.split(table["text"], spam, groups):
        vectorizer = CountVectorizer(token_pattern=r"(?u)\w+", ngram_range=(1, 2))
        known = vectorizer.fit_transform(table["text"].iloc[learn])
        new = vectorizer.transform(table["text"].iloc[held_out])
        for name, variant in VARIANTS.items():
            a, b = (known.sign(), new.sign()) if name.endswith("once") else (known, new)
            scores[name][held_out] = variant.fit(a, spam[learn]).predict_proba(b)[:, 1]
    return spam, scores


def main(path: str, paired: bool) -> None:
    table = pd.read_csv(path, sep="\t", header=None, names=["label", "text"], quoting=3)
    spam, scores = out_of_fold(table)
    rows = []
    for name, p in scores.items():
        measures = roc_auc_score(spam, p), f1_score(spam, p >= 0.5), log_loss(spam, p)
        rows.append((*measures, int(((p >= 0.5) & ~spam).sum()), int(((p < 0.5) & spam).sum()), name))
    rows.sort(reverse=True)
    for auc, f1, loss, lost, missed, name in rows:
        print(f"{name:<28}{auc:.4f}  {f1:.4f}  {loss:.4f}  {lost:>4}{missed:>5}")
    if paired:
        random, best = np.random.default_rng(0), scores[rows[0][-1]]
        drawn = [random.integers(0, len(spam), len(spam)) for _ in range(DRAWS)]
        top = np.array([roc_auc_score(spam[d], best[d]) for d in drawn])
        for *_, name in rows[1:]:
            other = np.array([roc_auc_score(spam[d], scores[name][d]) for d in drawn])
            print(f"{name:<28}p = {2 * min((other >= top).mean(), (other <= top).mean()):.3f}")


if __name__ == "__main__":
    main(sys.argv[1], "--paired" in sys.argv[2:])
