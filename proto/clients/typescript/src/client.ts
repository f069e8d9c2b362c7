import { setTimeout as sleep } from "node:timers/promises";
import type { SecureContextOptions } from "node:tls";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type CallOptions, type Client, Code, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { Batch, mutateStream, type Outcome } from "./batch.js";
import { ColonnadeError } from "./errors.js";
import { Family } from "./family.js";
import {
  ClusterService,
  type ColumnFamilyDefSchema,
  ColumnType,
  NodeService,
  SchemaService,
} from "./gen/colonnade/admin/v1/admin_pb.js";
import { ColumnStoreService } from "./gen/colonnade/v1/column_store_service_pb.js";
import { ConsistencyLevel } from "./gen/colonnade/v1/model_pb.js";

/** How a client calls. */
export interface Settings {
  /** The consistency level of reads, such as "QUORUM"; "ONE" without it. */
  readLevel?: keyof typeof ConsistencyLevel;
  /** The consistency level of writes; "ONE" without it. */
  writeLevel?: keyof typeof ConsistencyLevel;
  /** How long a call may take, with its retries; 10,000 without it. Streams have no limit but their signal. */
  timeoutMs?: number;
  /**
   * How often a call is made at most; 4 without it. A read is repeated when its node cannot be reached or does not
   * serve, a write only when the node said that it was not applied.
   */
  attempts?: number;
  /** The options of TLS, such as `ca`: the PEM of the authority that signed the nodes' certificates. */
  tls?: SecureContextOptions;
  /** Who calls. The password is sent as it is, so without TLS to nodes on loopback alone. */
  user?: { name: string; password: string };
}

/** What one call may be given. */
export interface CallSettings {
  /** Ends the call. */
  signal?: AbortSignal;
  /** Instead of the client's. */
  timeoutMs?: number;
}

/** A node and its generated stubs. */
export interface Node {
  readonly address: string;
  readonly transport: Transport;
  readonly columnStore: Client<typeof ColumnStoreService>;
  readonly schema: Client<typeof SchemaService>;
  readonly cluster: Client<typeof ClusterService>;
  readonly node: Client<typeof NodeService>;
}

/** The definition of a column family; `compareSubcolumnsWith` makes it a Super family. */
export interface FamilyDefinition {
  name: string;
  compareWith?: string;
  compareSubcolumnsWith?: string;
}

interface Connection extends Node {
  readonly sessions: Http2SessionManager;
  avoidUntil: number;
}

/** A client of one cluster. Make one for a program. */
export class Colonnade {
  readonly readLevel: ConsistencyLevel;
  readonly writeLevel: ConsistencyLevel;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly #nodes: Connection[];

  /** @param addresses nodes as "host:port". Calls go to the first one that works; any answers for the whole cluster */
  constructor(addresses: readonly string[], settings: Settings = {}) {
    if (addresses.length === 0) {
      throw new RangeError("give the address of a node at least, such as 127.0.0.1:9160");
    }
    this.readLevel = ConsistencyLevel[settings.readLevel ?? "ONE"];
    this.writeLevel = ConsistencyLevel[settings.writeLevel ?? "ONE"];
    this.timeoutMs = settings.timeoutMs ?? 10_000;
    this.attempts = settings.attempts ?? 4;
    this.#nodes = addresses.map((address) => connect(address, settings));
  }

