use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use tokio::time::{Instant, sleep, timeout_at};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::{Interceptor, interceptor::InterceptedService};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Response, Status};

use crate::admin::cluster_service_client::ClusterServiceClient;
use crate::admin::node_service_client::NodeServiceClient;
use crate::admin::schema_service_client::SchemaServiceClient;
use crate::pb::column_store_service_client::ColumnStoreServiceClient;
use crate::{Batch, ConsistencyLevel, Error, Family, FamilyDefinition, Result, admin, pb};

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
    pub user: User,
}

impl Default for Settings {
    fn default() -> Self {
        let (read_level, write_level) = (ConsistencyLevel::One, ConsistencyLevel::One);
        let timeout = Duration::from_secs(10);
        Settings { read_level, write_level, timeout, attempts: 4, roots: None, user: User::default() }
    }
}

/// A name and a password; the default has neither.
#[derive(Clone, Debug, Default)]
pub struct User(Option<MetadataValue<Ascii>>);

impl User {
    /// What `user` of [`Settings`] takes.
    pub fn new(name: &str, password: &str) -> Self {
        let text = format!("Basic {}", STANDARD.encode(format!("{name}:{password}")));
        let mut header: MetadataValue<Ascii> = text.parse().expect("base64 is ASCII");
        // So it is not printed.
        header.set_sensitive(true);
        User(Some(header))
    }
}

/// Adds to each call who makes it.
impl Interceptor for User {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(header) = &self.0 {
            request.metadata_mut().insert("authorization", header.clone());
        }
        Ok(request)
    }
}

/// A connection whose calls say who makes them.
pub type Connection = InterceptedService<Channel, User>;

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
    avoid_until: Arc<Mutex<Instant>>,
}

/// What stubs return.
pub type Answer<R> = Result<Response<R>, Status>;

/// A client of one cluster. Make one for a program, and clone it.
#[derive(Clone, Debug)]
pub struct Client {
    nodes: Arc<[Node]>,
    pub(crate) settings: Settings,
}

impl Client {
    /// Makes a client of nodes, each `host:port`, inside a Tokio runtime. It does not wait for a connection. Calls go to
    /// the first node that works; any node answers for the whole cluster.
    pub fn new<A: AsRef<str>>(addresses: impl IntoIterator<Item = A>, settings: Settings) -> Result<Self> {
        let nodes = addresses.into_iter().map(|address| Node::connect(address.as_ref(), &settings));
        let nodes: Arc<[Node]> = nodes.collect::<Result<_>>()?;
        if nodes.is_empty() {
            let status = Status::invalid_argument("give the address of a node at least, such as 127.0.0.1:9160");
            return Err(Error::from_status(&status, false));
        }
        Ok(Client { nodes, settings })
    }

    /// A column family to read and write. Makes no call, and does not ask whether there is one.
    pub fn family(&self, keyspace: &str, name: &str) -> Family {
        let parent = pb::ColumnParent { column_family: name.into(), super_column: None };
        Family { client: self.clone(), keyspace: keyspace.into(), parent, timestamp: None, ttl: None }
    }

    /// Changes to many rows and families that [`Batch::apply`] makes in one call.
    pub fn batch(&self, keyspace: &str) -> Batch {
        let request = pb::BatchMutateRequest { keyspace: keyspace.into(), options: self.writes(), ..Default::default() };
        Batch { client: self.clone(), request }
    }

    pub(crate) fn writes(&self) -> Option<pb::WriteOptions> {
        let consistency_level = self.settings.write_level.into();
        Some(pb::WriteOptions { consistency_level, ..Default::default() })
    }

    /// Creates a keyspace with its families.
    pub async fn create_keyspace(&self, name: &str, replicas: i32, families: &[FamilyDefinition]) -> Result<()> {
        let (name, column_families) = (name.into(), families.into());
        let keyspace = admin::KeyspaceDef { name, replication_factor: replicas, column_families, ..Default::default() };
        let request = admin::CreateKeyspaceRequest { keyspace: Some(keyspace), ..Default::default() };
        self.change(request, async |mut node, request| node.schema.create_keyspace(request).await).await
    }

    /// Creates a column family in a keyspace.
    pub async fn create_family(&self, keyspace: &str, family: FamilyDefinition) -> Result<()> {
        let column_family = Some(FamilyDefinition { keyspace: keyspace.into(), ..family });
        let request = admin::CreateColumnFamilyRequest { column_family };
        self.change(request, async |mut node, request| node.schema.create_column_family(request).await).await
    }

    /// Drops a keyspace with all its data.
    pub async fn drop_keyspace(&self, name: &str) -> Result<()> {
        let request = admin::DropKeyspaceRequest { name: name.into() };
        self.change(request, async |mut node, request| node.schema.drop_keyspace(request).await).await
    }

