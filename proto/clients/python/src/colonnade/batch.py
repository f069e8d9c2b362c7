"""Changes to many rows at once, and how those of a stream ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from google.rpc import status_pb2

from colonnade.calls import Caller
from colonnade.columns import Slice, to_column
from colonnade.data import Data, encode, optional
from colonnade.errors import ColonnadeError, from_status
from colonnade.v1 import column_store_service_pb2 as rpc
from colonnade.v1 import model_pb2 as model

_APPLIED = {rpc.APPLIED_YES: "yes", rpc.APPLIED_NO: "no"}

#: Names with values, or names of super columns with these.
Columns = Mapping[Data, Data | Mapping[Data, Data]]


class Batch:
    """Changes that one call applies: those of a row together, those of different rows side by side.
    Nothing is sent before :meth:`apply`, or the end of a ``with`` block without an exception."""

    def __init__(self, client: Caller, keyspace: str):
        self._client, self._size = client, 0
        self.request = rpc.BatchMutateRequest(keyspace=keyspace, options=client.writes)

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, failed, *_) -> None:
        if failed is None:
            self.apply()

    def __len__(self) -> int:
        return self._size

    def put(
        self, family: str, key: Data, name: Data, value: Data, *, super_column: Data | None = None, **options
    ) -> Batch:
        """Adds the write of a column, with its ``timestamp`` and ``ttl`` as options."""
        column = to_column(name, value, **options)
        if super_column is None:
            entry = model.ColumnOrSuperColumn(column=column)
        else:
            inside = model.SuperColumn(name=encode(super_column), columns=[column])
            entry = model.ColumnOrSuperColumn(super_column=inside)
        return self._add(family, key, column_or_super_column=entry)

    def insert(self, family: str, key: Data, columns: Columns, **options) -> Batch:
        """Adds the writes of several columns, or of super columns with theirs; options as of :meth:`put`."""
        for name, value in columns.items():
            if isinstance(value, Mapping):
                self.insert(family, key, value, **options | {"super_column": name})
            else:
                self.put(family, key, name, value, **options)
        return self

    def remove(
        self, family: str, key: Data, which: Data | Slice | None = None, *, super_column: Data | None = None, **options
    ) -> Batch:
        """Adds the removal of a column by its name, of the entries of a slice, or without either of the
        super column or the row; with its ``timestamp`` as an option."""
        if which is not None and not isinstance(which, Slice):
            which = Slice(names=[which])
        predicate = None if which is None else which.to_message()
        deletion = model.Deletion(super_column=optional(super_column), predicate=predicate, **options)
        return self._add(family, key, deletion=deletion)

    def _add(self, family: str, key: Data, **change) -> Batch:
        rows, bytes_of_key = self.request.rows, encode(key)
        if not rows or (rows[-1].column_family, rows[-1].key) != (family, bytes_of_key):
            rows.add(column_family=family, key=bytes_of_key)
        rows[-1].mutations.add(**change)
        self._size += 1
        return self

    def apply(self) -> int | None:
        """Applies the changes, and returns the timestamp of those without one of their own."""
        answer = self._client.call("column_store", "BatchMutate", self.request, write=True)
        return answer.timestamp if answer.HasField("timestamp") else None


class Outcome(NamedTuple):
    """How one batch of a stream ended: ``error`` is None if it was applied. ``sequence`` counts the
    batches from 1."""

    sequence: int
    applied: str
    error: ColonnadeError | None = None


def from_outcome(outcome: rpc.MutateOutcome) -> Outcome:
    applied = _APPLIED.get(outcome.applied, "unknown")
    if outcome.code == 0:
        return Outcome(outcome.sequence, applied)
    error = from_status(status_pb2.Status(code=outcome.code, message=outcome.message), write=True)
    error.reason, error.applied = outcome.reason, applied
    if outcome.required:
        error.required, error.received = outcome.required, outcome.received
    return Outcome(outcome.sequence, applied, error)
