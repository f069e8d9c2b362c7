//! Plays ../scenario/scenario.json; the README.md beside that file says what the steps mean.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use colonnade::{
    Applied, Batch, Client, Column, Cursor, Entry, Error, Family, FamilyDefinition, Node, Reading, Settings, Slice,
    SliceRange, User, admin, long, pb,
};
use prost::Message;
use serde_json::{Map, Value, json};
use tokio_stream::{Stream, StreamExt};
use tonic::{Code, Status};

#[allow(clippy::all)]
mod health {
    tonic::include_proto!("grpc.health.v1");
}
#[allow(clippy::all)]
mod reflection {
    tonic::include_proto!("grpc.reflection.v1");
}

/// The part of google.rpc.Status that tells the code.
#[derive(Clone, PartialEq, Message)]
struct Coded {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

type Played = Result<Value, Error>;

/// The bytes that a string of the scenario stands for.
fn data(value: &str) -> Vec<u8> {
    if let Some(hex) = value.strip_prefix("0x") {
        let byte = |i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal");
        return (0..hex.len()).step_by(2).map(byte).collect();
    }
    if let Some(number) = value.strip_prefix("long:") {
        return long(number.parse().expect("a number")).into();
    }
    if let Some(count) = value.strip_prefix("fill:") {
        return vec![b'x'; count.parse().expect("a number")];
    }
    value.into()
}

/// Bytes in answers are strings in hexadecimal.
fn shown_bytes(bytes: &[u8]) -> Value {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Value::String(format!("bytes {hex}"))
}

/// Whether the answer has all that is expected; it may have more.
fn matches(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), actual) => {
            actual.is_object() && expected.iter().all(|(name, each)| matches(each, &actual[name]))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(e, a)| matches(e, a))
        }
        (Value::String(any), actual) if any == "*" => !actual.is_null(),
        (Value::String(expected), Value::String(actual)) if actual.starts_with("bytes ") => {
            shown_bytes(&data(expected)) == *actual
        }
        (expected, actual) => expected == actual,
    }
}

struct Step<'a>(&'a Value);

impl Step<'_> {
    fn optional(&self, name: &str) -> Option<&str> {
        self.0[name].as_str()
    }

    fn text(&self, name: &str) -> &str {
        self.optional(name).unwrap_or_default()
    }

    fn data(&self, name: &str) -> Vec<u8> {
        data(self.text(name))
    }

    fn number(&self, name: &str, default: i64) -> i64 {
        self.0[name].as_i64().unwrap_or(default)
    }

    fn flag(&self, name: &str) -> bool {
        self.0[name].as_bool().unwrap_or_default()
    }

    fn list(&self, name: &str) -> Vec<Step<'_>> {
        self.0[name].as_array().into_iter().flatten().map(Step).collect()
    }

    fn names(&self, name: &str) -> Option<Vec<Vec<u8>>> {
        Some(self.0[name].as_array()?.iter().filter_map(Value::as_str).map(data).collect())
    }

    fn slice(&self) -> Slice {
        let slice = match self.names("names") {
            Some(names) => Slice::names(names),
            None => Slice::range(SliceRange {
                start: self.data("start"),
                finish: self.data("finish"),
                reversed: self.flag("reversed"),
                count: self.0["count"].as_i64().map(|count| count as i32),
                start_exclusive: self.flag("start_exclusive"),
                finish_exclusive: self.flag("finish_exclusive"),
            }),
        };
        match self.optional("since") {
            Some(since) => slice.since(since.parse().expect("a timestamp")),
            None => slice,
        }
    }

    /// The family as the step writes to it.
    fn written(&self, mut family: Family) -> Family {
        if let Some(timestamp) = self.optional("timestamp") {
            family = family.at(timestamp.parse().expect("a number"));
        }
        if let Some(ttl) = self.0["ttl"].as_i64() {
            family = family.expiring(ttl as i32);
        }
        family
    }

    fn definition(&self) -> FamilyDefinition {
        let (name, compare_with) = (self.text("name"), self.text("compare_with"));
        match self.optional("compare_subcolumns_with") {
            Some(inside) => FamilyDefinition::nested(name, compare_with, inside),
            None => FamilyDefinition::standard(name, compare_with),
        }
    }

    fn inside(&self, family: Family) -> Family {
        match self.optional("super") {
            Some(name) => family.inside(data(name)),
            None => family,
        }
    }
}

