import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallSettings, Colonnade } from "./client.js";
import { bytes, type Data, predicate, type Slice } from "./data.js";
import { type Applied as AppliedName, ColonnadeError } from "./errors.js";
import { column, type Family, type Write } from "./family.js";
import { Applied, type MutateOutcome } from "./gen/colonnade/v1/column_store_service_pb.js";
import type { MutationSchema } from "./gen/colonnade/v1/model_pb.js";

type Mutation = MessageInitShape<typeof MutationSchema>;

/** Changes that one call applies: those of a row together, those of different rows side by side. */
export class Batch {
  readonly #rows: { key: Uint8Array; columnFamily: string; mutations: Mutation[] }[] = [];

  constructor(private readonly client: Colonnade, private readonly keyspace: string) {}

  /** Adds the write of a column. */
  put(family: Family, key: Data, name: Data, value: Data, write: Write = {}): this {
    const written = column(name, value, write);
    const entry = family.superColumn
      ? { case: "superColumn" as const, value: { name: family.superColumn, columns: [written] } }
      : { case: "column" as const, value: written };
    return this.#add(family, key, { kind: { case: "columnOrSuperColumn", value: { value: entry } } });
  }

  /** Adds the removal of the entries of a slice, or without one of the row or the super column. */
  remove(family: Family, key: Data, slice?: Slice, { timestamp }: Write = {}): this {
    const { superColumn } = family;
    const deletion = { timestamp: timestamp?.toString(), superColumn, predicate: slice && predicate(slice) };
    return this.#add(family, key, { kind: { case: "deletion", value: deletion } });
  }

  #add(family: Family, key: Data, mutation: Mutation): this {
    this.#rows.push({ key: bytes(key), columnFamily: family.name, mutations: [mutation] });
    return this;
  }

  /** Applies the changes. */
  async apply(settings?: CallSettings): Promise<void> {
    await this.client.call(true, (node, options) => node.columnStore.batchMutate(this.toMessage(), options), settings);
  }

  toMessage() {
    return { keyspace: this.keyspace, rows: this.#rows, options: this.client.writes };
  }
}

/** How one batch of a stream ended: `error` is undefined if it was applied. `sequence` counts the batches from 1. */
export type Outcome = ReturnType<typeof outcome>;

export function outcome(message: MutateOutcome) {
  const applied = Applied[message.applied]!.toLowerCase() as AppliedName;
  const replicas = { required: `${message.required}`, received: `${message.received}` };
  const metadata: Record<string, string> = message.required > 0 ? replicas : {};
  const error = new ColonnadeError(message.code, message.message, message.reason, applied, metadata);
  return { sequence: BigInt(message.sequence), applied, error: message.code === 0 ? undefined : error };
}
