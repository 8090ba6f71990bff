"""Reads the byte stream that joblib writes for builtins and plain arrays; refuses all else, runs nothing.

This is not an unpickler: it knows the few opcodes that such a stream needs and creates no object but the
builtins below and numpy arrays. Names, dtypes and array wrappers become inert marks.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np

PROTOCOL = 4  # of pickle
MAX_DEPTH = 64  # dicts and lists inside each other, the outermost included
# A model keeps its tokens in arrays and needs some hundred steps, one or two for each value in the tree; a
# thousand classes need 42,000. All steps together take less than 0.1 s (measured), whatever the file holds.
MAX_STEPS = 60_000
# Pickle adds the items of a list or dict by the thousand: more values are never open at once.
MAX_OPEN = 10_000
MAX_DIMENSIONS = 32
# The longest integers are sums of squares of a numeric column, in units of 2^-2148: 2 x 1024 + 2148 bits, and
# 63 for how many they are. Python refuses to print integers of more than 4,300 digits, which is 14,280 bits.
MAX_BITS = 4_500
ALIGNMENT = 16  # joblib starts every array at a multiple of this and says so beside the array

DTYPES = {
    code: np.dtype("<" + code)
    for code in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
}


class RefusedError(Exception):
    """The stream holds something that spamnb never writes; the text completes "it is refused because"."""


class _Mark:
    """A name that the stream may mention; it can do nothing."""

    __slots__ = ()


class _Wrapper(_Mark):
    """The place of joblib's array wrapper; the array replaces it once it is described."""


class _Dtype(_Mark):
    """A checked dtype, which the stream asks for by its code."""

    __slots__ = ("dtype", "state")

    def __init__(self, code: str) -> None:
        self.dtype = DTYPES[code]
        order = "|" if self.dtype.itemsize == 1 else "<"
        self.state = (3, order, None, None, None, -1, -1, 0)


_ARRAY, _DTYPE, _WRAPPER = _Mark(), _Mark(), _Mark()
_NAMES = {
    ("joblib.numpy_pickle", "NumpyArrayWrapper"): _WRAPPER,
    ("numpy", "ndarray"): _ARRAY,
    ("numpy", "dtype"): _DTYPE,
}
# What joblib states about an array besides shape and dtype; spamnb writes no other kind.
_PLAIN = {"subclass": _ARRAY, "order": "C", "allow_mmap": True, "numpy_array_alignment_bytes": ALIGNMENT}
_LEAVES = frozenset({str, bytes, int, float, bool, type(None), np.ndarray})
_IN_TUPLE = frozenset({str, int, bool, type(None)})
# Dicts and lists cannot be recalled: so there is no cycle, and no small file that unfolds to a huge tree.
_SHAREABLE = frozenset({str, bytes, _Mark, _Dtype})


def load(data: memoryview) -> object:
    """Returns the value written in `data`; arrays are views of `data`, writeable only where `data` is.

    >>> load(memoryview(bytes.fromhex("80047d8c016b4b2a732e")))
    {'k': 42}
    """
    try:
        value = _Reader(data).run()
        check_plain(value)
    except RefusedError:
        raise
    except Exception as error:  # a stream can be wrong in more ways than are worth a sentence each
        raise RefusedError(f"its contents are invalid ({type(error).__name__})") from error
    return value


def check_plain(value: object, depth: int = 0) -> None:
    """Refuses a tree that is too deep, or holds anything but builtins and arrays, or a huge integer."""
    if type(value) is int and value.bit_length() > MAX_BITS:
        raise RefusedError(f"it holds an integer of more than {MAX_BITS} bits")
    if type(value) in _LEAVES:
        return
    if type(value) is not dict and type(value) is not list:
        raise RefusedError("it does not hold plain values only")
    if depth >= MAX_DEPTH:
        raise RefusedError(f"it is nested more than {MAX_DEPTH} levels deep")
    for item in value.values() if type(value) is dict else value:
        if type(item) not in _LEAVES or type(item) is int:
            check_plain(item, depth + 1)


