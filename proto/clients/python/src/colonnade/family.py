"""A column family: reads and writes, in the words of the first clients where those had one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Optional, Union

from colonnade.batch import Batch
from colonnade.client import Colonnade, Node
from colonnade.columns import (
    Column,
    Entry,
    Row,
    Slice,
    SuperColumn,
    from_column,
    from_entries,
    from_entry,
    from_rows,
    joined,
    to_dict,
)
from colonnade.cursor import Cursor
from colonnade.data import BytesDict, Data, encode, optional
from colonnade.v1 import column_store_service_pb2 as rpc
from colonnade.v1 import model_pb2 as model

_ALL = Slice()


class ColumnFamily:
    """Reads and writes the rows of one family.

    Keys, names and values are given as any :data:`~colonnade.data.Data` and come back as bytes;
    :func:`~colonnade.text` and :func:`~colonnade.unpack_long` turn them back. All methods raise
    :class:`~colonnade.ColonnadeError`. In a Super family ``super_column`` says which super column's
    columns are meant; without it super columns themselves are read.
    """

    def __init__(self, client: Colonnade, keyspace: str, name: str):
        self._client, self.keyspace, self.name = client, keyspace, name

    # In the words of "Cassandra by example"

    def insert(
        self,
        key: Data,
        columns: Mapping[Data, Union[Data, Mapping[Data, Data]]],
        *,
        timestamp: Optional[int] = None,
        ttl: Optional[int] = None,
    ) -> Optional[int]:
        """Writes columns of a row, all together; in a Super family names lead to further names and
        values. Returns their timestamp."""
        batch = Batch(self._client, self.keyspace)
        batch.insert(self.name, key, columns, timestamp=timestamp, ttl=ttl)
        given = batch.apply()
        return given if timestamp is None else timestamp

    def get(
        self,
        key: Data,
        columns: Union[int, Iterable[Data], None] = None,
        *,
        column_start: Optional[Data] = None,
        column_finish: Optional[Data] = None,
        column_count: int = 100,
        column_reversed: bool = False,
        super_column: Optional[Data] = None,
    ) -> BytesDict:
        """Names with values of a row, in order; empty if there is no such row.

        :param columns: only these names; or, as in the article, a number in place of ``column_count``
        :param column_count: the most to return; :meth:`stream` has no limit
        """
        chosen = _slice(columns, column_start, column_finish, column_count, column_reversed)
        return to_dict(self.slice(key, chosen, super_column=super_column))

    def multiget(
        self, keys: Iterable[Data], columns: Optional[Iterable[Data]] = None, *, column_count: int = 100, **options
    ) -> BytesDict:
        """As :meth:`get` for several keys: key to columns, in the order of the keys, without those
        that have nothing."""
        chosen = _slice(columns, options.get("column_start"), options.get("column_finish"), column_count,
                        options.get("column_reversed", False))
        rows = self.multiget_slice(keys, chosen, super_column=options.get("super_column"))
        return BytesDict((row.key, to_dict(row.entries)) for row in rows if row.entries)

    def get_range(
        self, start: Data = b"", finish: Data = b"", *, row_count: Optional[int] = None, **options
    ) -> Iterator[tuple[bytes, BytesDict]]:
        """Keys with columns of all rows from ``start`` to ``finish``, in the order of the partitioner,
        as they come; the options are those of :meth:`get`."""
        chosen = _slice(options.get("columns"), options.get("column_start"), options.get("column_finish"),
                        options.get("column_count", 100), options.get("column_reversed", False))
        # A part may announce another one that never comes, because nothing of the rest was alive.
        key: Optional[bytes] = None
        parts: list[Entry] = []
        for row in self.rows(chosen, start=start, finish=finish, count=row_count,
                             super_column=options.get("super_column")):
            if key is not None and row.key != key:
                yield key, to_dict(joined(parts))
                parts = []
            key = row.key
            parts.extend(row.entries)
            if not row.continues:
                yield key, to_dict(joined(parts))
                key, parts = None, []
        if key is not None:
            yield key, to_dict(joined(parts))

    def get_count(self, key: Data, slice: Slice = _ALL, *, super_column: Optional[Data] = None) -> int:
        """How many entries a row has."""
        request = rpc.GetCountRequest(key=encode(key), **self._which(slice, super_column))
        return self._client.call("column_store", "GetCount", request, write=False).count

    def remove(
        self,
        key: Data,
        column: Optional[Data] = None,
        *,
        super_column: Optional[Data] = None,
        timestamp: Optional[int] = None,
    ) -> int:
        """Removes a column, a super column, or the row. Returns the timestamp of the removal."""
        path = model.ColumnPath(
            column_family=self.name, super_column=optional(super_column), column=optional(column)
        )
        request = rpc.RemoveRequest(
            keyspace=self.keyspace, key=encode(key), column_path=path, timestamp=timestamp, options=self._writes()
        )
        return self._client.call("column_store", "Remove", request, write=True).timestamp

    # Columns with all that belongs to them

    def put(
        self,
        key: Data,
        name: Data,
        value: Data,
        *,
        super_column: Optional[Data] = None,
        timestamp: Optional[int] = None,
        ttl: Optional[int] = None,
    ) -> int:
        """Writes one column, and returns its timestamp: the one given, or the node's clock.

        With a timestamp of your own, a call whose error says ``applied == "unknown"`` can be made
        again: the same write twice is the same as once.
        """
        request = rpc.InsertRequest(
            keyspace=self.keyspace,
            key=encode(key),
            column_parent=self._parent(super_column),
            column=model.Column(name=encode(name), value=encode(value), timestamp=timestamp, ttl_seconds=ttl),
            options=self._writes(),
        )
        return self._client.call("column_store", "Insert", request, write=True).timestamp

    def get_column(self, key: Data, name: Data, *, super_column: Optional[Data] = None) -> Column:
        """One column.

        :raises NotFoundError: if there is none (COLUMN_NOT_FOUND)
        """
        return from_column(self._get(key, super_column, name).column)

    def get_super_column(self, key: Data, name: Data) -> SuperColumn:
        """One super column with all its columns.

        :raises NotFoundError: if there is none, or it has no columns
        """
        return from_entry(self._get(key, name, None))  # type: ignore[return-value]

    def _get(self, key: Data, super_column: Optional[Data], name: Optional[Data]):
        path = model.ColumnPath(column_family=self.name, super_column=optional(super_column), column=optional(name))
        request = rpc.GetRequest(
            keyspace=self.keyspace, key=encode(key), column_path=path, options=self._reads()
        )
        return self._client.call("column_store", "Get", request, write=False).column_or_super_column

    def slice(self, key: Data, slice: Slice = _ALL, *, super_column: Optional[Data] = None) -> list[Entry]:
        """Entries of a row in a list, super columns whole."""
        return joined(self.pages(key, slice, super_column=super_column))

    def multiget_slice(
        self, keys: Iterable[Data], slice: Slice = _ALL, *, super_column: Optional[Data] = None
    ) -> list[Row]:
        """Entries of several rows: one row for each distinct key, in the order of the keys."""
        request = rpc.MultigetSliceRequest(keys=map(encode, keys), **self._which(slice, super_column))
        rows: list[Row] = []
        for row in self._paged("MultigetSlice", request, "", _rows):
            if rows and rows[-1].key == row.key:
                row = replace(row, entries=rows.pop().entries + row.entries)
            rows.append(row)
        return [Row(row.key, tuple(joined(row.entries))) for row in rows]

    def multiget_count(self, keys: Iterable[Data], slice: Slice = _ALL) -> BytesDict:
        """How many entries each of these rows has."""
        request = rpc.MultigetCountRequest(keys=map(encode, keys), **self._which(slice, None))
        answer = self._client.call("column_store", "MultigetCount", request, write=False)
        return BytesDict((each.key, each.count) for each in answer.counts)

    # Rows and families of any length

    def pages(
        self,
        key: Data,
        slice: Slice = _ALL,
        *,
        super_column: Optional[Data] = None,
        page_bytes: int = 0,
        token: str = "",
    ) -> Cursor[Entry]:
        """Entries of a row, a page at a time: each page is a call with a deadline.

        :param page_bytes: the most bytes of a page, up to 2 MiB; 0 for 1 MiB
        :param token: continues after an earlier page with the same arguments
        """
        request = rpc.GetSliceRequest(key=encode(key), page_bytes=page_bytes, **self._which(slice, super_column))
        return self._paged("GetSlice", request, token, _entries)

    def stream(
        self,
        key: Data,
        slice: Slice = _ALL,
        *,
        super_column: Optional[Data] = None,
        chunk_bytes: int = 0,
        token: str = "",
        timeout: Optional[float] = None,
    ) -> Cursor[Entry]:
        """Entries of a row as they come, in one call that may take as long as its reader.

        :param chunk_bytes: the most bytes of a page; 0: the node chooses
        :param token: continues after an earlier page with the same arguments, on any node
        :param timeout: the most seconds between connections that break; None for no limit
        """
        request = rpc.StreamSliceRequest(
            key=encode(key), max_chunk_bytes=chunk_bytes, **self._which(slice, super_column)
        )

        def open_at(node: Node, token: str):
            request.resume_token = token
            call = node.column_store.StreamSlice(request, timeout=timeout)
            try:
                for part in call:
                    yield _entries(part), part.resume_token
            finally:
                call.cancel()

        return Cursor(self._client, open_at, token)

    def rows(
        self,
        slice: Slice = _ALL,
        *,
        start: Data = b"",
        finish: Data = b"",
        count: Optional[int] = None,
        super_column: Optional[Data] = None,
        page_bytes: int = 0,
        token: str = "",
    ) -> Cursor[Row]:
        """Rows from ``start`` to ``finish`` in the order of the partitioner, a page at a time."""
        bounds = model.KeyBounds(start_key=encode(start), end_key=encode(finish))
        request = rpc.GetRangeSlicesRequest(
            range=model.KeyRange(keys=bounds, count=count), page_bytes=page_bytes, **self._which(slice, super_column)
        )
        return self._paged("GetRangeSlices", request, token, _rows)

    def _paged(self, method: str, request, token: str, items: Callable) -> Cursor:
        """Reads pages, each with a call of its own."""

        def open_at(node: Node, token: str):
            while True:
                request.page_token = token
                answer = getattr(node.column_store, method)(request, timeout=self._client.timeout)
                token = answer.next_page_token
                yield items(answer), token
                if not token:
                    return

        return Cursor(self._client, open_at, token)

    def _which(self, slice: Slice, super_column: Optional[Data]) -> dict:
        """The fields that requests for entries have in common."""
        parent, options = self._parent(super_column), self._reads()
        return {
            "keyspace": self.keyspace, "column_parent": parent, "predicate": slice.to_message(), "options": options
        }

    def _parent(self, super_column: Optional[Data]) -> model.ColumnParent:
        return model.ColumnParent(column_family=self.name, super_column=optional(super_column))

    def _reads(self) -> rpc.ReadOptions:
        return rpc.ReadOptions(consistency_level=self._client.read_level)

    def _writes(self) -> rpc.WriteOptions:
        return rpc.WriteOptions(consistency_level=self._client.write_level)


def _entries(answer) -> list[Entry]:
    return from_entries(answer.columns, answer.super_column_continues)


def _rows(answer) -> list[Row]:
    return from_rows(answer.rows, answer.row_continues, answer.super_column_continues)


def _slice(columns, start, finish, count: int, is_reversed: bool) -> Slice:
    if isinstance(columns, int):
        columns, count = None, columns
    if columns is not None:
        return Slice(names=list(columns))
    return Slice(start or b"", finish or b"", reversed=is_reversed, count=count)
