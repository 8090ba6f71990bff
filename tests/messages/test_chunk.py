"""Chunk: messages of a reader with their labels and columns."""

from __future__ import annotations

import numpy as np

from spamnb.messages import Chunk, Texts


def test_messages_are_selected_with_all_that_belongs_to_them() -> None:
    texts, lines = Texts.of(["a", "b", "c"]), np.array([2, 3, 5])
    columns = {"sender": ["x", "y", "z"]}, {"hour": np.array([1.0, 2.0, 3.0])}
    chunk = Chunk(texts, lines, ["ham", "spam", "ham"], *columns, position=9, file="a.csv")
    picked = chunk.select(np.array([2, 0]))
    assert picked.texts.tolist() == [b"c", b"a"]
    assert picked.labels == ["ham", "ham"]
    assert picked.categories == {"sender": ["z", "x"]}
    assert picked.numbers["hour"].tolist() == [3.0, 1.0]
    assert [picked.place(row) for row in range(2)] == ["a.csv line 5", "a.csv line 2"]


def test_mails_are_selected_with_their_paths() -> None:
    chunk = Chunk(Texts.of(["a", "b"]), np.array([1, 2]), sources=["a.eml", "b.eml"])
    picked = chunk.select(np.array([1]))
    assert (picked.place(0), picked.labels) == ("b.eml", None)
