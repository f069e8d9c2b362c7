import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions } from "@connectrpc/connect";
import { backoff, type CallSettings, type Colonnade, type Node } from "./client.js";
import {
  bytes,
  type Column,
  type Data,
  type Entry,
  entries,
  entry,
  joined,
  predicate,
  type Row,
  rows,
  same,
  type Slice,
  type SuperColumn,
} from "./data.js";
import { ColonnadeError } from "./errors.js";

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
    const request = {
      ...this.#row(key),
      column: { name: bytes(name), value: bytes(value), ...written(write) },
      options: { consistencyLevel: this.#client.writeLevel },
    };
    const answer = await this.#client.call(true, (node, options) => node.columnStore.insert(request, options), write);
    return BigInt(answer.timestamp);
  }

  /** Reads a column; undefined if there is none. */
  async get(key: Data, name: Data, settings?: CallSettings): Promise<Column | undefined> {
    return (await this.#get(key, this.superColumn, bytes(name), settings)) as Column | undefined;
  }

  /** Reads a super column with all its columns; undefined if there is none. */
  async getSuper(key: Data, name: Data, settings?: CallSettings): Promise<SuperColumn | undefined> {
    return (await this.#get(key, bytes(name), undefined, settings)) as SuperColumn | undefined;
  }

  async #get(key: Data, superColumn?: Uint8Array, column?: Uint8Array, settings?: CallSettings) {
    const columnPath = {
      columnFamily: this.name,
      ...(superColumn && { superColumn }),
      ...(column && { column }),
    };
    const request = { keyspace: this.keyspace, key: bytes(key), columnPath, options: this.#reads() };
    try {
      const answer = await this.#client.call(false, (node, options) => node.columnStore.get(request, options), settings);
      return entry(answer.columnOrSuperColumn);
    } catch (error) {
      if (error instanceof ColonnadeError && error.reason === "COLUMN_NOT_FOUND") {
        return undefined;
      }
      throw error;
    }
  }

  /** Reads entries of a row, super columns whole. A row that does not exist has none. */
  async slice(key: Data, slice: Slice = {}, settings?: CallSettings): Promise<Entry[]> {
    const parts: Entry[] = [];
    for await (const each of this.pages(key, slice, settings)) {
      parts.push(each);
    }
    return joined(parts);
  }

  /** Reads the same entries of several rows: one row for each distinct key, in the order of the keys. */
  async multiget(keys: Iterable<Data>, slice: Slice = {}, settings: CallSettings = {}): Promise<Row[]> {
    const { key: _, ...shared } = this.#row("-");
    const base = { ...shared, keys: Array.from(keys, bytes), predicate: predicate(slice), options: this.#reads() };
    const parts = this.#paged(settings, async (node, pageToken, options) => {
      const answer = await node.columnStore.multigetSlice({ ...base, pageToken }, options);
      return { items: rows(answer.rows, answer.rowContinues, answer.superColumnContinues), token: answer.nextPageToken };
    });
    const found: Row[] = [];
    for await (const row of parts) {
      const before = found.at(-1);
      if (before?.continues && same(before.key, row.key)) {
        found[found.length - 1] = { ...row, entries: [...before.entries, ...row.entries] };
      } else {
        found.push(row);
      }
    }
    return found.map((row) => ({ ...row, entries: joined(row.entries), continues: false }));
  }

  /** Counts the entries of a row. */
  async count(key: Data, slice: Slice = {}, settings?: CallSettings): Promise<number> {
    const request = { ...this.#row(key), predicate: predicate(slice), options: this.#reads() };
    const answer = await this.#client.call(false, (node, options) => node.columnStore.getCount(request, options), settings);
    return Number(answer.count);
  }

  /** Removes a column, or without a name the super column or the row. Returns the timestamp of the removal. */
  async remove(key: Data, name?: Data, write: Write = {}): Promise<bigint> {
    const request = {
      keyspace: this.keyspace,
      key: bytes(key),
      columnPath: { ...this.#parent(), ...(name !== undefined && { column: bytes(name) }) },
      ...written({ ...write, ttl: undefined }),
      options: { consistencyLevel: this.#client.writeLevel },
    };
    const answer = await this.#client.call(true, (node, options) => node.columnStore.remove(request, options), write);
    return BigInt(answer.timestamp);
  }

  /** Reads entries of a row a page at a time: each is a call with a deadline. */
  pages(key: Data, slice: Slice = {}, reading: Reading = {}): Cursor<Entry> {
    const base = { ...this.#row(key), predicate: predicate(slice), options: this.#reads(), pageBytes: reading.pageBytes ?? 0 };
    return this.#paged(reading, async (node, pageToken, options) => {
      const answer = await node.columnStore.getSlice({ ...base, pageToken }, options);
      return { items: entries(answer.columns, answer.superColumnContinues), token: answer.nextPageToken };
    });
  }

  /** Reads entries of a row as they come, in one call that may take as long as its reader. */
  stream(key: Data, slice: Slice = {}, reading: Reading = {}): Cursor<Entry> {
    const { pageBytes: maxChunkBytes = 0, timeoutMs } = reading;
    const base = { ...this.#row(key), predicate: predicate(slice), options: this.#reads(), maxChunkBytes };
    return new Cursor(this.#client, reading, async function* (node, resumeToken, signal) {
      const options = { signal, ...(timeoutMs !== undefined && { timeoutMs }) };
      for await (const part of node.columnStore.streamSlice({ ...base, resumeToken }, options)) {
        yield { items: entries(part.columns, part.superColumnContinues), token: part.resumeToken };
      }
    });
  }

  /** Reads the rows of the family in the order of the partitioner, a page at a time. */
  rows(slice: Slice = {}, range: { start?: Data; finish?: Data } & Reading = {}): Cursor<Row> {
    const keys = { startKey: bytes(range.start ?? ""), endKey: bytes(range.finish ?? "") };
    const base = {
      keyspace: this.keyspace,
      columnParent: this.#parent(),
      predicate: predicate(slice),
      range: { bounds: { case: "keys" as const, value: keys } },
      options: this.#reads(),
      pageBytes: range.pageBytes ?? 0,
    };
    return this.#paged(range, async (node, pageToken, options) => {
      const answer = await node.columnStore.getRangeSlices({ ...base, pageToken }, options);
      return { items: rows(answer.rows, answer.rowContinues, answer.superColumnContinues), token: answer.nextPageToken };
    });
  }

  /** A cursor whose pages are a call each. */
  #paged<T>(reading: Reading, page: (node: Node, token: string, options: CallOptions) => Promise<Page<T>>): Cursor<T> {
    const timeoutMs = reading.timeoutMs ?? this.#client.timeoutMs;
    return new Cursor(this.#client, reading, async function* (node, token, signal) {
      do {
        const found = await page(node, token, { signal, timeoutMs });
        token = found.token;
        yield found;
      } while (token !== "");
    });
  }

  #parent() {
    return { columnFamily: this.name, ...(this.superColumn && { superColumn: this.superColumn }) };
  }

  #row(key: Data) {
    return { keyspace: this.keyspace, key: bytes(key), columnParent: this.#parent() };
  }

  #reads() {
    return { consistencyLevel: this.#client.readLevel };
  }
}

