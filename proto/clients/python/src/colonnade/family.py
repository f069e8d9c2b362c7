"""A column family: reads and writes, in the words of the first clients where those had one."""

from collections.abc import Callable, Iterable, Iterator

from colonnade.batch import Batch, Columns
from colonnade.calls import Caller, Node
from colonnade.columns import Column, Cursor, Entry, Page, Row, Slice, SuperColumn
from colonnade.columns import from_entries, from_entry, from_rows, joined, joined_rows, to_column, to_dict
from colonnade.data import BytesDict, Data, encode, optional
from colonnade.v1 import column_store_service_pb2 as rpc
from colonnade.v1 import model_pb2 as model

_ALL = Slice()


class ColumnFamily:
    """Reads and writes the rows of one family, or with :meth:`inside` the columns of a super column.

    Keys, names and values are given as any :data:`~colonnade.data.Data` and come back as bytes;
    :func:`~colonnade.text` and :func:`~colonnade.unpack_long` turn them back. All methods raise
    :class:`~colonnade.ColonnadeError`.
    """

    def __init__(self, client: Caller, keyspace: str, name: str, super_column: Data | None = None):
        self._client, self.keyspace, self.name = client, keyspace, name
        self.super_column = optional(super_column)
        self._parent = model.ColumnParent(column_family=name, super_column=self.super_column)

    def inside(self, super_column: Data) -> "ColumnFamily":
        """The same family inside one super column: all methods then mean its columns."""
        return ColumnFamily(self._client, self.keyspace, self.name, super_column)

    # In the words of "Cassandra by example"

    def insert(
        self, key: Data, columns: Columns, *, timestamp: int | None = None, ttl: int | None = None
    ) -> int | None:
        """Writes columns of a row, all together; in a Super family names lead to further names and
        values. Returns their timestamp."""
        batch = Batch(self._client, self.keyspace)
        batch.insert(self.name, key, columns, super_column=self.super_column, timestamp=timestamp, ttl=ttl)
        return batch.apply() or timestamp

    def get(self, key: Data, columns: int | Iterable[Data] | None = None, **options) -> BytesDict:
        """Names with values of a row, in order; empty if there is no such row.

        :param columns: only these names; or, as in the article, a number in place of ``column_count``
        :param options: ``column_start``, ``column_finish``, ``column_reversed``, and ``column_count``,
            the most to return: 100 without it; :meth:`stream` has no limit
        """
        return to_dict(self.slice(key, _slice(columns, **options)))

    def multiget(self, keys: Iterable[Data], columns: Iterable[Data] | None = None, **options) -> BytesDict:
        """As :meth:`get` for several keys: key to columns, in the order of the keys, without those
        that have nothing."""
        rows = self.multiget_slice(keys, _slice(columns, **options))
        return BytesDict((row.key, to_dict(row.entries)) for row in rows if row.entries)

    def get_range(
        self, start: Data = b"", finish: Data = b"", *, row_count: int | None = None, **options
    ) -> Iterator[tuple[bytes, BytesDict]]:
        """Keys with columns of all rows from ``start`` to ``finish``, in the order of the partitioner,
        as they come; the options are those of :meth:`get`."""
        for row in joined_rows(self.rows(_slice(**options), start=start, finish=finish, count=row_count)):
            yield row.key, to_dict(row.entries)

    def remove(self, key: Data, column: Data | None = None, *, timestamp: int | None = None) -> int:
        """Removes a column, or without one the super column or the row. Returns the timestamp of the
        removal."""
        path = self._path(self.super_column, column)
        return self._write(rpc.RemoveRequest, "Remove", key, column_path=path, timestamp=timestamp)

    # Columns with all that belongs to them

    def put(self, key: Data, name: Data, value: Data, **options) -> int:
        """Writes one column, with ``timestamp`` and ``ttl``, seconds to live, as options. Returns its
        timestamp: the one given, or the node's clock.

        With a timestamp of your own, a call whose error says ``applied == "unknown"`` can be made
        again: the same write twice is the same as once.
        """
        column = to_column(name, value, **options)
        return self._write(rpc.InsertRequest, "Insert", key, column_parent=self._parent, column=column)

    def get_column(self, key: Data, name: Data) -> Column:
        """One column.

        :raises NotFoundError: if there is none (COLUMN_NOT_FOUND)
        """
        return self._get(key, self._path(self.super_column, name))  # type: ignore[return-value]

    def get_super_column(self, key: Data, name: Data) -> SuperColumn:
        """One super column with all its columns.

        :raises NotFoundError: if there is none, or it has no columns
        """
        return self._get(key, self._path(name, None))  # type: ignore[return-value]

    def slice(self, key: Data, slice: Slice = _ALL) -> list[Entry]:
        """Entries of a row in a list, super columns whole."""
        return list(joined(self.pages(key, slice)))

    def multiget_slice(self, keys: Iterable[Data], slice: Slice = _ALL) -> list[Row]:
        """Entries of several rows: one row for each distinct key, in the order of the keys."""
        request = rpc.MultigetSliceRequest(keys=map(encode, keys), **self._which(slice))
        return list(joined_rows(self._paged("MultigetSlice", request, "", from_rows)))

    def get_count(self, key: Data, slice: Slice = _ALL) -> int:
        """How many entries a row has."""
        return self._read("GetCount", rpc.GetCountRequest(key=encode(key), **self._which(slice))).count

    def multiget_count(self, keys: Iterable[Data], slice: Slice = _ALL) -> BytesDict:
        """How many entries each of these rows has."""
        request = rpc.MultigetCountRequest(keys=map(encode, keys), **self._which(slice))
        return BytesDict((each.key, each.count) for each in self._read("MultigetCount", request).counts)

    # Rows and families of any length

    def pages(self, key: Data, slice: Slice = _ALL, *, page_bytes: int = 0, token: str = "") -> Cursor[Entry]:
        """Entries of a row, a page at a time: each page is a call with a deadline.

        :param page_bytes: the most bytes of a page, up to 2 MiB; 0 for 1 MiB
        :param token: continues after an earlier page with the same arguments
        """
        request = rpc.GetSliceRequest(key=encode(key), page_bytes=page_bytes, **self._which(slice))
        return self._paged("GetSlice", request, token, from_entries)

    def stream(
        self, key: Data, slice: Slice = _ALL, *, chunk_bytes: int = 0, token: str = "", timeout: float | None = None
    ) -> Cursor[Entry]:
        """Entries of a row as they come, in one call that may take as long as its reader.

        :param chunk_bytes: the most bytes of a page; 0: the node chooses
        :param token: continues after an earlier page with the same arguments, on any node
        :param timeout: the most seconds between connections that break; None for no limit
        """
        request = rpc.StreamSliceRequest(key=encode(key), max_chunk_bytes=chunk_bytes, **self._which(slice))

        def begin(node: Node, token: str):
            request.resume_token = token
            return node.column_store.StreamSlice(request, timeout=timeout)

        def read(token: str) -> Iterator[Page[Entry]]:
            for part in self._client.resuming(begin, token):
                yield Page(from_entries(part), part.resume_token)

        return Cursor(read, token)

    def rows(
        self,
        slice: Slice = _ALL,
        *,
        start: Data = b"",
        finish: Data = b"",
        count: int | None = None,
        page_bytes: int = 0,
        token: str = "",
    ) -> Cursor[Row]:
        """Rows from ``start`` to ``finish`` in the order of the partitioner, a page at a time."""
        bounds = model.KeyBounds(start_key=encode(start), end_key=encode(finish))
        keys = model.KeyRange(keys=bounds, count=count)
        request = rpc.GetRangeSlicesRequest(range=keys, page_bytes=page_bytes, **self._which(slice))
        return self._paged("GetRangeSlices", request, token, from_rows)

    def _paged(self, method: str, request, token: str, items: Callable) -> Cursor:
        """Reads pages, each with a call of its own."""

        def read(token: str) -> Iterator[Page]:
            more = True
            while more:
                request.page_token = token
                answer = self._read(method, request)
                token = answer.next_page_token
                yield Page(items(answer), token)
                more = token != ""

        return Cursor(read, token)

    def _read(self, method: str, request):
        return self._client.call("column_store", method, request, write=False)

    def _get(self, key: Data, path: model.ColumnPath) -> Entry:
        request = rpc.GetRequest(keyspace=self.keyspace, key=encode(key), column_path=path, options=self._client.reads)
        return from_entry(self._read("Get", request).column_or_super_column)

    def _write(self, request: Callable, method: str, key: Data, **fields) -> int:
        message = request(keyspace=self.keyspace, key=encode(key), options=self._client.writes, **fields)
        return self._client.call("column_store", method, message, write=True).timestamp

    def _which(self, slice: Slice) -> dict:
        """The fields that requests for entries have in common."""
        predicate, reads = slice.to_message(), self._client.reads
        return {"keyspace": self.keyspace, "column_parent": self._parent, "predicate": predicate, "options": reads}

    def _path(self, super_column: Data | None, column: Data | None) -> model.ColumnPath:
        return model.ColumnPath(column_family=self.name, super_column=optional(super_column), column=optional(column))


def _slice(columns=None, column_start=None, column_finish=None, column_count=100, column_reversed=False) -> Slice:
    if isinstance(columns, int):
        columns, column_count = None, columns
    return Slice(column_start or b"", column_finish or b"", column_reversed, column_count, columns)
