"""A site's model: users without one use it, start from it, and follow it when it is trained again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spamnb.errors import ConfigError
from spamnb.mail.parse import parse_mails
from spamnb.model import SpamModel, choose_model, find_model, model_to_change, own_model
from spamnb.model.base_model import BaseModel
from spamnb.service.live_model import LiveModels
from spamnb.training import Learner, StoredModel, history, undo
from spamnb.training.own_model import own_model_started
from spamnb.training.trainer import train
from tests.mailbox.conftest import numbered

SPAM, HAM = numbered("spam", 1), numbered("ham", 1)
NEW = b"Subject: an offer\r\n\r\nbuy cheap watches from our catalogue today\r\n"
OTHER = b"Subject: hiking\r\n\r\nthe trail was steep but the view worth it\r\n"


def site_model(*more: tuple[bytes, str]) -> SpamModel:
    kinds = ["spam", "ham"] * 60
    mails = [numbered(kind, -n) for n, kind in enumerate(kinds)] + [raw for raw, _ in more]
    return train(parse_mails(mails), kinds + [label for _, label in more])


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the site's model, and an empty data folder of a user."""
    folder = tmp_path / "site"
    monkeypatch.setattr("spamnb.model.model_paths.SITE_FOLDER", str(folder))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("SPAMNB_MODEL", raising=False)
    path = folder / "mail.spamnb"
    site_model().save(path)
    return path


def teach(label: str, *mails: bytes) -> None:
    """As `spamnb learn` does."""
    with own_model_started(None, lambda: "mail"), Learner(model_to_change(None, lambda: "mail")) as learner:
        learner.learn(parse_mails(list(mails)), [label] * len(mails))


def own() -> SpamModel:
    path = own_model("mail")
    assert path is not None
    return SpamModel.load(path)


def log_odds(model: SpamModel, raw: bytes) -> float:
    return float(model.log_odds(parse_mails([raw]))[0])


def test_a_user_without_a_model_uses_that_of_the_site(site: Path) -> None:
    assert find_model(None, lambda: "mail") == str(site)
    chosen = choose_model(None, lambda: "mail")
    assert chosen is not None
    assert chosen.reason == "the site's model"
    assert "ready_made" in find_model(None, lambda: "text")


def test_the_first_lesson_starts_from_it_and_leaves_it_alone(site: Path) -> None:
    before = site.read_bytes()
    teach("spam", SPAM)
    assert site.read_bytes() == before
    model = own()
    assert model.base is not None
    assert (model.base.name, model.base.path) == (f"site's model {site}", str(site))
    assert find_model(None, lambda: "mail") == own_model("mail")
    expected = SpamModel.load(site).predict(parse_mails([HAM, numbered("spam", 7)]))
    assert model.predict(parse_mails([HAM, numbered("spam", 7)])) == expected == ["ham", "spam"]


def test_a_site_model_trained_again_counts_at_once_and_lessons_stay(site: Path) -> None:
    teach("ham", SPAM)
    teach("spam", HAM)
    path = own_model("mail")
    assert path is not None
    stored = StoredModel(path)
    first, bytes_before = stored.newest(), Path(path).read_bytes()
    newer = site_model(*([(NEW, "spam")] * 20))
    newer.save(site)
    assert not stored.is_newest()
    second = stored.newest()
    assert stored.newest() is second
    assert log_odds(second, NEW) > log_odds(first, NEW) + 1
    for model in (second, own()):
        assert model.predict(parse_mails([SPAM, HAM])) == ["ham", "spam"]  # taught word for word
        assert model.store.message_totals.tolist() == [1, 1]
        # as if the user had started from the newer model
        same = replace(first, base=BaseModel.of("x", newer, model.base.weight))  # type: ignore[union-attr]
        assert log_odds(model, NEW) == log_odds(same, NEW)
    assert Path(path).read_bytes() == bytes_before


