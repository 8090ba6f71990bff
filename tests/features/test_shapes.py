"""Shape tokens of whole batches against the regular expressions of the twin."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from spamnb.features.batch import SHAPE, Batch
from spamnb.features.shapes import EDGES, bucket_names, shape_stream
from spamnb.messages import Texts
from tests.helpers.texts import any_bytes, batches, keyed, sms_corpus, spelled
from tests.reference.keys import token_key
from tests.reference.shapes import shape_tokens
from tests.reference.tokens import as_bytes

signs = st.text(st.sampled_from("AZaz09._-+() $£€¥₹:/@!?comnetCOMuk☺😀é\n\r"), max_size=40)


def shapes_of(given_messages: list[str | bytes]) -> Batch:
    return Batch(len(given_messages), (shape_stream(Texts.of(given_messages)),))


def check(given_messages: list[str | bytes]) -> None:
    batch = shapes_of(given_messages)
    expected = [shape_tokens(as_bytes(m)) for m in given_messages]
    assert spelled(batch) == expected
    assert keyed(batch) == [[token_key(t) for t in message] for message in expected]


@given(st.lists(signs | any_bytes, max_size=5))
@example(["5£", "£5", "£", "5", "$", "5"])
@example(["a.com", ".com", "a.comx", "a.co", "a.COM", "a.com.", "é.com", "a.comé"])
@example(["012345678", "01234567 8", "01-23.45(67)8", "0123  45678", "0123", "45678"])
@example(["AB", "A", "AB1", "aAB", "AB_", "AB!", "ÉAB"])
@example(["a@b", "@b", "a@", "a", "@", "b"])
@example(["http:", "//x", "http://x.com"])
def test_many_messages(given_messages: list[str | bytes]) -> None:
    check(given_messages)


@given(batches)
def test_any_messages(given_messages: list[str | bytes]) -> None:
    check(given_messages)


def test_the_sms_corpus() -> None:
    _, texts = sms_corpus()
    check(list(texts[:1500]))


def test_every_message_but_an_empty_one_has_one_token_of_each_property() -> None:
    batch = shapes_of(["", "win £5", "."])
    assert batch.streams[0].kind == SHAPE
    assert [batch.rows.tolist().count(i) for i in (0, 1, 2)] == [0, len(EDGES), len(EDGES)]


@pytest.mark.parametrize(
    ("count", "token"), [(0, "0"), (1, "1"), (2, "2"), (3, "3-4"), (4, "3-4"), (5, "5+"), (99, "5+")]
)
def test_buckets(count: int, token: str) -> None:
    assert f"shape:caps={token}" in shape_tokens(b" ".join([b"AB"] * count) + b".")
    check([" ".join(["AB"] * count) + "."])


def test_bucket_names_are_distinct() -> None:
    names = [name for prop in EDGES for name in bucket_names(prop)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("size", [2, 3, 11, 12, 13, 40])
def test_numbers_by_their_digits(size: int) -> None:
    check(["7" * size, f"a{'7' * size}b", f"{'7' * size} {'7' * size}"])
