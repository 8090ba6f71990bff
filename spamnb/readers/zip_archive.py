"""Unpacks the one data file of a ZIP archive while it is read."""

from __future__ import annotations

import io
import lzma
import os
import zipfile
import zlib
from typing import Any

from spamnb.errors import DataError
from spamnb.readers.byte_stream import ByteStream
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.formats import format_by_suffix

_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")  # of an archive, and of one without files
_WORKBOOK = "xl/workbook.xml"  # in the ZIP archive that an Excel workbook is
_ABOUT = {"readme", "license", "licence", "copying", "about", "changelog"}  # files about the data
_LISTED = 5
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError),  # an unknown compression, or a password
)


class MemberStream(ByteStream):
    """The unpacked bytes of one file in an archive, never more of them in memory than are asked for."""

    def __init__(self, file: io.BufferedReader, archive: zipfile.ZipFile, outer: ByteStream) -> None:
        self._archive_file, self._outer = file, outer
        member = _data_file(archive, outer.name)
        packed: Any = archive.open(member)
        super().__init__(f"{outer.path}/{member.filename}", io.BufferedReader(packed), live=False)

    @property
    def compression(self) -> str:
        return " in ".join(filter(None, [super().compression, "ZIP"]))

    def _read(self, size: int) -> bytes:
        try:
            piece = self._unpacked.read1(size)
        except _DAMAGE as error:
            raise _damaged(self._outer.name) from error
        self._bytes_read += len(piece)
        return piece

    def close(self) -> None:
        super().close()
        self._archive_file.close()
        self._outer.close()


def is_archive(head: bytes) -> bool:
    return head.startswith(_MAGIC)


def open_archive(decoded: DecodedInput) -> DecodedInput:
    """Opens the one data file in an archive; an Excel workbook stays as it is."""
    stream = decoded.stream
    if stream.stored is None or stream.compression:
        if _WORKBOOK.encode() in decoded.raw_head:
            return decoded
        raise DataError(
            f"a ZIP archive cannot be read from {stream.name}: it is a pipe or packed",
            hint="save it as a file and give its path",
        )
    stored: Any = stream.stored.open()
    file = io.BufferedReader(stored)
    try:
        archive = zipfile.ZipFile(file)
        if _WORKBOOK in archive.namelist():
            file.close()
            return decoded
        return DecodedInput(MemberStream(file, archive, stream))
    except BaseException as error:
        file.close()
        if isinstance(error, _DAMAGE):
            raise _damaged(stream.name) from error
        raise


def _data_file(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Chooses the only file; else the only one that is not about the data, or that has a known suffix."""
    files = [file for file in archive.infolist() if not _is_hidden(file.filename)]
    data = [file for file in files if _stem(file.filename) not in _ABOUT]
    known = [file for file in data if format_by_suffix(file.filename)]
    for choice in (files, data, known):
        if len(choice) == 1:
            return choice[0]
    listed = [file.filename for file in data or files]
    names = ", ".join(listed[:_LISTED] + ["..."] * (len(listed) > _LISTED))
    raise DataError(
        f"{name} holds {len(listed):,} files, expected one: {names}" if listed else f"{name} holds no files",
        hint="unpack it, and give the files or their folder" if listed else "give another file",
    )


def _is_hidden(path: str) -> bool:
    """Returns whether it is a folder, or a file that the user did not pack."""
    name = os.path.basename(path)
    return not name or name.startswith(".") or path.startswith("__MACOSX/")


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0].lower()


def _damaged(name: str) -> DataError:
    return DataError(
        f"{name}: its ZIP data is damaged, encrypted or packed in an unknown way",
        hint="unpack it yourself and give the files; `unzip -t` checks it",
    )
