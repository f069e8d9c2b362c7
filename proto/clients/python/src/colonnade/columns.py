"""Columns as they are read, at once or page by page, and slices, which say what to read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Generic, NamedTuple, TypeVar

from colonnade.data import BytesDict, Data, encode
from colonnade.v1 import model_pb2 as model


class Column(NamedTuple):
    """A name with a value, the timestamp of its write, and its time to live in seconds, if any."""

    name: bytes
    value: bytes
    timestamp: int
    ttl: int | None = None


class SuperColumn(NamedTuple):
    """A name and the columns inside, ascending. Pages and streams give a large one in parts: entries
    of the same name, one after the other."""

    name: bytes
    columns: tuple[Column, ...]


Entry = Column | SuperColumn


class Row(NamedTuple):
    """A row of several. A scan gives a large one in parts: rows of the same key, one after the other."""

    key: bytes
    entries: tuple[Entry, ...]


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
    count: int | None = None
    names: Iterable[Data] | None = None
    start_exclusive: bool = False
    finish_exclusive: bool = False
    since: int | None = None

    def to_message(self) -> model.SlicePredicate:
        # What is left of the fields has the names that it has in the contract.
        interval = vars(self) | {"start": encode(self.start), "finish": encode(self.finish)}
        names, since = interval.pop("names"), interval.pop("since")
        if names is None:
            return model.SlicePredicate(slice_range=model.SliceRange(**interval), min_timestamp=since)
        chosen = model.ColumnNames(names=map(encode, names))
        return model.SlicePredicate(column_names=chosen, min_timestamp=since)


T = TypeVar("T")


class Page(list, Generic[T]):
    """A part of the answer, in a list. ``token`` is where the next part begins."""

    def __init__(self, items: Iterable[T], token: str):
        super().__init__(items)
        self.token = token


class Cursor(Generic[T]):
    """Entries of a row, or rows of a scan, in constant memory however many there are.

    Iterate over it for single items, or over :meth:`pages` for the lists in which they come. If a
    node fails, it continues on another one without a gap and without repeating anything. A read
    can also be continued later, elsewhere, by the ``token`` of the last page that was used.
    """

    def __init__(self, read: Callable[[str], Iterator[Page[T]]], token: str):
        self._read = read
        #: Where a later read continues: after the last page that was taken whole.
        self.token = token

    def __iter__(self) -> Iterator[T]:
        for page in self._read(self.token):
            yield from page
            self.token = page.token

    def pages(self) -> Iterator[Page[T]]:
        """The items in the lists in which they came. Closing this iterator ends the call."""
        for page in self._read(self.token):
            self.token = page.token
            yield page


def to_column(name: Data, value: Data, timestamp: int | None = None, ttl: int | None = None) -> model.Column:
    return model.Column(name=encode(name), value=encode(value), timestamp=timestamp, ttl_seconds=ttl)


def from_column(column: model.Column) -> Column:
    ttl = column.ttl_seconds if column.HasField("ttl_seconds") else None
    return Column(column.name, column.value, column.timestamp, ttl)


def from_entry(entry: model.ColumnOrSuperColumn) -> Entry:
    if entry.HasField("super_column"):
        return SuperColumn(entry.super_column.name, tuple(map(from_column, entry.super_column.columns)))
    return from_column(entry.column)


def from_entries(answer) -> list[Entry]:
    return [from_entry(each) for each in answer.columns]


def from_rows(answer) -> list[Row]:
    return [Row(row.key, tuple(from_entries(row))) for row in answer.rows]


def joined(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Puts the parts of super columns together."""
    for name, parts in groupby(entries, key=lambda entry: entry.name):
        first, *others = parts
        rest = chain.from_iterable(part.columns for part in others)  # type: ignore[union-attr]
        yield SuperColumn(name, (*first.columns, *rest)) if others else first  # type: ignore[union-attr]


def joined_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """Puts the parts of rows together."""
    for key, parts in groupby(rows, key=lambda row: row.key):
        yield Row(key, tuple(joined(chain.from_iterable(part.entries for part in parts))))


def to_dict(entries: Iterable[Entry]) -> BytesDict:
    """Names with values; a super column's value is a dictionary of its columns."""
    return BytesDict(
        (entry.name, to_dict(entry.columns) if isinstance(entry, SuperColumn) else entry.value) for entry in entries
    )