struct Player {
    nodes: Vec<String>,
    pids: Vec<String>,
    clients: HashMap<String, Client>,
    saved: HashMap<String, (Vec<Entry>, String)>,
}

impl Player {
    fn client(&mut self, step: &Step) -> Client {
        let numbers: Vec<usize> = match (step.0["node"].as_u64(), step.0["nodes"].as_array()) {
            (Some(node), _) => vec![node as usize],
            (None, Some(nodes)) => nodes.iter().filter_map(Value::as_u64).map(|node| node as usize).collect(),
            (None, None) => vec![1, 2, 3],
        };
        let level = step.optional("level").unwrap_or("QUORUM");
        let number = pb::ConsistencyLevel::from_str_name(&format!("CONSISTENCY_LEVEL_{level}")).expect("a level");
        let settings = Settings {
            read_level: number,
            write_level: number,
            timeout: Duration::from_millis(step.number("timeout_ms", 10_000) as u64),
            attempts: step.number("attempts", 4) as u32,
            roots: step
                .flag("secured")
                .then(|| std::fs::read_to_string(variable("COLONNADE_SECURED_ROOTS")).expect("roots")),
            user: match step.0["user"].as_array() {
                Some(user) => User::new(user[0].as_str().unwrap_or_default(), user[1].as_str().unwrap_or_default()),
                None => User::default(),
            },
        };
        let secured = variable("COLONNADE_SECURED_NODE");
        let addresses: Vec<&String> = match settings.roots {
            Some(_) => vec![&secured],
            None => numbers.iter().map(|number| &self.nodes[number - 1]).collect(),
        };
        let id = format!("{numbers:?} {settings:?} {}", step.0["user"]);
        self.clients.entry(id).or_insert_with(|| Client::new(addresses, settings).expect("addresses")).clone()
    }

