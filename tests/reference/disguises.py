"""The slow twin of all that spamnb/features does about disguises: one message, step by step."""

from __future__ import annotations

import re
import unicodedata

from spamnb.features.hidden_letters import FANCY, FILLERS, INVISIBLE, MARKS
from spamnb.features.lookalikes import CLOSE, CYRILLIC, LETTERS, LOOKALIKES
from spamnb.features.unspaced_scripts import LETTERS as SPACELESS

NEIGHBOUR = f"A-Za-z0-9\u00c0-\u024f\u1e00-\u1eff{LETTERS}"
SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
LEET_I = {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s"}
LEET_L = LEET_I | {"1": "l"}
BLANK = r"[\x00-\x09\x0b\x0c\x0e-\x20]"
SIGN = r"[!-/:-@\[-`{-\x7f]"
WORD = r"[^\W_]"


def of(char: str, letters: str) -> bool:
    return re.fullmatch(f"[{letters}]", char) is not None


def clear(message: bytes) -> tuple[bytes, list[str]]:
    """The message with hidden letters made plain, and what there was."""
    text, rows = message.decode("utf-8", "surrogateescape"), []
    if any(of(c, MARKS) for c in text):
        text = unicodedata.normalize("NFC", text)
    for name, step in (("zero-width", unhidden), ("fancy", undressed), ("mixed-script", one_alphabet)):
        rows += [name] if step(text) != text else []
        text = step(text)
    return text.encode("utf-8", "surrogateescape"), rows


def unhidden(text: str) -> str:
    """Leave out a run of invisible characters and marks between two letters; a filler is a blank."""
    text = "".join(" " if c in FILLERS else c for c in text)
    parts = re.split(f"([{INVISIBLE}{MARKS}]+)", text)
    for i in range(1, len(parts), 2):
        before, after = parts[i - 1][-1:], parts[i + 1][:1]
        if before and after and of(before, NEIGHBOUR) and of(after, NEIGHBOUR):
            parts[i] = ""
    return "".join(parts)


def undressed(text: str) -> str:
    return "".join(plain(c) if of(c, FANCY) else c for c in text)


def plain(char: str) -> str:
    name = unicodedata.name(char, "")
    negative = re.fullmatch("NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER ([A-Z])", name)
    if negative:
        return negative[1]
    folded = SMALL_CAPITALS.get(char, unicodedata.normalize("NFKC", char))
    wanted = "[A-Za-z0-9]+" if char.isalnum() else "[A-Za-z0-9]"
    return folded if re.fullmatch(wanted, folded) else char


def one_alphabet(text: str) -> str:
    """Words of two alphabets in one, then words of close doubles alone in Latin, if most of the text is."""
    if not any(of(c, "A-Za-z") for c in text):
        return text
    words = re.split(f"([A-Za-z0-9_{LETTERS}]+)", text)
    words = [mixed(word) for word in words]
    latin = sum(of(c, "A-Za-z") for word in words for c in word)
    if latin > sum(of(c, LETTERS) for word in words for c in word):
        words = [close(word) for word in words]
    return "".join(words)


def mixed(word: str) -> str:
    latin, others = [c for c in word if of(c, "A-Za-z")], [c for c in word if of(c, LETTERS)]
    if not latin or not others or not of(word[0], f"A-Za-z0-9_{LETTERS}"):
        return word
    if all(c in LOOKALIKES for c in others):
        return "".join(LOOKALIKES.get(c, c) for c in word)
    if all(c in CYRILLIC for c in latin) and all("\u0400" <= c <= "\u052f" for c in others):
        return "".join(CYRILLIC.get(c, c) for c in word)
    return word


def close(word: str) -> str:
    others = [c for c in word if of(c, LETTERS)]
    if not others or any(of(c, "A-Za-z") for c in word) or not all(c in CLOSE for c in others):
        return word
    return "".join(CLOSE.get(c, c) for c in word)


def joined(lower: str) -> tuple[str, bool]:
    """Lower-cased text with spaced words as one word; letters with signs first."""
    signed = rf"(?<!{WORD})[a-z]({SIGN})[a-z](?:\1[a-z])+(?!{WORD})"
    new = re.sub(signed, lambda m: "\1" + m[0][::2] + "\1", lower)
    edge = rf"(?<!{WORD})(?<!\x01)", rf"(?!{WORD}|\x01)"
    new = re.sub(rf"{edge[0]}[a-z]({BLANK})[a-z](?:\1[a-z]){{2,}}{edge[1]}", lambda m: m[0][::2], new)
    return new, new != lower


def stands_for(lower: str) -> list[tuple[str, bool]]:
    """What disguised words may stand for, and whether digits and signs are the disguise."""
    rows = []
    for word in re.findall(f"{WORD}+", lower):
        if len(word.encode("utf-8", "surrogateescape")) <= 24:
            rows += [(new, True) for new in leet(word)] + [(new, False) for new in held(word)]
    for region in re.finditer(r"[a-z0-9@$]+", lower):
        around = lower[: region.start()][-1:] + lower[region.end() :][:1]
        address = "@" in region[0] and "." in around
        if re.search(r"\$[a-z]|[a-z]@[a-z]", region[0]) and not address and len(region[0]) <= 24:
            rows += [(new, True) for new in leet(region[0])]
    return rows


def leet(word: str) -> list[str]:
    letters = len(re.findall("[a-z]", word))
    if letters < 2 or 2 * letters < len(word) or re.search("[0-9]{3}", word):
        return []
    if any(c not in LEET_I and not of(c, "a-z") for c in word) or not re.search("[a-z][0-9]|[@$]", word):
        return []
    return list(dict.fromkeys("".join(table.get(c, c) for c in word) for table in (LEET_I, LEET_L)))


def held(word: str) -> list[str]:
    if len(set(word)) == 1 or not re.search(r"([a-vyz])\1\1", word):
        return []
    return [re.sub(r"([a-vyz])\1\1+", by, word) for by in (r"\1", r"\1\1")]


def spaceless(message: bytes) -> bool:
    text = message.decode("utf-8", "surrogateescape")
    letters = sum(of(c, SPACELESS) for c in text)
    return re.search(f"[{SPACELESS}]{{2}}", text) is not None and 12 * letters >= len(message)
