"""The public SMS corpora come out whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from spamnb.readers import ReadOptions, open_source

Corpus = Callable[[str], str]


@pytest.mark.parametrize(
    ("name", "ham", "spam"),
    [
        ("sms/SMSSpamCollection.tsv", 4827, 747),
        ("sms/sms_spam_collection.csv", 4825, 747),
        ("sms/smishing.jsonl", 4844, 1127),
        ("sms/thai.jsonl", 2904, 2039),
        ("sms/turkish.jsonl", 2215, 2536),
    ],
)
def test_every_row_comes_out(corpus: Corpus, name: str, ham: int, spam: int) -> None:
    for chunk_bytes in (1 << 18, 1 << 12):
        with open_source(corpus(name), ReadOptions(chunk_bytes=chunk_bytes), labelled=True) as source:
            counts = Counter(label for chunk in source for label in chunk.labels or ())
            assert counts == {"ham": ham, "spam": spam}
            assert source.skipped.count == 0


def test_texts_of_the_tab_separated_corpus_are_untouched(corpus: Corpus) -> None:
    path = corpus("sms/SMSSpamCollection.tsv")
    with open(path, "rb") as file:
        expected = [line.partition(b"\t")[2] for line in file.read().split(b"\n") if line]
    with open_source(path, ReadOptions(), labelled=True) as source:
        assert "quotes are ordinary characters" in source.description
        assert [text for chunk in source for text in chunk.texts.tolist()] == expected
