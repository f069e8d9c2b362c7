/**
 * The small Twitter of "Cassandra by example" at the command line.
 *
 *     node dist/examples/twissandra.js schema [REPLICATION-FACTOR]
 *     node dist/examples/twissandra.js signup NAME
 *     node dist/examples/twissandra.js follow|unfollow NAME OTHER
 *     node dist/examples/twissandra.js tweet NAME TEXT
 *     node dist/examples/twissandra.js userline|timeline NAME [START]
 *
 * It shares its rows with the web application in ../python/examples. COLONNADE_NODES are the nodes, 127.0.0.1:9160
 * without it; TWISSANDRA_KEYSPACE is the keyspace, Twissandra without it.
 */
import { randomInt, randomUUID } from "node:crypto";
// In a program of yours: from "colonnade".
import { type Batch, Colonnade, ColonnadeError, type Column, long, type Row, text, unlong } from "../src/index.js";

const pageSize = 10;
const batchSize = 500;

const nodes = (process.env["COLONNADE_NODES"] ?? "127.0.0.1:9160").split(",");
const keyspace = process.env["TWISSANDRA_KEYSPACE"] ?? "Twissandra";
const store = new Colonnade(nodes, { readLevel: "QUORUM", writeLevel: "QUORUM" });
const [users, usernames, friends, followers, tweets, userlines, timelines] = [
  "User", "Username", "Friends", "Followers", "Tweet", "Userline", "Timeline",
].map((name) => store.family(keyspace, name)) as [Family, Family, Family, Family, Family, Family, Family];
type Family = ReturnType<Colonnade["family"]>;

class UserError extends Error {}

async function schema(replicationFactor = "1"): Promise<void> {
  const families = Object.entries({
    User: "UTF8Type", Username: "BytesType", Friends: "BytesType", Followers: "BytesType",
    Tweet: "UTF8Type", Userline: "LongType", Timeline: "LongType",
  }).map(([name, compareWith]) => ({ name, compareWith }));
  await store.createKeyspace(keyspace, families, Number(replicationFactor));
}

/** The id of a name. The row of the name is an index that the application keeps by itself. */
async function userId(name: string): Promise<string> {
  const column = await usernames.get(name, "id");
  if (!column) {
    throw new UserError(`there is no user ${name}`);
  }
  return text(column.value);
}

/**
 * Makes a user. Of two who sign up with one name at the same moment the later one gets it; the web application shows how
 * to prevent that.
 */
async function signUp(name: string): Promise<void> {
  if (await usernames.get(name, "id")) {
    throw new UserError(`the name ${name} is taken`);
  }
  const [id, now] = [randomUUID(), { timestamp: micros() }];
  const batch = store.batch(keyspace).put(users, id, "id", id, now).put(users, id, "username", name, now);
  await apply(batch.put(usernames, name, "id", id, now));
}

/** Writes the relation down from either side, because there is no index to ask instead. */
async function follow(name: string, other: string): Promise<void> {
  const [user, followed, timestamp] = [await userId(name), await userId(other), micros()];
  const batch = store.batch(keyspace).put(friends, user, followed, timestamp, { timestamp });
  await apply(batch.put(followers, followed, user, timestamp, { timestamp }));
}

async function unfollow(name: string, other: string): Promise<void> {
  const [user, followed, timestamp] = [await userId(name), await userId(other), micros()];
  const batch = store.batch(keyspace).remove(friends, user, { names: [followed] }, { timestamp });
  await apply(batch.remove(followers, followed, { names: [user] }, { timestamp }));
}

/** Writes a tweet into every line in which it will be read, however many followers there are. */
async function tweet(name: string, body: string): Promise<void> {
  const [author, id, timestamp] = [await userId(name), randomUUID(), micros()];
  // The name in lines: the time, and ten bits by chance, because two tweets may share a microsecond.
  const line = timestamp * 1024n + BigInt(randomInt(1024));
  let [batch, size] = [store.batch(keyspace), 2];
  for (const [column, value] of Object.entries({ id, user_id: author, body, _ts: timestamp, line })) {
    batch.put(tweets, id, column, value, { timestamp });
  }
  batch.put(userlines, author, line, id, { timestamp }).put(timelines, author, line, id, { timestamp });
  for await (const follower of followers.stream(author)) {
    batch.put(timelines, follower.name, line, id, { timestamp });
    if (++size % batchSize === 0) {
      await apply(batch);
      batch = store.batch(keyspace);
    }
  }
  await apply(batch);
}

/** Applies a batch whose changes all have a timestamp: if it may have been applied, applying it again is safe. */
async function apply(batch: Batch): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await batch.apply();
    } catch (error) {
      if (!(error instanceof ColonnadeError) || error.applied !== "unknown" || attempt === 3) {
        throw error;
      }
    }
  }
}

/** Prints a page of a line, the newest first, and where the next page starts. */
async function show(line: Family, name: string, start?: string): Promise<void> {
  const from = start === undefined ? {} : { start: long(BigInt(start)) };
  const slice = { ...from, reversed: true, count: pageSize + 1 };
  const found = (await line.slice(await userId(name), slice)) as Column[];
  if (found.length === 0) {
    return;
  }
  const rows = (await tweets.multiget(found.slice(0, pageSize).map((each) => each.value))).map(columns);
  const authors = await users.multiget(rows.map((row) => row["user_id"] ?? ""));
  const names = new Map(authors.map((row) => [text(row.key), columns(row)["username"]]));
  for (const { user_id = "", body } of rows) {
    // One without a text is a retweet, which the web application shows.
    if (body !== undefined) {
      console.log(`@${names.get(user_id)}: ${body}`);
    }
  }
  const next = found[pageSize];
  if (next) {
    console.log(`more: ${unlong(next.name)}`);
  }
}

/** The columns of a row that are text. */
function columns(row: Row): Record<string, string> {
  const shown = (row.entries as Column[]).filter((each) => !["_ts", "line"].includes(text(each.name)));
  return Object.fromEntries(shown.map((each) => [text(each.name), text(each.value)]));
}

function micros(): bigint {
  return BigInt(Date.now()) * 1000n + (process.hrtime.bigint() / 1000n) % 1000n;
}

const commands: Record<string, (...words: any[]) => Promise<void>> = {
  schema, signup: signUp, follow, unfollow, tweet,
  userline: (name, start) => show(userlines, name, start),
  timeline: (name, start) => show(timelines, name, start),
};
const [command = "", ...words] = process.argv.slice(2);
try {
  if (!(command in commands)) {
    throw new UserError(`no command "${command}"; there are: ${Object.keys(commands).join(", ")}`);
  }
  await commands[command]!(...words);
} catch (error) {
  console.error(error instanceof UserError || error instanceof ColonnadeError ? error.message : error);
  process.exitCode = 1;
} finally {
  store.close();
}
