"""Model files: what goes in comes out, the same bytes each time, and no failure harms the old model."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import joblib
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from spamnb.errors import ModelError
from spamnb.storage import model_file, model_writer, safe_unpickler

STATE: dict[str, object] = {
    "labels": ["ham", "spam"],
    "settings": {"alpha": 0.5, "lower": True, "name": None, "big": 2**70, "raw": b"\x00\xff"},
    "counts": {"keys": np.arange(7, dtype="u8"), "table": np.arange(14, dtype="u4").reshape(7, 2)},
}

DTYPES = ["?", "i1", "<i2", "i4", "<i8", "u1", "<u2", "u4", "u8", "<f2", "f4", "f8", ">i4", ">f8"]
arrays = st.sampled_from(DTYPES).flatmap(
    lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=0, min_side=0, max_dims=3))
)
texts = st.text(st.characters(exclude_categories=()), max_size=300)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | texts | st.binary(max_size=300) | arrays
trees = st.recursive(
    leaves, lambda t: st.lists(t) | st.lists(t).map(tuple) | st.dictionaries(texts, t), max_leaves=20
)
states = st.dictionaries(texts.filter(lambda key: key not in ("format", "version")), trees, max_size=5)


def same(a: object, b: object) -> bool:
    """Equal in every type, shape and bit; a tuple counts as the list it is stored as."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        little = a.astype(a.dtype.newbyteorder("<"), order="C")
        return b.dtype == little.dtype and a.shape == b.shape and little.tobytes() == b.tobytes()
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and repr(a) == repr(b)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "m.joblib"
    model_writer.write(STATE, path)
    return path


def error(call: Callable[..., object], *args: object) -> tuple[str, str]:
    with pytest.raises(ModelError) as caught:
        call(*args)
    return caught.value.message, caught.value.hint


@settings(deadline=None, max_examples=60)
@given(state=states, mmap=st.booleans())
def test_round_trip(folder: Path, state: dict[str, object], mmap: bool) -> None:
    path = folder / "m.joblib"
    assert model_writer.write(state, path) == path.stat().st_size
    assert same(state, model_file.read(path, mmap=mmap))
    first = path.read_bytes()
    model_writer.write(model_file.read(path, mmap=False), path)
    assert path.read_bytes() == first


def test_joblib_opens_the_file(saved: Path) -> None:
    document = joblib.load(saved)
    assert list(document)[:2] == ["format", "version"]
    assert same({"format": "spamnb-model", "version": 1, **STATE}, document)


def test_arrays_are_read_only_views_or_writeable_memory(saved: Path) -> None:
    mapped = model_file.require(model_file.read(saved), "counts.keys", np.ndarray)
    copied = model_file.require(model_file.read(saved, mmap=False), "counts.keys", np.ndarray)
    assert (mapped.flags.writeable, copied.flags.writeable) == (False, True)
    assert mapped.ctypes.data % safe_unpickler.ALIGNMENT == 0
    saved.unlink()
    assert mapped.tolist() == copied.tolist() == list(range(7))


