"""Reads a JSON array of objects, element by element."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from itertools import chain

from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.decoded_input import LONGEST_RECORD, DecodedInput
from spamnb.readers.format_detection import begins_array
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.source import Source
from spamnb.readers.tables.json_records import Record, RecordTable, sample_rows

_BLANKS = " \t\r\n"
_BETWEEN = re.compile(r"[ \t\r\n]*(,?)[ \t\r\n]*")  # two elements
_NOT_OBJECT = "not a JSON object"

Element = tuple[int, Record | str]  # its line, and the object or what is wrong with it


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Opens a JSON array; its objects are the records."""
    if not begins_array(decoded.head):
        raise DataError(
            f"{decoded.name} is not a JSON array: it does not begin with [",
            hint="leave out --input-format json, or give jsonl for one object per line",
        )
    batches = ArrayReader(decoded, options.chunk_bytes).batches()
    head = decoded.head.decode("utf-8", "replace").lstrip(_BLANKS)[1:]
    elements = [element for _, element, _ in parse_elements(head)]
    if not elements:  # the first one is longer than the head
        first = next(batches, [])
        batches, elements = chain([first], batches), [element for _, element in first]
    records = [element for element in elements if not isinstance(element, str)]
    names, sample = sample_rows(records, options.columns.stated)
    if not names and labelled:
        raise DataError(
            f"no JSON objects at the beginning of the array in {decoded.name}",
            hint='each element should be an object, such as {"label": "ham", "text": "ok"}',
        )
    table = RecordTable.of(decoded.name, names, sample, options, labelled=labelled)
    builder, chunks = table.builder, _chunks(batches, table, decoded)
    description = (
        f"{decoded.name}: JSON array ({', '.join(decoded.storage)}), {builder.describe(table.names)}"
    )
    source = Source(decoded.stream, description, chunks, skipped=builder.skipped, labels=builder.labels)
    source.columns = table.kept_names
    return source


def _chunks(batches: Iterator[list[Element]], table: RecordTable, decoded: DecodedInput) -> Iterator[Chunk]:
    for batch in batches:
        faults = {i: element for i, (_, element) in enumerate(batch) if isinstance(element, str)}
        records = [{} if isinstance(element, str) else element for _, element in batch]
        if batch:
            yield table.chunk(records, (line for line, _ in batch), faults, decoded.stream.position)


def parse_elements(
    text: str, *, is_first: bool = True, final: bool = True
) -> Iterator[tuple[int, Record | str, int]]:
    """Yields the whole elements of a text, each with its start and end; all but the first follow a comma.

    Unless the text is `final`, a number at its end may go on.

    >>> list(parse_elements('{"a": 1}, 17, {"b"'))
    [(0, {'a': 1}, 8), (10, 'not a JSON object', 12)]
    """
    parse, end = json.JSONDecoder().raw_decode, 0
    while True:
        between = _BETWEEN.match(text, end)
        assert between is not None
        start = between.end()
        if bool(between[1]) == is_first:
            return
        try:
            element, end = parse(text, start)
        except (ValueError, RecursionError):
            return
        is_object = isinstance(element, dict)
        if end == len(text) and not final and not is_object:
            return
        yield start, element if is_object else _NOT_OBJECT, end
        is_first = False


class ArrayReader:
    """Reads the elements of an array, holding only those of one block of about `size` bytes."""

    def __init__(self, decoded: DecodedInput, size: int) -> None:
        self._decoded = decoded
        self._size = size
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._text = ""  # read, but not yet parsed
        self._line = 1  # where it begins
        self._ended = False

    def batches(self) -> Iterator[list[Element]]:
        """Yields the elements that each block completes."""
        self._skip_blanks()
        self._drop(1)  # the bracket
        is_first = True
        while not self._at_end():
            batch = list(self._elements(is_first))
            is_first = is_first and not batch
            if batch:
                yield batch
            elif self._ended or len(self._text) > LONGEST_RECORD:
                raise self._damaged()
            else:
                self._read()
        self._check_rest()

    def _elements(self, is_first: bool) -> Iterator[Element]:
        """Yields the whole elements of what was read, and drops them."""
        done = 0
        for start, element, end in parse_elements(self._text, is_first=is_first, final=self._ended):
            self._line += self._text.count("\n", done, start)
            yield self._line, element
            self._line += self._text.count("\n", start, end)
            done = end
        self._text = self._text[done:]

    def _at_end(self) -> bool:
        """Returns whether the bracket that closes the array comes next; drops it."""
        self._skip_blanks()
        if not self._text.startswith("]"):
            return False
        self._drop(1)
        return True

    def _skip_blanks(self) -> None:
        """Drops blanks, and reads on until something else comes."""
        self._drop(len(self._text) - len(self._text.lstrip(_BLANKS)))
        while not self._text and not self._ended:
            self._read()
            self._drop(len(self._text) - len(self._text.lstrip(_BLANKS)))

    def _check_rest(self) -> None:
        """Refuses anything but blanks after the array."""
        self._skip_blanks()
        if self._text:
            raise DataError(
                f"{self._decoded.name} line {self._line:,}: text follows the end of the JSON array",
                hint="give one array of objects, or one object per line",
            )

    def _read(self) -> None:
        block = self._decoded.read(self._size)
        self._ended = not block
        self._text += self._decode(block, self._ended)

    def _drop(self, count: int) -> None:
        self._line += self._text.count("\n", 0, count)
        self._text = self._text[count:]

    def _damaged(self) -> DataError:
        self._drop(len(self._text) - len(self._text.lstrip(_BLANKS + ",")))
        cut = "" if self._ended else f" within {LONGEST_RECORD >> 20} MiB"
        return DataError(
            f"{self._decoded.name} line {self._line:,}: no whole JSON value{cut}",
            hint="the array is damaged or cut off; get the file again",
        )