    async fn play(&mut self, step: &Step<'_>) -> Played {
        let client = self.client(step);
        let keyspace = step.optional("keyspace").unwrap_or("Scenario");
        let family = step.inside(client.family(keyspace, step.text("family")));
        let key = step.data("key");
        Ok(match step.text("op") {
            "create_keyspace" => {
                let families: Vec<FamilyDefinition> = step.list("families").iter().map(Step::definition).collect();
                client.create_keyspace(keyspace, step.number("replication_factor", 1) as i32, &families).await?;
                json!({})
            }
            "drop_keyspace" => {
                client.drop_keyspace(keyspace).await?;
                json!({})
            }
            "create_family" => {
                client.create_family(keyspace, Step(&step.0["family"]).definition()).await?;
                json!({})
            }
            "update_comparator" => {
                let definition = Step(&step.0["family"]).definition();
                let column_family = Some(FamilyDefinition { keyspace: keyspace.into(), ..definition });
                let request = admin::UpdateColumnFamilyRequest { column_family, update_mask: None };
                let update = async |mut node: Node, request| node.schema.update_column_family(request).await;
                client.call(true, request, update).await?;
                json!({})
            }
            "put" => {
                let timestamp = step.written(family).put(key, step.data("column"), step.data("value")).await?;
                json!({"timestamp": timestamp.to_string()})
            }
            "remove" => {
                let timestamp = match step.optional("column") {
                    Some(column) => step.written(family).remove(key, data(column)).await?,
                    None => step.written(family).remove_all(key).await?,
                };
                json!({"timestamp": timestamp.to_string()})
            }
            "get" => get(&client, step, &family).await?,
            "slice" => {
                let entries = family.slice(key, step.slice()).await?;
                match step.flag("summary") {
                    true => summary(&entries, 1),
                    false => json!({"entries": all(&entries)}),
                }
            }
            "count" => json!({"count": family.count(key, Slice::default()).await?}),
            "multiget" => {
                let rows = family.multiget(step.names("keys").unwrap_or_default(), step.slice()).await?;
                let shown = rows.iter().map(|row| json!({"key": shown_bytes(&row.key), "entries": all(&row.entries)}));
                json!({"rows": shown.collect::<Vec<_>>()})
            }
            "pages" => {
                let pages = family.pages(key, step.slice(), self.reading(step, "page_bytes"));
                self.read(step, pages).await?
            }
            "stream" => {
                let stream = family.stream(key, step.slice(), self.reading(step, "chunk_bytes"));
                self.read(step, stream).await?
            }
            "rows" => {
                let mut rows: Vec<(Vec<u8>, usize)> = Vec::new();
                let mut cursor = family.rows("", "", Slice::default(), self.reading(step, "page_bytes"));
                while let Some(row) = cursor.next().await? {
                    match rows.last_mut() {
                        Some((key, count)) if *key == row.key => *count += row.entries.len(),
                        _ => rows.push((row.key, row.entries.len())),
                    }
                }
                let shown = rows.iter().map(|(key, count)| json!({"key": shown_bytes(key), "entries": count}));
                json!({"rows": shown.collect::<Vec<_>>()})
            }
            "batch" => {
                changes(&client, &step.list("rows")).apply().await?;
                json!({})
            }
            "mutate_stream" => {
                let batches = step.0["batches"].as_array().into_iter().flatten();
                let rows = |each: &Value| {
                    each.as_array().map(|rows| rows.iter().map(Step).map(|row| row.0.clone()).collect::<Vec<_>>())
                };
                let batches: Vec<Batch> = batches
                    .filter_map(rows)
                    .map(|rows| changes(&client, &rows.iter().map(Step).collect::<Vec<_>>()))
                    .collect();
                outcomes(&client, tokio_stream::iter(batches)).await?
            }
            "fill" => {
                let value = step.data("value");
                let columns = step.number("columns", 0);
                let batches: Vec<Batch> = (0..columns)
                    .step_by(100)
                    .map(|first| {
                        (first..first + 100).fold(client.batch("Scenario"), |batch, i| {
                            batch.put(&family.at(1), &key, format!("{i:05}"), &value)
                        })
                    })
                    .collect();
                outcomes(&client, tokio_stream::iter(batches)).await?
            }
            "sequences" => sequences(&client, step).await?,
            "empty_session_call" => empty_session_call(&client).await?,
            "health" => {
                let mut stub = health::health_client::HealthClient::new(client.node().channel);
                let request = health::HealthCheckRequest { service: step.text("service").into() };
                let answer = stub.check(request).await.map_err(|status| Error::from_status(&status, false))?;
                json!({"status": answer.into_inner().status().as_str_name()})
            }
            "reflection" => services(&client).await.map_err(|status| Error::from_status(&status, false))?,
            "drain" => {
                let request = admin::DrainRequest {};
                client.call(false, request, async |mut node, request| node.admin.drain(request).await).await?;
                json!({})
            }
            "remove_node" => remove_node(&client).await?,
            "signal" => {
                self.signal(step.number("node", 1) as usize, step.text("signal"));
                json!({})
            }
            op => panic!("unknown op {op}"),
        })
    }

