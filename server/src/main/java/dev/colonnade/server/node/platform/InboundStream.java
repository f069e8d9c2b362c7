package dev.colonnade.server.node.platform;

import dev.colonnade.internode.v1.Batch;
import dev.colonnade.internode.v1.ExchangeRequest;
import dev.colonnade.internode.v1.ExchangeResponse;
import dev.colonnade.internode.v1.Hello;
import dev.colonnade.internode.v1.Welcome;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.node.tls.CertifiedNode;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream that a peer opened: it brings the peer's requests and takes the answers back.
 *
 * <p>Answers may come from any thread; everything else happens on the connection's event loop.
 */
final class InboundStream extends ServerCall.Listener<ExchangeRequest>
    implements StreamWriter.Sink {

  /** The node behind the stream. */
  interface InboundHost {
    /**
     * The first answer; null while this node's identity is not known yet, or the node is stopping.
     */
    @Nullable Welcome welcome();

    /**
     * Returns why a peer with this hello is refused; null if it is not.
     *
     * @param certified the node that its certificate names, if it showed one
     */
    @Nullable RefusedHello refusal(Hello hello, Optional<CertifiedNode> certified);

    /** Counts a hello that was refused. */
    void refused();

    /** The streams from and to that peer. */
    PeerStreams streams(Peer peer, ChannelClass channel);

    /** The queue for a new stream of that channel class. */
    OutboundQueue queue(ChannelClass channel);

    GrpcTransportSettings.Batches batches();

    /** Receives the peer's messages. */
    Consumer<Frame> receiver();
  }

  /**
   * Why a hello is refused.
   *
   * @param told to the peer, which may be a stranger
   * @param logged here
   */
  record RefusedHello(String told, String logged) {

    static RefusedHello of(String why) {
      return new RefusedHello(why, why);
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(InboundStream.class);

  private static final int LOGGED_CHARACTERS = 300;
  private static final Pattern CONTROL_CHARACTERS = Pattern.compile("\\p{Cntrl}");

  /** Anyone can send anything here, as often as they like. */
  private static final SparseLog REFUSALS = new SparseLog(SparseLog.PERIOD);

  private final ServerCall<ExchangeRequest, ExchangeResponse> call;
  private final EventExecutor loop;
  private final InboundHost host;
  private final PeerIntake intake;
  private final Optional<CertifiedNode> certified;
  private volatile @Nullable KnownPeer open;
  private boolean closed;

  /** What is known after the peer's hello. */
  private record KnownPeer(
      Peer from,
      PeerStreams entry,
      OutboundQueue queue,
      StreamWriter writer,
      Consumer<Frame> receiver) {}

  InboundStream(
      ServerCall<ExchangeRequest, ExchangeResponse> call,
      EventExecutor loop,
      InboundHost host,
      PeerIntake intake,
      Optional<CertifiedNode> certified) {
    this.call = call;
    this.loop = loop;
    this.host = host;
    this.intake = intake;
    this.certified = certified;
    intake.onRefusal(
        () ->
            onLoop(
                () ->
                    end(
                        Status.RESOURCE_EXHAUSTED.withDescription(
                            "no memory for another message of a node"))));
  }

  /** Ends the stream if its hello has not arrived within the limit. */
  void expectHello(Duration limit) {
    EventLoops.after(
        loop,
        limit.toNanos(),
        () -> {
          if (open == null) {
            end(Status.DEADLINE_EXCEEDED.withDescription("no hello within " + limit));
          }
        });
  }

  /** Queues an answer; false if it was dropped. Any thread. */
  boolean send(Frame frame) {
    KnownPeer stream = open;
    return stream != null && stream.writer.send(frame);
  }

  int queuedFrames() {
    KnownPeer stream = open;
    return stream == null ? 0 : stream.queue.size();
  }

  long queuedBytes() {
    KnownPeer stream = open;
    return stream == null ? 0 : stream.queue.bytes();
  }

  /** Ends the stream at once and drops queued answers. Any thread. */
  void abandon(String why) {
    onLoop(() -> end(Status.UNAVAILABLE.withDescription(why)));
  }

  /** Sends the queued answers, then ends the stream. Any thread. */
  void finishWhenSent() {
    onLoop(
        () -> {
          KnownPeer stream = open;
          if (stream != null) {
            stream.writer.finish();
          }
        });
  }

  private void onLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      LOG.debug("a peer's stream outlived its event loop", stopped);
    }
  }

  @Override
  public void onMessage(ExchangeRequest message) {
    KnownPeer stream = open;
    if (stream == null && message.hasHello()) {
      hello(message.getHello());
    } else if (stream != null && message.hasBatch()) {
      Inbound.deliver(message.getBatch(), stream.from, stream.entry.counters(), stream.receiver);
    } else {
      end(
          Status.INVALID_ARGUMENT.withDescription(
              "a stream begins with one hello, and batches follow"));
    }
    if (!closed) {
      Inbound.requestNext(loop, call::request);
    }
  }

  private void hello(Hello hello) {
    Peer from = PeerMessages.sender(hello);
    ChannelClass channel = PeerMessages.channelClass(hello.getLane());
    Welcome welcome = host.welcome();
    RefusedHello refusal = host.refusal(hello, certified);
    if (welcome == null) {
      end(Status.UNAVAILABLE.withDescription("the node is starting or stopping"));
    } else if (refusal != null) {
      host.refused();
      REFUSALS.report(
          silently ->
              LOG.warn(
                  "refused a stream of a node at {}:{}: {}{}",
                  printable(hello.getHost()),
                  hello.getPort(),
                  printable(refusal.logged()),
                  SparseLog.andMore(silently)));
      end(Status.FAILED_PRECONDITION.withDescription(refusal.told()));
    } else if (from == null || channel == null) {
      end(
          Status.INVALID_ARGUMENT.withDescription(
              "the hello lacks an id, an address or a channel class"));
    } else {
      open(from, channel, welcome);
    }
  }

  /** Makes a stranger's text safe for the log: it cannot fill the log or look like lines of it. */
  static String printable(String text) {
    String shortened =
        text.length() <= LOGGED_CHARACTERS ? text : text.substring(0, LOGGED_CHARACTERS) + "...";
    return CONTROL_CHARACTERS.matcher(shortened).replaceAll("?");
  }

  private void open(Peer from, ChannelClass channel, Welcome welcome) {
    call.sendHeaders(new Metadata());
    call.sendMessage(ExchangeResponse.newBuilder().setWelcome(welcome).build());
    PeerStreams entry = host.streams(from, channel);
    OutboundQueue queue = host.queue(channel);
    StreamWriter writer =
        new StreamWriter(
            loop, queue, entry.counters(), host.batches(), this::dropLate, answer -> {});
    writer.attach(this);
    intake.identify(from.id());
    open = new KnownPeer(from, entry, queue, writer, host.receiver());
    entry.enter(from.id(), this);
    LOG.debug("{} stream of {}", channel, from);
  }

  private void dropLate() {
    KnownPeer stream = open;
    if (stream != null) {
      stream.writer.drop();
    }
  }

  @Override
  public void onHalfClose() {
    KnownPeer stream = open;
    if (stream == null) {
      end(Status.OK);
    } else {
      stream.writer.finish();
    }
  }

  @Override
  public void onReady() {
    KnownPeer stream = open;
    if (stream != null) {
      stream.writer.flush();
    }
  }

  @Override
  public void onCancel() {
    closed = true;
    left();
  }

  @Override
  public void onComplete() {
    left();
  }

  private void end(Status status) {
    if (!closed) {
      closed = true;
      call.close(status, new Metadata());
      left();
    }
  }

  private void left() {
    KnownPeer stream = open;
    if (stream != null) {
      stream.entry.leave(stream.from.id(), this);
      stream.writer.attach(null);
      stream.writer.drop();
    }
  }

  @Override
  public boolean admits(Frame frame) {
    KnownPeer stream = open;
    return stream != null && frame.toId().equals(stream.from.id());
  }

  @Override
  public boolean isReady() {
    return !closed && call.isReady();
  }

  @Override
  public void write(Batch batch) {
    call.sendMessage(ExchangeResponse.newBuilder().setBatch(batch).build());
  }

  @Override
  public void finish() {
    end(Status.OK);
  }
}
