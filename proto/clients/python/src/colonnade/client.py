"""Connections, deadlines and retries: what all calls have in common."""

from __future__ import annotations

import base64
import random
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Optional

import grpc

from colonnade.admin.v1 import admin_pb2 as admin
from colonnade.admin.v1 import admin_pb2_grpc
from colonnade.errors import ColonnadeError, from_rpc
from colonnade.v1 import column_store_service_pb2 as rpc
from colonnade.v1 import column_store_service_pb2_grpc, model_pb2

if TYPE_CHECKING:
    from colonnade.batch import Batch, Outcome
    from colonnade.family import ColumnFamily

#: ONE, QUORUM, ALL … by their short names: ``level("QUORUM")``.
_LEVELS = model_pb2.ConsistencyLevel

_CHANNEL_OPTIONS = [
    # The longest answer of a node; gRPC's own limit of answers is 4 MiB.
    ("grpc.max_receive_message_length", 16 << 20),
    # A dead peer is noticed after 90 s, so that a stream without a deadline does not wait for ever.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 30_000),
]


def level(name: str) -> int:
    """The number of a consistency level: ONE, TWO, THREE, QUORUM, LOCAL_QUORUM, EACH_QUORUM, ALL, and
    for writes ANY and ZERO."""
    return _LEVELS.Value("CONSISTENCY_LEVEL_" + name)


@dataclass
class Family:
    """The definition of a column family; ``compare_subcolumns_with`` makes it a Super family."""

    name: str
    compare_with: str = "BytesType"
    compare_subcolumns_with: Optional[str] = None
    settings: dict = field(default_factory=dict)

    def to_message(self, keyspace: str) -> admin.ColumnFamilyDef:
        nested = self.compare_subcolumns_with is not None
        return admin.ColumnFamilyDef(
            keyspace=keyspace,
            name=self.name,
            column_type=admin.COLUMN_TYPE_SUPER if nested else admin.COLUMN_TYPE_STANDARD,
            compare_with=self.compare_with,
            compare_subcolumns_with=self.compare_subcolumns_with or "",
            **self.settings,
        )


class Node:
    """A node and its stubs; ``column_store``, ``schema``, ``cluster`` and ``node`` are generated."""

    def __init__(self, address: str, credentials: Optional[grpc.ChannelCredentials] = None):
        self.address = address
        if credentials is None:
            self.channel = grpc.insecure_channel(address, options=_CHANNEL_OPTIONS)
        else:
            self.channel = grpc.secure_channel(address, credentials, options=_CHANNEL_OPTIONS)
        self.column_store = column_store_service_pb2_grpc.ColumnStoreServiceStub(self.channel)
        self.schema = admin_pb2_grpc.SchemaServiceStub(self.channel)
        self.cluster = admin_pb2_grpc.ClusterServiceStub(self.channel)
        self.node = admin_pb2_grpc.NodeServiceStub(self.channel)
        self.avoid_until = 0.0


