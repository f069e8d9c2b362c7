// Plays ../../scenario/scenario.json; the README.md beside that file says what the steps mean.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { Batch } from "../src/batch.js";
import { definition } from "../src/client.js";
import { StatusSchema } from "../src/gen/google/rpc/details_pb.js";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../src/gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../src/gen/grpc/reflection/v1/reflection_pb.js";
import {
  bytes,
  Colonnade,
  ColonnadeError,
  type Cursor,
  type Entry,
  type Family,
  type FamilyDefinition,
  isSuperColumn,
  long,
  type Outcome,
  type Settings,
  type Slice,
} from "../src/index.js";

const nodes = process.env.COLONNADE_NODES!.split(",");
const pids = process.env.COLONNADE_PIDS!.split(",").map(Number);

interface Change {
  super?: string;
  column?: string;
  value?: string;
  timestamp?: string;
  ttl?: number;
  start?: string;
  finish?: string;
  reversed?: boolean;
  count?: number;
  names?: string[];
  start_exclusive?: boolean;
  finish_exclusive?: boolean;
  since?: string;
}

interface RowOfChanges {
  family: string;
  key: string;
  puts?: Change[];
  removes?: Change[];
}

// biome-ignore lint/suspicious/noExplicitAny: a step has the fields that its op needs
type Step = Change & Record<string, any>;

/** The bytes that a string of the scenario stands for. */
function data(value: string): Uint8Array {
  if (value.startsWith("0x")) {
    return Uint8Array.from(Buffer.from(value.slice(2), "hex"));
  }
  if (value.startsWith("long:")) {
    return long(BigInt(value.slice(5)));
  }
  return bytes(value.startsWith("fill:") ? "x".repeat(Number(value.slice(5))) : value);
}

/** Whether the answer has all that is expected; it may have more. */
function matches(expected: unknown, actual: unknown): boolean {
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length && expected.every((e, i) => matches(e, actual[i]));
  }
  if (expected === null) {
    return actual === undefined;
  }
  if (typeof expected === "object") {
    const has = actual as Record<string, unknown> | undefined;
    return has !== undefined && Object.entries(expected).every(([name, each]) => matches(each, has[name]));
  }
  if (expected === "*") {
    return actual !== undefined;
  }
  if (actual instanceof Uint8Array && typeof expected === "string") {
    return isDeepStrictEqual(data(expected), Uint8Array.from(actual));
  }
  return expected === actual;
}

const clients = new Map<string, Colonnade>();
const saved = new Map<string, { entries: Entry[]; token: string }>();

function client(step: Step): Colonnade {
  const numbers: number[] = step.node ? [step.node] : (step.nodes ?? [1, 2, 3]);
  const level = (step.level ?? "QUORUM") as Settings["readLevel"];
  const settings: Settings = { readLevel: level, writeLevel: level, timeoutMs: step.timeout_ms ?? 10_000, attempts: step.attempts ?? 4 };
  if (step.user) {
    settings.user = { name: step.user[0], password: step.user[1] };
  }
  if (step.secured) {
    settings.tls = { ca: readFileSync(process.env.COLONNADE_SECURED_ROOTS!) };
  }
  const addresses = step.secured ? [process.env.COLONNADE_SECURED_NODE!] : numbers.map((number) => nodes[number - 1]!);
  const id = JSON.stringify([addresses, settings]);
  const found = clients.get(id) ?? new Colonnade(addresses, settings);
  clients.set(id, found);
  return found;
}

function slice(change: Change): Slice {
  return {
    start: data(change.start ?? ""),
    finish: data(change.finish ?? ""),
    reversed: change.reversed ?? false,
    startExclusive: change.start_exclusive ?? false,
    finishExclusive: change.finish_exclusive ?? false,
    ...(change.count !== undefined && { count: change.count }),
    ...(change.since !== undefined && { since: BigInt(change.since) }),
    ...(change.names && { names: change.names.map(data) }),
  };
}

function write(change: Change) {
  return {
    ...(change.timestamp !== undefined && { timestamp: BigInt(change.timestamp) }),
    ...(change.ttl !== undefined && { ttl: change.ttl }),
  };
}

function inside(family: Family, superColumn: string | undefined): Family {
  return superColumn === undefined ? family : family.inside(data(superColumn));
}

function defined(family: Record<string, string>): FamilyDefinition {
  const nested = family.compare_subcolumns_with;
  return { name: family.name!, compareWith: family.compare_with!, ...(nested && { compareSubcolumnsWith: nested }) };
}

