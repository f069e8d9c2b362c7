import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallSettings, Colonnade, Invoke } from "./client.js";
import { bytes, entry, joined, joinedRows, predicate, row } from "./data.js";
import type { Column, Data, Entry, Row, Slice, SuperColumn } from "./data.js";
import { ColonnadeError } from "./errors.js";
import type { ColumnPathSchema, ColumnSchema } from "./gen/colonnade/v1/model_pb.js";

/** What a write may be given besides a value. */
export interface Write extends CallSettings {
  /**
   * Instead of the node's clock. A write whose error says "unknown" can then be made again: the same write twice is the
   * same as once.
   */
  timestamp?: bigint;
  /** Seconds after which the column expires. */
  ttl?: number;
}

/** A part of a long answer. A later read with the same arguments continues at its token, on any node. */
export interface Page<T> {
  readonly items: T[];
  readonly token: string;
}

/** Where a long read begins, and how large its pages are: 0 or nothing leaves that to the node. */
export interface Reading extends CallSettings {
  token?: string;
  pageBytes?: number;
}

/** Reads the rows of a column family, or with `inside()` the columns of a super column. */
export class Family {
  readonly #client: Colonnade;

  constructor(client: Colonnade, readonly keyspace: string, readonly name: string, readonly superColumn?: Uint8Array) {
    this.#client = client;
  }

