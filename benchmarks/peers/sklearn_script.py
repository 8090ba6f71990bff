"""The peer: what a scikit-learn user writes for the same job, from the same file to the same output.

python -m benchmarks.peers.sklearn_script train DATA.csv MODEL NGRAMS
python -m benchmarks.peers.sklearn_script predict LINES.txt MODEL
"""

from __future__ import annotations

import sys

import joblib
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB


def train(data: str, model: str, ngrams: int) -> None:
    table = pd.read_csv(data)
    vectorizer = CountVectorizer(token_pattern=r"(?u)\w+", ngram_range=(1, ngrams))
    counts = vectorizer.fit_transform(table["text"])
    joblib.dump((vectorizer, MultinomialNB().fit(counts, table["label"])), model)


def predict(lines: str, model: str) -> None:
    vectorizer, classifier = joblib.load(model)
    with open(lines, encoding="utf-8") as file:
        messages = file.read().splitlines()
    spam = classifier.predict_proba(vectorizer.transform(messages))[:, 1]
    rows = zip(spam, messages, strict=True)
    sys.stdout.writelines(f"{'spam' if p >= 0.5 else 'ham'}\t{p:.4f}\t{message}\n" for p, message in rows)


if __name__ == "__main__":
    if sys.argv[1] == "train":
        train(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        predict(sys.argv[2], sys.argv[3])