function changes(store: Colonnade, rows: RowOfChanges[]): Batch {
  const batch = store.batch("Scenario");
  for (const row of rows) {
    const family = store.family("Scenario", row.family);
    for (const put of row.puts ?? []) {
      batch.put(inside(family, put.super), data(row.key), data(put.column!), data(put.value!), write(put));
    }
    for (const removal of row.removes ?? []) {
      batch.remove(family, data(row.key), slice(removal), write(removal));
    }
  }
  return batch;
}

async function play(step: Step): Promise<unknown> {
  const store = client(step);
  const family = () => inside(store.family(step.keyspace ?? "Scenario", step.family), step.super);
  const key = () => data(step.key);
  switch (step.op) {
    case "create_keyspace":
      await store.createKeyspace(step.keyspace, step.families.map(defined), step.replication_factor);
      return {};
    case "drop_keyspace":
      await store.dropKeyspace(step.keyspace);
      return {};
    case "create_family":
      await store.createFamily(step.keyspace, defined(step.family));
      return {};
    case "update_comparator": {
      const columnFamily = definition(step.keyspace, defined(step.family));
      await store.call(true, (node, options) => node.schema.updateColumnFamily({ columnFamily }, options));
      return {};
    }
    case "put":
      return { timestamp: String(await family().put(key(), data(step.column!), data(step.value!), write(step))) };
    case "remove": {
      const name = step.column === undefined ? undefined : data(step.column);
      return { timestamp: String(await family().remove(key(), name, write(step))) };
    }
    case "get":
      return get(store, step, family());
    case "slice": {
      const entries = await family().slice(key(), slice(step));
      return step.summary ? summary(entries, 1) : { entries: entries.map(shown) };
    }
    case "count":
      return { count: await family().count(key()) };
    case "multiget": {
      const rows = await family().multiget(step.keys.map(data), slice(step));
      return { rows: rows.map((row) => ({ key: row.key, entries: row.entries.map(shown) })) };
    }
    case "pages":
      return read(step, family().pages(key(), slice(step), { token: begun(step).token, pageBytes: step.page_bytes }));
    case "stream":
      return read(step, family().stream(key(), slice(step), { token: begun(step).token, pageBytes: step.chunk_bytes }));
    case "rows": {
      const rows: { key: Uint8Array; entries: number }[] = [];
      for await (const row of family().rows({}, { pageBytes: step.page_bytes })) {
        const before = rows.find((each) => isDeepStrictEqual(each.key, row.key));
        if (before) {
          before.entries += row.entries.length;
        } else {
          rows.push({ key: row.key, entries: row.entries.length });
        }
      }
      return { rows };
    }
    case "batch":
      await changes(store, step.rows).apply();
      return {};
    case "mutate_stream":
      return outcomes(store.mutateStream(step.batches.map((rows: RowOfChanges[]) => changes(store, rows))));
    case "fill": {
      const batches: Batch[] = [];
      for (let first = 0; first < step.columns; first += 100) {
        const batch = store.batch("Scenario");
        for (let i = first; i < first + 100; i++) {
          batch.put(family(), key(), String(i).padStart(5, "0"), data(step.value!), { timestamp: 1n });
        }
        batches.push(batch);
      }
      return outcomes(store.mutateStream(batches));
    }
    case "sequences":
      return sequences(store, step);
    case "empty_session_call":
      return emptySessionCall(store);
    case "health": {
      const answer = await createClient(Health, store.node().transport).check({ service: step.service });
      return { status: ServingStatus[answer.status] };
    }
    case "reflection": {
      const reflection = createClient(ServerReflection, store.node().transport);
      const services: Record<string, boolean> = {};
      for await (const answer of reflection.serverReflectionInfo(one({ messageRequest: { case: "listServices" as const, value: "" } }))) {
        for (const each of answer.messageResponse.value?.service ?? []) {
          services[each.name] = true;
        }
      }
      return { services };
    }
    case "drain":
      await store.call(false, (node, options) => node.node.drain({}, options), { timeoutMs: 30_000 });
      return {};
    case "remove_node":
      return removeNode(store);
    case "signal":
      process.kill(pids[step.node - 1]!, `SIG${step.signal}`);
      return {};
    default:
      throw new Error(`unknown op ${step.op}`);
  }
}

async function get(store: Colonnade, step: Step, family: Family): Promise<unknown> {
  if (step.column !== undefined) {
    const column = await family.get(data(step.key), data(step.column));
    return column ? { column: shown(column) } : notFound;
  }
  const found = await store.family("Scenario", step.family).getSuper(data(step.key), data(step.super!));
  return found ? { super_column: shown(found) } : notFound;
}

/** What undefined stands for. */
const notFound = { error: { code: "NOT_FOUND", reason: "COLUMN_NOT_FOUND" } };

function begun(step: Step): { entries: Entry[]; token: string } {
  return saved.get(step.continue) ?? { entries: [], token: step.token ?? "" };
}