@pytest.mark.parametrize("how", ["shortened", "overwritten", "emptied"])
def test_a_model_that_is_overwritten_in_place_does_not_reach_its_readers(tmp_path: Path, how: str) -> None:
    """As by `cp`: the pages of a mapped file would change, or end the process with SIGBUS."""
    path = tmp_path / "m"
    model_writer.write({"x": np.arange(100_000)}, path)
    code = (
        "import sys, os; from spamnb.storage import model_file; x = model_file.read(sys.argv[1])['x'];"
        "size = os.path.getsize(sys.argv[1]); file = open(sys.argv[1], 'r+b');"
        "{'shortened': lambda: file.truncate(100), 'emptied': lambda: file.truncate(0),"
        " 'overwritten': lambda: file.write(b'x' * size)}[sys.argv[2]]();"
        "file.close(); print(int(x.sum()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path, how], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "4999950000\n"), done.stderr


def test_large_files_are_mapped(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading takes memory for each process; mapped files share it."""
    mapped: list[object] = []
    real = model_file.map_file

    def map_file(file: BinaryIO) -> object:
        mapped.append(file)
        return real(file)

    monkeypatch.setattr(model_file, "map_file", map_file)
    assert same(STATE, model_file.read(saved))
    assert mapped == []
    monkeypatch.setattr(model_file, "MAX_READ", saved.stat().st_size - 1)
    assert same(STATE, model_file.read(saved))
    assert len(mapped) == 1


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("left", [0, 1, 50, 500])
def test_a_file_that_is_cut_while_it_is_read_is_named(
    saved: Path, monkeypatch: pytest.MonkeyPatch, left: int, mmap: bool
) -> None:
    check = model_file._contents

    def cut(file: BinaryIO, size: int, mapped: bool) -> memoryview:
        os.truncate(saved, left)
        return check(file, size, mapped)

    monkeypatch.setattr(model_file, "_contents", cut)
    with pytest.raises(ModelError, match=r"is empty|is cut short"):
        model_file.read(saved, mmap=mmap)


def test_equal_states_give_equal_bytes_whichever_objects_they_are_made_of(tmp_path: Path) -> None:
    table = np.arange(6, dtype="<i8").reshape(2, 3)
    noted = np.dtype("<i8", metadata={"note": "kept by numpy, not by us"})
    variants = (table, np.asfortranarray(table), table.astype(">i8"), table.astype("q"), table.view(noted))
    files = set()
    for number, array in enumerate(variants):
        word, blob = ("".join(["sha", "pe"]), bytes([7, 7])) if number % 2 else ("shape", b"\x07\x07")
        model_writer.write({"a": array, word: [word, "shape", blob, b"\x07\x07"], "b": table}, tmp_path / "m")
        files.add((tmp_path / "m").read_bytes())
    assert len(files) == 1


def test_another_process_writes_the_same_bytes(tmp_path: Path) -> None:
    state = "{'a': np.arange(3), 'b': {'c': ['a', 'b', 'dtype', b'd'], 'd': (1.5, 2**40)}}"
    imports = "import sys, numpy as np; from spamnb.storage import model_writer"
    code = f"{imports}; model_writer.write({state}, sys.argv[1])"
    model_writer.write(eval(state), tmp_path / "0")
    for seed in "12":
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, tmp_path / seed], env=environment, check=True)
        assert (tmp_path / seed).read_bytes() == (tmp_path / "0").read_bytes()


def test_reading_imports_neither_joblib_nor_what_only_writing_needs(saved: Path) -> None:
    code = (
        "import sys; from spamnb.storage import model_file; model_file.read(sys.argv[1]);"
        "print(sorted({'joblib', 'pandas', 'tempfile', 'click', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code, saved], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_only_the_owner_can_read_a_model_and_its_new_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "m.joblib"
    model_writer.write(STATE, path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_all_new_folders_are_for_the_owner_alone(tmp_path: Path) -> None:
    model_writer.write(STATE, tmp_path / "one" / "two" / "m")
    assert [(tmp_path / p).stat().st_mode & 0o777 for p in ("one", "one/two")] == [0o700, 0o700]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_read_and_not_written_through(tmp_path: Path, saved: Path, there: bool) -> None:
    link, goal = tmp_path / "link", saved if there else tmp_path / "nowhere"
    link.symlink_to(goal)
    with pytest.raises(ModelError) as caught:
        model_writer.write({"x": 1}, link)
    assert caught.value.message == f"{link} is a link to {goal}: spamnb does not write through links"
    assert caught.value.hint == f"give the path itself: {goal}"
    assert link.is_symlink()
    assert goal.exists() == there
    if there:
        assert model_file.read(link).keys() == STATE.keys()


def test_a_link_that_is_planted_while_a_model_is_written_is_replaced(
    tmp_path: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, path = saved.read_bytes(), tmp_path / "m"
    folder = model_writer._folder

    def planted(target: str, mode: int | None) -> str:
        path.symlink_to(saved)
        return folder(target, mode)

    monkeypatch.setattr(model_writer, "_folder", planted)
    model_writer.write({"x": 1}, path)
    assert saved.read_bytes() == before
    assert not path.is_symlink()


def test_folders_may_be_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    model_writer.write({"x": 1}, tmp_path / "link" / "m")
    assert model_file.read(tmp_path / "real" / "m") == {"x": 1}


NESTED: list[object] = []
for _ in range(63):
    NESTED = [NESTED]
KINDS = (
    "expected dict, list, str, bytes, int, float, bool, None or an array of truth values, integers or floats"
)
UNFIT = {
    "counts.keys[1]": ({"counts": {"keys": [1, np.float64(2)]}}, "numpy.float64"),
    "a": ({"a": {1, 2}}, "builtins.set"),
    "b": ({"b": np.array(["x"], object)}, "an array of dtype object"),
    "c": ({"c": np.array(["x"])}, "an array of dtype <U1"),
    "d": ({"d": np.zeros(2, "f4,i4")}, "an array of dtype [('f0', '<f4'), ('f1', '<i4')]"),
    "e": ({"e": np.ma.masked_array([1])}, "numpy.ma.MaskedArray"),
    "f[1]": ({"f": {1: 2}}, "a key of type int"),
}


@pytest.mark.parametrize("where", UNFIT)
def test_what_a_model_cannot_hold_is_named(saved: Path, where: str) -> None:
    before = saved.read_bytes()
    state, actual = UNFIT[where]
    assert (
        error(model_writer.write, state, saved)[0]
        == f"the model state cannot keep {where}: {KINDS}, got {actual}"
    )
    assert saved.read_bytes() == before


def test_depth_is_limited_to_the_same_level_in_both_directions(tmp_path: Path) -> None:
    model_writer.write({"a": NESTED[0]}, tmp_path / "m")
    assert model_file.read(tmp_path / "m") == {"a": NESTED[0]}
    message, _ = error(model_writer.write, {"a": NESTED}, tmp_path / "m")
    assert message == f"the model state is nested more than 64 levels deep: a{'[0]' * 63}"


def test_reserved_keys_are_refused(tmp_path: Path) -> None:
    message, _ = error(model_writer.write, {"version": 3}, tmp_path / "m")
    assert message == "the model state has a key 'version', which the model file needs for itself"


def test_a_state_that_could_not_be_read_back_is_not_written(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(safe_unpickler, "MAX_STEPS", 100)
        message, hint = error(model_writer.write, {"x": [None] * 100}, saved)
    assert message == f"cannot write {saved}: it holds too many separate values (over 100 steps)"
    assert hint == "keep many values in one array"
    assert same(STATE, model_file.read(saved))


@pytest.mark.parametrize("step", ["tempfile.mkstemp", "joblib.dump", "os.fsync", "os.replace", "mmap.mmap"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_failing_step_keeps_the_old_model(
    saved: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    def fail(*args: object, **_: object) -> None:
        if step == "joblib.dump":
            args[1].write(b"half of it")  # type: ignore[attr-defined]
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        message, hint = error(model_writer.write, {"x": 1}, saved)
    reason = os.strerror(number)
    assert message == f"cannot write {saved}: {reason[0].lower()}{reason[1:]}"
    assert (
        hint
        == {
            errno.ENOSPC: "free some disk space and try again; the model that was there is unchanged",
            errno.EIO: "the model that was there, if any, is unchanged",
            errno.EROFS: "give a place where you may write",
        }[number]
    )
    assert os.listdir(saved.parent) == [saved.name]
    assert same(STATE, model_file.read(saved))


def test_a_write_cut_off_by_the_system_keeps_the_old_model(saved: Path) -> None:
    resource = pytest.importorskip("resource", reason="file size limits are a POSIX matter")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        message, _ = error(model_writer.write, {"x": np.zeros(100_000)}, saved)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert message == f"cannot write {saved}: file too large"
    assert os.listdir(saved.parent) == [saved.name]
    assert same(STATE, model_file.read(saved))


def test_contents_are_on_disk_before_the_name_and_the_name_before_the_end(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    replace = os.replace

    def fsync(handle: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        if steps[-1] == "folder":
            raise OSError(errno.EINVAL, "some file systems cannot do this, and the model is in place")

    def rename(source: str, target: str) -> None:
        steps.append("rename")
        replace(source, target)

    monkeypatch.setattr("os.fsync", fsync)
    monkeypatch.setattr("os.replace", rename)
    model_writer.write({"x": 1}, saved)
    assert steps == ["file", "rename", "folder"]
    assert model_file.read(saved) == {"x": 1}


def test_an_interrupt_keeps_the_old_model(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model_writer.write({"x": 1}, saved)
    assert os.listdir(saved.parent) == [saved.name]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_sudden_death_keeps_the_old_model(saved: Path, step: str) -> None:
    code = f"import os, sys; from spamnb.storage import model_writer; os.{step} = lambda *_: os._exit(9);"
    result = subprocess.run(
        [sys.executable, "-c", code + "model_writer.write({'x': 1}, sys.argv[1])", saved], check=False
    )
    assert result.returncode == 9
    assert same(STATE, model_file.read(saved))


def test_large_arrays_are_hashed_beside_the_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = {"small": np.arange(9), "large": np.arange(700_000), "after": "text"}
    model_writer.write(state, tmp_path / "m")
    loaded = model_file.read(tmp_path / "m")  # refuses a file that does not match its checksum
    assert loaded["large"].tolist() == state["large"].tolist()  # type: ignore[attr-defined]

    def none_left(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(model_writer.Thread, "start", none_left)
    model_writer.write(state, tmp_path / "n")
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()
