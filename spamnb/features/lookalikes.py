"""Folds words that mix Latin letters with lookalikes of other alphabets into one alphabet.

A word of Latin and other letters is folded to Latin if each other letter has a Latin lookalike, else to
Cyrillic if each Latin letter has a Cyrillic lookalike, else left unchanged. A word without a Latin letter is
folded only if every letter is a close lookalike and the message is mostly Latin; so Russian and Greek stay.
"""

from __future__ import annotations

import re


def _table(pairs: str) -> dict[str, str]:
    """Reads pairs such as 'аa': Cyrillic a, which looks like Latin a."""
    return {pair[0]: pair[1] for pair in pairs.split()}


# Lookalikes that no reader can distinguish, and those that only pass next to Latin letters.
CLOSE = _table(
    "аa сc еe һh іi јj ӏl оo рp ԛq ѕs ѵv ԝw хx уy ԁd үy "
    "АA ВB СC ЕE НH ІI ЈJ КK МM ОO РP ԚQ ЅS ТT ѴV ԜW ХX УY ҮY ӀI "
    "αa ιi οo ρp υu νv ΑA ΒB ΕE ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΧX ΥY ΖZ ϲc ϳj ͿJ "
    "օo ոn սu հh ցg զq ՕO ՍU ԼL ՏS ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᏚS ᎢT ᏙV ᎳW ᎽY ᏃZ"
)
NEAR = _table(
    "вb кk мm нh тt пn гr иu шw ьb ёe їi єe ґr зz ЗZ ПN ИN ГR ЁE ЇI ЬB "
    "βb γy εe ηn κk μu σo τt χx ωw ςc ΣE ΛA ΠN άa έe ίi όo ύu ήn"
)
LOOKALIKES = CLOSE | NEAR
_TO_LATIN = str.maketrans(LOOKALIKES)
CYRILLIC = {latin: c for c, latin in CLOSE.items() if "\u0400" <= c <= "\u045f"}
_TO_CYRILLIC = str.maketrans(CYRILLIC)


LETTERS = "\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u13a0-\u13f4"  # Greek, Cyrillic, Armenian, Cherokee
_LATIN = re.compile("[A-Za-z]")
_OTHER = re.compile(f"[{LETTERS}]")
# Only at the start of a word: else a long word without such a letter is searched again from each position.
_WORD = re.compile(f"(?<![A-Za-z0-9_{LETTERS}])[A-Za-z0-9_]*+[{LETTERS}][A-Za-z0-9_{LETTERS}]*+")


def fold_lookalikes(text: str) -> str:
    """Folds each mixed word of a text into one alphabet.

    >>> fold_lookalikes("Fr\u0435\u0435 \u0440rize"), fold_lookalikes("\u0423\u0440\u0430 \u043e\u043d")
    ('Free prize', 'Ура он')
    """
    if not _OTHER.search(text) or not _LATIN.search(text):
        return text
    text = _WORD.sub(_one_alphabet, text)
    if len(_LATIN.findall(text)) > len(_OTHER.findall(text)):
        text = _WORD.sub(_latin_if_close, text)
    return text


def _one_alphabet(match: re.Match[str]) -> str:
    word = match[0]
    latin, others = _LATIN.findall(word), _OTHER.findall(word)
    if not latin:
        return word
    if all(c in LOOKALIKES for c in others):
        return word.translate(_TO_LATIN)
    if all(c in CYRILLIC for c in latin) and all("\u0400" <= c <= "\u052f" for c in others):
        return word.translate(_TO_CYRILLIC)
    return word


def _latin_if_close(match: re.Match[str]) -> str:
    word = match[0]
    if not _LATIN.search(word) and all(c in CLOSE for c in _OTHER.findall(word)):
        return word.translate(_TO_LATIN)
    return word
