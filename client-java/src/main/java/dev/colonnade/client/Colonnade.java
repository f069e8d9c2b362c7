package dev.colonnade.client;

import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A client of a cluster, with one connection for all calls. An application has one, uses it from
 * all its threads, and closes it at its end.
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

  /** An answer's largest page or message, 2 MiB by the contract, with room for its keys. */
  static final int MAX_MESSAGE_BYTES = 8 << 20;

  private static final long CLOSE_SECONDS = 5;

  private final ManagedChannel channel;
  private final Sessions sessions;
  private final CallOptions options;
  private final ClientContext context;
  private final TimeUuids timeUuids = new TimeUuids();

  Colonnade(ManagedChannel channel, ClientOptions options) {
    this(channel, options, System::nanoTime);
  }

  /**
   * A client of a channel.
   *
   * @param nanoTime when sessions are opened again
   */
  Colonnade(ManagedChannel channel, ClientOptions options, LongSupplier nanoTime) {
    this.channel = channel;
    this.options = options.calls();
    // The listener is told of the calls of a session, not of the session.
    this.sessions = new Sessions(channel, options.sessions(), nanoTime);
    ListenedCalls listened =
        new ListenedCalls(options.listener().orElse((method, took, failure) -> {}));
    this.context =
        new ClientContext(
            new Transport(
                options.listener().isPresent()
                    ? ClientInterceptors.intercept(channel, listened)
                    : channel,
                sessions,
                listened),
            new Timestamps(Clock.systemUTC()),
            options.resumeAttempts());
  }

  /** {@link #connect(String, ClientOptions)} with the defaults. */
  public static Colonnade connect(String target) {
    return connect(target, ClientOptions.defaults());
  }

  /**
   * A client of a node. Returns at once: the connection is made by the first call, and again by
   * later ones after it broke. It is not encrypted.
   *
   * @param target {@code host:port}, or any target that gRPC resolves
   */
  public static Colonnade connect(String target, ClientOptions options) {
    return new Colonnade(
        NettyChannelBuilder.forTarget(target)
            .usePlaintext()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .build(),
        options);
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

  /** The connected node: its status, its statistics, and its administration. */
  public Node node() {
    return new Node(new AsyncNode(context.transport(), options));
  }

  /** Names that are moments: this client's own source of UUIDs of version 1. */
  public TimeUuids timeUuids() {
    return timeUuids;
  }

  Sessions sessions() {
    return sessions;
  }

  /** Lets calls in progress finish, for five seconds at most, and then ends them. */
  @Override
  public void close() {
    sessions.close();
    channel.shutdown();
    try {
      if (!channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
