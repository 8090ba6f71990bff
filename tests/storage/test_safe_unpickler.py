"""The reader of model files against streams made to run code, to exhaust memory, or simply broken."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import joblib
import numpy as np
import pytest

from spamnb.errors import ModelError
from spamnb.storage import model_file, safe_unpickler

# Python reports these to audit hooks when something is imported, looked up by pickle, compiled or run.
FORBIDDEN = (
    "import",
    "exec",
    "compile",
    "pickle.",
    "os.system",
    "os.exec",
    "subprocess.",
    "ctypes.",
    "socket.",
)
watching = False
seen: list[str] = []


def watch(event: str, _: tuple[object, ...]) -> None:
    if watching and event.startswith(FORBIDDEN):
        seen.append(event)


sys.addaudithook(watch)  # it cannot be taken away again, and costs the other tests next to nothing


@contextmanager
def nothing_runs() -> Iterator[None]:
    """Fails if the body of the `with` imports, looks up or runs anything."""
    global watching
    seen.clear()
    watching = True
    try:
        yield
    finally:
        watching = False
        assert seen == []


def test_the_watch_sees_what_pickle_does() -> None:
    with pytest.raises(AssertionError, match=r"pickle\.find_class"), nothing_runs():
        pickle.loads(b"cmath\npi\n.")


def read_with_checksum(path: Path, body: bytes, *, mmap: bool = True) -> dict[str, object]:
    """What a file with this body and the right checksum holds; nothing may run meanwhile."""
    path.write_bytes(body + model_file.CHECKSUM_MARK + hashlib.sha256(body).hexdigest().encode() + b"\n")
    with nothing_runs():
        return model_file.read(path, mmap=mmap)


def refused(path: Path, body: bytes) -> str:
    """The reason for which a body is refused, without the path; passes only for a ModelError."""
    with pytest.raises(ModelError) as caught:
        read_with_checksum(path, body)
    return caught.value.message.removeprefix(f"{path} is not a spamnb model: ")


def stream(opcodes: bytes) -> bytes:
    return b"\x80\x04" + opcodes + b"."


def word(text: str) -> bytes:
    return b"\x8c" + bytes([len(text.encode())]) + text.encode()


def name(module: str, member: str) -> bytes:
    return word(module) + word(member) + b"\x93"


def dumped(value: object, protocol: int = 4) -> bytes:
    file = io.BytesIO()
    joblib.dump(value, file, compress=0, protocol=protocol)
    return file.getvalue()


def model(**state: object) -> bytes:
    return dumped({"format": model_file.FORMAT, "version": 1, **state})


def array(shape: bytes, code: str = "u8", data: bytes = b"", **changed: bytes) -> bytes:
    """The opcodes for one array as joblib writes them, with any of the fields changed."""
    order = b"|" if code.endswith("1") else b"<"
    state = b"(K\x03\x8c\x01" + order + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t"
    fields = {
        "subclass": name("numpy", "ndarray"),
        "shape": shape,
        "order": word("C"),
        "dtype": name("numpy", "dtype") + word(code) + b"\x89\x88\x87R" + state + b"b",
        "allow_mmap": b"\x88",
        "numpy_array_alignment_bytes": b"K\x10",
    } | changed
    about = b"}(" + b"".join(word(name) + value for name, value in fields.items()) + b"u"
    return name("joblib.numpy_pickle", "NumpyArrayWrapper") + b")\x81" + about + b"b" + data


class Touch:
    """Pickles as a call that makes a folder: whoever runs it leaves the folder behind."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (str(self.marker),)


def hostile_values(marker: Path) -> dict[str, object]:
    return {
        "alone": Touch(marker),
        "in a dict": {"format": model_file.FORMAT, "version": 1, "x": Touch(marker)},
        "in a list": [1, [Touch(marker)]],
        "beside an array": {"a": np.arange(3), "b": Touch(marker)},
        "in an object array": {"a": np.array([Touch(marker)], dtype=object)},
    }


