import { setTimeout as sleep } from "node:timers/promises";
import type { SecureContextOptions } from "node:tls";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type CallOptions, Code, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { Batch, outcome } from "./batch.js";
import { ColonnadeError } from "./errors.js";
import { Family } from "./family.js";
import * as admin from "./gen/colonnade/admin/v1/admin_pb.js";
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
export type Node = ReturnType<typeof connect>;

/** Makes one call on a node: `(node, options) => node.node.getInfo({}, options)`. */
export type Invoke<R> = (node: Node, options: CallOptions) => R;

/** The definition of a column family; `compareSubcolumnsWith` makes it a Super family. */
export type FamilyDefinition = MessageInitShape<typeof admin.ColumnFamilyDefSchema>;

/** A client of one cluster. Make one for a program. */
export class Colonnade {
  /** The options of reads and of writes. */
  readonly reads: { consistencyLevel: ConsistencyLevel };
  readonly writes: { consistencyLevel: ConsistencyLevel };
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly #nodes: Node[];

  /** @param addresses nodes as "host:port". Calls go to the first one that works; any answers for the whole cluster */
  constructor(addresses: readonly string[], settings: Settings = {}) {
    if (addresses.length === 0) {
      throw new RangeError("give the address of a node at least, such as 127.0.0.1:9160");
    }
    this.reads = { consistencyLevel: ConsistencyLevel[settings.readLevel ?? "ONE"] };
    this.writes = { consistencyLevel: ConsistencyLevel[settings.writeLevel ?? "ONE"] };
    this.timeoutMs = settings.timeoutMs ?? 10_000;
    this.attempts = settings.attempts ?? 4;
    this.#nodes = addresses.map((address) => connect(address, settings));
  }

  /** Ends all calls and closes the connections. */
  close(): void {
    this.#nodes.forEach((node) => node.sessions.abort());
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
  async *mutateStream(batches: Iterable<Batch> | AsyncIterable<Batch>, settings?: CallSettings) {
    async function* requests() {
      let sequence = 0n;
      for await (const batch of batches) {
        yield { sequence: String(++sequence), batch: batch.toMessage() };
      }
    }
    const answers = this.stream(true, (node, options) => node.columnStore.streamMutate(requests(), options), settings);
    for await (const answer of answers) {
      yield* answer.outcomes.map(outcome);
    }
  }

  /** Creates a keyspace with its families. */
  async createKeyspace(name: string, families: FamilyDefinition[] = [], replicationFactor = 1): Promise<void> {
    const keyspace = { name, replicationFactor, columnFamilies: families.map((each) => definition(name, each)) };
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
  async #change(invoke: Invoke<Promise<unknown>>): Promise<void> {
    await this.call(true, invoke, { timeoutMs: Math.max(this.timeoutMs, 30_000) });
  }

  /**
   * Makes a call with the client's deadline, retries and errors:
   * `store.call(false, (node, options) => node.node.getInfo({}, options))`.
   */
  async call<R>(write: boolean, invoke: Invoke<Promise<R>>, settings: CallSettings = {}): Promise<R> {
    const { signal, timeoutMs = this.timeoutMs } = settings;
    const deadline = performance.now() + timeoutMs;
    for (let attempt = 1; ; attempt++) {
      const node = this.node();
      try {
        return await invoke(node, { signal, timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())) });
      } catch (error) {
        const broken = performance.now() < deadline ? Code.Unavailable : Code.DeadlineExceeded;
        const failure = this.#failed(node, error, write, signal?.aborted ? Code.Canceled : broken);
        await this.pause(attempt, failure, signal, deadline);
      }
    }
  }

  /** Makes a call that answers with a stream, with the client's errors. Leaving the loop ends the call. */
  async *stream<R>(write: boolean, invoke: Invoke<AsyncIterable<R>>, settings: CallSettings = {}): AsyncGenerator<R> {
    const { signal, timeoutMs } = settings;
    const node = this.node();
    const left = new AbortController();
    try {
      yield* invoke(node, { timeoutMs, signal: signal ? AbortSignal.any([signal, left.signal]) : left.signal });
    } catch (error) {
      throw this.#failed(node, error, write, signal?.aborted ? Code.Canceled : Code.Unavailable);
    } finally {
      left.abort();
    }
  }

  /**
   * Waits before the next attempt: for what the node asked, or 20 ms, doubled each time; a part by chance. Without one
   * it throws the error.
   */
  async pause(attempt: number, error: ColonnadeError, signal?: AbortSignal, deadline = Infinity): Promise<void> {
    const pause = (error.retryAfterMs ?? Math.min(2000, 20 * 2 ** (attempt - 1))) * (1 + Math.random() / 2);
    if (attempt >= this.attempts || !error.mayRetry || performance.now() + pause >= deadline) {
      throw error;
    }
    await sleep(pause, undefined, { signal });
  }

  /** The node that the next call goes to: the first that did not fail lately. */
  node(): Node {
    const now = performance.now();
    return this.#nodes.toSorted((a, b) => Math.max(a.avoidUntil, now) - Math.max(b.avoidUntil, now))[0]!;
  }

  /** Turns an error into one of this package, and avoids a node that does not serve. */
  #failed(node: Node, error: unknown, write: boolean, canceled: Code): ColonnadeError {
    const failure = ColonnadeError.from(error, write, canceled);
    // A node that said nothing in time may stand still.
    const silent = failure.code === Code.DeadlineExceeded && failure.reason === "";
    if (silent || failure.nodeIsGone) {
      node.avoidUntil = performance.now() + 2000;
    }
    return failure;
  }
}

/** The definition as the contract has it. */
export function definition(keyspace: string, family: FamilyDefinition): FamilyDefinition {
  const columnType = family.compareSubcolumnsWith ? admin.ColumnType.SUPER : admin.ColumnType.STANDARD;
  return { ...family, keyspace, columnType };
}

function connect(address: string, { tls, user }: Settings) {
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
  const interceptors = credentials ? [identify] : [];
  const transport = createGrpcTransport({ baseUrl, sessionManager: sessions, interceptors });
  return {
    transport,
    sessions,
    avoidUntil: 0,
    columnStore: createClient(ColumnStoreService, transport),
    schema: createClient(admin.SchemaService, transport),
    cluster: createClient(admin.ClusterService, transport),
    node: createClient(admin.NodeService, transport),
  };
}