  /** The same family inside one super column: all methods then mean its columns. */
  inside(superColumn: Data): Family {
    return new Family(this.#client, this.keyspace, this.name, bytes(superColumn));
  }

  /** Writes a column. Returns its timestamp. */
  async put(key: Data, name: Data, value: Data, write: Write = {}): Promise<bigint> {
    const target = { keyspace: this.keyspace, key: bytes(key), columnParent: this.#parent };
    const request = { ...target, column: column(name, value, write), options: this.#client.writes };
    const answer = await this.#client.call(true, (node, options) => node.columnStore.insert(request, options), write);
    return BigInt(answer.timestamp);
  }

  /** Reads a column; undefined if there is none. */
  async get(key: Data, name: Data, settings?: CallSettings): Promise<Column | undefined> {
    return (await this.#find(key, { ...this.#parent, column: bytes(name) }, settings)) as Column | undefined;
  }

  /** Reads a super column with all its columns; undefined if there is none. */
  async getSuper(key: Data, name: Data, settings?: CallSettings): Promise<SuperColumn | undefined> {
    return (await this.#find(key, { ...this.#parent, superColumn: bytes(name) }, settings)) as SuperColumn | undefined;
  }

  async #find(key: Data, columnPath: MessageInitShape<typeof ColumnPathSchema>, settings?: CallSettings) {
    const request = { keyspace: this.keyspace, key: bytes(key), columnPath, options: this.#client.reads };
    const call = this.#client.call(false, (node, options) => node.columnStore.get(request, options), settings);
    const found = await call.catch(notFound);
    return found && entry(found.columnOrSuperColumn!);
  }

  /** Reads entries of a row, super columns whole. A row that does not exist has none. */
  async slice(key: Data, slice: Slice = {}, settings?: CallSettings): Promise<Entry[]> {
    return joined(await this.pages(key, slice, settings).all());
  }

  /** Reads the same entries of several rows: one row for each distinct key, in the order of the keys. */
  async multiget(keys: Iterable<Data>, slice: Slice = {}, settings?: CallSettings): Promise<Row[]> {
    const request = { ...this.#slice(slice), keys: Array.from(keys, bytes) };
    const pages = this.#pages(settings, (pageToken) => async (node, options) => {
      const answer = await node.columnStore.multigetSlice({ ...request, pageToken }, options);
      return { items: answer.rows.map(row), token: answer.nextPageToken };
    });
    return joinedRows(await pages.all());
  }

  /** Counts the entries of a row. */
  async count(key: Data, slice: Slice = {}, settings?: CallSettings): Promise<number> {
    const request = { ...this.#slice(slice), key: bytes(key) };
    const answer = this.#client.call(false, (node, options) => node.columnStore.getCount(request, options), settings);
    return Number((await answer).count);
  }

  /** Removes a column, or without a name the super column or the row. Returns the timestamp of the removal. */
  async remove(key: Data, name?: Data, write: Write = {}): Promise<bigint> {
    const columnPath = { ...this.#parent, column: name === undefined ? undefined : bytes(name) };
    const timestamp = write.timestamp?.toString();
    const request = { keyspace: this.keyspace, key: bytes(key), columnPath, timestamp, options: this.#client.writes };
    const answer = await this.#client.call(true, (node, options) => node.columnStore.remove(request, options), write);
    return BigInt(answer.timestamp);
  }

  /** Reads entries of a row a page at a time: each is a call with a deadline and retries. */
  pages(key: Data, slice: Slice = {}, reading: Reading = {}): Cursor<Entry> {
    const request = { ...this.#slice(slice), key: bytes(key), pageBytes: reading.pageBytes };
    return this.#pages(reading, (pageToken) => async (node, options) => {
      const answer = await node.columnStore.getSlice({ ...request, pageToken }, options);
      return { items: answer.columns.map(entry), token: answer.nextPageToken };
    });
  }

  /** Reads the rows of the family in the order of the partitioner, a page at a time. */
  rows(slice: Slice = {}, range: { start?: Data; finish?: Data } & Reading = {}): Cursor<Row> {
    const keys = { startKey: bytes(range.start ?? ""), endKey: bytes(range.finish ?? "") };
    const bounds = { case: "keys" as const, value: keys };
    const request = { ...this.#slice(slice), range: { bounds }, pageBytes: range.pageBytes };
    return this.#pages(range, (pageToken) => async (node, options) => {
      const answer = await node.columnStore.getRangeSlices({ ...request, pageToken }, options);
      return { items: answer.rows.map(row), token: answer.nextPageToken };
    });
  }

  /** A cursor whose pages are a call each. */
  #pages<T>(reading: Reading = {}, page: (pageToken: string) => Invoke<Promise<Page<T>>>): Cursor<T> {
    const client = this.#client;
    return new Cursor(async function* () {
      let token = reading.token ?? "";
      do {
        const found = await client.call(false, page(token), reading);
        token = found.token;
        yield found;
      } while (token !== "");
    });
  }

  /**
   * Reads entries of a row as they come, in one call that may take as long as its reader. If the node fails it
   * continues on another one, without a gap and without repeating anything.
   */
  stream(key: Data, slice: Slice = {}, reading: Reading = {}): Cursor<Entry> {
    const shared = { ...this.#slice(slice), key: bytes(key), maxChunkBytes: reading.pageBytes };
    const client = this.#client;
    return new Cursor(async function* () {
      const request = { ...shared, resumeToken: reading.token };
      for (let failures = 0; ; ) {
        try {
          const read = client.stream(false, (node, options) => node.columnStore.streamSlice(request, options), reading);
          for await (const part of read) {
            failures = 0;
            request.resumeToken = part.resumeToken;
            yield { items: part.columns.map(entry), token: part.resumeToken };
          }
          return;
        } catch (error) {
          await client.pause(++failures, error as ColonnadeError, reading.signal);
        }
      }
    });
  }

  get #parent() {
    return { columnFamily: this.name, superColumn: this.superColumn };
  }

  /** What requests for a slice have in common. */
  #slice(slice: Slice) {
    const [columnParent, options] = [this.#parent, this.#client.reads];
    return { keyspace: this.keyspace, columnParent, predicate: predicate(slice), options };
  }
}

/** Makes undefined of the error that says so. */
function notFound(error: ColonnadeError): undefined {
  if (error.reason !== "COLUMN_NOT_FOUND") {
    throw error;
  }
}

/** The column of a write. */
export function column(name: Data, value: Data, write: Write): MessageInitShape<typeof ColumnSchema> {
  return { name: bytes(name), value: bytes(value), timestamp: write.timestamp?.toString(), ttlSeconds: write.ttl };
}

/**
 * Items in constant memory, however many there are: `for await (const item of cursor)`. Leaving the loop ends the call.
 */
export class Cursor<T> implements AsyncIterable<T> {
  /** @param pages the items in the pages in which they come, each with the token by which a later read continues */
  constructor(readonly pages: () => AsyncGenerator<Page<T>>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const page of this.pages()) {
      yield* page.items;
    }
  }

  /** All that is left, in memory. */
  async all(): Promise<T[]> {
    const found: T[] = [];
    for await (const item of this) {
      found.push(item);
    }
    return found;
  }
}
