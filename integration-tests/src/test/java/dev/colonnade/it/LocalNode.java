package dev.colonnade.it;

import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One node, on loopback unless told otherwise, known by its ports alone: all calls use generated
 * stubs. Not thread-safe itself; its channel and stubs are.
 */
public abstract class LocalNode implements AutoCloseable {

  /**
   * How to start a node.
   *
   * @param partitioner null for the default
   * @param commitLogSync {@code periodic} or {@code batch}; null for the default
   * @param storageConf an XML file; null for none
   * @param jvmArguments in front of the class, only where the node has a JVM of its own
   * @param descriptors how many files its process may have open; 0 for what this one may
   * @param peers the cluster that it is part of
   * @param host where it listens
   * @param jar another build's, for a node with a JVM of its own; null for this build
   */
  public record Settings(
      Path data,
      @Nullable String partitioner,
      @Nullable String commitLogSync,
      @Nullable Path storageConf,
      List<String> jvmArguments,
      int descriptors,
      Peers peers,
      Host host,
      @Nullable Path jar) {

    public static Settings in(Path data) {
      return new Settings(
          data, null, null, null, List.of("-Xmx1g"), 0, Peers.NONE, Host.LOOPBACK, null);
    }

    public Settings withPartitioner(String name) {
      return new Settings(
          data, name, commitLogSync, storageConf, jvmArguments, descriptors, peers, host, jar);
    }

    public Settings withCommitLogSync(String mode) {
      return new Settings(
          data, partitioner, mode, storageConf, jvmArguments, descriptors, peers, host, jar);
    }

    public Settings withStorageConf(Path file) {
      return new Settings(
          data, partitioner, commitLogSync, file, jvmArguments, descriptors, peers, host, jar);
    }

    public Settings withJvmArguments(String... arguments) {
      return new Settings(
          data,
          partitioner,
          commitLogSync,
          storageConf,
          List.of(arguments),
          descriptors,
          peers,
          host,
          jar);
    }

    public Settings withDescriptors(int count) {
      return new Settings(
          data, partitioner, commitLogSync, storageConf, jvmArguments, count, peers, host, jar);
    }

    public Settings withPeers(Peers others) {
      return new Settings(
          data,
          partitioner,
          commitLogSync,
          storageConf,
          jvmArguments,
          descriptors,
          others,
          host,
          jar);
    }

    public Settings withHost(Host place) {
      return new Settings(
          data,
          partitioner,
          commitLogSync,
          storageConf,
          jvmArguments,
          descriptors,
          peers,
          place,
          jar);
    }

    public Settings withJar(@Nullable Path build) {
      return new Settings(
          data,
          partitioner,
          commitLogSync,
          storageConf,
          jvmArguments,
          descriptors,
          peers,
          host,
          build);
    }

    List<String> commandLine() {
      List<String> words = new ArrayList<>(List.of("server", "--data", data.toString()));
      add(words, "--partitioner", partitioner);
      add(words, "--commit-log-sync", commitLogSync);
      add(words, "--storage-conf", storageConf == null ? null : storageConf.toString());
      words.addAll(peers.commandLine());
      return words;
    }

    private static void add(List<String> words, String option, @Nullable String value) {
      if (value != null) {
        words.add(option);
        words.add(value);
      }
    }
  }

  /**
   * How a node finds others.
   *
   * @param port where it listens for them; 0 for any
   * @param seeds {@code host:port} of each; empty for a node alone
   * @param more arguments about its place in the cluster
   */
  public record Peers(int port, List<String> seeds, List<String> more) {

    static final Peers NONE = new Peers(0, List.of(), List.of());

    List<String> commandLine() {
      List<String> words = new ArrayList<>(List.of("--peer-port", Integer.toString(port)));
      if (!seeds.isEmpty()) {
        words.add("--seeds");
        words.add(String.join(",", seeds));
      }
      words.addAll(more);
      return words;
    }
  }

  /**
   * Where a node listens, how a process is started there, and how it is called.
   *
   * @param launcher words before the command; empty for none
   * @param access null for a node without TLS and accounts
   */
  public record Host(String address, List<String> launcher, @Nullable Access access) {

