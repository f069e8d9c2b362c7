"""Plays ../../scenario/scenario.json; ../../scenario/README.md says what the steps mean."""

import json
import os
import signal
import sys
import time

import grpc
from google.rpc import status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from colonnade import Batch, Colonnade, ColonnadeError, Family, Slice, SuperColumn, encode, pack_long
from colonnade.admin.v1 import admin_pb2 as admin
from colonnade.errors import from_rpc, from_status
from colonnade.v1 import column_store_service_pb2 as rpc

NODES = os.environ["COLONNADE_NODES"].split(",")
PIDS = [int(pid) for pid in os.environ["COLONNADE_PIDS"].split(",")]


def data(text):
    """The bytes that a string of the scenario stands for."""
    if text.startswith("0x"):
        return bytes.fromhex(text[2:])
    if text.startswith("long:"):
        return pack_long(int(text[5:]))
    if text.startswith("fill:"):
        return b"x" * int(text[5:])
    return encode(text)


def matches(expected, actual):
    """Whether the answer has all that is expected; it may have more."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(matches(each, actual.get(key)) for key, each in expected.items())
    if isinstance(expected, list):
        return isinstance(actual, list) and len(expected) == len(actual) and all(map(matches, expected, actual))
    if expected == "*":
        return actual is not None
    if isinstance(actual, bytes):
        return isinstance(expected, str) and data(expected) == actual
    return type(expected) is type(actual) and expected == actual


class Player:
    def __init__(self):
        self.clients, self.saved = {}, {}

    def client(self, step):
        numbers = tuple(step.get("nodes") or ([step["node"]] if "node" in step else [1, 2, 3]))
        level, timeout, attempts = step.get("level", "QUORUM"), step.get("timeout_ms", 10_000), step.get("attempts", 4)
        user = tuple(step["user"]) if "user" in step else None
        name = (numbers, level, timeout, attempts, step.get("secured"), user)
        if name not in self.clients:
            addresses = [NODES[number - 1] for number in numbers]
            options = {"read_level": level, "write_level": level, "timeout": timeout / 1000, "attempts": attempts}
            if step.get("secured"):
                addresses, options["user"] = [os.environ["COLONNADE_SECURED_NODE"]], user
                with open(os.environ["COLONNADE_SECURED_ROOTS"], "rb") as roots:
                    options["credentials"] = grpc.ssl_channel_credentials(roots.read())
            self.clients[name] = Colonnade(*addresses, **options)
        return self.clients[name]

    def play(self, step):
        try:
            return getattr(self, step["op"])(step, self.client(step))
        except ColonnadeError as error:
            return {"error": described(error)}
        except Exception as error:  # a fault of the client: this step fails, the others are still played
            return {"exception": repr(error)}

    # Schema

    def create_keyspace(self, step, client):
        families = [Family(**family) for family in step["families"]]
        client.create_keyspace(step["keyspace"], *families, replication_factor=step["replication_factor"])
        return {}

    def drop_keyspace(self, step, client):
        client.drop_keyspace(step["keyspace"])
        return {}

    def create_family(self, step, client):
        client.create_family(step["keyspace"], Family(**step["family"]))
        return {}

    def update_comparator(self, step, client):
        definition = Family(**step["family"]).to_message(step["keyspace"])
        request = admin.UpdateColumnFamilyRequest(column_family=definition)
        client.call("schema", "UpdateColumnFamily", request, write=True)
        return {}

    # Columns

    def put(self, step, client):
        family, name, value = self.family(step, client), data(step["column"]), data(step["value"])
        timestamp = family.put(data(step["key"]), name, value, **written(step))
        return {"timestamp": str(timestamp)}

    def get(self, step, client):
        family = self.family(step, client)
        if "column" in step:
            return {"column": shown(family.get_column(data(step["key"]), data(step["column"])))}
        return {"super_column": shown(family.get_super_column(data(step["key"]), data(step["super"])))}

    def remove(self, step, client):
        column = optional(step, "column")
        timestamp = self.family(step, client).remove(data(step["key"]), column, timestamp=int(step["timestamp"]))
        return {"timestamp": str(timestamp)}

    def slice(self, step, client):
        entries = self.family(step, client).slice(data(step["key"]), sliced(step))
        return summary(entries, 1) if step.get("summary") else {"entries": [shown(entry) for entry in entries]}

    def count(self, step, client):
        return {"count": self.family(step, client).get_count(data(step["key"]))}

    def multiget(self, step, client):
        rows = self.family(step, client).multiget_slice(map(data, step["keys"]), sliced(step))
        return {"rows": [{"key": row.key, "entries": [shown(entry) for entry in row.entries]} for row in rows]}

    def pages(self, step, client):
        return self.read(step, self.family(step, client).pages, page_bytes=step.get("page_bytes", 0))

    def stream(self, step, client):
        return self.read(step, self.family(step, client).stream, chunk_bytes=step.get("chunk_bytes", 0))

    def read(self, step, method, **options):
        entries, token = self.saved.get(step.get("continue"), ([], step.get("token", "")))
        entries, parts = list(entries), 0
        cursor = method(data(step["key"]), sliced(step), token=token, **options)
        pages = cursor.pages()
        for page in pages:
            entries, parts = entries + page, parts + 1
            if parts == step.get("kill_after"):
                os.kill(PIDS[step["nodes"][0] - 1], signal.SIGKILL)
            if parts == step.get("stop_after"):
                pages.close()
                self.saved[step["save"]] = (entries, page.token)
        return summary(entries, parts)

    def rows(self, step, client):
        rows = {}
        for row in self.family(step, client).rows(page_bytes=step["page_bytes"]):
            rows.setdefault(row.key, []).extend(row.entries)
        return {"rows": [{"key": key, "entries": len(entries)} for key, entries in rows.items()]}

    # Batches

    def batch(self, step, client):
        changes(client, step["rows"]).apply()
        return {}

    def mutate_stream(self, step, client):
        return outcomes(client.mutate_stream(changes(client, rows) for rows in step["batches"]))

    def fill(self, step, client):
        return outcomes(
            client.mutate_stream(
                changes(client, [{
                    "family": step["family"],
                    "key": step["key"],
                    "puts": [{"super": step.get("super"), "column": f"{i:05}", "value": step["value"], "timestamp": "1"}
                             for i in range(first, first + 100)],
                }])
                for first in range(0, step["columns"], 100)
            )
        )

    def sequences(self, step, client):
        empty = rpc.BatchMutateRequest(keyspace="Scenario")
        node = client.pick()
        requests = (
            rpc.StreamMutateRequest(sequence=1 + i * step["step"], batch=empty) for i in range(step["count"] + 1)
        )
        try:
            return {"answers": len(list(node.column_store.StreamMutate(requests, timeout=30)))}
        except grpc.RpcError as error:
            raise from_rpc(error, write=True)

    # Nodes

    def health(self, step, client):
        stub = health_pb2_grpc.HealthStub(client.pick().channel)
        answer = stub.Check(health_pb2.HealthCheckRequest(service=step["service"]), timeout=10)
        return {"status": health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)}

    def reflection(self, step, client):
        database = ProtoReflectionDescriptorDatabase(client.pick().channel)
        return {"services": {name: True for name in database.get_services()}}

    def drain(self, step, client):
        client.call("node", "Drain", admin.DrainRequest(), write=False, timeout=30)
        return {}

    def remove_node(self, step, client):
        info = client.call("node", "GetInfo", admin.GetInfoRequest(), write=False)
        try:
            request = admin.RemoveTokenRequest(node_id=info.node.endpoint.node_id)
            return {"answers": len(list(client.pick().node.RemoveToken(request, timeout=10)))}
        except grpc.RpcError as error:
            raise from_rpc(error, write=False)

    def empty_session_call(self, step, client):
        requests = iter([rpc.SessionRequest(calls=[rpc.SessionCall(id=1)])])
        for answer in client.pick().column_store.Session(requests, timeout=10):
            for each in answer.answers:
                return {"error": described(from_status(status_pb2.Status.FromString(each.error), write=True))}
        return {}

    def signal(self, step, client):
        os.kill(PIDS[step["node"] - 1], getattr(signal, "SIG" + step["signal"]))
        return {}

    def family(self, step, client):
        family = client.family(step.get("keyspace", "Scenario"), step["family"])
        return family.inside(data(step["super"])) if step.get("super") is not None else family


def optional(step, name):
    return data(step[name]) if step.get(name) is not None else None


def written(change):
    timestamp = int(change["timestamp"]) if "timestamp" in change else None
    return {"timestamp": timestamp, "ttl": change.get("ttl")}


def sliced(step):
    return Slice(
        start=data(step.get("start", "")),
        finish=data(step.get("finish", "")),
        reversed=step.get("reversed", False),
        count=step.get("count"),
        names=[data(name) for name in step["names"]] if "names" in step else None,
        start_exclusive=step.get("start_exclusive", False),
        finish_exclusive=step.get("finish_exclusive", False),
        since=int(step["since"]) if "since" in step else None,
    )


def changes(client, rows):
    batch = Batch(client, "Scenario")
    for row in rows:
        for put in row.get("puts", []):
            options = written(put) | {"super_column": optional(put, "super")}
            batch.put(row["family"], data(row["key"]), data(put["column"]), data(put["value"]), **options)
        for removal in row.get("removes", []):
            batch.remove(row["family"], data(row["key"]), sliced(removal), timestamp=int(removal["timestamp"]))
    return batch


def outcomes(answers):
    result = {"applied": {}}
    for outcome in answers:
        result["applied"][outcome.applied] = result["applied"].get(outcome.applied, 0) + 1
        reason = outcome.error.reason if outcome.error else ""
        result[str(outcome.sequence)] = {"applied": outcome.applied, "reason": reason}
    return {"outcomes": result}


def shown(entry):
    if isinstance(entry, SuperColumn):
        return {"name": entry.name, "columns": [shown(column) for column in entry.columns]}
    return {"name": entry.name, "value": entry.value, "timestamp": str(entry.timestamp), "ttl": entry.ttl}


def summary(entries, parts):
    names = [entry.name for entry in entries]
    columns = sum(len(entry.columns) for entry in entries if isinstance(entry, SuperColumn))
    return {"summary": {
        "entries": len(entries),
        "columns": columns,
        "several": parts > 1,
        "first": names[0] if names else None,
        "last": names[-1] if names else None,
        "ascending": all(a < b for a, b in zip(names, names[1:])),
    }}


def described(error):
    return {
        "code": error.code.name,
        "reason": error.reason,
        "applied": error.applied or error.metadata.get("applied"),
        "required": error.required,
        "received": error.received,
        "alive": error.alive,
        "field": next(iter(error.fields), None),
        "message": error.message,
    }


def main():
    with open(os.environ["COLONNADE_SCENARIO"], encoding="utf-8") as file:
        steps = json.load(file)["steps"]
    player, passed, failed = Player(), 0, 0
    for step in steps:
        end = time.monotonic() + step.get("retry_for_ms", 0) / 1000
        while True:
            begun = time.monotonic()
            answer = player.play(step)
            took = 1000 * (time.monotonic() - begun)
            good = matches(step["expect"], answer) and took <= step.get("max_ms", 60_000)
            if good or time.monotonic() >= end:
                break
            time.sleep(0.2)
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"FAILED: {step['name']}: expected {step['expect']}, got {str(answer)[:1000]} after {took:.0f} ms")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