    fn signal(&self, node: usize, name: &str) {
        let pid = &self.pids[node - 1];
        let sent = std::process::Command::new("kill").args([&format!("-{name}"), pid]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -{name} {pid}");
    }

    fn reading(&self, step: &Step<'_>, bytes: &str) -> Reading {
        let begun = self.saved.get(step.text("continue"));
        let token = begun.map_or(step.text("token").into(), |(_, token)| token.clone());
        Reading { token, page_bytes: step.number(bytes, 0) as i32 }
    }

    async fn read(&mut self, step: &Step<'_>, mut cursor: Cursor<Entry>) -> Played {
        let mut entries = self.saved.get(step.text("continue")).map_or(Vec::new(), |(entries, _)| entries.clone());
        let mut parts = 0;
        while let Some(page) = cursor.next_page().await? {
            entries.extend(page.items);
            parts += 1;
            if parts == step.number("kill_after", -1) {
                self.signal(step.0["nodes"][0].as_u64().unwrap_or(1) as usize, "KILL");
            }
            if parts == step.number("stop_after", -1) {
                self.saved.insert(step.text("save").into(), (entries.clone(), page.token));
                break;
            }
        }
        Ok(summary(&entries, parts))
    }
}

async fn get(client: &Client, step: &Step<'_>, family: &Family) -> Played {
    let found = match step.optional("column") {
        Some(column) => {
            family.get(step.data("key"), data(column)).await?.map(|column| json!({"column": shown_column(&column)}))
        }
        None => {
            let family = client.family("Scenario", step.text("family"));
            let found = family.get_super(step.data("key"), step.data("super")).await?;
            found.map(|each| json!({"super_column": shown(&Entry::SuperColumn(each))}))
        }
    };
    // What None stands for.
    Ok(found.unwrap_or(json!({"error": {"code": "NOT_FOUND", "reason": "COLUMN_NOT_FOUND"}})))
}

fn changes(client: &Client, rows: &[Step]) -> Batch {
    rows.iter().fold(client.batch("Scenario"), |batch, row| {
        let family = client.family("Scenario", row.text("family"));
        let batch = row.list("puts").iter().fold(batch, |batch, put| {
            let inside = put.inside(family.clone());
            batch.put(&put.written(inside), row.data("key"), put.data("column"), put.data("value"))
        });
        row.list("removes").iter().fold(batch, |batch, removal| {
            batch.remove(&removal.written(family.clone()), row.data("key"), removal.slice())
        })
    })
}

async fn outcomes(client: &Client, batches: impl Stream<Item = Batch> + Send + 'static) -> Played {
    let mut applied: HashMap<&str, u32> = HashMap::new();
    let mut result = Map::new();
    let mut stream = client.mutate_stream(batches);
    while let Some(outcome) = stream.next().await? {
        let name = applied_name(outcome.applied());
        *applied.entry(name).or_default() += 1;
        result.insert(outcome.sequence.to_string(), json!({"applied": name, "reason": outcome.reason}));
    }
    result.insert("applied".into(), json!(applied));
    Ok(json!({"outcomes": result}))
}

async fn sequences(client: &Client, step: &Step<'_>) -> Played {
    let (count, by) = (step.number("count", 0) as u64, step.number("step", 0) as u64);
    let empty = pb::BatchMutateRequest { keyspace: "Scenario".into(), ..Default::default() };
    let requests = tokio_stream::iter(0..=count)
        .map(move |i| pb::StreamMutateRequest { sequence: 1 + i * by, batch: Some(empty.clone()) });
    let failed = |status: Status| Error::from_status(&status, true);
    let mut answers = client.node().column_store.stream_mutate(requests).await.map_err(failed)?.into_inner();
    while answers.message().await.map_err(failed)?.is_some() {}
    Ok(json!({}))
}

async fn empty_session_call(client: &Client) -> Played {
    let call = pb::SessionCall { id: 1, ..Default::default() };
    let requests = tokio_stream::once(pb::SessionRequest { calls: vec![call], cancelled: vec![] });
    let failed = |status: Status| Error::from_status(&status, true);
    let mut answers = client.node().column_store.session(requests).await.map_err(failed)?.into_inner();
    while let Some(answer) = answers.message().await.map_err(failed)? {
        for each in answer.answers {
            if let Some(pb::session_answer::Outcome::Error(encoded)) = each.outcome {
                let coded = Coded::decode(encoded.as_slice()).expect("a google.rpc.Status");
                return Err(failed(Status::with_details(Code::from(coded.code), coded.message, encoded.into())));
            }
        }
    }
    Ok(json!({}))
}

async fn services(client: &Client) -> Result<Value, Status> {
    use reflection::server_reflection_request::MessageRequest;
    use reflection::server_reflection_response::MessageResponse;
    let mut stub = reflection::server_reflection_client::ServerReflectionClient::new(client.node().channel);
    let request = MessageRequest::ListServices(String::new());
    let request = reflection::ServerReflectionRequest { host: String::new(), message_request: Some(request) };
    let mut answers = stub.server_reflection_info(tokio_stream::once(request)).await?.into_inner();
    let mut found = Map::new();
    while let Some(answer) = answers.message().await? {
        if let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response {
            found.extend(list.service.into_iter().map(|each| (each.name, json!(true))));
        }
    }
    Ok(json!({"services": found}))
}

async fn remove_node(client: &Client) -> Played {
    let get_info = async |mut node: Node, request| node.admin.get_info(request).await;
    let info = client.call(false, admin::GetInfoRequest {}, get_info).await?;
    let node_id = info.node.and_then(|node| node.endpoint).map(|endpoint| endpoint.node_id).unwrap_or_default();
    let request = admin::RemoveTokenRequest { node_id, ..Default::default() };
    let failed = |status: Status| Error::from_status(&status, false);
    let mut answers = client.node().admin.remove_token(request).await.map_err(failed)?.into_inner();
    while answers.message().await.map_err(failed)?.is_some() {}
    Ok(json!({}))
}

fn shown_column(column: &Column) -> Value {
    json!({
        "name": shown_bytes(&column.name),
        "value": shown_bytes(&column.value),
        "timestamp": column.timestamp().to_string(),
        "ttl": column.ttl_seconds,
    })
}

fn shown(entry: &Entry) -> Value {
    match entry {
        Entry::Column(column) => shown_column(column),
        Entry::SuperColumn(each) => {
            let columns: Vec<Value> = each.columns.iter().map(shown_column).collect();
            json!({"name": shown_bytes(&each.name), "columns": columns})
        }
    }
}

fn all(entries: &[Entry]) -> Vec<Value> {
    entries.iter().map(shown).collect()
}

fn summary(entries: &[Entry], parts: i64) -> Value {
    let columns = entries.iter().map(|entry| match entry {
        Entry::Column(_) => 0,
        Entry::SuperColumn(each) => each.columns.len(),
    });
    json!({"summary": {
        "entries": entries.len(),
        "columns": columns.sum::<usize>(),
        "several": parts > 1,
        "first": entries.first().map(|entry| shown_bytes(entry.name())),
        "last": entries.last().map(|entry| shown_bytes(entry.name())),
        "ascending": entries.windows(2).all(|pair| pair[0].name() < pair[1].name()),
    }})
}

fn applied_name(applied: Applied) -> &'static str {
    match applied {
        Applied::Yes => "yes",
        Applied::No => "no",
        Applied::Unknown | Applied::Unspecified => "unknown",
    }
}