class Colonnade:
    """A client of one cluster. Thread-safe; make one for a program and close it at the end.

    :param addresses: nodes as ``"host:port"``. Calls go to the first one that works; any node
        answers for the whole cluster.
    :param read_level: the consistency level of reads, such as ``"QUORUM"``
    :param write_level: the consistency level of writes
    :param timeout: seconds that a call may take, with its retries
    :param attempts: how often a call is made at most. A read is repeated when its node cannot be
        reached or does not serve, a write only when the node said that it was not applied.
    :param credentials: of the connections, for TLS: ``grpc.ssl_channel_credentials(roots)`` with the
        PEM of the authority that signed the nodes' certificates
    :param user: a name and a password, where nodes want to know who calls. They are sent as they are,
        so without TLS only nodes on loopback are reached.
    """

    def __init__(
        self,
        *addresses: str,
        read_level: str = "ONE",
        write_level: str = "ONE",
        timeout: float = 10.0,
        attempts: int = 4,
        credentials: Optional[grpc.ChannelCredentials] = None,
        user: Optional[tuple[str, str]] = None,
    ):
        if not addresses:
            raise ValueError("give the address of a node at least, such as 127.0.0.1:9160")
        self.read_level, self.write_level = level(read_level), level(write_level)
        self.timeout, self.attempts = timeout, attempts
        if user is not None:
            # Without TLS the connections of "local" credentials, which gRPC makes on loopback alone.
            credentials = _as_user(*user, credentials or grpc.local_channel_credentials())
        self.nodes = [Node(address, credentials) for address in addresses]
        self._lock = threading.Lock()

    def __enter__(self) -> Colonnade:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Ends all calls and closes the connections."""
        for node in self.nodes:
            node.channel.close()

    # The schema

    def create_keyspace(self, name: str, *families: Family, replication_factor: int = 1) -> None:
        """Creates a keyspace with its families."""
        keyspace = admin.KeyspaceDef(
            name=name,
            replication_factor=replication_factor,
            column_families=[each.to_message(name) for each in families],
        )
        self._schema("CreateKeyspace", admin.CreateKeyspaceRequest(keyspace=keyspace))

    def drop_keyspace(self, name: str) -> None:
        """Drops a keyspace with all its data."""
        self._schema("DropKeyspace", admin.DropKeyspaceRequest(name=name))

    def create_family(self, keyspace: str, family: Family) -> None:
        """Creates a column family in a keyspace."""
        request = admin.CreateColumnFamilyRequest(column_family=family.to_message(keyspace))
        self._schema("CreateColumnFamily", request)

    def _schema(self, method: str, request) -> None:
        # A change waits for all nodes that are up.
        self.call("schema", method, request, write=True, timeout=max(self.timeout, 30.0))

    # Data

    def family(self, keyspace: str, name: str) -> ColumnFamily:
        """A column family to read and write. Makes no call, and does not ask whether there is one."""
        from colonnade.family import ColumnFamily

        return ColumnFamily(self, keyspace, name)

    def batch(self, keyspace: str) -> Batch:
        """Changes to many rows and families, applied when the ``with`` block ends well::

        with store.batch("Twissandra") as batch:
            batch.put("User", user_id, "name", "jericevans")
            batch.remove("Timeline", user_id, name=old)
        """
        from colonnade.batch import Batch

        return Batch(self, keyspace)

    def mutate_stream(self, batches: Iterable[Batch]) -> Iterator[Outcome]:
        """Applies batches as they come, and yields an outcome for each, in any order. A batch that
        fails does not end the stream."""
        from colonnade.batch import mutate_stream

        return mutate_stream(self, batches)

    # Calls

    def call(self, service: str, method: str, request, write: bool, timeout: Optional[float] = None):
        """Makes a call of any service of :class:`Node`, with this client's deadline, retries and
        errors.

        :raises ColonnadeError: if it failed, at the last attempt
        """
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        attempt = 0
        while True:
            attempt += 1
            node = self.pick()
            try:
                left = max(0.001, deadline - time.monotonic())
                return getattr(getattr(node, service), method)(request, timeout=left)
            except grpc.RpcError as error:
                failure = self.failed(node, error, write)
                pause = backoff(attempt, failure)
                out_of_time = time.monotonic() + pause >= deadline
                if attempt >= self.attempts or out_of_time or not failure.may_retry(write):
                    raise failure from error
                time.sleep(pause)

    def pick(self) -> Node:
        """The first node that did not fail lately, or the one that failed longest ago."""
        now = time.monotonic()
        with self._lock:
            for node in self.nodes:
                if node.avoid_until <= now:
                    return node
            return min(self.nodes, key=lambda each: each.avoid_until)

    def failed(self, node: Node, error: grpc.RpcError, write: bool) -> ColonnadeError:
        """Turns an error of gRPC into one of this package, and avoids a node that does not serve, or
        that said nothing in time: it may stand still."""
        failure = from_rpc(error, write)
        silent = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
        gone = failure.from_transport and failure.code in silent
        if gone or failure.reason == "NODE_NOT_READY":
            with self._lock:
                node.avoid_until = time.monotonic() + 2.0
        return failure


def _as_user(name: str, password: str, credentials: grpc.ChannelCredentials) -> grpc.ChannelCredentials:
    header = "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
    caller = grpc.metadata_call_credentials(lambda context, callback: callback((("authorization", header),), None))
    return grpc.composite_channel_credentials(credentials, caller)


def backoff(attempt: int, failure: ColonnadeError) -> float:
    """Seconds to wait before the next attempt: what the node asked for, or 20 ms, doubled each time;
    half of it by chance, so that clients do not return together."""
    pause = max(failure.retry_after or 0.0, min(2.0, 0.02 * 2 ** (attempt - 1)))
    return pause * (0.5 + random.random() / 2) if failure.retry_after is None else pause * (1 + random.random() / 2)
