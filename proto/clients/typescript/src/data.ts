import type { MessageInitShape } from "@bufbuild/protobuf";
import type * as pb from "./gen/colonnade/v1/model_pb.js";

/**
 * What a key, a name or a value may be given as. A string is text and becomes UTF-8, also where it looks like base64
 * or hexadecimal; a bigint becomes the 8 bytes of LongType. A number is neither: write `String(n)` or `BigInt(n)`.
 */
export type Data = Uint8Array | string | bigint;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes that are stored for a value. Throws a TypeError for a string that is no text: half of a surrogate pair. */
export function bytes(value: Data): Uint8Array {
  if (typeof value === "string") {
    if (/\p{Surrogate}/u.test(value)) {
      throw new TypeError("half of a surrogate pair has no UTF-8; give such data as bytes");
    }
    return new TextEncoder().encode(value);
  }
  if (typeof value === "bigint") {
    return long(value);
  }
  if (!(value instanceof Uint8Array)) {
    throw new TypeError(`${value === null ? "null" : typeof value} is neither bytes, string nor bigint`);
  }
  return value;
}

/** The text in bytes. Throws a TypeError if they are not UTF-8; nothing is replaced. */
export function text(data: Uint8Array): string {
  return decoder.decode(data);
}

/** The 8 bytes of LongType: signed, the most significant first. Throws a RangeError for a number that needs more. */
export function long(value: bigint): Uint8Array {
  const data = Buffer.alloc(8);
  data.writeBigInt64BE(value);
  return Uint8Array.from(data);
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

/** A name and columns, ascending. Pages and streams may give it in parts: the next entry then has the same name. */
export interface SuperColumn {
  readonly name: Uint8Array;
  readonly columns: readonly Column[];
}

/** What stands directly under a row: columns in a Standard family, super columns in a Super one. */
export type Entry = Column | SuperColumn;

/** A row of several. A page may hold a part of it: the next row then has the same key. */
export interface Row {
  readonly key: Uint8Array;
  readonly entries: readonly Entry[];
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

export function predicate(slice: Slice): MessageInitShape<typeof pb.SlicePredicateSchema> {
  const { start = "", finish = "", names, since, ...rest } = slice;
  const minTimestamp = since?.toString();
  if (names !== undefined) {
    return { minTimestamp, kind: { case: "columnNames", value: { names: names.map(bytes) } } };
  }
  return { minTimestamp, kind: { case: "sliceRange", value: { ...rest, start: bytes(start), finish: bytes(finish) } } };
}

function column({ name, value, timestamp = "0", ttlSeconds: ttl }: pb.Column): Column {
  return { name, value, timestamp: BigInt(timestamp), ttl };
}

export function entry({ value: found }: pb.ColumnOrSuperColumn): Entry {
  return found.case === "superColumn"
    ? { name: found.value.name, columns: found.value.columns.map(column) }
    : column(found.value as pb.Column);
}

export function row(message: pb.KeySlice): Row {
  return { key: message.key, entries: message.columns.map(entry) };
}

/** Makes super columns whole that pages cut in two. */
export function joined(entries: readonly Entry[]): Entry[] {
  const columns = (entry: Entry) => (entry as SuperColumn).columns;
  const whole = (a: Entry, b: Entry) => ({ name: a.name, columns: [...columns(a), ...columns(b)] });
  return merged(entries, (entry) => entry.name, whole);
}

/** Makes rows whole that pages cut in two. */
export function joinedRows(rows: readonly Row[]): Row[] {
  const whole = (a: Row, b: Row) => ({ key: a.key, entries: joined([...a.entries, ...b.entries]) });
  return merged(rows, (row) => row.key, whole);
}

/** Makes one of neighbours that have the same name: in one answer only the parts of one thing do. */
function merged<T>(parts: readonly T[], name: (part: T) => Uint8Array, merge: (a: T, b: T) => T): T[] {
  const whole: T[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    const again = last && Buffer.compare(name(last), name(part)) === 0;
    whole.splice(again ? -1 : whole.length, 1, again ? merge(last, part) : part);
  }
  return whole;
}