async function read(step: Step, cursor: Cursor<Entry>): Promise<unknown> {
  const entries = [...begun(step).entries];
  let parts = 0;
  for await (const page of cursor.pages()) {
    entries.push(...page.items);
    parts++;
    if (parts === step.kill_after) {
      process.kill(pids[step.nodes[0] - 1]!, "SIGKILL");
    }
    if (parts === step.stop_after) {
      saved.set(step.save, { entries, token: page.token });
      break;
    }
  }
  return summary(entries, parts);
}

async function outcomes(stream: AsyncIterable<Outcome>): Promise<unknown> {
  const applied: Record<string, number> = {};
  const result: Record<string, unknown> = { applied };
  for await (const outcome of stream) {
    applied[outcome.applied] = (applied[outcome.applied] ?? 0) + 1;
    result[String(outcome.sequence)] = { applied: outcome.applied, reason: outcome.error?.reason ?? "" };
  }
  return { outcomes: result };
}

async function sequences(store: Colonnade, step: Step): Promise<unknown> {
  async function* requests() {
    for (let i = 0; i <= step.count!; i++) {
      yield { sequence: String(1 + i * step.step), batch: { keyspace: "Scenario" } };
    }
  }
  try {
    for await (const _ of store.node().columnStore.streamMutate(requests(), { timeoutMs: 30_000 })) {
      // only its end matters
    }
    return {};
  } catch (error) {
    throw ColonnadeError.from(error, true);
  }
}

async function emptySessionCall(store: Colonnade): Promise<unknown> {
  for await (const answer of store.node().columnStore.session(one({ calls: [{ id: "1" }] }))) {
    for (const each of answer.answers) {
      if (each.outcome.case === "error") {
        throw ColonnadeError.from(ofStatus(each.outcome.value), true);
      }
    }
  }
  return {};
}

/** What an encoded google.rpc.Status says. */
function ofStatus(encoded: Uint8Array): ConnectError {
  const status = fromBinary(StatusSchema, encoded);
  const failure = new ConnectError(status.message, status.code);
  failure.details = status.details.map((any) => ({ type: any.typeUrl.replace(/.*\//, ""), value: any.value }));
  return failure;
}

async function removeNode(store: Colonnade): Promise<unknown> {
  const info = await store.call(false, (node, options) => node.node.getInfo({}, options));
  try {
    for await (const _ of store.node().node.removeToken({ nodeId: info.node?.endpoint?.nodeId ?? "" })) {
      // only its end matters
    }
    return {};
  } catch (error) {
    throw ColonnadeError.from(error, false);
  }
}

async function* one<T>(message: T): AsyncGenerator<T> {
  yield message;
}

function shown(entry: Entry): unknown {
  return isSuperColumn(entry)
    ? { name: entry.name, columns: entry.columns.map(shown) }
    : { ...entry, timestamp: String(entry.timestamp) };
}

function summary(entries: Entry[], parts: number): unknown {
  const names = entries.map((entry) => entry.name);
  return {
    summary: {
      entries: entries.length,
      columns: entries.reduce((sum, entry) => sum + (isSuperColumn(entry) ? entry.columns.length : 0), 0),
      several: parts > 1,
      first: names[0],
      last: names.at(-1),
      ascending: names.every((name, i) => i === 0 || Buffer.compare(names[i - 1]!, name) < 0),
    },
  };
}

function described(error: ColonnadeError): unknown {
  return {
    code: Code[error.code]!.replace(/(?<=.)[A-Z]/g, "_$&").toUpperCase(),
    reason: error.reason,
    applied: error.applied ?? error.metadata.applied,
    required: error.required,
    received: error.received,
    alive: error.alive,
    field: error.fields[0],
    message: error.message,
  };
}

let passed = 0;
let failed = 0;
const scenario = JSON.parse(readFileSync(process.env.COLONNADE_SCENARIO!, "utf8"));
for (const step of scenario.steps as Step[]) {
  const end = performance.now() + (step.retry_for_ms ?? 0);
  for (;;) {
    const begin = performance.now();
    const answer = await play(step).catch((error: unknown) =>
      error instanceof ColonnadeError ? { error: described(error) } : { exception: String(error) },
    );
    const took = performance.now() - begin;
    if (matches(step.expect, answer) && took <= (step.max_ms ?? 60_000)) {
      passed++;
      break;
    }
    if (performance.now() >= end) {
      failed++;
      const got = JSON.stringify(answer, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value));
      console.log(`FAILED: ${step.name}: expected ${JSON.stringify(step.expect)}, got ${got?.slice(0, 1000)} after ${took.toFixed()} ms`);
      break;
    }
    await sleep(200);
  }
}
for (const each of clients.values()) {
  each.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