    /** One that anybody may call. */
    public Host(String address, List<String> launcher) {
      this(address, launcher, null);
    }

    /** This machine, as it is. */
    public static final Host LOOPBACK = new Host("127.0.0.1", List.of());
  }

  /**
   * How a node with TLS and accounts is called.
   *
   * @param trusted the authority that signed its certificate
   */
  public record Access(Path trusted, String user, String password) {}

  /** Says who calls, unless the call says so already. */
  private record Credentials(String user, String password) implements ClientInterceptor {
    private static final Metadata.Key<String> HEADER =
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return new ForwardingClientCall.SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
          if (!headers.containsKey(HEADER)) {
            byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
            headers.put(HEADER, "Basic " + Base64.getEncoder().encodeToString(pair));
          }
          super.start(listener, headers);
        }
      };
    }
  }

  /** Where gRPC clients find a node on its host, and where its HTTP port is. */
  public record Ports(int client, int http) {}

  /** Room for the largest answer there is, and for many calls in flight. */
  private static final int MAX_MESSAGE_BYTES = 16 << 20;

  private @Nullable ManagedChannel channel;

  /** Starts a node in a process of its own and returns when it serves. */
  public static LocalNode process(Settings settings) throws IOException {
    return ProcessNode.start(settings);
  }

  /** Starts a process that is to become a node, and does not wait until it serves. */
  public static Process launch(Settings settings) throws IOException {
    return ProcessNode.unawaited(settings);
  }

  public abstract Ports ports();

  /** The address that it listens on. */
  public String address() {
    return Host.LOOPBACK.address();
  }

  /** How it is called; null for one without TLS and accounts. */
  protected @Nullable Access access() {
    return null;
  }

  /** The process that the node runs in. */
  public abstract long pid();

  /** Asks the node to stop and returns when it has. */
  public abstract void stop();

  /** SIGKILL: the node gets no chance to write anything more. Returns when it is gone. */
  public abstract void kill();

  /** A node started again on the same data, after {@link #stop} or {@link #kill}. */
  public abstract LocalNode again() throws IOException;

  /** CPU time of the node's process so far, user and system. */
  public Duration cpuTime() {
    return ProcessHandle.of(pid())
        .flatMap(process -> process.info().totalCpuDuration())
        .orElseThrow(() -> new IllegalStateException("no CPU time known of process " + pid()));
  }

  /** One channel for all calls, as a client would have it. */
  public synchronized ManagedChannel channel() {
    if (channel == null) {
      channel = newChannel();
    }
    return channel;
  }

  /** A further connection. */
  public ManagedChannel newChannel() {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(address(), ports().client())
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES);
    Access access = access();
    if (access == null) {
      return builder.usePlaintext().build();
    }
    try {
      return builder
          .sslContext(GrpcSslContexts.forClient().trustManager(access.trusted().toFile()).build())
          .intercept(new Credentials(access.user(), access.password()))
          .build();
    } catch (SSLException e) {
      throw new IllegalStateException("no TLS with " + access.trusted(), e);
    }
  }

  /** Calls over the same connection that another user makes. */
  public Channel channelOf(String user, String password) {
    return ClientInterceptors.intercept(channel(), new Credentials(user, password));
  }

  public ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub data() {
    return ColumnStoreServiceGrpc.newBlockingStub(channel());
  }

  public SchemaServiceGrpc.SchemaServiceBlockingStub schema() {
    return SchemaServiceGrpc.newBlockingStub(channel());
  }

  public NodeServiceGrpc.NodeServiceBlockingStub node() {
    return NodeServiceGrpc.newBlockingStub(channel());
  }

  /** Writes every memtable of every keyspace to a data file. */
  public void flushAll() {
    for (KeyspaceDef keyspace :
        schema().listKeyspaces(ListKeyspacesRequest.getDefaultInstance()).getKeyspacesList()) {
      node().flush(FlushRequest.newBuilder().setKeyspace(keyspace.getName()).build());
    }
  }

  @Override
  public void close() {
    closeChannel();
    stop();
  }

  /** Calls in progress fail at once. */
  protected synchronized void closeChannel() {
    if (channel != null) {
      channel.shutdownNow();
    }
  }
}
