package dev.colonnade.client;

import com.google.common.base.Suppliers;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A client of a cluster. An application has one, uses it from all its threads, and closes it at its
 * end. Made with {@link #connect(String)} it calls one node; with {@link #connect(Collection)} it
 * spreads its calls over the nodes of the cluster, has one connection to each, and outlives them:
 * what one of them cannot answer is answered by another ({@link ClientOptions#withRetries}).
 *
 * <p>Futures complete on daemon threads of the client, one for each that completes at the moment.
 * So what a program makes depend on a future may block, also on other calls of the same client;
 * only the futures of a cursor, or of a writer of batches, wait for each other.
 *
 * <pre>{@code
 * try (Colonnade colonnade = Colonnade.connect("127.0.0.1:9160")) {
 *   ColumnFamily<String, String, String> users =
 *       colonnade
 *           .keyspace("Blog")
 *           .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
 *   users.insert("jsmith", "city", "Tulsa");
 *   System.out.println(users.get("jsmith", "city")); // prints Optional[Tulsa]
 * }
 * }</pre>
 */
public final class Colonnade implements AutoCloseable {

  /** The longest answer: by the contract no message with the longest value exceeds 16 MiB. */
  static final int MAX_MESSAGE_BYTES = 16 << 20;

  /** How long a thread waits for more work before it ends. */
  private static final long IDLE_THREAD_SECONDS = 60;

  /**
   * Runs what depends on futures, of unary calls and of the session's alike. It has as many threads
   * as there is work: that work is the program's own code, which may block until other calls are
   * answered. A pool of few threads, such as the common one, could then stand still.
   */
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_THREAD_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          work -> {
            Thread thread = new Thread(work, "colonnade-client");
            thread.setDaemon(true);
            return thread;
          });

  private final Network network;
  private final NodePool pool;
  private final Retries retries;
  private final SpeculativeReads speculation;
  private final RingWatcher watcher;
  private final CallOptions options;
  private final ClientContext context;
  private final boolean discovers;
  private final Optional<String> datacenter;

  /** Made when it is needed: the first random bits of a process take longer than a call. */
  private final Supplier<TimeUuids> timeUuids = Suppliers.memoize(TimeUuids::new);

  /** A client of one channel. */
  Colonnade(ManagedChannelBuilder<?> builder, ClientOptions options) {
    this(
        List.of("one"),
        Network.of(target -> builder),
        options.withDiscovery(false),
        System::nanoTime);
  }

  /**
   * A client of contact points.
   *
   * @param nanoTime when sessions are opened again, and failed nodes get calls again
   */
  Colonnade(
      Collection<String> contactPoints,
      Network network,
      ClientOptions options,
      LongSupplier nanoTime) {
    this.network = network;
    this.options = options.calls();
    this.discovers = options.discovery();
    this.datacenter = options.datacenter();
    NodeConnection.Shared shared = new NodeConnection.Shared(threads, nanoTime);
    this.pool =
        new NodePool(
            target -> {
              Network.Route route = network.to(target);
              ManagedChannel channel =
                  new WideChannel(
                      build(route, threads),
                      () -> build(network.to(target), threads),
                      options.connectionsPerNode());
              return new NodeConnection(
                  target,
                  channel,
                  // The listener is told of the calls of a session, not of the session.
                  options.listener().map(it -> new ListenedCalls(it, target)).orElse(null),
                  new Sessions(channel, route.sender(), options.sessions(), nanoTime),
                  shared);
            },
            contactPoints,
            options.datacenter());
    Replicas replicas = new Replicas(pool, nanoTime, options.discovery());
    pool.onChange(replicas::ringChanged);
    this.watcher = new RingWatcher(pool, threads, options.discovery());
    this.retries = new Retries(pool, replicas, watcher::leave, options.retries());
    this.speculation = new SpeculativeReads(pool, replicas, options.speculation());
    this.context =
        new ClientContext(
            new Transport(pool, retries, speculation, watcher, threads),
            new Timestamps(Clock.systemUTC()),
            options.resumeAttempts());
  }

  /** A channel that resolves names on the client's threads as well, and needs no others. */
  private static ManagedChannel build(Network.Route route, Executor threads) {
    return route.channel().executor(threads).offloadExecutor(threads).build();
  }

  /** {@link #connect(String, ClientOptions)} with the defaults. */
  public static Colonnade connect(String target) {
    return connect(target, ClientOptions.defaults());
  }

  /**
   * A client of a node. Returns at once: the connection is made by the first call, and again by
   * later ones after it broke. Whether it is encrypted, the options say.
   *
   * @param target {@code host:port}, or any target that gRPC resolves
   */
  public static Colonnade connect(String target, ClientOptions options) {
    return connect(List.of(target), options.withDiscovery(false));
  }

  /** {@link #connect(Collection, ClientOptions)} with the defaults. */
  public static Colonnade connect(Collection<String> contactPoints) {
    return connect(contactPoints, ClientOptions.defaults());
  }

  /**
   * A client of a cluster. Returns at once: the connections are made by the first calls, and again
   * by later ones after they broke. Whether they are encrypted, the options say.
   *
   * <p>Calls go to any node, so a program that changes the schema and uses it at once waits until
   * the nodes agree on it: {@link Cluster#schemaVersions}.
   *
   * @param contactPoints {@code host:port} of one or more nodes, of which one must answer before
   *     the others are known
   * @throws IllegalArgumentException without a contact point
   */
  public static Colonnade connect(Collection<String> contactPoints, ClientOptions options) {
    Network network = new NetworkThreads(MAX_MESSAGE_BYTES, options);
    try {
      return new Colonnade(contactPoints, network, options, System::nanoTime);
    } catch (RuntimeException e) {
      network.close();
      throw e;
    }
  }

  /** Makes a client step by step, also of a properties file and of the environment. */
  public static ClientBuilder builder() {
    return new ClientBuilder();
  }

  /** A keyspace by its exact name; makes no call. */
  public Keyspace keyspace(String name) {
    return new Keyspace(context, name, options);
  }

  /** The definitions of keyspaces and families. */
  public Schema schema() {
    return new Schema(new AsyncSchema(context.transport(), options));
  }

  /** The cluster and the placement of rows, as the answering node sees them. */
  public Cluster cluster() {
    return new Cluster(new AsyncCluster(context.transport(), options));
  }

  /**
   * The connected node, or the first contact point: its status, its statistics, and its
   * administration.
   */
  public Node node() {
    return new Node(new AsyncNode(context.transport().toOne(pool.first()), options));
  }

  /** Users, roles, and what was granted to them. */
  public Accounts accounts() {
    return new Accounts(new AsyncAccounts(context.transport(), options));
  }

  /** What this client has done by itself so far; makes no call. */
  public ClientStatistics statistics() {
    SpeculativeReads.Counts reads = speculation.counts();
    return new ClientStatistics(
        pool.nodes().size(), retries.made(), reads.made(), reads.won(), reads.refused());
  }

  /**
   * Begins to load columns in bulk, past the nodes' commit logs. For clients of several contact
   * points, or of one with {@link ClientOptions#discovery}, since each replica is sent its rows.
   *
   * @throws IllegalStateException if this client knows only the node that it was given
   * @throws IllegalArgumentException if the family's comparators, or the partitioner, are plug-ins:
   *     the columns are sorted here
   * @throws NotFoundException if there is no such keyspace or family
   */
  public BulkLoader bulkLoader(String keyspace, String family, BulkLoadOptions bulkOptions) {
    if (!discovers) {
      throw new IllegalStateException(
          "a bulk load sends to every replica: make the client of a list of contact points, which"
              + " may be one");
    }
    return BulkLoader.open(this, keyspace, family, bulkOptions);
  }

  /**
   * A writer of many changes, each of which goes to a node that holds its row. Looks at the ring.
   *
   * @param keyspace with the options that its batches have
   * @throws NotFoundException if there is no such keyspace
   */
  public RoutedWriter routedWriter(Keyspace keyspace) {
    return new RoutedWriter(this, keyspace);
  }

  /** The ring, after which there is a connection to each of its nodes. */
  Ring ringOf(String keyspace) {
    Ring ring = cluster().ring(keyspace);
    pool.ringIs(ring.nodes());
    return ring;
  }

  Transport transport() {
    return context.transport();
  }

  Optional<String> datacenter() {
    return datacenter;
  }

  /** Names that are moments: this client's own source of UUIDs of version 1. */
  public TimeUuids timeUuids() {
    return timeUuids.get();
  }

  Sessions sessions() {
    return pool.first().sessions();
  }

  NodePool pool() {
    return pool;
  }

  /** Lets calls in progress finish, for five seconds at most, and then ends them. */
  @Override
  public void close() {
    try {
      watcher.close();
      pool.close();
    } finally {
      // Not shut down: a call that is made too late still gets its failure from the pool.
      threads.setKeepAliveTime(0, TimeUnit.SECONDS);
      network.close();
    }
  }
}