    /// A change of the schema waits for all nodes that are up.
    async fn change<Q: Clone, R>(&self, request: Q, method: impl AsyncFn(Node, Request<Q>) -> Answer<R>) -> Result<()> {
        let mut patient = self.clone();
        patient.settings.timeout = self.settings.timeout.max(Duration::from_secs(30));
        patient.call(true, request, method).await?;
        Ok(())
    }

    /// Makes a call with the client's deadline, retries and errors:
    /// `client.call(false, request, async |mut node, request| node.admin.get_info(request).await)`.
    pub async fn call<Q: Clone, R>(
        &self,
        write: bool,
        request: Q,
        method: impl AsyncFn(Node, Request<Q>) -> Answer<R>,
    ) -> Result<R> {
        let deadline = Instant::now() + self.settings.timeout;
        let mut attempt = 1;
        loop {
            let node = self.node();
            let mut request = Request::new(request.clone());
            request.set_timeout(deadline.duration_since(Instant::now()).max(Duration::from_millis(1)));
            // A node that stands still does not end the call.
            let status = match timeout_at(deadline, method(node.clone(), request)).await {
                Ok(Ok(answer)) => return Ok(answer.into_inner()),
                // tonic watches the same deadline, and says that it cancelled the call.
                Ok(Err(status)) if status.code() != Code::Cancelled || Instant::now() < deadline => status,
                _ => Status::deadline_exceeded("the deadline passed before an answer came"),
            };
            self.pause(attempt, node.failed(&status, write), Some(deadline)).await?;
            attempt += 1;
        }
    }

    /// Waits before the next attempt: for what the node asked, or 20 ms, doubled each time; a part by chance. Without
    /// one it returns the error.
    pub(crate) async fn pause(&self, attempt: u32, error: Error, deadline: Option<Instant>) -> Result<()> {
        let pause = error.retry_after.unwrap_or(Duration::from_millis(10 << attempt.min(7)));
        // Each of these has random keys.
        let chance = RandomState::new().hash_one(attempt) as u32;
        let pause = pause + pause.mul_f64(f64::from(chance) / f64::from(u32::MAX) / 2.0);
        let late = deadline.is_some_and(|deadline| Instant::now() + pause >= deadline);
        if late || attempt >= self.settings.attempts || !error.may_retry() {
            return Err(error);
        }
        sleep(pause).await;
        Ok(())
    }

    /// The node that the next call goes to: the first that did not fail lately.
    pub fn node(&self) -> Node {
        let now = Instant::now();
        let best = self.nodes.iter().min_by_key(|node| now.max(*node.avoid_until()));
        best.expect("a client has nodes").clone()
    }
}

impl Node {
    fn connect(address: &str, settings: &Settings) -> Result<Self> {
        let wrong = |bad: &dyn std::fmt::Display| {
            Error::from_status(&Status::invalid_argument(format!("{address}: {bad}")), false)
        };
        if settings.user.0.is_some() && settings.roots.is_none() && !is_loopback(address) {
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
        let channel = InterceptedService::new(channel, settings.user.clone());
        Ok(Node {
            column_store: ColumnStoreServiceClient::new(channel.clone()).max_decoding_message_size(MAX_ANSWER),
            schema: SchemaServiceClient::new(channel.clone()).max_decoding_message_size(MAX_ANSWER),
            cluster: ClusterServiceClient::new(channel.clone()).max_decoding_message_size(MAX_ANSWER),
            admin: NodeServiceClient::new(channel.clone()).max_decoding_message_size(MAX_ANSWER),
            channel,
            avoid_until: Arc::new(Mutex::new(Instant::now())),
        })
    }

    /// When calls may go to the node again.
    fn avoid_until(&self) -> MutexGuard<'_, Instant> {
        self.avoid_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Turns an error into one of this package, and avoids a node that does not serve.
    pub(crate) fn failed(&self, status: &Status, write: bool) -> Error {
        let error = Error::from_status(status, write);
        // A node that said nothing in time may stand still.
        let silent = error.code == Code::DeadlineExceeded && error.reason.is_empty();
        if silent || error.node_is_gone() {
            *self.avoid_until() = Instant::now() + Duration::from_secs(2);
        }
        error
    }
}

impl FamilyDefinition {
    /// A Standard family.
    pub fn standard(name: &str, compare_with: &str) -> Self {
        let column_type = admin::ColumnType::Standard.into();
        FamilyDefinition { name: name.into(), column_type, compare_with: compare_with.into(), ..Default::default() }
    }

    /// A Super family.
    pub fn nested(name: &str, compare_with: &str, compare_subcolumns_with: &str) -> Self {
        let (column_type, inside) = (admin::ColumnType::Super.into(), compare_subcolumns_with.into());
        FamilyDefinition { column_type, compare_subcolumns_with: inside, ..Self::standard(name, compare_with) }
    }
}

/// The longest answer of a node.
const MAX_ANSWER: usize = 16 << 20;

fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host.trim_matches(['[', ']']));
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}
