package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The streams of a node, to and from others. Thread-safe; nothing here blocks. Listeners are called
 * after each chunk, one call at a time for each stream, on {@code Stage.COMPACTION} or the control
 * stage; they must not block.
 */
public final class Streams implements Watched {
  private static final Duration SWEEP_PERIOD = Duration.ofSeconds(5);

  /** How many ended streams are remembered, so that a repeated message gets the same answer. */
  private static final int REMEMBERED = 256;

  private static final byte[] NOTHING = {};

  private final StreamContext parts;
  private final RandomSource random;
  private final Map<StreamId, OutgoingStream> outgoing = new LinkedHashMap<>();
  private final Map<StreamId, IncomingStream> incoming = new LinkedHashMap<>();
  private boolean stopped;
  private Scheduler.@Nullable Cancellable sweep;

  /**
   * Creates the streams of one node. Registers the verbs, and so belongs before the messenger's
   * start.
   */
  public Streams(
      Environment environment, StreamSettings settings, StorageEngine engine, Messenger messenger) {
    this.random = environment.random().fork("streams");
    this.parts =
        new StreamContext(
            environment.clock(),
            environment.scheduler(),
            settings,
            engine,
            messenger,
            new Throttle(settings.bytesPerSecond()),
            new StreamTotals(),
            new StreamTotals());
    messenger.handle(Verb.STREAM_OPEN, this::opened);
    messenger.handle(Verb.STREAM_CHUNK, this::chunk);
    messenger.handle(Verb.STREAM_CLOSE, this::closed);
    messenger.handle(Verb.STREAM_REQUEST, this::wanted);
  }

  /** Starts checking for streams whose other side has fallen silent. */
  public synchronized void start() {
    sweep = parts.scheduler().every(SWEEP_PERIOD, Stage.COMPACTION, this::checkIdle);
  }

  /** Changes the rate of all streams that this node sends; 0 for no limit. */
  public void bytesPerSecond(long bytesPerSecond) {
    parts.throttle().bytesPerSecond(bytesPerSecond);
  }

  /**
   * Sends all rows of a family whose tokens lie in the ranges.
   *
   * @param purpose for people
   */
  public Transfer send(
      Peer to,
      FamilyId family,
      List<TokenRange> ranges,
      String purpose,
      Consumer<StreamProgress> listener) {
    OutgoingStream stream =
        new OutgoingStream(parts, newId(), to, family, List.copyOf(ranges), purpose, listener);
    if (!admit(stream)) {
      stream.cancel("too many streams are being sent, or the node is stopping");
    } else {
      stream.start();
    }
    return stream;
  }

  /**
   * Requests from a node all rows of a family whose tokens lie in the ranges.
   *
   * @param purpose for people
   */
  public Transfer request(
      Peer from,
      FamilyId family,
      List<TokenRange> ranges,
      String purpose,
      Consumer<StreamProgress> listener) {
    StreamId id = newId();
    IncomingStream stream = new IncomingStream(parts, id, from.id(), family, purpose, listener);
    if (!expect(stream)) {
      stream.cancel("too many streams are being received, or the node is stopping");
      return stream;
    }
    byte[] body =
        StreamCodec.encode(new StreamMessages.Wanted(id, family, List.copyOf(ranges), purpose));
    sendRequest(from, body, stream);
    return stream;
  }

  /** Repeats the request until it is answered or the stream gives up after its idle time. */
  private void sendRequest(Peer from, byte[] body, IncomingStream stream) {
    if (stream.isOver()) {
      return;
    }
    long deadline = parts.clock().monotonicNanos() + parts.settings().answerTimeout().toNanos();
    Then.whenDone(
        parts.messenger().request(from, Verb.STREAM_REQUEST, body, deadline),
        (answer, failure) -> {
          if (failure == null) {
            return;
          }
          if (OutgoingStream.isWorthRepeating(failure)) {
            parts
                .scheduler()
                .after(
                    parts.settings().retryDelay(),
                    Stage.COMPACTION,
                    () -> sendRequest(from, body, stream));
          } else {
            stream.cancel(String.valueOf(Errors.unwrap(failure).getMessage()));
          }
        });
  }

  private synchronized StreamId newId() {
    return new StreamId(random.nextLong(), random.nextLong());
  }

  private synchronized boolean admit(OutgoingStream stream) {
    if (stopped || running(outgoing) >= parts.settings().streamsMax()) {
      return false;
    }
    forget(outgoing);
    outgoing.put(stream.id(), stream);
    return true;
  }

  private synchronized boolean expect(IncomingStream stream) {
    if (stopped || running(incoming) >= parts.settings().streamsMax()) {
      return false;
    }
    forget(incoming);
    incoming.put(stream.id(), stream);
    return true;
  }

  private static long running(Map<StreamId, ? extends Stream> streams) {
    return streams.values().stream().filter(stream -> !stream.isOver()).count();
  }