@pytest.mark.parametrize("case", list(hostile_values(Path())))
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_code_in_a_file_runs_with_joblib_but_not_here(tmp_path: Path, case: str, protocol: int) -> None:
    marker = tmp_path / "marker"
    body = dumped(hostile_values(marker)[case], protocol)
    refused(tmp_path / "m", body)
    assert not marker.exists()
    joblib.load(io.BytesIO(body))  # proves that the payload is a live one
    assert marker.exists()


WRAPPER = name("joblib.numpy_pickle", "NumpyArrayWrapper")
FULL = b"\xff\xff\xff\xff"  # -1 or 4 GiB
CUT, NOT_PLAIN, SHARED = "ends in the middle of a value", "an array that is not a plain one", "in two places"
HOSTILE = {  # the opcodes between protocol and STOP, and the reason for which they are refused
    "os.system": (name("os", "system") + word("x") + b"\x85R", "asks for 'os.system', which no model needs"),
    "builtins.eval": (name("builtins", "eval"), "asks for 'builtins.eval'"),
    "joblib.load": (name("joblib", "load"), "asks for 'joblib.load'"),
    "another numpy name": (name("numpy", "fromfile"), "asks for 'numpy.fromfile'"),
    "dotted name": (name("numpy", "ndarray.tofile"), "asks for 'numpy.ndarray.tofile'"),
    "dotted module": (name("numpy.ndarray", "tofile"), "asks for 'numpy.ndarray.tofile'"),
    "escapes in a name": (name("\x1b]0;x\x07", "\u202e"), r"asks for '\x1b]0;x\x07.\u202e'"),
    "name that is a number": (b"K\x01K\x02\x93", "asks for a thing whose name is not a word"),
    "name made of deep lists": (b"]" * 5_000 + b"a" * 4_999 + b"]\x93", "name is not a word"),
    "GLOBAL": (b"cos\nsystem\n", "the pickle opcode 0x63, which no model needs"),
    "INST": (b"(" + word("x") + b"ios\nsystem\n", "opcode 0x69"),
    "OBJ": (b"(" + word("os") + word("x") + b"o", "opcode 0x6f"),
    "NEWOBJ_EX": (b"))}\x92", "opcode 0x92"),
    "persistent id": (b"Pid\n", "opcode 0x50"),
    "binary persistent id": (word("id") + b"Q", "opcode 0x51"),
    "extension code": (b"\x82\x01", "opcode 0x82"),
    "wide extension code": (b"\x83\x01\x00", "opcode 0x83"),
    "widest extension code": (b"\x84\x01\x00\x00\x00", "opcode 0x84"),
    "bytearray": (b"\x96" + bytes(8), "opcode 0x96"),
    "out-of-band buffer": (b"\x97", "opcode 0x97"),
    "set": (b"\x8f", "opcode 0x8f"),
    "DUP": (b"]2a", "opcode 0x32"),
    "call of an array": (name("numpy", "ndarray") + b")R", "asks to call a function"),
    "call of dtype to align": (
        name("numpy", "dtype") + word("u8") + b"\x88\x88\x87R",
        "asks to call a function",
    ),
    "call of a word": (word("x") + b")R", "asks to call a function"),
    "new dtype object": (name("numpy", "dtype") + b")\x81", "asks to create an object"),
    "wrapper with arguments": (WRAPPER + b"K\x01\x85\x81", "asks to create an object"),
    "BUILD on a class": (WRAPPER + b"}" + word("x") + b"K\x01sb", "asks to change an object"),
    "BUILD on a dict": (b"}}b", "asks to change an object"),
    "object dtype": (array(b")", "O8"), "array of dtype 'O8'"),
    "structured dtype": (array(b")", "V8"), "array of dtype 'V8'"),
    "dtype of two fields": (array(b")", "f8,O"), "array of dtype 'f8,O'"),
    "big-endian dtype": (array(b")").replace(b"\x8c\x01<", b"\x8c\x01>"), "asks to change an object"),
    "dtype in words": (array(b")", dtype=word("u8")), NOT_PLAIN),
    "subclass of array": (array(b")", subclass=b"N"), NOT_PLAIN),
    "Fortran order": (array(b")", order=word("F")), NOT_PLAIN),
    "no alignment": (array(b")", numpy_array_alignment_bytes=b"N"), NOT_PLAIN),
    "shape of 64 GiB": (array(b"\x8a\x05\x00\x00\x00\x00\x02\x85"), "would not fit into it"),
    "shape of -1": (array(b"J" + FULL + b"\x85"), "would not fit into it"),
    "shape of truth values": (array(b"\x88\x85"), "would not fit into it"),
    "shape of words": (array(word("x") + b"\x85"), "would not fit into it"),
    "shape as a list": (array(b"]"), "an array without a usable shape"),
    "33 dimensions": (array(b"(" + b"K\x01" * 33 + b"t"), "an array without a usable shape"),
    "shape that overflows": (array(b"(" + b"K\x63" * 32 + b"t", data=b"\x00"), CUT),
    "array longer than the file": (array(b"K\x20\x85", data=b"\x00" + bytes(254)), CUT),
    "truth value 2": (array(b"K\x02\x85", "b1", b"\x00\x01\x02"), "value that is neither 0 nor 1"),
    "list inside itself": (b"]\x94h\x00a", SHARED),
    "memo bomb": (b"]\x94" + b"](h\x00h\x00e\x94" * 40, SHARED),
    "array used twice": (b"](" + array(b")", "u1", b"\x00\x07") + b"\x94h\x00e", SHARED),
    "half-built wrapper": (b"]" + WRAPPER + b")\x81a", "does not hold plain values only"),
    "name left in the tree": (b"]" + name("numpy", "ndarray") + b"a", "does not hold plain values only"),
    "tuple left in the tree": (b"])a", "does not hold plain values only"),
    "200,000 tuples in each other": (b")" + b"\x85" * 200_000, "a tuple of something else"),
    "9,000 lists in each other": (b"]" * 9_000 + b"a" * 8_999, "nested more than 64 levels deep"),
    "4,000 dicts in each other": (b"}" + b"\x8c\x01k}" * 4_000 + b"s" * 4_000, "nested more than 64"),
    "key that is a number": (b"}K\x01K\x02s", "a dict whose keys are not words"),
    "key without a value": (b"}(" + word("k") + b"u", "its contents are invalid (ValueError)"),
    "item added to a word": (word("k") + b"K\x01a", "something that is not a list"),
    "empty stack": (b"a", "its contents are invalid (IndexError)"),
    "unknown memo": (b"h\x07", "its contents are invalid (IndexError)"),
    "mark never set": (b"]e", "its contents are invalid (IndexError)"),
    "bad UTF-8": (b"\x8c\x01\xff", "its contents are invalid (UnicodeDecodeError)"),
    "string of 4 GiB": (b"X" + FULL, CUT),
    "bytes of 4 GiB": (b"B" + FULL, CUT),
    "integer of 4 GiB": (b"\x8b" + FULL, CUT),
    "frame past the end": (b"\x95" + FULL + FULL, "ends in the middle of a frame"),
    "two values": (b"}}", "something is left over at its end"),
    "open mark": (b"}(", "something is left over at its end"),
    "bytes after STOP": (b"}.x", "something is left over at its end"),
    "too many values": (
        b"]" + (b"(" + b"N" * 998 + b"e") * 60,
        "too many separate values (over 60000 steps)",
    ),
    "too many open values": (b"]" * 10_001, "more than 10000 values open at once"),
    "too many marks": (b"(" * 200_000, "more than 10000 values open at once"),
    "an integer that Python does not print": (
        b"\x8b" + (2000).to_bytes(4, "little") + b"\x7f" * 2000,
        "it holds an integer of more than 4500 bits",
    ),
    "a long integer in a list": (
        b"]\x8b" + (2000).to_bytes(4, "little") + b"\x7f" * 2000 + b"a",
        "it holds an integer of more than 4500 bits",
    ),
    "protocol 5": (b"\x80\x05}", "its pickle protocol is 5, expected 4"),
    "protocol 2": (b"\x80\x02}", "its pickle protocol is 2, expected 4"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_streams_are_refused_with_the_reason(tmp_path: Path, case: str) -> None:
    opcodes, reason = HOSTILE[case]
    assert reason in refused(tmp_path / "m", stream(opcodes))


def test_depth_is_limited_exactly() -> None:
    depth = safe_unpickler.MAX_DEPTH
    assert safe_unpickler.load(memoryview(stream(b"]" * depth + b"a" * (depth - 1))))
    with pytest.raises(safe_unpickler.RefusedError):
        safe_unpickler.load(memoryview(stream(b"]" * (depth + 1) + b"a" * depth)))


def test_sums_of_squares_of_the_largest_numbers_can_be_read() -> None:
    """As many as are counted, each as large as a floating-point number can be, in units of 2^-2148."""
    largest = ((1 << 63) - 1) * (int(sys.float_info.max) << 1074) ** 2
    assert safe_unpickler.load(memoryview(pickle.dumps([largest], protocol=4))) == [largest]


def test_a_stream_without_stop_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "m", b"\x80\x04}") == "it ends in the middle of a value"


def test_the_hand_made_array_is_otherwise_a_good_one(tmp_path: Path) -> None:
    good = array(b"K\x03\x85", "u1", b"\x02\xff\xff\x01\x02\x03")
    title = word("format") + word("spamnb-model") + word("version") + b"K\x01"
    state = read_with_checksum(tmp_path / "m", stream(b"}(" + title + word("a") + good + b"u"))
    assert np.array_equal(np.asarray(state["a"]), [1, 2, 3])


def test_the_refusal_says_that_nothing_was_run(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        read_with_checksum(tmp_path / "m", stream(HOSTILE["os.system"][0]))
    assert caught.value.message == (
        f"{tmp_path / 'm'} is not a spamnb model: it asks for 'os.system', which no model needs"
    )
    assert caught.value.hint == "nothing in it was run; train one with `spamnb train DATA`"


@pytest.mark.parametrize("method", ["zlib", "gzip", "bz2", "lzma", "xz"])
def test_compressed_files_are_refused(tmp_path: Path, method: str) -> None:
    joblib.dump({"format": model_file.FORMAT, "version": 1}, tmp_path / "c", compress=(method, 3))
    assert refused(tmp_path / "m", (tmp_path / "c").read_bytes()) == "it looks like compressed data"


def test_the_old_compressed_joblib_format_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "m", b"ZF0x10              x\x9c") == "it looks like compressed data"


def test_mutants_with_a_right_checksum_load_or_are_refused(tmp_path: Path) -> None:
    """Any exception but ModelError fails; both outcomes must occur or the mutations are no test."""
    body = model(a=np.arange(6, dtype="u2").reshape(2, 3), b=[1.5, "x", b"y", -2, None, True], c={"d": 2**70})
    pieces = [bytes([code]) for code in safe_unpickler._STEPS]
    loaded, dice = 0, random.Random(20)
    for _ in range(4000):
        mutant = bytearray(body)
        for _ in range(dice.choice((1, 1, 2, 5))):
            at, length = dice.randrange(2, len(mutant)), dice.choice((0, 1, 1, 1, 4))
            mutant[at : at + length] = dice.choice((dice.randbytes(1), dice.choice(pieces), b""))
        try:
            read_with_checksum(tmp_path / "m", bytes(mutant), mmap=dice.random() < 0.5)
            loaded += 1
        except ModelError:
            pass
    assert 0 < loaded < 2000


def test_what_pickle_writes_reads_the_same() -> None:
    """The C pickler of Python 3.11 and later as a second writer of the same opcodes."""
    tree = {
        "n": [0, 255, 256, 65536, -1, 2**31, -(2**63), 2**3000],
        "f": [0.0, -1.5],
        "s": "é" * 300,
        "b": b"z" * 999,
    }
    assert safe_unpickler.load(memoryview(pickle.dumps(tree, protocol=4))) == tree
