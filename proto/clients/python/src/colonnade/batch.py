"""Changes to many rows at once, and streams of them."""

from __future__ import annotations

import queue
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Optional, Union

import grpc

from colonnade.client import Colonnade
from colonnade.columns import Slice
from colonnade.data import Data, encode, optional
from colonnade.errors import ColonnadeError, of_code
from colonnade.v1 import column_store_service_pb2 as rpc
from colonnade.v1 import model_pb2 as model

_APPLIED = {rpc.APPLIED_YES: "yes", rpc.APPLIED_NO: "no", rpc.APPLIED_UNKNOWN: "unknown"}
_CODES = {code.value[0]: code for code in grpc.StatusCode}


class Batch:
    """Changes that one call applies: those of a row together, those of different rows side by side.
    Nothing is sent before :meth:`apply`, or the end of a ``with`` block without an exception."""

    def __init__(self, client: Colonnade, keyspace: str):
        self._client, self._keyspace = client, keyspace
        self._rows: dict[tuple[str, bytes], list[model.Mutation]] = {}

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, failed, *_) -> None:
        if failed is None:
            self.apply()

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def put(
        self,
        family: str,
        key: Data,
        name: Data,
        value: Data,
        *,
        super_column: Optional[Data] = None,
        timestamp: Optional[int] = None,
        ttl: Optional[int] = None,
    ) -> Batch:
        """Adds the write of a column."""
        column = model.Column(name=encode(name), value=encode(value), timestamp=timestamp, ttl_seconds=ttl)
        if super_column is None:
            entry = model.ColumnOrSuperColumn(column=column)
        else:
            inside = model.SuperColumn(name=encode(super_column), columns=[column])
            entry = model.ColumnOrSuperColumn(super_column=inside)
        return self._add(family, key, model.Mutation(column_or_super_column=entry))

    def insert(
        self, family: str, key: Data, columns: Mapping[Data, Union[Data, Mapping[Data, Data]]], **options
    ) -> Batch:
        """Adds the writes of several columns, or of super columns with theirs."""
        for name, value in columns.items():
            if isinstance(value, Mapping):
                for inner, deep in value.items():
                    self.put(family, key, inner, deep, super_column=name, **options)
            else:
                self.put(family, key, name, value, **options)
        return self

    def remove(
        self,
        family: str,
        key: Data,
        name: Optional[Data] = None,
        *,
        super_column: Optional[Data] = None,
        interval: Optional[Slice] = None,
        timestamp: Optional[int] = None,
    ) -> Batch:
        """Adds the removal of a column, of an interval, of a super column, or of the row."""
        if name is not None:
            interval = Slice(names=[name])
        deletion = model.Deletion(
            timestamp=timestamp,
            super_column=optional(super_column),
            predicate=interval.to_message() if interval is not None else None,
        )
        return self._add(family, key, model.Mutation(deletion=deletion))

    def _add(self, family: str, key: Data, mutation: model.Mutation) -> Batch:
        self._rows.setdefault((family, encode(key)), []).append(mutation)
        return self

    def apply(self) -> Optional[int]:
        """Applies the changes, and returns the timestamp of those without one of their own."""
        answer = self._client.call("column_store", "BatchMutate", self.to_message(), write=True)
        return answer.timestamp if answer.HasField("timestamp") else None

    def to_message(self) -> rpc.BatchMutateRequest:
        rows = [
            model.RowMutation(key=key, column_family=family, mutations=mutations)
            for (family, key), mutations in self._rows.items()
        ]
        options = rpc.WriteOptions(consistency_level=self._client.write_level)
        return rpc.BatchMutateRequest(keyspace=self._keyspace, rows=rows, options=options)


@dataclass(frozen=True)
class Outcome:
    """How one batch of a stream ended: ``error`` is None if it was applied. ``sequence`` counts the
    batches from 1."""

    sequence: int
    applied: str
    timestamp: Optional[int]
    error: Optional[ColonnadeError]


def mutate_stream(client: Colonnade, batches: Iterable[Batch], window: int = 256) -> Iterator[Outcome]:
    """As :meth:`Colonnade.mutate_stream`.

    :param window: how many batches may be under way at a time
    """
    node = client.pick()
    room: queue.Queue = queue.Queue()
    for _ in range(window):
        room.put(True)

    def requests() -> Iterator[rpc.StreamMutateRequest]:
        for sequence, batch in enumerate(batches, start=1):
            if not room.get():
                return
            yield rpc.StreamMutateRequest(sequence=sequence, batch=batch.to_message())

    call = node.column_store.StreamMutate(requests())
    try:
        for answer in call:
            for outcome in answer.outcomes:
                room.put(True)
                yield _outcome(outcome)
    except grpc.RpcError as error:
        raise client.failed(node, error, write=True) from error
    finally:
        room.put(False)
        call.cancel()


def _outcome(outcome: rpc.MutateOutcome) -> Outcome:
    applied = _APPLIED.get(outcome.applied, "unknown")
    timestamp = outcome.timestamp if outcome.HasField("timestamp") else None
    error = None
    if outcome.code != 0:
        code = _CODES.get(outcome.code, grpc.StatusCode.UNKNOWN)
        numbers = {"required": str(outcome.required), "received": str(outcome.received)} if outcome.required else {}
        error = of_code(code)(code, outcome.message, outcome.reason, applied, {**numbers, "applied": applied})
    return Outcome(outcome.sequence, applied, timestamp, error)
