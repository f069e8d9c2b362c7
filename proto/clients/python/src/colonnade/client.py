"""The client: the schema, and where reads and writes begin."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import grpc

from colonnade.admin.v1 import admin_pb2 as admin
from colonnade.batch import Batch, Outcome, from_outcome
from colonnade.calls import Caller
from colonnade.family import ColumnFamily
from colonnade.v1 import column_store_service_pb2 as rpc


@dataclass
class Family:
    """The definition of a column family; ``compare_subcolumns_with`` makes it a Super family."""

    name: str
    compare_with: str = "BytesType"
    compare_subcolumns_with: str | None = None

    def to_message(self, keyspace: str) -> admin.ColumnFamilyDef:
        kind = admin.COLUMN_TYPE_SUPER if self.compare_subcolumns_with else admin.COLUMN_TYPE_STANDARD
        return admin.ColumnFamilyDef(keyspace=keyspace, column_type=kind, **vars(self))


class Colonnade(Caller):
    """A client of one cluster. Thread-safe; make one for a program and close it at the end.

    :param addresses: nodes as ``"host:port"``. Calls go to the first one that works; any node
        answers for the whole cluster.
    :param read_level: the consistency level of reads: ONE, TWO, THREE, QUORUM, LOCAL_QUORUM,
        EACH_QUORUM or ALL
    :param write_level: the consistency level of writes: one of these, ANY or ZERO
    :param timeout: seconds that a call may take, with its retries
    :param attempts: how often a call is made at most. A read is repeated when its node cannot be
        reached or does not serve, a write only when the node said that it was not applied.
    :param credentials: of the connections, for TLS: ``grpc.ssl_channel_credentials(roots)`` with the
        PEM of the authority that signed the nodes' certificates
    :param user: a name and a password, where nodes want to know who calls. They are sent as they are,
        so without TLS only nodes on loopback are reached.
    """

    def __enter__(self) -> "Colonnade":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    # The schema

    def create_keyspace(self, name: str, *families: Family, replication_factor: int = 1) -> None:
        """Creates a keyspace with its families."""
        definitions = [family.to_message(name) for family in families]
        keyspace = admin.KeyspaceDef(name=name, replication_factor=replication_factor, column_families=definitions)
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
        return ColumnFamily(self, keyspace, name)

    def batch(self, keyspace: str) -> Batch:
        """Changes to many rows and families, applied when the ``with`` block ends well::

        with store.batch("Twissandra") as batch:
            batch.put("User", user_id, "name", "jericevans")
            batch.remove("Timeline", user_id, old)
        """
        return Batch(self, keyspace)

    def mutate_stream(self, batches: Iterable[Batch]) -> Iterator[Outcome]:
        """Applies batches as they come, and yields an outcome for each, in any order. A batch that
        fails does not end the stream. Another thread takes the batches, as fast as the node does."""
        node = self.pick()
        requests = (rpc.StreamMutateRequest(sequence=i, batch=batch.request) for i, batch in enumerate(batches, 1))
        call = node.column_store.StreamMutate(requests)
        try:
            for answer in call:
                yield from map(from_outcome, answer.outcomes)
        except grpc.RpcError as error:
            raise self.failed(node, error, write=True) from error
        finally:
            call.cancel()
