"""Taking turns at a file: the process that has the token cuts off the next block and passes the token on.

So each block is cut by the process that counts it, which finds it in its cache. A process that cut for two
others cost them 4 % of their time.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from struct import Struct
from typing import BinaryIO, NamedTuple

from spamnb.readers import LONGEST_RECORD, BlockReader, StoredFile, check_whole

_STORED = Struct("qqq")
_OVER = -1  # in place of a place: the file was read to its end


@dataclass(frozen=True)
class SharedFile:
    """An input that several processes read: its number; the other fields are as in `Blocks`."""

    number: int
    file: StoredFile
    size: int
    end: Callable[[bytes], int]
    reader: BlockReader


class Token(NamedTuple):
    """The number of an input, that of its next block, and where in the file that begins."""

    number: int
    block: int
    at: int


class Turns:
    """A pipe with the token in it; processes that were forked after it was made share it.

    Nobody waits for the others when a file ends: the token of the next file may be there while some are
    still at the last one. So a token that is later than a process's own file is left to others, and an
    earlier one, which nobody needs any more, is dropped.
    """

    def __init__(self) -> None:
        self._taking, self._giving = os.pipe()
        os.set_blocking(self._taking, False)  # of several that hear of a token one gets it

    def give(self, token: Token) -> None:
        os.write(self._giving, _STORED.pack(*token))

    def close(self) -> None:
        os.close(self._taking)
        os.close(self._giving)

    def blocks(self, file: SharedFile, line: int) -> Iterator[tuple[int, bytes]]:
        """The blocks that fall to this process, with their numbers; `line` leads to who asks for them.

        A number without a block: there is a record that is too long.
        """
        with ExitStack() as held:
            opened: BinaryIO | None = None
            while (token := self._turn(file.number, line)).at != _OVER:
                opened = opened or held.enter_context(file.file.open())  # not before: it may be gone by then
                block, final = _cut(opened, token.at, file)
                if not block and not final:
                    yield token.block, block
                    return  # without passing the token on: who asks will not go on
                if final:
                    check_whole(file.file.path, file.file.size, token.at + len(block))
                self.give(Token(token.number, token.block + 1, _OVER if final else token.at + len(block)))
                if block:
                    yield token.block, block

    def _turn(self, number: int, line: int) -> Token:
        while (token := self._take(line)).number < number:
            pass
        if token.number > number or token.at == _OVER:
            self.give(token)
            return Token(number, 0, _OVER)
        return token

    def _take(self, line: int) -> Token:
        waiting = select.poll()
        waiting.register(self._taking, select.POLLIN)
        waiting.register(line, 0)  # tells only that its other end is gone
        while True:
            if not any(file == self._taking for file, _ in waiting.poll()):
                raise EOFError
            try:
                return Token(*_STORED.unpack(os.read(self._taking, _STORED.size)))
            except BlockingIOError:
                continue


def _cut(opened: BinaryIO, at: int, file: SharedFile) -> tuple[bytes, bool]:
    """The block that begins at a place, and whether it is the last; nothing if a record is too long."""
    size = file.size
    while len(data := os.pread(opened.fileno(), size, at)) == size:
        if end := file.end(data):
            return data[:end], False
        if size > LONGEST_RECORD:
            return b"", False
        size = min(2 * size, LONGEST_RECORD + 1)
    return data, True
