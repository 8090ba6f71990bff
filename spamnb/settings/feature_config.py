"""Declares the settings of features: which tokens are read from a message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spamnb.errors import ConfigError
from spamnb.settings import setting_field
from spamnb.settings.scorer_config import LESS_NAIVE, MAX_ORDER
from spamnb.settings.setting_field import TextForm, ValueRule, between, check_settings, setting, stated_fields
from spamnb.settings.textbook import with_textbook

MAX_NGRAM = 5
MAX_CHARS = 8
PAIR_SEPARATOR = "\x1f"  # joins the names of two columns whose pairs are counted
_COLUMN_NAMES = ValueRule(
    "names without the character U+001F", lambda names: not any(PAIR_SEPARATOR in str(n) for n in names)
)


def _parse_pattern(text: str) -> tuple[str, str]:
    name, equals, regex = text.partition("=")
    if not equals or not regex:
        raise ConfigError(
            f"--set pattern must be NAME=REGEX, got {text!r}", "for example --set 'pattern=phone=\\d{10}'"
        )
    return name, regex


@dataclass(frozen=True, slots=True)
class FeatureConfig:
    r"""What becomes a token. `plain()` is exactly the stream `re.findall(r"\w+", text.lower())`.

    `deobfuscate` (with shapes) undoes the obfuscation of words and takes n-grams of scripts without spaces.
    `punctuation` (with that) adds runs of punctuation and how a message ends.

    >>> FeatureConfig.plain() == FeatureConfig(ngrams=1, shapes=False, deobfuscate=False, punctuation=False)
    True
    """

    ngrams: int = setting(
        2,
        "--ngrams",
        "Word n-grams from 1 to N. [default: 2; 1 for plain tokens and email]",
        metavar="N",
        rule=between(1, MAX_NGRAM),
    )
    shapes: bool = setting(
        True,
        "--tokens",
        'shaped: words, word pairs and features such as "contains a phone number" (no pairs for email). '
        "plain: lowercase words only.",
        choices=("plain", "shaped"),
    )
    chars: int = setting(
        0,
        "--set chars",
        "Character n-grams from 2 to N. [default: none]",
        metavar="N",
        rule=ValueRule(f"0 or between 2 and {MAX_CHARS}", lambda n: n == 0 or 2 <= n <= MAX_CHARS),
    )
    patterns: tuple[tuple[str, str], ...] = setting(
        (),
        "--set pattern",
        "Count the matches of a regular expression as token re:NAME; needs google-re2, so no lookaround "
        "and no backreferences. Repeatable.",
        metavar="NAME=REGEX",
        text_form=TextForm(_parse_pattern, "=".join),
    )
    categorical: tuple[str, ...] = setting(
        (), "--categorical", "Column of categories. Repeatable.", metavar="COLUMN", rule=_COLUMN_NAMES
    )
    numeric: tuple[str, ...] = setting(
        (), "--numeric", "Column of numbers (Gaussian). Repeatable.", metavar="COLUMN", rule=_COLUMN_NAMES
    )
    deobfuscate: bool = True
    punctuation: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "deobfuscate", self.deobfuscate and self.shapes)
        object.__setattr__(self, "punctuation", self.punctuation and self.deobfuscate)
        check_settings(self)

    @classmethod
    def usual(cls, mail: bool = False) -> FeatureConfig:
        """Returns the defaults of `spamnb train`; mail has words enough without bigrams."""
        return cls(ngrams=1, punctuation=False) if mail else cls()

    @classmethod
    def plain(cls, ngrams: int = 1) -> FeatureConfig:
        return cls(ngrams=ngrams, shapes=False)

    @classmethod
    def from_options(cls, options: Mapping[str, Any], mail: bool = False) -> FeatureConfig:
        """Returns the features that options ask for; the defaults depend on the scorer and on what is read.

        >>> FeatureConfig.from_options({"tokens": "plain"}) == FeatureConfig.plain()
        True
        """
        options = with_textbook(options)
        stated, usual = stated_fields(cls, options), cls.usual(mail)
        less_naive = options.get("scorer") == LESS_NAIVE
        shapes = stated.pop("shapes", True) and not less_naive
        order = 1 if options.get("order") is None else options["order"]
        # an order out of range is refused as such, not as n-grams
        ngrams = min(max(order, 0), MAX_ORDER) + 1 if less_naive else usual.ngrams if shapes else 1
        return cls(**{"ngrams": ngrams, **stated}, shapes=shapes, punctuation=usual.punctuation)

    def to_state(self) -> dict[str, Any]:
        """Builtins only, for the model file."""
        return setting_field.to_state(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> FeatureConfig:
        values = setting_field.from_state(cls, state)
        values["patterns"] = tuple((str(name), str(regex)) for name, regex in values.get("patterns", ()))
        config = cls(**values)
        if not all(isinstance(column, str) for column in (*config.categorical, *config.numeric)):
            raise TypeError("the name of a column is not text")
        return config