/** The fields of a message that a write may set; those that are absent stay absent. */
export function written(write: Write): { timestamp?: string; ttlSeconds?: number } {
  return {
    ...(write.timestamp !== undefined && { timestamp: String(write.timestamp) }),
    ...(write.ttl !== undefined && { ttlSeconds: write.ttl }),
  };
}

type Open<T> = (node: Node, token: string, signal: AbortSignal) => AsyncIterable<Page<T>>;

/**
 * Items in constant memory, however many there are: `for await (const item of cursor)`. If a node fails it continues on
 * another one, without a gap and without repeating anything. Leaving the loop ends the call.
 */
export class Cursor<T> implements AsyncIterable<T> {
  constructor(
    private readonly client: Colonnade,
    private readonly reading: Reading,
    private readonly open: Open<T>,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const page of this.pages()) {
      yield* page.items;
    }
  }

  /** The items in the pages in which they come, each with the token by which a later read continues. */
  async *pages(): AsyncGenerator<Page<T>> {
    let token = this.reading.token ?? "";
    for (let failures = 0; ; ) {
      const node = this.client.node();
      const ended = new AbortController();
      const signal = this.reading.signal ? AbortSignal.any([this.reading.signal, ended.signal]) : ended.signal;
      try {
        for await (const page of this.open(node, token, signal)) {
          failures = 0;
          token = page.token;
          yield page;
        }
        return;
      } catch (error) {
        const failure = this.client.failed(node, error, false);
        failures++;
        if (failures >= this.client.attempts || !failure.mayRetry(false)) {
          throw failure;
        }
        await sleep(backoff(failures, failure), undefined, { signal: this.reading.signal });
      } finally {
        ended.abort();
      }
    }
  }
}
