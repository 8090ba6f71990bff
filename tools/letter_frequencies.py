"""Writes spamnb/mail/letter_frequencies.py: how frequent the letters beyond ASCII are in some languages.

python -m tools.letter_frequencies ../shared/data/more/tatoeba_ham_proxy.jsonl.xz

The sentences themselves stay out of the repository. Letters are in groups: those of one group occur about
half as often as those of the group before.
"""

from __future__ import annotations

import json
import lzma
import math
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from unicodedata import category, normalize

from tests.helpers.paths import ROOT

TARGET = ROOT / "spamnb" / "mail" / "letter_frequencies.py"
LANGUAGES = (
    "ar bg ca cs da de el es et fa fi fr he hr hu it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk vi zh"
)
WIDTH = 45  # letters in a line
GROUPS = 12  # beyond them a letter is too rare to be listed
HEAD = '''"""Lists letters beyond ASCII of some languages by frequency; tools/letter_frequencies.py wrote it.

Those of each group occur about half as often as those of the group before. Measured on sentences of Tatoeba.
"""

LETTERS = {
'''


def encodable(text: str, codec: str) -> bool:
    try:
        text.encode(codec)
    except UnicodeError:
        return False
    return True


def by_language(path: Path) -> dict[str, list[str]]:
    """Reads the sentences of each language; Chinese is parted into its two scripts."""
    texts: dict[str, list[str]] = {}
    for line in lzma.decompress(path.read_bytes()).splitlines():
        row = json.loads(line)
        texts.setdefault(row["lang"], []).append(row["text"])
    chinese = texts.pop("zh")
    texts["zh"] = [text for text in chinese if encodable(text, "gb2312")]
    texts["zh_tw"] = [text for text in chinese if encodable(text, "big5") and not encodable(text, "gb2312")]
    texts["vi"] = [in_cp1258(text) for text in texts["vi"]]
    return texts


def in_cp1258(text: str) -> str:
    """Returns a Vietnamese text as cp1258 has it: the accent of a tone is a character of its own.

    >>> in_cp1258("\u1ec7") == "\xea\u0323"
    True
    """
    letters = []
    for letter in text:
        base, marks = normalize("NFD", letter)[0], normalize("NFD", letter)[1:]
        tones = [mark for mark in marks if mark in "\u0300\u0301\u0303\u0309\u0323"]
        shape = normalize("NFC", base + "".join(mark for mark in marks if mark not in tones))
        letters.append(letter if encodable(letter, "cp1258") else shape + "".join(tones))
    return "".join(letters)


def groups(texts: Iterable[str]) -> str:
    """Returns the letters beyond ASCII, the most frequent first, in groups with blanks between them."""
    counts = Counter(c for text in texts for c in text if not c.isascii() and category(c)[0] in "LM")
    most = max(counts.values())
    lists: dict[int, list[str]] = {}
    for letter, count in counts.most_common():
        if count > 1:
            lists.setdefault(round(math.log2(most / count)), []).append(letter)
    return " ".join("".join(lists.get(group, [])) or "-" for group in range(GROUPS)).rstrip(" -")


def main() -> None:
    texts = by_language(Path(sys.argv[1]))
    lines = [HEAD.rstrip("\n")]
    for language in (*LANGUAGES.split(), "zh_tw"):
        letters = groups(texts[language])
        pieces = [letters[at : at + WIDTH] for at in range(0, len(letters), WIDTH)]
        body = "\n".join(f'        "{piece}"' for piece in pieces)
        lines.append(f'    "{language}": (\n{body}\n    ),')
    TARGET.write_text("\n".join([*lines, "}"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
