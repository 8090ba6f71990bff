"""Streams of pickle opcodes made to run code, to exhaust memory or to nest without end."""

from __future__ import annotations


def _word(text: str) -> bytes:
    return b"\x8c" + bytes([len(text)]) + text.encode()


def _name(module: str, member: str) -> bytes:
    return _word(module) + _word(member) + b"\x93"


def _array(code: str, shape: bytes) -> bytes:
    state = b"(K\x03\x8c\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb"
    about = {
        "subclass": _name("numpy", "ndarray"),
        "shape": shape,
        "order": _word("C"),
        "dtype": _name("numpy", "dtype") + _word(code) + b"\x89\x88\x87R" + state,
        "allow_mmap": b"\x88",
    }
    fields = b"".join(_word(name) + value for name, value in about.items())
    return _name("joblib.numpy_pickle", "NumpyArrayWrapper") + b")\x81}(" + fields + b"ub"


_CALL = _word("touch x") + b"\x85R"
_BIG = b"\x8a\x06\x00\x00\x00\x00\x00\x01\x85"  # a tuple of one number: 2**40
# What stands between the protocol and STOP.
STREAMS: dict[str, bytes] = {
    "os.system": _name("os", "system") + _CALL,
    "builtins.eval": _name("builtins", "eval") + _CALL,
    "GLOBAL": b"cos\nsystem\n" + _CALL,
    "INST": b"(" + _word("x") + b"ios\nsystem\n",
    "OBJ": b"(" + _name("os", "system") + _word("x") + b"o",
    "NEWOBJ": _name("os", "system") + b")\x81",
    "NEWOBJ_EX": _name("os", "system") + b")}\x92",
    "dotted: a method": _name("numpy", "ndarray.tofile"),
    "dotted: through joblib": _name("joblib.numpy_pickle", "pickle.loads") + _CALL,
    "dotted: through numpy": _name("numpy", "f2py.diagnose.run_command") + _CALL,
    "joblib.load": _name("joblib", "load") + _CALL,
    "extension 1": b"\x82\x01)R",
    "extension 2": b"\x83\x01\x00)R",
    "extension 4": b"\x84\x01\x00\x00\x00)R",
    "persistent id": _word("id") + b"Q",
    "change of a class": _name("joblib.numpy_pickle", "NumpyArrayWrapper") + b"}" + _word("x") + b"K\x01sb",
    "array of objects": _array("O8", b"K\x01\x85") + b"\x80\x04N.",
    "array of a tebibyte": _array("u1", _BIG),
    "bytes of 4 GiB": b"B\xff\xff\xff\xff",
    "bytes of 2**63": b"\x8e" + b"\xff" * 7 + b"\x7f",
    "number of 2 GiB": b"\x8b\xff\xff\xff\x7f",
    "frame of 2**63": b"\x95" + b"\xff" * 7 + b"\x7fN",
    "200,000 lists within lists": b"]" * 200_000 + b"a" * 199_999,
    "list within itself": b"]\x94h\x00a",
    "lists that unfold": b"]\x94" + b"".join(b"](" + b"h%c" % i * 9 + b"e\x94" for i in range(60)),
    "a million values": b"]" + (b"(" + b"N" * 998 + b"e") * 999,
    "many marks": b"(" * 500_000,
    "set": b"\x8f",
    "buffer": b"\x97",
    "DUP": b"]2a",
}  # fmt: skip
