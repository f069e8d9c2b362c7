"""Columns as they are read, and the messages of slices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Optional, Union

from colonnade.data import BytesDict, Data, encode
from colonnade.v1 import model_pb2 as model


@dataclass(frozen=True)
class Column:
    """A name with a value, the timestamp of its write, and its time to live in seconds, if any."""

    name: bytes
    value: bytes
    timestamp: int
    ttl: Optional[int] = None


@dataclass(frozen=True)
class SuperColumn:
    """A name and the columns inside, ascending.

    :ivar continues: there may be more of it: the next entry then has the same name and further
        columns. Only pages and streams give a super column in parts.
    """

    name: bytes
    columns: tuple[Column, ...]
    continues: bool = False


Entry = Union[Column, SuperColumn]


@dataclass(frozen=True)
class Row:
    """A row of a scan, or the part of it that one page holds: the next entry has the same key if
    ``continues`` is set."""

    key: bytes
    entries: tuple[Entry, ...]
    continues: bool = False


@dataclass(frozen=True)
class Slice:
    """Which entries of a row: those of an interval, or with ``names`` those with these names.

    Names compare as the family's comparator says. ``start`` and ``finish`` are in the direction of
    travel, inside unless told otherwise, and open if empty. With ``since`` only columns that have
    this timestamp or a greater one.
    """

    start: Data = b""
    finish: Data = b""
    reversed: bool = False
    count: Optional[int] = None
    names: Optional[Iterable[Data]] = None
    start_exclusive: bool = False
    finish_exclusive: bool = False
    since: Optional[int] = None

    def to_message(self) -> model.SlicePredicate:
        if self.names is not None:
            names = [encode(name) for name in self.names]
            return model.SlicePredicate(column_names=model.ColumnNames(names=names), min_timestamp=self.since)
        interval = model.SliceRange(
            start=encode(self.start),
            finish=encode(self.finish),
            reversed=self.reversed,
            count=self.count,
            start_exclusive=self.start_exclusive,
            finish_exclusive=self.finish_exclusive,
        )
        return model.SlicePredicate(slice_range=interval, min_timestamp=self.since)


def from_column(column: model.Column) -> Column:
    ttl = column.ttl_seconds if column.HasField("ttl_seconds") else None
    return Column(column.name, column.value, column.timestamp, ttl)


def from_entry(entry: model.ColumnOrSuperColumn, continues: bool = False) -> Entry:
    if entry.WhichOneof("value") == "super_column":
        inside = tuple(map(from_column, entry.super_column.columns))
        return SuperColumn(entry.super_column.name, inside, continues)
    return from_column(entry.column)


def from_entries(entries, continues: bool = False) -> list[Entry]:
    last = len(entries) - 1
    return [from_entry(each, continues and i == last) for i, each in enumerate(entries)]


def from_rows(rows, row_continues: bool, super_continues: bool) -> list[Row]:
    last = len(rows) - 1
    return [
        Row(row.key, tuple(from_entries(row.columns, super_continues and i == last)), row_continues and i == last)
        for i, row in enumerate(rows)
    ]


def joined(entries: Iterable[Entry]) -> list[Entry]:
    """Puts the parts of super columns together."""
    whole: list[Entry] = []
    open_part = False
    for entry in entries:
        if open_part and isinstance(entry, SuperColumn) and whole[-1].name == entry.name:
            before: SuperColumn = whole.pop()  # type: ignore[assignment]
            entry = SuperColumn(entry.name, before.columns + entry.columns, entry.continues)
        open_part = isinstance(entry, SuperColumn) and entry.continues
        whole.append(entry)
    return [
        SuperColumn(each.name, each.columns) if isinstance(each, SuperColumn) and each.continues else each
        for each in whole
    ]


def to_dict(entries: Iterable[Entry]) -> BytesDict:
    """Names with values; a super column's value is a dictionary of its columns."""
    return BytesDict(
        (entry.name, to_dict(entry.columns) if isinstance(entry, SuperColumn) else entry.value) for entry in entries
    )
