"""Measures time and memory of training on much data whose vocabulary grows as in life.

Heaps' law says that n messages hold about K n^b different tokens. Words, pairs and shapes together, measured
locally by doubling the data: SMS Spam Collection 0.76 falling to 0.72 at 5,574 messages, two other SMS
collections the same, Enron's mails 0.73 falling to 0.64 at 33,716 mails, which have as many words as half a
million SMS. So messages made here are those of SMS Spam Collection, in which two words are replaced by
made-up ones. How many different replacements a place knows grows so that all tokens grow by n^0.65.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks import sms_corpus
from benchmarks.command_cost import run, spamnb
from spamnb.core.arrays import IntArray

EXPONENT = 0.65
PER_MESSAGE = 9.3  # tokens of SMS Spam Collection by its messages: 51,919 by 5,574
WORDS = 200_000


def written(path: Path, size: int, seed: int = 1) -> int:
    """Write a CSV file of about `size` bytes; gives the number of messages."""
    rng, pieces, words = (
        np.random.default_rng(seed),
        _pieces(),
        [sms_corpus.made_up_word(i, 16, 5) for i in range(WORDS)],
    )
    count = done = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        done += file.write("label,text\n")
        while done < size:
            # Each replacement makes two new pairs, and there are two in a message.
            kinds = 1 + int(PER_MESSAGE / 4 * ((1 + count / len(pieces)) ** EXPONENT - 1))
            done += file.write("".join(_lines(pieces, words, rng.integers(0, kinds, (len(pieces), 2)))))
            count += len(pieces)
    return count


def _lines(pieces: list[tuple[str, str, str]], words: list[str], kinds: IntArray) -> Iterator[str]:
    """The place and the number of a replacement decide on the word."""
    places = np.arange(2 * len(pieces)).reshape(-1, 2)
    chosen = (places * 7919 + kinds * 104_729) % WORDS
    for (a, b, c), (first, second) in zip(pieces, chosen.tolist(), strict=True):
        yield f"{a}{words[first]}{b}{words[second]}{c}"


def _pieces() -> list[tuple[str, str, str]]:
    """A row of CSV for each message, without the words at one third and two thirds of it."""
    pieces = []
    for label, text in sms_corpus.base():
        words = text.replace('"', '""').split(" ")
        i, j = len(words) // 3, max(len(words) // 3 + 1, 2 * len(words) // 3)
        a, b, c = words[:i], words[i + 1 : j], words[j + 1 :]
        pieces.append((f'{label},"{" ".join([*a, ""])}', " ".join(["", *b, ""]), " ".join(["", *c]) + '"\n'))
    return pieces


def _bytes(written: str) -> int:
    units = {"K": 10**3, "M": 10**6, "G": 10**9}
    return int(float(written[:-1]) * units[written[-1]]) if written[-1] in units else int(written)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", action="append", help="10M, 5G; again for more (default: 10M 100M 1G 5G)")
    parser.add_argument("--folder", type=Path, help="where to put the data, which are removed afterwards")
    arguments = parser.parse_args()
    print("data\tmessages\ttokens\tprocessor s\tus a message\tpeak MB\tmodel MB")
    for size in arguments.size or ["10M", "100M", "1G", "5G"]:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
            table, model = Path(name) / "big.csv", Path(name) / "big.spamnb"
            count = written(table, _bytes(size))
            cost = run(spamnb("train", str(table), "-o", str(model), "-q"), any_core=True)
            table.unlink()
            each = cost.cpu / count * 1e6
            figures = f"{cost.cpu:.1f}\t{each:.2f}\t{cost.megabytes:.0f}\t{model.stat().st_size / 1e6:.0f}"
            print(f"{size}\t{count:,}\t{_tokens(model):,}\t{figures}", flush=True)


def _tokens(model: Path) -> int:
    from spamnb.model.spam_model import SpamModel

    return SpamModel.load(model).store.vocabulary


if __name__ == "__main__":
    main()
