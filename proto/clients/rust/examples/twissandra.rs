//! The small Twitter of "Cassandra by example" at the command line.
//!
//! ```text
//! cargo run --example twissandra schema [REPLICATION-FACTOR]
//! cargo run --example twissandra signup NAME
//! cargo run --example twissandra follow|unfollow NAME OTHER
//! cargo run --example twissandra tweet NAME TEXT
//! cargo run --example twissandra userline|timeline NAME [START]
//! ```
//!
//! It shares its rows with the web application in ../python/examples. COLONNADE_NODES are the nodes, 127.0.0.1:9160
//! without it; TWISSANDRA_KEYSPACE is the keyspace, Twissandra without it.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

use colonnade::{
    Applied, Batch, Client, ConsistencyLevel, Entry, Family, FamilyDefinition, Reading, Row, Settings, Slice,
    SliceRange,
};
use colonnade::{long, unlong};

const PAGE: usize = 10;
const BATCH: usize = 500;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

struct Twissandra {
    client: Client,
    keyspace: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Err(error) = run().await {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

async fn run() -> Outcome {
    let nodes = env::var("COLONNADE_NODES").unwrap_or("127.0.0.1:9160".into());
    let level = ConsistencyLevel::Quorum;
    let settings = Settings { read_level: level, write_level: level, ..Settings::default() };
    let keyspace = env::var("TWISSANDRA_KEYSPACE").unwrap_or("Twissandra".into());
    let app = Twissandra { client: Client::new(nodes.split(','), settings)?, keyspace };
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["schema"] => app.schema(1).await,
        ["schema", replication_factor] => app.schema(replication_factor.parse()?).await,
        ["signup", name] => app.sign_up(name).await,
        ["follow", name, other] => app.follow(name, other).await,
        ["unfollow", name, other] => app.unfollow(name, other).await,
        ["tweet", name, body] => app.tweet(name, body).await,
        ["userline", name] => app.line("Userline", name, None).await,
        ["userline", name, start] => app.line("Userline", name, Some(start.parse()?)).await,
        ["timeline", name] => app.line("Timeline", name, None).await,
        ["timeline", name, start] => app.line("Timeline", name, Some(start.parse()?)).await,
        _ => Err("there are: schema, signup, follow, unfollow, tweet, userline, timeline".into()),
    }
}

impl Twissandra {
    async fn schema(&self, replication_factor: i32) -> Outcome {
        let families = [
            FamilyDefinition::standard("User", "UTF8Type"),
            FamilyDefinition::standard("Username", "BytesType"),
            FamilyDefinition::standard("Friends", "BytesType"),
            FamilyDefinition::standard("Followers", "BytesType"),
            FamilyDefinition::standard("Tweet", "UTF8Type"),
            FamilyDefinition::standard("Userline", "LongType"),
            FamilyDefinition::standard("Timeline", "LongType"),
        ];
        Ok(self.client.create_keyspace(&self.keyspace, replication_factor, &families).await?)
    }

    fn family(&self, name: &str) -> Family {
        self.client.family(&self.keyspace, name)
    }

    fn batch(&self) -> Batch {
        self.client.batch(&self.keyspace)
    }

    /// The id of a name. The row of the name is an index that the application keeps by itself.
    async fn user_id(&self, name: &str) -> Outcome<Vec<u8>> {
        let column = self.family("Username").get(name, "id").await?;
        Ok(column.ok_or(format!("there is no user {name}"))?.value)
    }

    /// Makes a user. Of two who sign up with one name at the same moment the later one gets it; the web application
    /// shows how to prevent that.
    async fn sign_up(&self, name: &str) -> Outcome {
        if self.family("Username").get(name, "id").await?.is_some() {
            return Err(format!("the name {name} is taken").into());
        }
        let (id, now) = (new_id(), micros()?);
        let (users, usernames) = (self.family("User").at(now), self.family("Username").at(now));
        let batch = self.batch().put(&users, &id, "id", &id).put(&users, &id, "username", name);
        apply(&batch.put(&usernames, name, "id", &id)).await
    }

    /// Writes the relation down from either side, because there is no index to ask instead.
    async fn follow(&self, name: &str, other: &str) -> Outcome {
        let (user, followed, micros) = (self.user_id(name).await?, self.user_id(other).await?, micros()?);
        let since = long(micros);
        let batch = self.batch().put(&self.family("Friends").at(micros), &user, &followed, since);
        apply(&batch.put(&self.family("Followers").at(micros), &followed, &user, since)).await
    }

