package dev.colonnade.server.node.platform;

import dev.colonnade.internode.v1.ExchangeRequest;
import dev.colonnade.internode.v1.ExchangeResponse;
import dev.colonnade.internode.v1.Hello;
import dev.colonnade.internode.v1.PeerServiceGrpc;
import dev.colonnade.internode.v1.Welcome;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.ChannelFigures;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.PeerTls;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.ReflectiveChannelFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages between nodes over gRPC streams, described in {@code internode.proto}. For each
 * peer and channel class there is one connection that this node opens for its requests, and one
 * that the peer opens. Gossip has an event loop of its own. Messages are delivered on the event
 * loops.
 *
 * <p>The transport is bound first, opened when the node's identity is known, and receives when the
 * node can answer; until then peers are refused. The sender of a frame is always the node named
 * when its stream was opened.
 *
 * <p>Answers go to the node that asked, by its id, over a stream that it opened itself or that it
 * answers on. With certificates a node cannot have the id of another one; it is refused if it names
 * as its own an address at which another node answers this one.
 *
 * <p>Thread-safe. Only {@link #bind} and {@link #close} block.
 */
public final class GrpcTransport implements Transport, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(GrpcTransport.class);

  private final GrpcTransportSettings settings;
  private final Optional<PeerTls> tls;
  private final PeerLoops loops;
  private final NodeMemory memory;
  private final PeerMemory peerMemory;
  private final Map<PeerAddress, Map<ChannelClass, PeerStreams>> peers = new ConcurrentHashMap<>();
  private final LocalEnd streams = new LocalEnd();
  private final LongAdder refusedStreams = new LongAdder();
  private final GrpcListener listener;
  private final Server server;
  private volatile @Nullable LocalIdentity self;
  private volatile @Nullable FrameReceiver receiver;
  private volatile @Nullable String isolation;
  private volatile boolean closed;

  private GrpcTransport(
      InetSocketAddress address,
      GrpcTransportSettings settings,
      NodeMemory memory,
      Optional<PeerTls> tls) {
    this.settings = settings;
    this.tls = tls;
    this.memory = memory;
    this.peerMemory = new PeerMemory(memory.direct(), settings.connections().maxMessageBytes());
    this.loops = new PeerLoops(settings.threads());
    this.listener =
        GrpcListener.at(
            "other nodes",
            address,
            listening(settings.connections()),
            loops.accepting(),
            loops.accepted(),
            FileDescriptors.ofProcess());
    tls.ifPresent(encryption -> listener.encrypt(encryption.accepting(), encryption.connections()));
    this.server =
        listener
            .builder()
            .maxInboundMessageSize(settings.connections().maxMessageBytes())
            .permitKeepAliveTime(
                settings.connections().keepAliveTime().toNanos() / 2, TimeUnit.NANOSECONDS)
            .permitKeepAliveWithoutCalls(true)
            .addStreamTracerFactory(new PeerIntake.Factory(peerMemory))
            .addService(
                ServerServiceDefinition.builder(PeerServiceGrpc.SERVICE_NAME)
                    .addMethod(PeerServiceGrpc.getExchangeMethod(), this::accept)
                    .build())
            .build();
  }

  /**
   * The limits for accepted connections. A peer opens a connection for one stream; without a stream
   * it is useless.
   */
  private static GrpcListener.ListenerLimits listening(
      GrpcTransportSettings.PeerConnectionSettings limits) {
    return new GrpcListener.ListenerLimits(
        limits.maxAccepted(),
        limits.connectLimit(),
        limits.keepAliveTime(),
        limits.keepAliveTimeout(),
        limits.helloLimit(),
        1,
        limits.windowBytes());
  }

  /**
   * Starts listening, without encryption and without a limit for the total bytes of messages.
   *
   * @param address port 0 for any free one
   * @throws IOException if the address cannot be bound
   */
  public static GrpcTransport bind(InetSocketAddress address, GrpcTransportSettings settings)
      throws IOException {
    return bind(address, settings, NodeMemory.unbounded(), Optional.empty());
  }

  /**
   * Starts listening; peers are refused until {@link #open} and {@link #receive}.
   *
   * @param address port 0 for any free one
   * @param memory accounts for messages in flight
   * @param tls empty for connections that are not encrypted, where nodes are believed to be who
   *     they say they are
   * @throws IOException if the address cannot be bound
   */
  public static GrpcTransport bind(
      InetSocketAddress address,
      GrpcTransportSettings settings,
      NodeMemory memory,
      Optional<PeerTls> tls)
      throws IOException {
    GrpcTransport transport = new GrpcTransport(address, settings, memory, tls);
    try {
      transport.server.start();
    } catch (IOException e) {
      transport.stopLoops();
      throw e;
    }
    return transport;
  }

  /** Its event loops, for the watchdog. */
  public Watched loops() {
    return loops.watched();
  }

  /** The port that was bound. */
  public int port() {
    return server.getPort();
  }

  /** Sets this node's identity; messages sent before were dropped. Called once. */
  public void open(Peer node, String clusterName) {
    self = new LocalIdentity(node, clusterName, tls.isPresent());
  }

  /**
   * Sets how members of the cluster are recognised by their ids. Other nodes, which know no more
   * than the cluster's name, get little memory for their messages; until this is called, all do.
   *
   * @param isMember quick and thread-safe
   */
  public void recognise(Predicate<String> isMember) {
    peerMemory.recognise(isMember);
  }

  /**
   * Refuses the streams of all nodes from now on, and sends nothing to any.
   *
   * @param why told to those nodes, and logged
   */
  public void isolate(String why) {
    isolation = why;
  }

  @Override
  public void receive(FrameReceiver newReceiver) {
    receiver = newReceiver;
  }

  @Override
  public boolean send(PeerAddress to, Frame frame) {
    return !closed && isolation == null && streamsTo(to, frame.verb().channelClass()).send(frame);
  }

  @Override
  public void forget(PeerAddress peer) {
    Map<ChannelClass, PeerStreams> byChannel = peers.remove(peer);
    if (byChannel != null) {
      byChannel.values().forEach(PeerStreams::abandon);
    }
  }

  /** Counts for each channel class and peer that was contacted, by address and class. */
  public List<ChannelFigures> figures() {
    return peers.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .flatMap(entry -> entry.getValue().values().stream())
        .map(PeerStreams::figures)
        .toList();
  }

  /** Counts of one channel class; empty for a peer that was not contacted. */
  public Optional<ChannelFigures> figures(PeerAddress peer, ChannelClass channel) {
    Map<ChannelClass, PeerStreams> byChannel = peers.get(peer);
    return byChannel == null
        ? Optional.empty()
        : Optional.ofNullable(byChannel.get(channel)).map(PeerStreams::figures);
  }

  /** The peers that were contacted and not forgotten since, sorted. */
  public List<PeerAddress> peers() {
    return peers.keySet().stream().sorted().toList();
  }

  /** How many streams of other nodes were refused, or ended because they named a wrong address. */
  public long refusedStreams() {
    return refusedStreams.sum();
  }

  private PeerStreams streamsTo(PeerAddress peer, ChannelClass channel) {
    Map<ChannelClass, PeerStreams> byChannel = peers.get(peer);
    if (byChannel == null) {
      byChannel = peers.computeIfAbsent(peer, this::newStreams);
    }
    return Objects.requireNonNull(byChannel.get(channel));
  }

  private Map<ChannelClass, PeerStreams> newStreams(PeerAddress peer) {
    Map<ChannelClass, PeerStreams> byChannel = new EnumMap<>(ChannelClass.class);
    for (ChannelClass channel : ChannelClass.values()) {
      ChannelCounters counters = new ChannelCounters();
      OutboundQueue queue = streams.queue(channel);
      EventLoop loop = loops.next(channel);
      OutboundStream dialed =
          new OutboundStream(peer, channel, loop, streams, settings, queue, counters);
      byChannel.put(channel, new PeerStreams(peer, channel, counters, queue, dialed));
    }
    return byChannel;
  }

  private ServerCall.Listener<ExchangeRequest> accept(
      ServerCall<ExchangeRequest, ExchangeResponse> call, Metadata headers) {
    Optional<CertifiedNode> certified =
        PeerTls.nodeIn(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
    InboundStream stream =
        new InboundStream(call, loops.current(), streams, PeerIntake.current(), certified);
    stream.expectHello(settings.connections().helloLimit());
    call.request(1);
    return stream;
  }

  /**
   * Stops: queued messages are sent within the limit, then all connections are closed. Blocks; not
   * for an event loop. Idempotent.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    long deadline = System.nanoTime() + settings.stopLimit().toNanos();
    try {
      finishChannels(deadline);
      // All messages are sent; connections that are still open carry nothing.
      server.shutdownNow();
      server.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.shutdownNow();
    }
    forgetAll();
    stopLoops();
  }

  private void finishChannels(long deadlineNanos) throws InterruptedException {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (Map<ChannelClass, PeerStreams> byChannel : peers.values()) {
      byChannel.values().forEach(one -> ends.add(one.finish()));
    }
    try {
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("some messages to other nodes were not sent before the stop");
    }
  }

  private void forgetAll() {
    List.copyOf(peers.keySet()).forEach(this::forget);
  }

  private void stopLoops() {
    try {
      loops.stop(settings.stopLimit().toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What streams of either direction need of this node. */
  private final class LocalEnd
      implements OutboundStream.OutboundHost, InboundStream.InboundHost, FrameReceiver {

    @Override
    public ManagedChannel connect(PeerAddress peer, EventLoop loop) {
      GrpcTransportSettings.PeerConnectionSettings limits = settings.connections();
      NettyChannelBuilder channel = NettyChannelBuilder.forAddress(peer.host(), peer.port());
      tls.ifPresentOrElse(
          encryption -> channel.sslContext(encryption.dialing()), channel::usePlaintext);
      return channel
          .eventLoopGroup(loop)
          .channelFactory(this::newConnection)
          .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) limits.connectLimit().toMillis())
          .flowControlWindow(limits.windowBytes())
          .maxInboundMessageSize(limits.maxMessageBytes())
          .keepAliveTime(limits.keepAliveTime().toNanos(), TimeUnit.NANOSECONDS)
          .keepAliveTimeout(limits.keepAliveTimeout().toNanos(), TimeUnit.NANOSECONDS)
          .disableRetry()
          .directExecutor()
          .build();
    }

    private Channel newConnection() {
      Channel connection = new ReflectiveChannelFactory<>(loops.channelType()).newChannel();
      tls.ifPresent(encryption -> encryption.connections().add(connection));
      return connection;
    }

    @Override
    public @Nullable ExchangeRequest hello(ChannelClass channel) {
      LocalIdentity known = self;
      return known == null
          ? null
          : ExchangeRequest.newBuilder()
              .setHello(PeerMessages.hello(known.peer(), known.clusterName(), channel))
              .build();
    }

    @Override
    public @Nullable Welcome welcome() {
      LocalIdentity known = self;
      return known == null || receiver == null || closed
          ? null
          : PeerMessages.welcome(known.peer(), known.clusterName());
    }

    @Override
    public boolean isNamed(String nodeId, Optional<CertifiedNode> certified) {
      LocalIdentity known = self;
      return known == null ? tls.isEmpty() : known.isNamed(nodeId, certified);
    }

    @Override
    public InboundStream.@Nullable RefusedHello refusal(
        Hello hello, Optional<CertifiedNode> certified) {
      LocalIdentity known = self;
      if (known == null) {
        return null;
      }
      String alone = isolation;
      if (alone != null) {
        return InboundStream.RefusedHello.of(alone);
      }
      InboundStream.RefusedHello refusal = known.refusal(hello, certified);
      return refusal == null ? refusalHere(hello) : refusal;
    }

    private InboundStream.@Nullable RefusedHello refusalHere(Hello hello) {
      Peer sender = PeerMessages.sender(hello);
      String other = sender == null ? null : otherAt(sender.address(), sender.id());
      if (sender != null && other != null) {
        return new InboundStream.RefusedHello(
            "another node answers at the address that it names as its own",
            "node " + other + " answers at that address, and the stream is of " + sender.id());
      }
      boolean isKnown = sender != null && peers.containsKey(sender.address());
      if (peers.size() >= settings.connections().maxPeers() && !isKnown) {
        return InboundStream.RefusedHello.of(
            "this node is connected to " + peers.size() + " others already, which is its limit");
      }
      return null;
    }

    /** Another node that is known to answer at an address; null without certificates. */
    private @Nullable String otherAt(PeerAddress address, String nodeId) {
      LocalIdentity known = self;
      if (tls.isEmpty() || known == null) {
        return null;
      }
      if (address.equals(known.peer().address())) {
        return known.peer().id();
      }
      for (PeerStreams each : peers.getOrDefault(address, Map.of()).values()) {
        String answering = each.answering();
        if (answering != null && !answering.equals(nodeId)) {
          return answering;
        }
      }
      return null;
    }

    @Override
    public void answered(PeerAddress peer, String nodeId) {
      if (tls.isEmpty()) {
        return;
      }
      int ended = 0;
      for (PeerStreams each : peers.getOrDefault(peer, Map.of()).values()) {
        ended += each.endOthers(nodeId);
      }
      if (ended > 0) {
        refusedStreams.add(ended);
        LOG.warn(
            "ended {} streams of nodes that named {} as their address, where {} answers",
            ended,
            peer,
            nodeId);
      }
    }

    @Override
    public void refused() {
      refusedStreams.increment();
    }

    @Override
    public PeerStreams streams(Peer peer, ChannelClass channel) {
      // A message from the peer shows that it is up, for the other channel classes too.
      Stream.of(ChannelClass.values())
          .map(other -> streamsTo(peer.address(), other))
          .forEach(PeerStreams::peerIsThere);
      return streamsTo(peer.address(), channel);
    }

    @Override
    public OutboundQueue queue(ChannelClass channel) {
      return new OutboundQueue(settings.of(channel), memory.heap().share(1));
    }

    @Override
    public GrpcTransportSettings.Batches batches() {
      return settings.batches();
    }

    @Override
    public FrameReceiver receiver() {
      return this;
    }

    @Override
    public void accept(Frame frame) {
      FrameReceiver known = receiver;
      if (known != null) {
        known.accept(frame);
      }
    }

    @Override
    public void unsent(Frame frame) {
      FrameReceiver known = receiver;
      if (known != null) {
        known.unsent(frame);
      }
    }

    @Override
    public void broke(PeerAddress peer, ChannelClass channel) {
      FrameReceiver known = receiver;
      if (known != null) {
        known.broke(peer, channel);
      }
    }
  }
}
