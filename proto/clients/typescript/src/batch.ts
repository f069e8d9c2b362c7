import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallSettings, Colonnade } from "./client.js";
import { bytes, type Data, predicate, type Slice } from "./data.js";
import { type Applied as AppliedName, ColonnadeError } from "./errors.js";
import { type Family, type Write, written } from "./family.js";
import { Applied, type MutateOutcome, type StreamMutateRequestSchema } from "./gen/colonnade/v1/column_store_service_pb.js";
import type { MutationSchema } from "./gen/colonnade/v1/model_pb.js";

type Mutation = MessageInitShape<typeof MutationSchema>;

interface RowChanges {
  key: Uint8Array;
  columnFamily: string;
  mutations: Mutation[];
}

/** Changes that one call applies: those of a row together, those of different rows side by side. */
export class Batch {
  readonly #rows = new Map<string, RowChanges>();

  constructor(private readonly client: Colonnade, private readonly keyspace: string) {}

  /** Adds the write of a column. */
  put(family: Family, key: Data, name: Data, value: Data, write: Write = {}): this {
    const column = { name: bytes(name), value: bytes(value), ...written(write) };
    const inside = family.superColumn;
    const entry = inside
      ? { case: "superColumn" as const, value: { name: inside, columns: [column] } }
      : { case: "column" as const, value: column };
    return this.#add(family, key, { kind: { case: "columnOrSuperColumn", value: { value: entry } } });
  }

  /** Adds the removal of the entries of a slice, or without one of the row or the super column. */
  remove(family: Family, key: Data, slice?: Slice, write: Write = {}): this {
    const deletion = {
      ...written({ ...write, ttl: undefined }),
      ...(family.superColumn && { superColumn: family.superColumn }),
      ...(slice && { predicate: predicate(slice) }),
    };
    return this.#add(family, key, { kind: { case: "deletion", value: deletion } });
  }

  #add(family: Family, key: Data, mutation: Mutation): this {
    const encoded = bytes(key);
    const id = `${family.name} ${Buffer.from(encoded).toString("hex")}`;
    const row = this.#rows.get(id) ?? { key: encoded, columnFamily: family.name, mutations: [] };
    row.mutations.push(mutation);
    this.#rows.set(id, row);
    return this;
  }

  /** Applies the changes. */
  async apply(settings?: CallSettings): Promise<void> {
    const request = this.toMessage();
    await this.client.call(true, (node, options) => node.columnStore.batchMutate(request, options), settings);
  }

  toMessage() {
    const options = { consistencyLevel: this.client.writeLevel };
    return { keyspace: this.keyspace, rows: [...this.#rows.values()], options };
  }
}

/** How one batch of a stream ended: `error` is undefined if it was applied. `sequence` counts the batches from 1. */
export interface Outcome {
  readonly sequence: bigint;
  readonly applied: AppliedName;
  readonly error: ColonnadeError | undefined;
}

export async function* mutateStream(
  client: Colonnade,
  batches: Iterable<Batch> | AsyncIterable<Batch>,
  settings: CallSettings = {},
): AsyncGenerator<Outcome> {
  async function* requests(): AsyncGenerator<MessageInitShape<typeof StreamMutateRequestSchema>> {
    let sequence = 0n;
    for await (const batch of batches) {
      yield { sequence: String(++sequence), batch: batch.toMessage() };
    }
  }
  const node = client.node();
  const ended = new AbortController();
  const signal = settings.signal ? AbortSignal.any([settings.signal, ended.signal]) : ended.signal;
  try {
    for await (const answer of node.columnStore.streamMutate(requests(), { signal })) {
      yield* answer.outcomes.map(outcome);
    }
  } catch (error) {
    throw client.failed(node, error, true);
  } finally {
    ended.abort();
  }
}

function outcome(message: MutateOutcome): Outcome {
  const applied = message.applied === Applied.YES ? "yes" : message.applied === Applied.NO ? "no" : "unknown";
  const numbers = { required: String(message.required), received: String(message.received) };
  const details = { reason: message.reason, applied, metadata: message.required > 0 ? numbers : {} } as const;
  const error = message.code === 0 ? undefined : new ColonnadeError(message.code, message.message, details);
  return { sequence: BigInt(message.sequence), applied, error };
}