    async fn unfollow(&self, name: &str, other: &str) -> Outcome {
        let (user, followed, micros) = (self.user_id(name).await?, self.user_id(other).await?, micros()?);
        let batch = self.batch().remove(&self.family("Friends").at(micros), &user, Slice::names([&followed]));
        apply(&batch.remove(&self.family("Followers").at(micros), &followed, Slice::names([&user]))).await
    }

    /// Writes a tweet into every line in which it will be read, however many followers there are.
    async fn tweet(&self, name: &str, body: &str) -> Outcome {
        let (author, id, micros) = (self.user_id(name).await?, new_id(), micros()?);
        // The name in lines: the time, and ten bits by chance, because two tweets may share a microsecond.
        let line = long(micros * 1024 + (chance() % 1024) as i64);
        let [tweets, userlines, timelines] = ["Tweet", "Userline", "Timeline"].map(|name| self.family(name).at(micros));
        let mut batch = self
            .batch()
            .put(&tweets, &id, "id", &id)
            .put(&tweets, &id, "user_id", &author)
            .put(&tweets, &id, "body", body)
            .put(&tweets, &id, "_ts", long(micros))
            .put(&tweets, &id, "line", line)
            .put(&userlines, &author, line, &id)
            .put(&timelines, &author, line, &id);
        let mut size = 2;
        let mut followers = self.family("Followers").stream(&author, Slice::default(), Reading::default());
        while let Some(follower) = followers.next().await? {
            batch = batch.put(&timelines, follower.name(), line, &id);
            size += 1;
            if size % BATCH == 0 {
                apply(&batch).await?;
                batch = self.batch();
            }
        }
        apply(&batch).await
    }

    /// Prints a page of a line, the newest first, and where the next page starts.
    async fn line(&self, family: &str, name: &str, start: Option<i64>) -> Outcome {
        let start = start.map_or(Vec::new(), |start| long(start).into());
        let slice =
            Slice::range(SliceRange { start, count: Some(PAGE as i32 + 1), reversed: true, ..Default::default() });
        let found = self.family(family).slice(self.user_id(name).await?, slice).await?;
        if found.is_empty() {
            return Ok(());
        }
        let ids = found.iter().take(PAGE).filter_map(|entry| match entry {
            Entry::Column(column) => Some(&column.value),
            Entry::SuperColumn(_) => None,
        });
        let tweets = self.family("Tweet").multiget(ids, Slice::default()).await?;
        let authors = tweets.iter().filter_map(|tweet| value(tweet, "user_id"));
        let users = self.family("User").multiget(authors, Slice::default()).await?;
        let names: HashMap<_, _> = users.iter().map(|user| (&user.key[..], value(user, "username"))).collect();
        for tweet in &tweets {
            // One without a text is a retweet, which the web application shows.
            if let (Some(author), Some(body)) = (value(tweet, "user_id"), value(tweet, "body")) {
                let name = names.get(author).copied().flatten().unwrap_or_default();
                println!("@{}: {}", std::str::from_utf8(name)?, std::str::from_utf8(body)?);
            }
        }
        if let Some(next) = found.get(PAGE).and_then(|entry| unlong(entry.name())) {
            println!("more: {next}");
        }
        Ok(())
    }
}

/// Applies a batch whose changes all have a timestamp: if it may have been applied, applying it again is safe.
async fn apply(batch: &Batch) -> Outcome {
    let mut attempt = 1;
    while let Err(error) = batch.clone().apply().await {
        if error.applied != Some(Applied::Unknown) || attempt == 3 {
            return Err(error.into());
        }
        attempt += 1;
    }
    Ok(())
}

/// The value of a column.
fn value<'a>(row: &'a Row, name: &str) -> Option<&'a [u8]> {
    row.entries.iter().find_map(|entry| match entry {
        Entry::Column(column) if column.name == name.as_bytes() => Some(&column.value[..]),
        _ => None,
    })
}

fn micros() -> Outcome<i64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros().try_into()?)
}

/// 64 bits by chance: each of these has random keys.
fn chance() -> u64 {
    RandomState::new().hash_one(0)
}

/// A random UUID as text.
fn new_id() -> String {
    let (high, low) = (chance() & !0xf000 | 0x4000, chance() >> 2 | 1 << 63);
    let (a, b, c) = (high >> 32, high >> 16 & 0xffff, high & 0xffff);
    format!("{a:08x}-{b:04x}-{c:04x}-{:04x}-{:012x}", low >> 48, low & 0xffff_ffff_ffff)
}