class _Reader:
    """A stack machine over one stream: `position` moves forward only and never past the end."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.position = 0
        self.stack: list[object] = []
        self.marks: list[int] = []
        self.memo: list[object] = []

    def run(self) -> object:
        data, end = self.data, len(self.data)  # a call of `take` less for every step
        for _ in range(MAX_STEPS):
            if self.position >= end:
                raise RefusedError("it ends in the middle of a value")
            code = data[self.position]
            self.position += 1
            if code == 0x2E:  # STOP
                return self.stop()
            step = _STEPS.get(code)
            if step is None:
                raise RefusedError(f"it holds the pickle opcode 0x{code:02x}, which no model needs")
            step(self)
            if len(self.stack) + len(self.marks) > MAX_OPEN:
                raise RefusedError(f"it has more than {MAX_OPEN} values open at once")
        raise RefusedError(f"it holds too many separate values (over {MAX_STEPS} steps)")

    def stop(self) -> object:
        if len(self.stack) != 1 or self.marks or self.position != len(self.data):
            raise RefusedError("something is left over at its end")
        return self.stack[0]

    def take(self, size: int) -> memoryview:
        start, self.position = self.position, self.position + size
        if self.position > len(self.data):
            raise RefusedError("it ends in the middle of a value")
        return self.data[start : self.position]

    def number(self, width: int) -> int:
        return int.from_bytes(self.take(width), "little")

    def since_mark(self) -> list[object]:
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def protocol(self) -> None:
        if (version := self.number(1)) != PROTOCOL:
            raise RefusedError(f"its pickle protocol is {version}, expected {PROTOCOL}")

    def frame(self) -> None:
        if self.number(8) > len(self.data) - self.position:
            raise RefusedError("it ends in the middle of a frame")

    def mark(self) -> None:
        self.marks.append(len(self.stack))

    def memoize(self) -> None:
        self.memo.append(self.stack[-1])

    def recall(self, width: int) -> None:
        value = self.memo[self.number(width)]
        if type(value) not in _SHAREABLE:
            raise RefusedError("it uses one dict or list in two places")
        self.stack.append(value)

    def text(self, width: int) -> None:
        self.stack.append(str(self.take(self.number(width)), "utf-8", "surrogatepass"))

    def blob(self, width: int) -> None:
        self.stack.append(bytes(self.take(self.number(width))))

    def integer(self, width: int) -> None:
        self.stack.append(int.from_bytes(self.take(self.number(width)), "little", signed=True))

    def real(self) -> None:
        self.stack.append(struct.unpack(">d", self.take(8))[0])

    def group(self, items: list[object]) -> None:
        if any(type(item) not in _IN_TUPLE for item in items):
            raise RefusedError("it holds a tuple of something else than numbers and words")
        self.stack.append(tuple(items))

    def last(self, count: int) -> list[object]:
        return [self.stack.pop() for _ in range(count)][::-1]

    def put(self, items: list[object]) -> None:
        target = self.stack[-1]
        keys = items[::2]
        if type(target) is not dict or any(type(key) is not str for key in keys):
            raise RefusedError("it holds a dict whose keys are not words")
        target.update(zip(keys, items[1::2], strict=True))

    def append(self, items: list[object]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise RefusedError("it adds a value to something that is not a list")
        target.extend(items)

    def name(self) -> None:
        module, name = self.last(2)
        if type(module) is not str or type(name) is not str:
            raise RefusedError("it asks for a thing whose name is not a word")
        if (module, name) not in _NAMES:
            raise RefusedError(f"it asks for {module[:40] + '.' + name[:40]!r}, which no model needs")
        self.stack.append(_NAMES[module, name])

    def new(self) -> None:
        if self.last(2) != [_WRAPPER, ()]:
            raise RefusedError("it asks to create an object")
        self.stack.append(_Wrapper())

    def call(self) -> None:
        function, arguments = self.last(2)
        if function is not _DTYPE or type(arguments) is not tuple or arguments[1:] != (False, True):
            raise RefusedError("it asks to call a function")
        if arguments[0] not in DTYPES:
            raise RefusedError(f"it holds an array of dtype {arguments[0]!r:.40}")
        self.stack.append(_Dtype(arguments[0]))

    def build(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if type(target) is _Wrapper and type(state) is dict:
            self.stack[-1] = self.array(state)
        elif type(target) is not _Dtype or state != target.state:
            raise RefusedError("it asks to change an object")

    def array(self, about: dict[str, object]) -> np.ndarray:
        kind, shape = about.get("dtype"), self.shape(about.get("shape"))
        if type(kind) is not _Dtype or any(about.get(key) != value for key, value in _PLAIN.items()):
            raise RefusedError("it holds an array that is not a plain one")
        self.take(self.number(1))  # padding
        start = self.position
        self.take(math.prod(shape) * kind.dtype.itemsize)
        array: np.ndarray = np.ndarray(shape, kind.dtype, self.data, start)
        # numpy assumes that a truth value is the byte 0 or 1, and so does code that uses the array as a mask.
        if kind.dtype.kind == "b" and array.size and array.view("u1").max() > 1:
            raise RefusedError("it holds a truth value that is neither 0 nor 1")
        return array

    def shape(self, value: object) -> tuple[int, ...]:
        if type(value) is not tuple or len(value) > MAX_DIMENSIONS:
            raise RefusedError("it holds an array without a usable shape")
        if any(type(length) is not int or not 0 <= length <= len(self.data) for length in value):
            raise RefusedError("it holds an array that would not fit into it")
        return value


_STEPS: dict[int, Callable[[_Reader], None]] = {
    0x80: _Reader.protocol,  # PROTO
    0x95: _Reader.frame,  # FRAME
    0x28: _Reader.mark,  # MARK
    0x94: _Reader.memoize,  # MEMOIZE
    0x68: lambda r: r.recall(1),  # BINGET
    0x6A: lambda r: r.recall(4),  # LONG_BINGET
    0x4E: lambda r: r.stack.append(None),  # NONE
    0x88: lambda r: r.stack.append(True),  # NEWTRUE
    0x89: lambda r: r.stack.append(False),  # NEWFALSE
    0x4B: lambda r: r.stack.append(r.number(1)),  # BININT1
    0x4D: lambda r: r.stack.append(r.number(2)),  # BININT2
    0x4A: lambda r: r.stack.append(int.from_bytes(r.take(4), "little", signed=True)),  # BININT
    0x8A: lambda r: r.integer(1),  # LONG1
    0x8B: lambda r: r.integer(4),  # LONG4
    0x47: _Reader.real,  # BINFLOAT
    0x8C: lambda r: r.text(1),  # SHORT_BINUNICODE
    0x58: lambda r: r.text(4),  # BINUNICODE
    0x43: lambda r: r.blob(1),  # SHORT_BINBYTES
    0x42: lambda r: r.blob(4),  # BINBYTES
    0x7D: lambda r: r.stack.append({}),  # EMPTY_DICT
    0x73: lambda r: r.put(r.last(2)),  # SETITEM
    0x75: lambda r: r.put(r.since_mark()),  # SETITEMS
    0x5D: lambda r: r.stack.append([]),  # EMPTY_LIST
    0x61: lambda r: r.append(r.last(1)),  # APPEND
    0x65: lambda r: r.append(r.since_mark()),  # APPENDS
    0x29: lambda r: r.group([]),  # EMPTY_TUPLE
    0x85: lambda r: r.group(r.last(1)),  # TUPLE1
    0x86: lambda r: r.group(r.last(2)),  # TUPLE2
    0x87: lambda r: r.group(r.last(3)),  # TUPLE3
    0x74: lambda r: r.group(r.since_mark()),  # TUPLE
    0x93: _Reader.name,  # STACK_GLOBAL
    0x81: _Reader.new,  # NEWOBJ
    0x52: _Reader.call,  # REDUCE
    0x62: _Reader.build,  # BUILD
}
