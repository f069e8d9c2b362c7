package dev.colonnade.server.node.platform;

import dev.colonnade.internode.v1.Batch;
import dev.colonnade.internode.v1.ExchangeRequest;
import dev.colonnade.internode.v1.ExchangeResponse;
import dev.colonnade.internode.v1.PeerServiceGrpc;
import dev.colonnade.internode.v1.Welcome;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.PeerTls;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream that this node opens to one peer for one channel class, on a connection of its own.
 *
 * <ul>
 *   <li>It connects when there are frames to send. After it is lost it reconnects after a pause,
 *       which doubles with each failure.
 *   <li>During a pause frames are refused at once, until the pause is over or the peer is heard
 *       from.
 *   <li>There is at most one connection attempt at a time.
 * </ul>
 *
 * <p>Frames may come from any thread; everything else happens on one event loop.
 */
final class OutboundStream {

  /** What a stream needs of the node. */
  interface OutboundHost {
    /** Creates a connection to the peer that only that loop serves. */
    ManagedChannel connect(PeerAddress peer, EventLoop loop);

    /** The first message of a stream; null while this node's identity is not known yet. */
    @Nullable ExchangeRequest hello(ChannelClass channel);

    /**
     * Whether a node may say that it has this id.
     *
     * @param certified the node that its certificate names, if it showed one
     */
    boolean isNamed(String nodeId, Optional<CertifiedNode> certified);

    /** A node answered at that address, and is the one that its certificate names. On the loop. */
    void answered(PeerAddress peer, String nodeId);

    /** Receives the peer's messages, and reports of frames that could not be sent to it. */
    FrameReceiver receiver();
  }

  private static final Logger LOG = LoggerFactory.getLogger(OutboundStream.class);

  /** A node that took over the address of another one causes one for each message. */
  private static final SparseLog MISDIRECTED = new SparseLog(SparseLog.PERIOD);

  /** A stream that lasted less than this counts as a failure. */
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_DOUBLINGS = 20;

  private final PeerAddress peer;
  private final ChannelClass channel;
  private final EventLoop loop;
  private final OutboundHost host;
  private final GrpcTransportSettings.PeerConnectionSettings settings;
  private final ChannelCounters counters;
  private final StreamWriter writer;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /** Whether frames are refused: during a pause, or after the stream was closed. */
  private volatile boolean refusing;

  /** The id of the node at the other end; null while there is no stream. */
  private volatile @Nullable String answering;

  // On the loop only.
  private @Nullable ConnectionAttempt current;
  private boolean ended;
  private boolean paused;
  private int failures;
  private long pause;

  OutboundStream(
      PeerAddress peer,
      ChannelClass channel,
      EventLoop loop,
      OutboundHost host,
      GrpcTransportSettings settings,
      OutboundQueue queue,
      ChannelCounters counters) {
    this.peer = peer;
    this.channel = channel;
    this.loop = loop;
    this.host = host;
    this.settings = settings.connections();
    this.counters = counters;
    this.writer =
        new StreamWriter(
            loop, queue, counters, settings.batches(), this::connect, host.receiver()::unsent);
  }

  /** Queues a frame; false if it was dropped. Any thread. */
  boolean send(Frame frame) {
    if (refusing) {
      counters.dropped.increment();
      return false;
    }
    return writer.send(frame);
  }

  boolean isConnected() {
    return answering != null;
  }

  /** The id of the node at the other end; null while there is no stream. */
  @Nullable String answering() {
    return answering;
  }

  /** Ends a pause, since the peer was heard from. Any thread. */
  void peerIsThere() {
    if (refusing) {
      onLoop(
          () -> {
            failures = 0;
            endPause(pause);
          });
    }
  }

  /** Closes the connection and drops queued frames, for good. Any thread. */
  void abandon() {
    refusing = true;
    onLoop(
        () -> {
          ended = true;
          ConnectionAttempt attempt = current;
          if (attempt != null) {
            attempt.cancel("the peer was removed");
          }
          writer.drop();
          closed.complete(null);
        });
  }

  /** Sends the queued frames, then ends the stream for good. Any thread. */
  CompletableFuture<Void> finish() {
    refusing = true;
    onLoop(
        () -> {
          ended = true;
          if (current == null) {
            writer.drop();
            closed.complete(null);
          } else {
            writer.finish();
          }
        });
    return closed;
  }

