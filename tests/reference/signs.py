"""The slow, obvious twin of spamnb/features/punctuation.py: a regular expression over one message's bytes."""

import re

SIGNS = re.compile(rb"(?:[!-/:-@\[-^`{-~]|\xc2[\x80-\xbf]|\xe2[\x80-\xbf]{2})+")


def sign_tokens(message: bytes) -> list[str]:
    tokens = [f"shape:sign={_cut(run)}" for run in SIGNS.findall(message)]
    text = message.rstrip(bytes(range(33)))
    if not text:
        return tokens
    final = [run[0] for run in SIGNS.finditer(text) if run.end() == len(text)]
    end = _cut(final[0]) if final else "num" if text[-1:].isdigit() else "word"
    return [*tokens, f"shape:end={end}"]


def _cut(run: bytes) -> str:
    """The characters that the first three bytes hold."""
    return run[:3].decode("utf-8", "ignore")