fn described(error: &Error) -> Value {
    let mut code = String::new();
    for letter in format!("{:?}", error.code).chars() {
        if letter.is_uppercase() && !code.is_empty() {
            code.push('_');
        }
        code.extend(letter.to_uppercase());
    }
    let applied = error.applied.map(|applied| applied_name(applied).to_owned());
    json!({"error": {
        "code": code,
        "reason": error.reason,
        "message": error.message,
        "applied": applied.or_else(|| error.metadata.get("applied").cloned()),
        "required": error.required,
        "received": error.received,
        "alive": error.alive,
        "field": error.fields.first(),
    }})
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let list = |name: &str| variable(name).split(',').map(str::to_owned).collect::<Vec<_>>();
    let file = std::fs::read_to_string(variable("COLONNADE_SCENARIO")).expect("the scenario");
    let scenario: Value = serde_json::from_str(&file).expect("JSON");
    let mut player = Player {
        nodes: list("COLONNADE_NODES"),
        pids: list("COLONNADE_PIDS"),
        clients: HashMap::new(),
        saved: HashMap::new(),
    };
    let (mut passed, mut failed) = (0, 0);
    for step in Step(&scenario).list("steps") {
        let end = Instant::now() + Duration::from_millis(step.number("retry_for_ms", 0) as u64);
        loop {
            let begun = Instant::now();
            let answer = player.play(&step).await.unwrap_or_else(|error| described(&error));
            let took = begun.elapsed().as_millis() as i64;
            if matches(&step.0["expect"], &answer) && took <= step.number("max_ms", 60_000) {
                passed += 1;
                break;
            }
            if Instant::now() >= end {
                failed += 1;
                let got: String = answer.to_string().chars().take(1000).collect();
                println!("FAILED: {}: expected {}, got {got} after {took} ms", step.text("name"), step.0["expect"]);
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    println!("{passed} passed, {failed} failed");
    std::process::exit(if failed == 0 { 0 } else { 1 });
}
