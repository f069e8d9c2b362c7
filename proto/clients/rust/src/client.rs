use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Response, Status};

use crate::admin::cluster_service_client::ClusterServiceClient;
use crate::admin::node_service_client::NodeServiceClient;
use crate::admin::schema_service_client::SchemaServiceClient;
use crate::pb::column_store_service_client::ColumnStoreServiceClient;
use crate::{Batch, ConsistencyLevel, Error, Family, admin};

/// How a client calls.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The consistency level of reads; `One`.
    pub read_level: ConsistencyLevel,
    /// The consistency level of writes; `One`.
    pub write_level: ConsistencyLevel,
    /// How long a call may take, with its retries; 10 s. Streams have no limit.
    pub timeout: Duration,
    /// How often a call is made at most; 4. A read is repeated when its node cannot be reached or does not serve, a
    /// write only when the node said that it was not applied.
    pub attempts: u32,
    /// The PEM of the authority that signed the nodes' certificates, for TLS.
    pub roots: Option<String>,
    /// Who calls. The password is sent as it is, so without TLS to nodes on loopback alone.
    pub user: Option<User>,
}

/// A name and a password.
#[derive(Clone, Debug)]
pub struct User {
    // Is not printed.
    header: MetadataValue<Ascii>,
}

impl User {
    /// What `user` of [`Settings`] takes.
    pub fn new(name: &str, password: &str) -> Self {
        let text = format!("Basic {}", STANDARD.encode(format!("{name}:{password}")));
        let mut header: MetadataValue<Ascii> = text.parse().expect("base64 is ASCII");
        header.set_sensitive(true);
        User { header }
    }
}

/// Adds to each call who makes it.
#[derive(Clone, Debug)]
pub struct Caller(Option<User>);

impl Interceptor for Caller {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(user) = &self.0 {
            request.metadata_mut().insert("authorization", user.header.clone());
        }
        Ok(request)
    }
}

/// A connection whose calls say who makes them.
pub type Connection = InterceptedService<Channel, Caller>;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            read_level: ConsistencyLevel::One,
            write_level: ConsistencyLevel::One,
            timeout: Duration::from_secs(10),
            attempts: 4,
            roots: None,
            user: None,
        }
    }
}

/// A node and its generated stubs.
#[derive(Clone, Debug)]
pub struct Node {
    /// The connection, for services of other packages.
    pub channel: Connection,
    /// `colonnade.v1.ColumnStoreService`
    pub column_store: ColumnStoreServiceClient<Connection>,
    /// `colonnade.admin.v1.SchemaService`
    pub schema: SchemaServiceClient<Connection>,
    /// `colonnade.admin.v1.ClusterService`
    pub cluster: ClusterServiceClient<Connection>,
    /// `colonnade.admin.v1.NodeService`
    pub admin: NodeServiceClient<Connection>,
    index: usize,
}

/// The definition of a column family; `compare_subcolumns_with` makes it a Super family.
#[derive(Clone, Debug, Default)]
pub struct FamilyDefinition {
    /// The name.
    pub name: String,
    /// The comparator of the names directly under a row; empty for BytesType.
    pub compare_with: String,
    /// The comparator of the names inside super columns.
    pub compare_subcolumns_with: Option<String>,
}

impl FamilyDefinition {
    /// A Standard family.
    pub fn standard(name: &str, compare_with: &str) -> Self {
        FamilyDefinition { name: name.into(), compare_with: compare_with.into(), compare_subcolumns_with: None }
    }

    /// A Super family.
    pub fn nested(name: &str, compare_with: &str, compare_subcolumns_with: &str) -> Self {
        let inner = Some(compare_subcolumns_with.into());
        FamilyDefinition { compare_subcolumns_with: inner, ..Self::standard(name, compare_with) }
    }

    /// The definition as the contract has it.
    pub fn message(self, keyspace: &str) -> admin::ColumnFamilyDef {
        let nested = self.compare_subcolumns_with.is_some();
        let kind = if nested { admin::ColumnType::Super } else { admin::ColumnType::Standard };
        admin::ColumnFamilyDef {
            keyspace: keyspace.into(),
            name: self.name,
            column_type: kind.into(),
            compare_with: self.compare_with,
            compare_subcolumns_with: self.compare_subcolumns_with.unwrap_or_default(),
            ..Default::default()
        }
    }
}

