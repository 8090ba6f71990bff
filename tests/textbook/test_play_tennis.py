"""Checks Play Tennis, the m-estimate, Gaussian temperatures, underflow, and the F-score table."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from spamnb.counts.tally import count
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.metrics import Confusion, f_score
from spamnb.model.scoring_engine import Engine
from spamnb.model.spam_model import SpamModel
from spamnb.scorers.column_models import category_log_p, gaussian_log_p, gaussian_parameters, m_estimate
from spamnb.settings import FeatureConfig, ScorerConfig
from tests.helpers.command_line import Cli

COLUMNS = ("outlook", "temperature", "humidity", "wind")
DAYS = [  # "PlayTennis: training examples", D1 to D14
    ("Sunny", "Hot", "High", "Weak", "No"),
    ("Sunny", "Hot", "High", "Strong", "No"),
    ("Overcast", "Hot", "High", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Strong", "No"),
    ("Overcast", "Cool", "Normal", "Strong", "Yes"),
    ("Sunny", "Mild", "High", "Weak", "No"),
    ("Sunny", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "Normal", "Weak", "Yes"),
    ("Sunny", "Mild", "Normal", "Strong", "Yes"),
    ("Overcast", "Mild", "High", "Strong", "Yes"),
    ("Overcast", "Hot", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Strong", "No"),
]
NEW = {"outlook": ["Sunny"], "temperature": ["Cool"], "humidity": ["High"], "wind": ["Strong"]}


def tennis(alpha: float = 0.0, shapes: bool = False) -> SpamModel:
    """A model with no text at all: every message is empty and only the columns speak."""
    features = FeatureConfig(shapes=shapes, categorical=COLUMNS)
    columns = {name: [day[i] for day in DAYS] for i, name in enumerate(COLUMNS)}
    scoring = ScorerConfig.of("multinomial", alpha=alpha, damping=0.0)
    return SpamModel(features, scoring, positive="Yes").learn([""] * 14, [day[-1] for day in DAYS], columns)


# --- Play Tennis

LEARNED = {  # "Learning Phase": P(value | Play=No), P(value | Play=Yes)
    "outlook": {"Sunny": ("3/5", "2/9"), "Overcast": ("0/5", "4/9"), "Rain": ("2/5", "3/9")},
    "temperature": {"Hot": ("2/5", "2/9"), "Mild": ("2/5", "4/9"), "Cool": ("1/5", "3/9")},
    "humidity": {"High": ("4/5", "3/9"), "Normal": ("1/5", "6/9")},
    "wind": {"Strong": ("3/5", "3/9"), "Weak": ("2/5", "6/9")},
}


def test_learning_phase() -> None:
    model = tennis()
    assert model.labels == ("No", "Yes")
    assert model.store.message_totals.tolist() == [5, 9]  # P(Yes) = 9/14, P(No) = 5/14
    for column, table in LEARNED.items():
        log_p = category_log_p(model.store, column, 0.0)
        assert set(log_p) == set(table)
        for value, shares in table.items():
            assert np.exp(log_p[value]) == pytest.approx([Fraction(s) for s in shares], rel=1e-14, abs=0)


def test_test_phase() -> None:
    # P(Yes | x') ~ 2/9 * 3/9 * 3/9 * 3/9 * 9/14 = 0.0053; P(No | x') ~ 3/5 * 1/5 * 4/5 * 3/5 * 5/14 = 0.0206
    no, yes = np.exp(tennis().score([""], NEW).scored.joint[0])
    assert (round(yes, 4), round(no, 4)) == (0.0053, 0.0206)
    assert yes == pytest.approx(Fraction(2 * 3 * 3 * 3, 9**4) * Fraction(9, 14), rel=1e-13)
    assert no == pytest.approx(Fraction(3 * 1 * 4 * 3, 5**4) * Fraction(5, 14), rel=1e-13)


@pytest.mark.parametrize("shapes", [False, True])
def test_the_label_is_no(shapes: bool) -> None:
    # The shapes of an empty text are the same in both classes, so they move both scores alike.
    model = tennis(shapes=shapes)
    assert model.predict([""], NEW) == ["No"]
    yes, no = Fraction(54, 6561) * Fraction(9, 14), Fraction(36, 625) * Fraction(5, 14)
    assert model.predict_proba([""], NEW)[0] == pytest.approx([no / (no + yes), yes / (no + yes)], rel=1e-12)


def test_zero_conditional_probability() -> None:
    # P(Outlook = Overcast | No) = 0/5: without smoothing nothing else counts.
    overcast = NEW | {"outlook": ["Overcast"]}
    assert tennis().score([""], overcast).scored.joint[0, 0] == -math.inf
    assert tennis().predict([""], overcast) == ["Yes"]
    assert np.isfinite(tennis(alpha=1 / 3).score([""], overcast).scored.joint).all()


# --- The m-estimate: P(outlook | no), m = 1 virtual example, p = 1/3

M_ESTIMATES = {"Overcast": (0, Fraction(1, 18)), "Sunny": (3, Fraction(5, 9)), "Rain": (2, Fraction(7, 18))}


@pytest.mark.parametrize(("value", "n", "expected"), [(v, n, e) for v, (n, e) in M_ESTIMATES.items()])
def test_m_estimate(value: str, n: int, expected: Fraction) -> None:
    assert m_estimate(n, 5, m=1, p=1 / 3) == pytest.approx(expected, rel=1e-15)
    # The same through the counts: m virtual examples spread over K = 3 values are alpha = m p = 1/3 each.
    log_p = category_log_p(tennis().store, "outlook", alpha=1 / 3)[value]
    assert math.exp(log_p[0]) == pytest.approx(expected, rel=1e-14)


def test_m_estimate_by_the_whole_model() -> None:
    # Sunny given No becomes 5/9 in the score of a day of which only the outlook is known.
    model = tennis(alpha=1 / 3)
    joint = model.score([""], {"outlook": ["Sunny"]}).scored.joint[0]
    # Yes: (2 + 1/3) / (9 + 1) = 7/30
    assert np.exp(joint) == pytest.approx(
        [Fraction(5, 14) * Fraction(5, 9), Fraction(9, 14) * Fraction(7, 30)]
    )


OUTLOOK = "outlook,play\n" + "".join(f"{day[0]},{day[-1]}\n" for day in DAYS)
FLAGS = ("--categorical", "outlook", "--label-column", "play", "--set", "damping=0", "--folds", "0", "-q")


def asked(cli: Cli, *flags: str) -> dict[str, float]:
    """P(Yes | outlook) of a model that the command line has trained on the column Outlook alone."""
    cli("train", cli.write("days.csv", OUTLOOK), "-o", "days.spamnb", *FLAGS, *flags)
    values = "Overcast", "Sunny", "Rain"
    days = "".join(f"{value}\n" for value in ("outlook", *values)).encode()
    records = cli("predict", "-m", "days.spamnb", "--format", "jsonl", stdin=days).records
    return dict(zip(values, (record["probability"] for record in records), strict=True))


def test_m_estimate_on_the_command_line(cli: Cli) -> None:
    actual = asked(cli, "--set", "m-estimate=1")
    for value, (_, given_no) in M_ESTIMATES.items():
        counted = LEARNED["outlook"][value][1]  # of 9 days Yes
        given_yes = (int(counted[0]) + Fraction(1, 3)) / (9 + 1)
        yes, no = Fraction(9, 14) * given_yes, Fraction(5, 14) * given_no
        assert actual[value] == pytest.approx(float(yes / (yes + no)), rel=1e-9)


def test_class_weight_on_the_command_line(cli: Cli) -> None:
    # Each of 5 days No counts three times: P(No) = 15/24, P(Sunny | No) = 9/15, with alpha 0 as counted.
    actual = asked(cli, "--alpha", "0", "--set", "class-weight=No=3")
    yes, no = Fraction(9, 24) * Fraction(2, 9), Fraction(15, 24) * Fraction(9, 15)
    assert actual["Sunny"] == pytest.approx(float(yes / (yes + no)), rel=1e-9)


def test_the_card_has_what_was_asked_for(cli: Cli) -> None:
    flags = "--set", "m-estimate=1", "--set", "class-weight=No=3"
    summary = cli("train", cli.write("days.csv", OUTLOOK), "-o", "days.spamnb", *FLAGS[:-1], *flags).err
    assert "scorer multinomial, m-estimate 1\n" in summary
    card = " ".join(cli("inspect", "days.spamnb").text.split())
    assert "multinomial, m-estimate 1, each token once per message, damping 0, prior learned, " in card
    assert ", No counted 3 times" in card


def test_smoothing_flags_that_contradict(cli: Cli) -> None:
    days = cli.write("days.csv", OUTLOOK)
    assert cli.fails("train", days, *FLAGS, "--alpha", "1", "--set", "m-estimate=1", code=2) == [
        "Error: --alpha and --set m-estimate cannot be combined: each of them sets the smoothing",
        "Hint: leave out one of them",
    ]
    assert cli.fails("train", days, *FLAGS, "--set", "class-weight=Maybe=3", code=2) == [
        "Error: --set class-weight names the class 'Maybe', the data have No, Yes",
        "Hint: give the weight of one of these classes",
    ]
    assert cli.fails("train", days, *FLAGS, "--set", "class-weight=No", code=2) == [
        "Error: --set class-weight must be LABEL=NUMBER, got 'No'",
        "Hint: for example --set class-weight=spam=10",
    ]


# --- Numerical stability


def test_two_thousand_coin_flips() -> None:
    assert 0.5**2000 == 0.0
    assert round(2000 * math.log(0.5), 2) == -1386.29
    plain = FeatureConfig.plain()
    store = count(extract(Texts.of(["heads tails", "edge"]), plain), ["coin", "other"])
    engine = Engine(store, ScorerConfig.of("categorical", alpha=0.0, prior="uniform"))
    flips = extract(Texts.of(["heads tails " * 1000]), plain)
    log_p = engine.score(flips).joint[0, 0] - math.log(0.5)  # less the prior
    assert round(log_p, 2) == -1386.29


# --- Continuous-valued features

YES = [25.2, 19.3, 18.5, 21.7, 20.1, 24.3, 22.8, 23.1, 19.8]
NO = [27.3, 30.1, 17.4, 29.5, 15.1]


def temperatures(ddof: int) -> SpamModel:
    features = FeatureConfig(1, False, numeric=("temperature",))
    return SpamModel(features, ScorerConfig.of("multinomial", ddof=ddof, damping=0.0), positive="Yes").learn(
        [""] * 14, ["Yes"] * 9 + ["No"] * 5, numbers={"temperature": np.array(YES + NO)}
    )


@pytest.mark.parametrize(
    ("ddof", "sd_no", "sd_yes"),
    [
        # Printed: 2.35 and 7.09, the sample standard deviations, though the formula above them divides by N.
        pytest.param(1, 7.09, 2.35, id="as printed"),
        # The formula as printed: sqrt(201.048 / 5) and sqrt(44.3622 / 9).
        pytest.param(0, 6.34, 2.22, id="as the formula says"),
    ],
)
def test_means_and_standard_deviations(ddof: int, sd_no: float, sd_yes: float) -> None:
    mean, sd = gaussian_parameters(temperatures(ddof).store.numbers["temperature"], ddof)
    assert [round(float(m), 2) for m in mean] == [23.88, 21.64]
    assert [round(float(s), 2) for s in sd] == [sd_no, sd_yes]
    assert sd == pytest.approx([np.std(NO, ddof=ddof), np.std(YES, ddof=ddof)], rel=1e-13)


def test_densities_of_the_two_gaussian_models() -> None:
    # The document ends in exp(-(x - 21.64)^2 / 11.09) and exp(-(x - 23.88)^2 / 50.25). The first number is
    # 2 sd^2 = 11.08, rounded a little off; the second is sd^2 = 50.26, and lacks the factor 2 that the
    # formula before it has. The formula is what holds here.
    x = np.array([15.0, 21.64, 30.0])
    mean, sd = np.array([23.88, 21.64]), np.array([7.09, 2.35])
    density = np.exp(gaussian_log_p(x, mean, sd))
    root = math.sqrt(2 * math.pi)
    for row, value in enumerate(x.tolist()):
        no = math.exp(-((value - 23.88) ** 2) / (2 * 7.09**2)) / (7.09 * root)
        yes = math.exp(-((value - 21.64) ** 2) / (2 * 2.35**2)) / (2.35 * root)
        assert density[row] == pytest.approx([no, yes], rel=1e-13)
    assert 2 * np.var(YES, ddof=1) == pytest.approx(11.09, abs=0.01)
    assert np.var(NO, ddof=1) == pytest.approx(50.25, abs=0.015)


@pytest.mark.parametrize("ddof", [0, 1])
def test_the_density_in_the_score_of_a_day(ddof: int) -> None:
    joint = temperatures(ddof).score([""], numbers={"temperature": np.array([22.0])}).scored.joint[0]
    for column, (values, prior) in enumerate(((NO, 5 / 14), (YES, 9 / 14))):
        mean, sd = np.mean(values), np.std(values, ddof=ddof)
        density = math.exp(-((22.0 - mean) ** 2) / (2 * sd**2)) / (sd * math.sqrt(2 * math.pi))
        assert math.exp(joint[column]) == pytest.approx(prior * density, rel=1e-12)
    assert temperatures(ddof).predict(["", ""], numbers={"temperature": np.array([22.0, 32.0])}) == [
        "Yes",
        "No",
    ]


def test_evidence_of_all_kinds_adds_up() -> None:
    # Text, a category and a number in one model: its score is the sum of what each alone would say, less
    # the prior that was counted too often.
    texts, labels = ["win cash", "win now", "see mum", "now mum"], ["spam", "spam", "ham", "ham"]
    domains, lengths = {"domain": ["a", "b", "b", "b"]}, {"length": np.array([3.0, 5.0, 9.0, 12.0])}
    scoring = ScorerConfig.of("multinomial", alpha=1.0, once=False, damping=0.0)

    def joint(features: FeatureConfig, text: str) -> np.ndarray:
        model = SpamModel(features, scoring).learn(
            [t if text else "" for t in texts], labels, domains, lengths
        )
        return model.score([text], {"domain": ["a"]}, {"length": np.array([4.0])}).scored.joint[0]

    everything = joint(FeatureConfig(1, False, categorical=("domain",), numeric=("length",)), "win mum")
    text = joint(FeatureConfig(1, False), "win mum")
    category = joint(FeatureConfig(1, False, categorical=("domain",)), "")
    number = joint(FeatureConfig(1, False, numeric=("length",)), "")
    assert everything == pytest.approx(text + category + number - 2 * math.log(0.5), rel=1e-13)


# --- Precision and recall


@pytest.mark.parametrize(
    ("precision", "recall", "expected"),
    [
        # "Precision and Recall", algorithms 1 to 3; F = 2 P R / (P + R)
        pytest.param(0.5, 0.4, 0.444, id="algorithm 1"),
        pytest.param(0.7, 0.1, 0.175, id="algorithm 2"),
        pytest.param(0.02, 1.0, 0.0392, id="algorithm 3"),
    ],
)
def test_f_scores(precision: float, recall: float, expected: float) -> None:
    f = f_score(precision, recall)
    assert f == pytest.approx(2 * precision * recall / (precision + recall), rel=1e-15)
    assert f == pytest.approx(expected, abs=0.5 * 10 ** -len(str(expected)[2:]))


def test_the_average_prefers_the_useless_algorithm_and_the_f_score_does_not() -> None:
    table = [(0.5, 0.4), (0.7, 0.1), (0.02, 1.0)]
    assert max(table, key=sum) == (0.02, 1.0)
    assert max(table, key=lambda pair: f_score(*pair)) == (0.5, 0.4)


def test_accuracy_is_not_the_best_way_for_rare_classes() -> None:
    # 99.9 % of brain scans show no tumor: saying NO to all is 99.9 % accurate, a tenth of the error of 99 %.
    always_no = Confusion(tp=0, fp=0, fn=1, tn=999)
    assert always_no.accuracy == 0.999
    assert 1 - always_no.accuracy == pytest.approx((1 - 0.99) / 10)
    assert always_no.recall == 0
    assert math.isnan(always_no.precision)
    assert always_no.f1 == 0