  private void onLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      closed.complete(null);
    }
  }

  private void connect() {
    if (ended || paused || current != null) {
      return;
    }
    ExchangeRequest hello = host.hello(channel);
    if (hello == null) {
      writer.drop();
      return;
    }
    ConnectionAttempt attempt = new ConnectionAttempt(host.connect(peer, loop));
    current = attempt;
    attempt.begin(hello);
  }

  private void lost(ConnectionAttempt attempt, Status status) {
    if (current != attempt) {
      return;
    }
    current = null;
    answering = null;
    writer.attach(null);
    boolean steady = attempt.welcomed && System.nanoTime() - attempt.welcomedNanos >= STEADY_NANOS;
    failures = steady ? 0 : failures + 1;
    if (ended) {
      writer.drop();
      closed.complete(null);
      return;
    }
    report(attempt, status);
    refusing = true;
    paused = true;
    writer.drop();
    host.receiver().broke(peer, channel);
    long mine = ++pause;
    long nanos = pauseNanos();
    EventLoops.after(loop, nanos, () -> endPause(mine));
  }

  private long pauseNanos() {
    long nanos = settings.minBackoff().toNanos();
    for (int i = 1; i < Math.min(failures, MAX_DOUBLINGS); i++) {
      nanos = Math.min(2 * nanos, settings.maxBackoff().toNanos());
    }
    return nanos + (long) (nanos * ThreadLocalRandom.current().nextDouble(-0.2, 0.2));
  }

  private void endPause(long which) {
    if (which == pause && !ended) {
      paused = false;
      refusing = false;
      // A frame may have been queued while the pause began.
      writer.wake();
    }
  }

  /** The message to log: a peer that is down is not worth a stack trace. */
  private static String words(Status status) {
    Throwable root = status.getCause();
    while (root != null && root.getCause() != null) {
      root = root.getCause();
    }
    String description = status.getDescription();
    return status.getCode()
        + (description == null ? "" : " " + description)
        + (root == null ? "" : " (" + root.getMessage() + ")");
  }

  private void report(ConnectionAttempt attempt, Status status) {
    if (status.getCode() == Status.Code.FAILED_PRECONDITION) {
      LOG.warn("{} refuses this node's {} stream: {}", peer, channel, status.getDescription());
    } else if (attempt.welcomed && status.isOk()) {
      LOG.info("{} ended its {} stream, as nodes do when they stop", peer, channel);
    } else if (attempt.welcomed) {
      LOG.warn("the {} stream to {} was lost: {}", channel, peer, words(status));
    } else if (failures == 1) {
      LOG.warn(
          "no {} stream to {}: {}; it will be opened again when needed",
          channel,
          peer,
          words(status));
    } else {
      LOG.debug("no {} stream to {} after {} attempts: {}", channel, peer, failures, status);
    }
  }

  /** One connection and the stream on it. */
  private final class ConnectionAttempt extends ClientCall.Listener<ExchangeResponse>
      implements StreamWriter.Sink {
    private final ManagedChannel channel;
    private final ClientCall<ExchangeRequest, ExchangeResponse> call;
    private final FrameReceiver receiver = host.receiver();
    private boolean welcomed;
    private long welcomedNanos;
    private @Nullable Peer from;

    ConnectionAttempt(ManagedChannel channel) {
      this.channel = channel;
      this.call = channel.newCall(PeerServiceGrpc.getExchangeMethod(), CallOptions.DEFAULT);
    }

    void begin(ExchangeRequest hello) {
      call.start(this, new Metadata());
      call.request(1);
      call.sendMessage(hello);
      EventLoops.after(loop, welcomeNanos(), this::expectWelcome);
    }

    /**
     * The time limit for the welcome: one connect limit for the connection, and one for the first
     * message.
     */
    private long welcomeNanos() {
      return 2 * settings.connectLimit().toNanos();
    }

    private void expectWelcome() {
      if (!welcomed) {
        cancel("the peer accepted the connection and sent nothing");
      }
    }

    void cancel(String why) {
      call.cancel(why, null);
    }

    @Override
    public boolean admits(Frame frame) {
      Peer there = from;
      if (there == null) {
        return false;
      }
      if (frame.toId().isEmpty() || frame.toId().equals(there.id())) {
        return true;
      }
      MISDIRECTED.report(
          silently ->
              LOG.warn(
                  "a message for node {} was not sent, since {} answers at its address{}",
                  frame.toId(),
                  there,
                  SparseLog.andMore(silently)));
      return false;
    }

    @Override
    public boolean isReady() {
      return call.isReady();
    }

    @Override
    public void write(Batch batch) {
      call.sendMessage(ExchangeRequest.newBuilder().setBatch(batch).build());
    }

    @Override
    public void finish() {
      call.halfClose();
    }

    @Override
    public void onReady() {
      if (loop.inEventLoop()) {
        writer.flush();
      } else {
        writer.wake();
      }
    }

    @Override
    public void onMessage(ExchangeResponse message) {
      if (message.hasWelcome() && !welcomed) {
        welcome(message.getWelcome());
      } else if (message.hasBatch() && from != null) {
        Inbound.deliver(message.getBatch(), from, counters, receiver);
      } else {
        cancel("the peer violates the protocol");
        return;
      }
      Inbound.requestNext(loop, call::request);
    }

    private void welcome(Welcome welcome) {
      if (welcome.getProtocolVersion() != PeerMessages.PROTOCOL_VERSION) {
        cancel("the peer speaks version " + welcome.getProtocolVersion() + " of the protocol");
        return;
      }
      if (!host.isNamed(
          welcome.getNodeId(),
          PeerTls.nodeIn(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION)))) {
        cancel("the peer's certificate names another node than it says it is");
        return;
      }
      welcomed = true;
      welcomedNanos = System.nanoTime();
      from = new Peer(welcome.getNodeId(), peer);
      answering = welcome.getNodeId();
      counters.connects.increment();
      LOG.debug("{} stream to {}", channel, from);
      host.answered(peer, welcome.getNodeId());
      // Not before: what is sent is meant for a node, and it is known now which one this is.
      onLoop(
          () -> {
            if (current == this) {
              writer.attach(this);
              writer.flush();
            }
          });
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      channel.shutdownNow();
      onLoop(() -> lost(this, status));
    }
  }
}
