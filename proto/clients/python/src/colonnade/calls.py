"""Connections, deadlines and retries: what all calls have in common."""

import base64
import itertools
import time
from collections.abc import Callable, Iterator

import grpc

from colonnade.admin.v1 import admin_pb2_grpc
from colonnade.errors import ColonnadeError, from_rpc
from colonnade.v1 import column_store_service_pb2 as rpc
from colonnade.v1 import column_store_service_pb2_grpc

_CHANNEL_OPTIONS = [
    # The longest answer of a node; gRPC's own limit of answers is 4 MiB.
    ("grpc.max_receive_message_length", 16 << 20),
    # A dead peer is noticed after 90 s, so that a stream without a deadline does not wait for ever.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 30_000),
]


class Node:
    """A node and its stubs; ``column_store``, ``schema``, ``cluster`` and ``node`` are generated."""

    def __init__(self, address: str, credentials: grpc.ChannelCredentials | None):
        self.address, self.avoid_until = address, 0.0
        if credentials is None:
            self.channel = grpc.insecure_channel(address, options=_CHANNEL_OPTIONS)
        else:
            self.channel = grpc.secure_channel(address, credentials, options=_CHANNEL_OPTIONS)
        self.column_store = column_store_service_pb2_grpc.ColumnStoreServiceStub(self.channel)
        self.schema = admin_pb2_grpc.SchemaServiceStub(self.channel)
        self.cluster = admin_pb2_grpc.ClusterServiceStub(self.channel)
        self.node = admin_pb2_grpc.NodeServiceStub(self.channel)


class Caller:
    """Calls the nodes of one cluster. :class:`~colonnade.Colonnade` says what it is given."""

    def __init__(
        self,
        *addresses: str,
        read_level: str = "ONE",
        write_level: str = "ONE",
        timeout: float = 10.0,
        attempts: int = 4,
        credentials: grpc.ChannelCredentials | None = None,
        user: tuple[str, str] | None = None,
    ):
        if not addresses:
            raise ValueError("give the address of a node at least, such as 127.0.0.1:9160")
        self.reads = rpc.ReadOptions(consistency_level=f"CONSISTENCY_LEVEL_{read_level}")
        self.writes = rpc.WriteOptions(consistency_level=f"CONSISTENCY_LEVEL_{write_level}")
        self.timeout, self.attempts = timeout, attempts
        if user is not None:
            # Without TLS the connections of "local" credentials, which gRPC makes on loopback alone.
            credentials = _as_user(*user, credentials or grpc.local_channel_credentials())
        self.nodes = [Node(address, credentials) for address in addresses]

    def close(self) -> None:
        """Ends all calls and closes the connections."""
        for node in self.nodes:
            node.channel.close()

    def call(self, service: str, method: str, request, write: bool, timeout: float | None = None):
        """Makes a call of any service of :class:`Node`, with this client's deadline, retries and
        errors.

        :raises ColonnadeError: if it failed, at the last attempt
        """
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        for attempt in itertools.count(1):
            node = self.pick()
            left = max(0.001, deadline - time.monotonic())
            try:
                return getattr(getattr(node, service), method)(request, timeout=left)
            except grpc.RpcError as error:
                self._pause(node, error, write, attempt, deadline)

    def resuming(self, begin: Callable[[Node, str], Iterator], token: str) -> Iterator:
        """The parts of a stream from a token on. If a node fails, it begins again on another one, behind
        the last part."""
        failures = 0
        while True:
            node = self.pick()
            call = begin(node, token)
            try:
                for part in call:
                    failures, token = 0, part.resume_token
                    yield part
                return
            except grpc.RpcError as error:
                failures += 1
                self._pause(node, error, False, failures, float("inf"))
            finally:
                call.cancel()  # type: ignore[attr-defined]

    def _pause(self, node: Node, error: grpc.RpcError, write: bool, attempt: int, deadline: float) -> None:
        """Waits before the next attempt; raises the error if there had better be none."""
        failure = self.failed(node, error, write)
        pause = failure.pause(attempt)
        if attempt >= self.attempts or not failure.may_retry or time.monotonic() + pause >= deadline:
            raise failure from error
        time.sleep(pause)

    def pick(self) -> Node:
        """The first node that did not fail lately, or the one that failed longest ago."""
        now = time.monotonic()
        usable = (node for node in self.nodes if node.avoid_until <= now)
        return next(usable, None) or min(self.nodes, key=lambda node: node.avoid_until)

    def failed(self, node: Node, error: grpc.RpcError, write: bool) -> ColonnadeError:
        """Turns an error of gRPC into one of this package, and avoids a node that does not serve, or
        that said nothing in time: it may stand still."""
        failure = from_rpc(error, write)
        silent = failure.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED) and not failure.reason
        if silent or failure.reason == "NODE_NOT_READY":
            node.avoid_until = time.monotonic() + 2.0
        return failure


def _as_user(name: str, password: str, credentials: grpc.ChannelCredentials) -> grpc.ChannelCredentials:
    header = "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
    caller = grpc.metadata_call_credentials(lambda context, callback: callback((("authorization", header),), None))
    return grpc.composite_channel_credentials(credentials, caller)
