"""Opens single mails and mboxes, and turns the raw mails of any input into a source of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from shlex import quote
from typing import TYPE_CHECKING

from spamnb.core import Record, ResultCollector, excerpt, ordered_map
from spamnb.errors import DataError
from spamnb.mail import Limits
from spamnb.messages import Chunk
from spamnb.readers.byte_stream import ByteStream
from spamnb.readers.decoded_input import DecodedInput, refuse_binary
from spamnb.readers.formats import any_of, table_formats
from spamnb.readers.mailboxes.mail_batches import Batcher, ParsedBatch, Parser
from spamnb.readers.mailboxes.mail_files import BLOCK, Group, many_mails, one_mail
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.labels import LabelMap

if TYPE_CHECKING:
    from spamnb.readers.source import Work

    Parse = Callable[[Work | None], Iterator[ParsedBatch]]


class RawMails(Record):
    """The raw mails of an input, in groups; `stream` is set if they all come from one file or pipe."""

    name: str
    kind: str
    groups: Iterable[Group]
    labels: LabelMap | None
    skipped: SkippedRecords
    stream: ByteStream | None = None

    @property
    def size(self) -> int | None:
        return self.stream.size if self.stream else None

    def close(self) -> None:
        if self.stream:
            self.stream.close()


class MailSource(Source):
    """A source of mails."""

    mail = True

    def __init__(self, mails: RawMails, parse: Parse, options: ReadOptions) -> None:
        label = label_of(mails.labels, options.label)
        description = f"{mails.name}: {mails.kind}" + (f", all {excerpt(label)}" if label else "")
        super().__init__(mails, description, self._number(parse), skipped=mails.skipped, labels=mails.labels)
        self._may_be_empty = options.mail.may_be_empty

    def _number(self, parse: Parse) -> Iterator[Chunk]:
        """Yields the chunks, numbered through, and collects what was skipped and cut in them."""
        mails = position = 0
        for batch in parse(self.work):
            for place, reason in batch.skipped:
                self.skipped.add(place, reason)
            for place, note in batch.notes:
                self.notes.add(place, note)
            chunk = batch.chunk
            position = chunk.position if batch.position_known else position + chunk.position
            yield Chunk(
                chunk.texts,
                chunk.lines + mails,
                chunk.labels,
                position=position,
                sources=chunk.sources,
                worker_result=chunk.worker_result,
            )
            mails += len(chunk)

    def _check(self, rows: int, labels: LabelMap) -> None:
        if not rows and self._may_be_empty:
            return
        if not rows:
            reason = self.skipped.summary() if self.skipped.count else "it is empty"
            raise DataError(
                f"no usable emails in {self.name}: {reason}",
                hint="give an email, an mbox, a Maildir or a folder of mail",
            )
        labels.check(self.name)


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:
    """Opens one mail (`eml`) or a file of many (`mbox`)."""
    refuse_binary(decoded, "as it is")
    refuse_columns(decoded.name, options)
    stream = decoded.stream
    if labelled and options.label is None:
        raise DataError(
            f"{decoded.name} is {'one email' if format == 'eml' else 'an mbox'} and has no label",
            hint=f"say what it is: --label spam={quote(stream.path)} or --label ham={quote(stream.path)}",
        )
    labels = mail_labels(decoded.name, options, ()) if labelled else None
    split = one_mail if format == "eml" else many_mails
    label, max_size = label_of(labels, options.label), options.mail.max_size
    groups = split(decoded.raw_blocks(BLOCK), decoded.name, label, max_size)
    compression = f" ({stream.compression})" if stream.compression else ""
    kind = ("one email" if format == "eml" else "mbox") + compression
    return open_mails(RawMails(decoded.name, kind, groups, labels, SkippedRecords(), stream), options)


def _limits(options: ReadOptions) -> Limits:
    mail = options.mail
    return Limits(mail.max_size, authserv_ids=mail.authserv_ids, lists=mail.lists)


def open_mails(mails: RawMails, options: ReadOptions) -> Source:
    """Opens a source that parses raw mails, in several processes if the options ask for them."""
    stream, limits = mails.stream, _limits(options)
    live = stream is not None and stream.live
    position = (lambda: stream.position) if stream else None
    batcher = Batcher(mails.skipped, limits, labelled=mails.labels is not None, position=position)
    jobs = (
        1 if live else options.mail.jobs or 1
    )  # the reader of a live pipe's output wants each answer at once
    batches = batcher.batches(mails.groups, live=live, shared=jobs > 1)

    def parse(work: Work | None) -> Iterator[ParsedBatch]:
        collector = work if isinstance(work, ResultCollector) else None
        return ordered_map(Parser(limits, work), batches, jobs, collector)

    return MailSource(mails, parse, options)


def mail_labels(name: str, options: ReadOptions, sample: Iterable[str]) -> LabelMap:
    """Decides how to read labels: one label is stated for all mails, or a sample of labels shows it."""
    if options.label is not None:
        return LabelMap([options.label])
    labels = LabelMap(sample, spam_label=options.spam_label, classes=options.classes)
    labels.check_sample(name)
    return labels


def label_of(labels: LabelMap | None, written: str | None) -> str:
    """Maps a label as written to the one as used."""
    return "" if labels is None or written is None else labels[written.encode("utf-8", "surrogateescape")]


def refuse_columns(name: str, options: ReadOptions) -> None:
    """Refuses stated columns: mails have none."""
    if options.columns.stated:
        raise DataError(
            f"{name} is read as mail and has no columns",
            hint=f"columns need --input-format {any_of(table_formats())}",
        )