def test_what_the_site_learns_counts_too(site: Path) -> None:
    teach("ham", SPAM)
    before = log_odds(own(), NEW)
    with Learner(site) as learner:
        learner.learn(parse_mails([NEW]), ["spam"])
    assert log_odds(own(), NEW) > before


def test_lessons_after_the_change_are_learned_undone_and_written_with_the_new_base(site: Path) -> None:
    teach("ham", SPAM)
    site_model(*([(NEW, "spam")] * 20)).save(site)
    teach("spam", OTHER)
    path = own_model("mail")
    assert path is not None
    assert own().predict(parse_mails([SPAM, OTHER])) == ["ham", "spam"]
    with Learner(path) as learner:
        learner.compact()
    compacted = own()
    site.unlink()  # the copy in the file is the newest one
    assert log_odds(own(), NEW) == log_odds(compacted, NEW)
    undo(path, lesson=history(path)[0].entry.id)
    assert own().predict(parse_mails([SPAM])) == ["ham"]
    assert own().taught_as(parse_mails([OTHER])).tolist() == [-1]  # type: ignore[union-attr]


@pytest.mark.parametrize("what", ["missing", "damaged", "other features", "no permission"])
def test_a_base_that_cannot_be_used_leaves_the_copy_in_use(
    site: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    teach("ham", SPAM)
    before = log_odds(own(), NEW)
    if what == "missing":
        site.unlink()
    elif what == "damaged":
        site.write_bytes(site.read_bytes()[:-100])
    elif what == "other features":
        other = site_model()
        replace(other, features=replace(other.features, ngrams=3)).save(site)
    else:
        real = open

        def denied(file: object, *args: object, **more: object) -> object:
            if str(file) == str(site):
                raise PermissionError(13, "Permission denied")
            return real(file, *args, **more)  # type: ignore[call-overload]

        monkeypatch.setattr("builtins.open", denied)
    assert log_odds(own(), NEW) == before
    assert own().predict(parse_mails([SPAM])) == ["ham"]


def test_a_model_with_a_base_of_its_own_cannot_be_a_sites(site: Path) -> None:
    based = replace(site_model(), base=BaseModel.of("x", site_model()))
    based.save(site)
    with pytest.raises(ConfigError, match="cannot be a base model: it has one itself"):
        teach("spam", SPAM)
    assert own_model("mail") is not None
    assert not Path(str(own_model("mail"))).exists()


def test_the_threshold_follows_the_site_and_the_lessons(site: Path) -> None:
    teach("spam", SPAM)
    teach("ham", numbered("spam", 50))  # it had been called spam: the threshold goes up
    first = own().decision
    assert first.log_odds_threshold is not None
    stricter = site_model()
    rule = stricter.decision.with_rate(0.001)
    assert rule.log_odds_threshold is not None
    stricter = replace(stricter, decision=replace(rule, log_odds_threshold=rule.log_odds_threshold + 2))
    stricter.save(site)
    second = own().decision
    assert second.log_odds_threshold == pytest.approx(first.log_odds_threshold + 2)
    assert (second.max_fpr, second.trained_log_odds) == (0.001, rule.log_odds_threshold + 2)


def test_a_server_follows_the_site_too(site: Path) -> None:
    teach("ham", SPAM)
    models = LiveModels()
    models.load()
    first = models["mail"]
    site_model(*([(NEW, "spam")] * 20)).save(site)
    models.check()
    assert log_odds(models["mail"].model, NEW) > log_odds(first.model, NEW) + 1
    assert models["mail"].model.predict(parse_mails([SPAM])) == ["ham"]


def test_a_base_that_names_itself_ends(tmp_path: Path) -> None:
    path = tmp_path / "m.spamnb"
    model = site_model()
    replace(model, base=BaseModel.of("x", model).replace(path=str(path), stamp="other")).save(path)
    assert SpamModel.load(path).predict(parse_mails([SPAM, HAM])) == ["spam", "ham"]