  /** Forgets the oldest of those that ended, if there are too many. */
  private static void forget(Map<StreamId, ? extends Stream> streams) {
    if (streams.size() >= REMEMBERED) {
      for (Stream stream : List.copyOf(streams.values())) {
        if (stream.isOver()) {
          streams.remove(stream.id());
          return;
        }
      }
    }
  }

  private CompletableFuture<byte[]> opened(Request request) {
    StreamMessages.StreamOpen open;
    try {
      open = StreamCodec.decodeOpen(request.body());
    } catch (CorruptDataException e) {
      return unreadable(e);
    }
    IncomingStream known = find(open.id());
    if (known == null) {
      known =
          new IncomingStream(
              parts, open.id(), request.from().id(), open.family(), open.purpose(), progress -> {});
      if (!expect(known)) {
        return failed(PeerFailure.Code.OVERLOADED, "too many streams are being received");
      }
    }
    return known.open(open);
  }

  private CompletableFuture<byte[]> chunk(Request request) {
    StreamMessages.StreamChunk chunk;
    try {
      chunk = StreamMessages.StreamChunk.decode(request.body());
    } catch (CorruptDataException e) {
      return unreadable(e);
    }
    IncomingStream stream = find(chunk.id());
    return stream == null ? unknown(chunk.id()) : stream.chunk(chunk);
  }

  private CompletableFuture<byte[]> closed(Request request) {
    StreamMessages.Close close;
    try {
      close = StreamCodec.decodeClose(request.body());
    } catch (CorruptDataException e) {
      return unreadable(e);
    }
    IncomingStream stream = find(close.id());
    return stream == null ? unknown(close.id()) : stream.close(close);
  }

  private CompletableFuture<byte[]> wanted(Request request) {
    StreamMessages.Wanted wanted;
    try {
      wanted = StreamCodec.decodeWanted(request.body());
    } catch (CorruptDataException e) {
      return unreadable(e);
    }
    OutgoingStream stream =
        new OutgoingStream(
            parts,
            wanted.id(),
            request.from(),
            wanted.family(),
            wanted.ranges(),
            wanted.purpose(),
            progress -> {});
    synchronized (this) {
      if (outgoing.containsKey(wanted.id())) {
        return CompletableFuture.completedFuture(NOTHING);
      }
      if (!admit(stream)) {
        return failed(PeerFailure.Code.OVERLOADED, "too many streams are being sent");
      }
    }
    stream.start();
    return CompletableFuture.completedFuture(NOTHING);
  }

  private synchronized @Nullable IncomingStream find(StreamId id) {
    return incoming.get(id);
  }

  private static CompletableFuture<byte[]> unknown(StreamId id) {
    return failed(
        PeerFailure.Code.REFUSED, "stream " + id + " is not known here; was this node restarted?");
  }

  /** The message was damaged on the way: the sender has the right bytes and sends them again. */
  private static CompletableFuture<byte[]> unreadable(CorruptDataException damage) {
    return CompletableFuture.failedFuture(
        new PeerFailure(
            PeerFailure.Code.PROTOCOL, "a message of a stream: " + damage.getMessage(), damage));
  }

  private static CompletableFuture<byte[]> failed(PeerFailure.Code code, String message) {
    return CompletableFuture.failedFuture(new PeerFailure(code, message));
  }

  private void checkIdle() {
    for (Stream stream : all()) {
      if (stream instanceof IncomingStream receiving) {
        receiving.checkIdle();
      }
    }
  }

  private synchronized List<Stream> all() {
    List<Stream> all = new ArrayList<>(outgoing.values());
    all.addAll(incoming.values());
    return all;
  }

  @Override
  public void report(Observer observer) {
    for (Stream stream : all()) {
      if (!stream.isOver() && stream.isAtWork()) {
        observer.inTurns(
            "stream",
            stream.id().toString(),
            stream.steps(),
            () -> stream + ", " + stream.progress());
      }
    }
  }

  /** The running streams, and some that ended; outgoing ones come first. */
  public List<StreamProgress> figures() {
    return all().stream().map(Stream::progress).toList();
  }

  /** Counts of all streams of one direction since the start. */
  public StreamTotals totals(boolean outgoing) {
    return outgoing ? parts.sent() : parts.received();
  }

  /** A node is down: streams to and from it end. */
  public void lost(String nodeId) {
    for (Stream stream : all()) {
      if (stream.progress().peerId().equals(nodeId)) {
        stream.cancel("node " + nodeId + " is down");
      }
    }
  }

  /** Ends all streams, and accepts no more; completes when they have released their files. */
  public CompletableFuture<Void> stop() {
    synchronized (this) {
      stopped = true;
      if (sweep != null) {
        sweep.cancel();
      }
    }
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (Stream stream : all()) {
      stream.cancel("the node is stopping");
      ends.add(stream.done().exceptionally(failure -> stream.progress()));
    }
    return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
  }
}
