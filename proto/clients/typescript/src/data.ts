import type { MessageInitShape } from "@bufbuild/protobuf";
import type * as pb from "./gen/colonnade/v1/model_pb.js";
import type { SlicePredicateSchema } from "./gen/colonnade/v1/model_pb.js";

/**
 * What a key, a name or a value may be given as. A string is text and becomes UTF-8, also where it looks like base64
 * or hexadecimal; a bigint becomes the 8 bytes of LongType. A number is neither: write `String(n)` or `BigInt(n)`.
 */
export type Data = Uint8Array | string | bigint;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes that are stored for a value. Throws a TypeError for a string that is no text: half of a surrogate pair. */
export function bytes(value: Data): Uint8Array {
  if (typeof value === "string") {
    if (/\p{Surrogate}/u.test(value)) {
      throw new TypeError("half of a surrogate pair has no UTF-8; give such data as bytes");
    }
    return encoder.encode(value);
  }
  if (typeof value === "bigint") {
    return long(value);
  }
  if (value instanceof Uint8Array) {
    return value;
  }
  throw new TypeError(`${value === null ? "null" : typeof value} is neither bytes, string nor bigint`);
}

/** The text in bytes. Throws a TypeError if they are not UTF-8; nothing is replaced. */
export function text(data: Uint8Array): string {
  return decoder.decode(data);
}

/** The 8 bytes of LongType: signed, the most significant first. */
export function long(value: bigint): Uint8Array {
  if (BigInt.asIntN(64, value) !== value) {
    throw new RangeError(`${value} does not fit 64 bits`);
  }
  const data = new Uint8Array(8);
  new DataView(data.buffer).setBigInt64(0, value);
  return data;
}

/** The number in the 8 bytes of LongType. */
export function unlong(data: Uint8Array): bigint {
  if (data.length !== 8) {
    throw new RangeError(`a long has 8 bytes, and this has ${data.length}`);
  }
  return new DataView(data.buffer, data.byteOffset, 8).getBigInt64(0);
}

/** A name with a value. */
export interface Column {
  readonly name: Uint8Array;
  readonly value: Uint8Array;
  /** Decides between versions; microseconds by convention. */
  readonly timestamp: bigint;
  /** The time to live in seconds; undefined for ever. */
  readonly ttl: number | undefined;
}

/** A name and columns, ascending. */
export interface SuperColumn {
  readonly name: Uint8Array;
  readonly columns: readonly Column[];
  /** There may be more of it: the next entry then has the same name. Only pages and streams give it in parts. */
  readonly continues: boolean;
}

/** What stands directly under a row: columns in a Standard family, super columns in a Super one. */
export type Entry = Column | SuperColumn;

/** A row of several, or the part of it that one page holds: then `continues` is true. */
export interface Row {
  readonly key: Uint8Array;
  readonly entries: readonly Entry[];
  readonly continues: boolean;
}

/** Which entries of a row are meant: those of an interval, or those of `names`. `{}` means all. */
export interface Slice {
  /** Where to begin and to end, in the direction of travel. */
  start?: Data;
  finish?: Data;
  reversed?: boolean;
  /** The most entries. */
  count?: number;
  /** An empty list finds nothing. */
  names?: readonly Data[];
  startExclusive?: boolean;
  finishExclusive?: boolean;
  /** Only columns with this timestamp or a greater one: what was written since. */
  since?: bigint;
}

export function isSuperColumn(entry: Entry): entry is SuperColumn {
  return "columns" in entry;
}

export function predicate(slice: Slice): MessageInitShape<typeof SlicePredicateSchema> {
  const { start = "", finish = "", names, since, ...rest } = slice;
  const written = since === undefined ? {} : { minTimestamp: String(since) };
  if (names !== undefined) {
    return { ...written, kind: { case: "columnNames", value: { names: names.map(bytes) } } };
  }
  return { ...written, kind: { case: "sliceRange", value: { ...rest, start: bytes(start), finish: bytes(finish) } } };
}

function column(message: pb.Column): Column {
  const timestamp = BigInt(message.timestamp ?? 0);
  return { name: message.name, value: message.value, timestamp, ttl: message.ttlSeconds };
}

export function entry(message: pb.ColumnOrSuperColumn | undefined, continues = false): Entry {
  const value = message?.value;
  if (value?.case === "superColumn") {
    return { name: value.value.name, columns: value.value.columns.map(column), continues };
  }
  if (value?.case === "column") {
    return column(value.value);
  }
  throw new Error("the answer holds neither a column nor a super column");
}

export function entries(messages: readonly pb.ColumnOrSuperColumn[], continues: boolean): Entry[] {
  return messages.map((message, i) => entry(message, continues && i === messages.length - 1));
}

export function rows(messages: readonly pb.KeySlice[], rowContinues: boolean, superContinues: boolean): Row[] {
  return messages.map((message, i) => {
    const last = i === messages.length - 1;
    return { key: message.key, entries: entries(message.columns, superContinues && last), continues: rowContinues && last };
  });
}

/** Puts the parts of super columns together. */
export function joined(parts: Iterable<Entry>): Entry[] {
  const whole: Entry[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (last && isSuperColumn(last) && isSuperColumn(part) && last.continues && same(last.name, part.name)) {
      whole[whole.length - 1] = { ...part, columns: [...last.columns, ...part.columns] };
    } else {
      whole.push(part);
    }
  }
  return whole.map((each) => (isSuperColumn(each) ? { ...each, continues: false } : each));
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
