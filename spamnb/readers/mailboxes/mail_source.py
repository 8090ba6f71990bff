"""Sources of mails: single ones, mboxes, and whatever else hands on raw mails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spamnb.core import ResultCollector, ordered_map
from spamnb.errors import DataError
from spamnb.mail import Limits
from spamnb.messages import Chunk
from spamnb.readers.decoded_input import DecodedInput, refuse_binary
from spamnb.readers.mailboxes.mail_batches import Batcher, Parsed, Parser
from spamnb.readers.mailboxes.mail_files import BLOCK, Group, many_mails, one_mail
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.labels import LabelMap, shown


class MailSource(Source):
    """A source of mails: where there are none, columns are not the reason."""

    mail = True
    may_be_empty = False

    def _check(self, rows: int, labels: LabelMap) -> None:
        if not rows and self.may_be_empty:
            return
        if not rows:
            found = self.skipped.summary() if self.skipped.count else "it is empty"
            raise DataError(
                f"no usable mails in {self.name}: {found}",
                hint="give a mail, an mbox, a Maildir or a folder of mails",
            )
        labels.check(self.name)


def open_input(given: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:
    """Open one mail (`eml`) or a box of many (`mbox`)."""
    refuse_binary(given, "as it is")
    refuse_columns(given.name, options)
    if labelled and options.label is None:
        path = given.stream.path
        raise DataError(
            f"{given.name} is {'one mail' if format == 'eml' else 'an mbox'} and has no label",
            hint=f"say what it is: --label spam={path} or --label ham={path}",
        )
    labels = mail_labels(options, ()) if labelled else None
    split = one_mail if format == "eml" else many_mails
    groups = split(given.raw_blocks(BLOCK), given.name, label_of(labels, options.label), options.max_size)
    packed = f" ({given.stream.compression})" if given.stream.compression else ""
    kind = ("one mail" if format == "eml" else "mbox") + packed
    return open_groups(given.name, kind, groups, options, labels, SkippedRecords(), given)


def open_groups(
    name: str,
    kind: str,
    groups: Iterable[Group],
    options: ReadOptions,
    labels: LabelMap | None,
    skipped: SkippedRecords,
    given: DecodedInput | None = None,
) -> Source:
    """A source of raw mails that come in groups; `given` is the stream they are from, if it is just one."""
    stream = given.stream if given else None
    live = stream is not None and stream.live
    position = (lambda: stream.position) if stream else None
    limits = Limits(message=options.max_size)
    batcher = Batcher(skipped, limits, labelled=labels is not None, position=position)
    notes = SkippedRecords("limits met", "limit met")
    jobs = 1 if live else options.jobs  # who waits at the other end of a pipe wants each answer at once
    batches = batcher.batches(groups, live=live, shared=jobs > 1)

    def chunks() -> Iterator[Chunk]:
        collector = source.work if isinstance(source.work, ResultCollector) else None
        parsed = ordered_map(Parser(limits, source.work), batches, jobs, collector)
        yield from _chunks(parsed, skipped, notes)

    stated = label_of(labels, options.label)
    source = MailSource(
        name,
        f"{name}: {kind}" + (f", all {shown(stated)}" if stated else ""),
        stream.size if stream else None,
        chunks(),
        stream.close if stream else lambda: None,
        skipped=skipped,
        notes=notes,
        labels=labels,
    )
    source.may_be_empty = options.may_be_empty
    return source


def mail_labels(options: ReadOptions, sample: Iterable[str]) -> LabelMap:
    """How to read labels: the one that was stated for all mails, else as a sample of them shows."""
    if options.label is not None:
        return LabelMap([options.label])
    return LabelMap(sample, spam_label=options.spam_label, classes=options.classes)


def label_of(labels: LabelMap | None, written: str | None) -> str:
    """The label to use for one as written."""
    return "" if labels is None or written is None else labels[written.encode("utf-8", "surrogateescape")]


def refuse_columns(name: str, options: ReadOptions) -> None:
    """Mails have no columns: what was asked for cannot be given."""
    if options.columns or options.text_column or options.label_column:
        raise DataError(
            f"{name} is read as mail and has no columns",
            hint="columns need --format csv, tsv, jsonl or parquet",
        )


def _chunks(parsed: Iterator[Parsed], skipped: SkippedRecords, notes: SkippedRecords) -> Iterator[Chunk]:
    """The chunks, numbered through, and what is to be told about them."""
    done = position = 0
    for batch in parsed:
        for place, reason in batch.skipped:
            skipped.add(place, reason)
        for place, note in batch.notes:
            notes.add(place, note)
        chunk = batch.chunk
        position = chunk.position if batch.known else position + chunk.position
        yield Chunk(
            chunk.texts,
            chunk.lines + done,
            chunk.labels,
            position=position,
            sources=chunk.sources,
            made=chunk.made,
        )
        done += len(chunk)