  /** Ends all calls and closes the connections. */
  close(): void {
    for (const node of this.#nodes) {
      node.sessions.abort();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A column family to read and write. Makes no call, and does not ask whether there is one. */
  family(keyspace: string, name: string): Family {
    return new Family(this, keyspace, name);
  }

  /** Changes to many rows and families that `apply()` makes in one call. */
  batch(keyspace: string): Batch {
    return new Batch(this, keyspace);
  }

  /**
   * Applies batches as they come, and yields an outcome for each, in any order. A batch that fails does not end the
   * stream.
   */
  mutateStream(batches: Iterable<Batch> | AsyncIterable<Batch>, settings?: CallSettings): AsyncIterable<Outcome> {
    return mutateStream(this, batches, settings);
  }

  /** Creates a keyspace with its families. */
  async createKeyspace(name: string, families: FamilyDefinition[] = [], replicationFactor = 1): Promise<void> {
    const columnFamilies = families.map((each) => definition(name, each));
    const keyspace = { name, replicationFactor, columnFamilies };
    await this.#change((node, options) => node.schema.createKeyspace({ keyspace }, options));
  }

  /** Creates a column family in a keyspace. */
  async createFamily(keyspace: string, family: FamilyDefinition): Promise<void> {
    const columnFamily = definition(keyspace, family);
    await this.#change((node, options) => node.schema.createColumnFamily({ columnFamily }, options));
  }

  /** Drops a keyspace with all its data. */
  async dropKeyspace(name: string): Promise<void> {
    await this.#change((node, options) => node.schema.dropKeyspace({ name }, options));
  }

  /** A change of the schema waits for all nodes that are up. */
  async #change(invoke: (node: Node, options: CallOptions) => Promise<unknown>): Promise<void> {
    await this.call(true, invoke, { timeoutMs: Math.max(this.timeoutMs, 30_000) });
  }

  /**
   * Makes a call with the client's deadline, retries and errors:
   * `store.call(false, (node, options) => node.node.getInfo({}, options))`.
   */
  async call<R>(
    write: boolean,
    invoke: (node: Node, options: CallOptions) => Promise<R>,
    settings: CallSettings = {},
  ): Promise<R> {
    const deadline = performance.now() + (settings.timeoutMs ?? this.timeoutMs);
    for (let attempt = 1; ; attempt++) {
      const node = this.node();
      try {
        const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
        return await invoke(node, { timeoutMs, ...(settings.signal && { signal: settings.signal }) });
      } catch (error) {
        const late = performance.now() >= deadline && !settings.signal?.aborted;
        const failure = this.failed(node, error, write, late);
        const pause = backoff(attempt, failure);
        if (attempt >= this.attempts || !failure.mayRetry(write) || performance.now() + pause >= deadline) {
          throw failure;
        }
        await sleep(pause, undefined, { signal: settings.signal });
      }
    }
  }

  /** The node that the next call goes to: the first that did not fail lately. */
  node(): Node {
    const now = performance.now();
    const working = this.#nodes.find((node) => node.avoidUntil <= now);
    return working ?? this.#nodes.reduce((best, node) => (node.avoidUntil < best.avoidUntil ? node : best));
  }

  /** Turns an error into one of this package, and avoids a node that does not serve. */
  failed(node: Node, error: unknown, write: boolean, late = false): ColonnadeError {
    const failure = ColonnadeError.from(error, write, late);
    // A node that said nothing in time may stand still.
    const silent = failure.code === Code.DeadlineExceeded && failure.reason === "";
    if (silent || failure.nodeIsGone) {
      (node as Connection).avoidUntil = performance.now() + 2000;
    }
    return failure;
  }
}

/** The definition as the contract has it. */
export function definition(keyspace: string, family: FamilyDefinition): MessageInitShape<typeof ColumnFamilyDefSchema> {
  const columnType = family.compareSubcolumnsWith === undefined ? ColumnType.STANDARD : ColumnType.SUPER;
  return { keyspace, columnType, ...family };
}

/** Milliseconds to wait before the next attempt: what the node asked for, or 20, doubled each time; a part by chance. */
export function backoff(attempt: number, failure: ColonnadeError): number {
  const pause = failure.retryAfterMs ?? Math.min(2000, 20 * 2 ** (attempt - 1));
  return pause * (1 + Math.random() / 2);
}

function connect(address: string, { tls, user }: Settings): Connection {
  if (user && !tls && !/^(localhost|127\.[\d.]+|\[::1\]):\d+$/.test(address)) {
    throw new Error(`the password would be sent to ${address} unencrypted: give the options of TLS`);
  }
  const baseUrl = `${tls ? "https" : "http"}://${address}`;
  // A dead peer is noticed, so that a stream without a limit does not wait for ever.
  const sessions = new Http2SessionManager(baseUrl, { pingIntervalMs: 60_000, pingTimeoutMs: 30_000 }, tls);
  const credentials = user && `Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}`;
  const identify: Interceptor = (next) => (request) => {
    request.header.set("authorization", credentials ?? "");
    return next(request);
  };
  const transport = createGrpcTransport({ baseUrl, sessionManager: sessions, interceptors: credentials ? [identify] : [] });
  return {
    address,
    transport,
    sessions,
    avoidUntil: 0,
    columnStore: createClient(ColumnStoreService, transport),
    schema: createClient(SchemaService, transport),
    cluster: createClient(ClusterService, transport),
    node: createClient(NodeService, transport),
  };
}