/// A client of one cluster. Make one for a program, and clone it.
#[derive(Clone, Debug)]
pub struct Client {
    nodes: Arc<[Node]>,
    avoid_until: Arc<Mutex<Vec<Instant>>>,
    pub(crate) settings: Settings,
}

impl Client {
    /// Makes a client of nodes, each `host:port`, inside a Tokio runtime. It does not wait for a connection. Calls go to
    /// the first node that works; any node answers for the whole cluster.
    pub fn new<A: AsRef<str>>(addresses: impl IntoIterator<Item = A>, settings: Settings) -> Result<Self, Error> {
        let nodes = addresses.into_iter().enumerate().map(|(i, address)| connect(address.as_ref(), i, &settings));
        let nodes = nodes.collect::<Result<Vec<Node>, Status>>().map_err(|s| Error::from_status(&s, false))?;
        if nodes.is_empty() {
            let status = Status::invalid_argument("give the address of a node at least, such as 127.0.0.1:9160");
            return Err(Error::from_status(&status, false));
        }
        let avoid_until = Arc::new(Mutex::new(vec![Instant::now(); nodes.len()]));
        Ok(Client { nodes: nodes.into(), avoid_until, settings })
    }

    /// A column family to read and write. Makes no call, and does not ask whether there is one.
    pub fn family(&self, keyspace: &str, name: &str) -> Family {
        Family::new(self.clone(), keyspace, name)
    }

    /// Changes to many rows and families that [`Batch::apply`] makes in one call.
    pub fn batch(&self, keyspace: &str) -> Batch {
        Batch::new(self.clone(), keyspace)
    }

    /// Creates a keyspace with its families.
    pub async fn create_keyspace(
        &self,
        name: &str,
        replication_factor: i32,
        families: impl IntoIterator<Item = FamilyDefinition>,
    ) -> Result<(), Error> {
        let column_families = families.into_iter().map(|each| each.message(name)).collect();
        let keyspace =
            admin::KeyspaceDef { name: name.into(), replication_factor, column_families, ..Default::default() };
        let request = admin::CreateKeyspaceRequest { keyspace: Some(keyspace), ..Default::default() };
        self.change(request, |mut node, request| async move { node.schema.create_keyspace(request).await }).await
    }

    /// Creates a column family in a keyspace.
    pub async fn create_family(&self, keyspace: &str, family: FamilyDefinition) -> Result<(), Error> {
        let request = admin::CreateColumnFamilyRequest { column_family: Some(family.message(keyspace)) };
        self.change(request, |mut node, request| async move { node.schema.create_column_family(request).await }).await
    }

    /// Drops a keyspace with all its data.
    pub async fn drop_keyspace(&self, name: &str) -> Result<(), Error> {
        let request = admin::DropKeyspaceRequest { name: name.into() };
        self.change(request, |mut node, request| async move { node.schema.drop_keyspace(request).await }).await
    }

    /// A change of the schema waits for all nodes that are up.
    async fn change<Q: Clone, R, F>(&self, request: Q, method: impl Fn(Node, Request<Q>) -> F) -> Result<(), Error>
    where
        F: Future<Output = Result<Response<R>, Status>>,
    {
        let mut patient = self.clone();
        patient.settings.timeout = self.settings.timeout.max(Duration::from_secs(30));
        patient.call(true, request, method).await.map(|_| ())
    }

