"""The slow, obvious twin of spamnb/features/shapes.py: regular expressions over one message's bytes."""

import re

from spamnb.features.shapes import CURRENCY, DOMAINS, EDGES, EMOJI, bucket_names

WORD = rb"[A-Za-z0-9_\x80-\xff]"
URL = re.compile(rb"://|(?<=%s)\.(?:%s)(?!%s)" % (WORD, b"|".join(DOMAINS), WORD), re.IGNORECASE)
EMAIL = re.compile(rb"(?<=%s)@(?=%s)" % (WORD, WORD))
SIGNS = b"|".join(re.escape(sign) for sign in CURRENCY)
MONEY = re.compile(rb"(?:%s)(?=[0-9])|(?<=[0-9])(?:%s)" % (SIGNS, SIGNS))
PHONE = re.compile(rb"[0-9](?:[ ().+-]?[0-9])*")
CAPS = re.compile(rb"(?<![A-Za-z0-9_])[A-Z]{2,}(?![A-Za-z0-9_])")


def shape_tokens(message: bytes) -> list[str]:
    if not message:
        return []
    counts = {
        "url": len(URL.findall(message)),
        "email": len(EMAIL.findall(message)),
        "money": len(MONEY.findall(message)),
        "phone": sum(len(re.findall(rb"[0-9]", run)) >= 9 for run in PHONE.findall(message)),
        "caps": len(CAPS.findall(message)),
        "exclaim": message.count(b"!"),
        "question": message.count(b"?"),
        "emoji": len(re.findall(b"|".join(EMOJI), message)),
        "digits": len(re.findall(rb"[0-9]", message)),
        "length": len(message),
    }
    tokens = [bucket_names(name)[sum(counts[name] >= edge for edge in EDGES[name])] for name in EDGES]
    for number in re.findall(rb"[0-9]+", message):
        if len(number) >= 3:
            tokens.append(f"shape:number={len(number)}" if len(number) < 12 else "shape:number=12+")
    return tokens
