"""`--alpha`: what is given is for all tokens alike, and so is the smoothing of plain tokens."""

from __future__ import annotations

import pytest

from tests.helpers.command_line import Cli, Sms


@pytest.mark.parametrize(
    ("flags", "ratio", "shown"),
    [
        ((), 4.0, "alpha 0.05 (n-grams 0.2), "),
        (("--ngrams", "1"), 4.0, "alpha 0.1, "),
        (("--alpha", "1"), 1.0, "alpha 1, "),
        (("--alpha", "0.1", "--tokens", "plain", "--ngrams", "2"), 1.0, "alpha 0.1, "),
    ],
    ids=["usual", "no pairs", "given", "plain"],
)
def test_pairs_have_another_alpha_only_by_default(
    flags: tuple[str, ...], ratio: float, shown: str, cli: Cli, sms: Sms
) -> None:
    cli("train", sms.train, "-o", "m.spamnb", *flags)
    assert f"multinomial, {shown}" in cli("inspect", "m.spamnb").text
    assert cli("inspect", "m.spamnb", "--json", "-").json["scorer"]["ngram_smoothing_ratio"] == ratio


def test_normal_densities_have_no_alpha(cli: Cli) -> None:
    rows = [f"{label},{size + i},x" for label, size in (("ham", 1), ("spam", 50)) for i in range(12)]
    cli.write("sizes.csv", "\n".join(["label,size,sort", *rows]))
    for columns, smoothing in ((["--numeric", "size"], ""), (["--categorical", "sort"], ", alpha 0.1")):
        done = cli("train", "sizes.csv", *columns, "-o", "m.spamnb")
        assert f"; scorer multinomial{smoothing}\n" in done.err
        assert f" multinomial{smoothing}, each token " in cli("inspect", "./m.spamnb").text