    /// Makes a call with the client's deadline, retries and errors:
    /// `client.call(false, request, |mut node, request| async move { node.admin.get_info(request).await })`.
    pub async fn call<Q, R, F>(
        &self,
        write: bool,
        request: Q,
        method: impl Fn(Node, Request<Q>) -> F,
    ) -> Result<R, Error>
    where
        Q: Clone,
        F: Future<Output = Result<Response<R>, Status>>,
    {
        let deadline = Instant::now() + self.settings.timeout;
        let mut attempt = 1;
        loop {
            let node = self.node();
            let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let index = node.index;
            let status = match within(left, request.clone(), |request| method(node, request)).await {
                Ok(answer) => return Ok(answer),
                Err(status) => status,
            };
            let error = self.failed(index, &status, write);
            let pause = backoff(attempt, &error);
            if attempt >= self.settings.attempts || !error.may_retry() || Instant::now() + pause >= deadline {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }

    /// The node that the next call goes to: the first that did not fail lately.
    pub fn node(&self) -> Node {
        let avoid_until = self.avoid_until.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let working = avoid_until.iter().position(|until| *until <= now);
        let index = working.or_else(|| (0..avoid_until.len()).min_by_key(|i| avoid_until[*i]));
        self.nodes[index.unwrap_or_default()].clone()
    }

    /// Turns an error into one of this package, and avoids a node that does not serve.
    pub(crate) fn failed(&self, node: usize, status: &Status, write: bool) -> Error {
        let error = Error::from_status(status, write);
        // A node that said nothing in time may stand still.
        let silent = error.code == Code::DeadlineExceeded && error.reason.is_empty();
        if silent || error.node_is_gone() {
            let mut avoid_until = self.avoid_until.lock().unwrap_or_else(PoisonError::into_inner);
            avoid_until[node] = Instant::now() + Duration::from_secs(2);
        }
        error
    }
}

impl Node {
    pub(crate) fn index(&self) -> usize {
        self.index
    }
}

/// Makes a call that ends with its deadline, also where the node stands still.
pub(crate) async fn within<Q, R, F>(
    timeout: Duration,
    request: Q,
    call: impl FnOnce(Request<Q>) -> F,
) -> Result<R, Status>
where
    F: Future<Output = Result<Response<R>, Status>>,
{
    let mut request = Request::new(request);
    request.set_timeout(timeout);
    let begun = Instant::now();
    match tokio::time::timeout(timeout, call(request)).await {
        Ok(Ok(answer)) => Ok(answer.into_inner()),
        // tonic watches the same deadline, and says that it cancelled the call.
        Ok(Err(status)) if status.code() != Code::Cancelled || begun.elapsed() < timeout => Err(status),
        _ => Err(Status::new(Code::DeadlineExceeded, "the deadline passed before an answer came")),
    }
}

/// How long to wait before the next attempt: what the node asked for, or 20 ms, doubled each time; a part by chance.
pub(crate) fn backoff(attempt: u32, error: &Error) -> Duration {
    let pause = error.retry_after.unwrap_or(Duration::from_millis(10 << attempt.min(7)));
    // Each of these has random keys.
    let chance = RandomState::new().hash_one(attempt) as u32;
    pause + pause.mul_f64(f64::from(chance) / f64::from(u32::MAX) / 2.0)
}

fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host.trim_matches(['[', ']']));
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// The longest answer of a node.
const MAX_ANSWER: usize = 16 << 20;

fn connect(address: &str, index: usize, settings: &Settings) -> Result<Node, Status> {
    let wrong = |bad: &dyn std::fmt::Display| Status::invalid_argument(format!("{address}: {bad}"));
    if settings.user.is_some() && settings.roots.is_none() && !is_loopback(address) {
        return Err(wrong(&"the password would be sent unencrypted: give roots, for TLS"));
    }
    let scheme = if settings.roots.is_some() { "https" } else { "http" };
    let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}")).map_err(|bad| wrong(&bad))?;
    if let Some(roots) = &settings.roots {
        let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(roots));
        endpoint = endpoint.tls_config(tls).map_err(|bad| wrong(&bad))?;
    }
    let channel = endpoint
        // A dead peer is noticed, so that a stream does not wait for ever.
        .http2_keep_alive_interval(Duration::from_secs(60))
        .keep_alive_timeout(Duration::from_secs(30))
        .connect_timeout(Duration::from_secs(5))
        .connect_lazy();
    let channel = InterceptedService::new(channel, Caller(settings.user.clone()));
    Ok(Node {
        column_store: ColumnStoreServiceClient::new(channel.clone()).max_decoding_message_size(MAX_ANSWER),
        schema: SchemaServiceClient::new(channel.clone()).max_decoding_message_size(MAX_ANSWER),
        cluster: ClusterServiceClient::new(channel.clone()).max_decoding_message_size(MAX_ANSWER),
        admin: NodeServiceClient::new(channel.clone()).max_decoding_message_size(MAX_ANSWER),
        channel,
        index,
    })
}
