package dev.colonnade.server.rpc;

import dev.colonnade.server.coordinator.CoordinationException;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.model.HeapSizes;
import io.grpc.Context;
import io.grpc.Detachable;
import io.grpc.KnownLength;
import io.grpc.ServerCall;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * What the transport tells of one call, on its way to the service. A small request is taken apart
 * where it comes. A large or compressed one goes to {@link Stage#LARGE}, and what is told meanwhile
 * waits behind it, so that the service hears one thing after the other. A call that was cancelled
 * before its turn is not carried out.
 *
 * @param <Q> the request
 */
final class IntakeListener<Q> extends ServerCall.Listener<InputStream> {

  private static final Duration AGAIN = Duration.ofMillis(50);

  /** How long a compressed message will be shows only when it is inflated. */
  private static final int FIRST_PIECE_BYTES = 16 << 10;

  private final IntakeCall<Q, ?> call;
  private final CallMemory memory;
  private final RequestDecoder<Q> decoder;
  private final RequestIntake.Tools tools;
  private final ServerCall.Listener<Q> service;
  private final Context context = Context.current();

  /** Whether the call may wait for memory, because its client does. */
  private final boolean waits;

  /** What waits behind a large request; null if there is none at work. Guarded by this. */
  private @Nullable Queue<Runnable> waiting;

  /** Whether what waits goes on waiting, because there is no memory for the message yet. */
  private boolean postponed;

  /** A large message whose turn has not come. Guarded by this. */
  private @Nullable InputStream untouched;

  IntakeListener(
      IntakeCall<Q, ?> call,
      CallMemory memory,
      RequestDecoder<Q> decoder,
      RequestIntake.Tools tools,
      ServerCall.Listener<Q> service) {
    this.call = call;
    this.memory = memory;
    this.decoder = decoder;
    this.tools = tools;
    this.service = service;
    this.waits = !call.getMethodDescriptor().getType().clientSendsOneMessage();
  }

  @Override
  public void onMessage(InputStream message) {
    if (call.isRefused()) {
      return;
    }
    if (!(message instanceof KnownLength)) {
      takeCompressed(message);
      return;
    }
    try {
      int length = message.available();
      if (length <= tools.inlineBytes()) {
        take(message, length);
      } else {
        InputStream mine = message instanceof Detachable whole ? whole.detach() : message;
        takeLater(mine, () -> take(mine, length));
      }
    } catch (IOException e) {
      unreadable(e);
    }
  }

  /** The bytes are still compressed: see {@link LateGzip}. */
  private void takeCompressed(InputStream message) {
    try {
      if (hold(HeapSizes.ofArray(message.available()))) {
        byte[] compressed = message.readAllBytes();
        memory.received();
        takeLater(InputStream.nullInputStream(), () -> inflate(compressed));
      }
    } catch (IOException e) {
      unreadable(e);
    }
  }

  private void unreadable(IOException e) {
    call.end(
        tools
            .errors()
            .ofWrite(
                Refusal.invalid(
                    null, "the request is not what the method takes: " + e.getMessage())));
  }

  /** Work on a message, away from the event loop. */
  private interface Taking {
    void run() throws IOException;
  }

  private void takeLater(InputStream message, Taking taking) {
    synchronized (this) {
      waiting = new ArrayDeque<>();
      untouched = message;
    }
    if (!tools.scheduler().submit(Stage.LARGE, () -> takeNow(taking))) {
      drop();
      call.end(tools.errors().ofWrite(new CoordinationException.Overloaded("large requests")));
      tellWhatWaits();
    }
  }

  /** Goes on with a message in a while; what else is told waits behind it. */
  private void postpone(Taking taking) {
    synchronized (this) {
      if (waiting == null) {
        waiting = new ArrayDeque<>();
      }
      untouched = InputStream.nullInputStream();
      postponed = true;
    }
    try {
      tools.scheduler().after(AGAIN, Stage.LARGE, () -> takeNow(taking));
    } catch (RejectedExecutionException tooManyTimers) {
      drop();
      call.refuse();
    }
  }

  private void takeNow(Taking taking) {
    Context before = context.attach();
    try {
      boolean dropped;
      synchronized (this) {
        dropped = untouched == null;
        untouched = null;
        postponed = false;
      }
      if (!dropped && !context.isCancelled()) {
        taking.run();
      }
    } catch (IOException e) {
      unreadable(e);
    } catch (RuntimeException | Error bug) {
      // The event loop is not there to hear of it.
      call.end(tools.errors().ofWrite(bug));
    } finally {
      tellWhatWaits();
      context.detach(before);
    }
  }

  /** Frees the buffers of a message whose turn has not come and will not. */
  private void drop() {
    InputStream message;
    synchronized (this) {
      message = untouched;
      untouched = null;
    }
    if (message != null) {
      try {
        message.close();
      } catch (IOException e) {
        throw new UncheckedIOException("buffers of the network do not fail to be freed", e);
      }
    }
  }

  private void tellWhatWaits() {
    while (true) {
      Runnable next;
      synchronized (this) {
        if (postponed) {
          return;
        }
        Queue<Runnable> events = waiting;
        next = events == null ? null : events.poll();
        if (next == null) {
          waiting = null;
          return;
        }
      }
      tell(next);
    }
  }

  /** Tells the service; what it throws ends the call. */
  private void tell(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | Error bug) {
      call.end(tools.errors().ofWrite(bug));
    }
  }

  /** Runs an event now, or behind the request that is at work. */
  private void inTurn(Runnable event) {
    synchronized (this) {
      if (waiting != null) {
        waiting.add(event);
        return;
      }
    }
    tell(event);
  }

  private void take(InputStream message, int length) throws IOException {
    byte[] encoded;
    try (message) {
      // Of a short one the array is part of what every call holds.
      boolean paid = length <= tools.inlineBytes() || hold(HeapSizes.ofArray(length));
      encoded = paid ? message.readNBytes(length) : null;
    }
    memory.received();
    if (encoded != null) {
      take(encoded);
    }
  }

  private void inflate(byte[] compressed) throws IOException {
    byte[] bytes = new byte[FIRST_PIECE_BYTES];
    int length;
    try (InputStream message = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
      length = message.readNBytes(bytes, 0, bytes.length);
      while (length == bytes.length) {
        if (length > tools.maxMessageBytes()) {
          throw new IOException("it is longer than " + tools.maxMessageBytes() + " bytes");
        }
        int longer = (int) Math.min(2L * length, tools.maxMessageBytes() + 1L);
        if (!hold(HeapSizes.ofArray(longer))) {
          return;
        }
        bytes = Arrays.copyOf(bytes, longer);
        length += message.readNBytes(bytes, length, longer - length);
      }
    }
    take(Arrays.copyOf(bytes, length));
  }

  private void take(byte[] encoded) throws IOException {
    long bytes = RequestDecoder.bytesAtMost(encoded.length);
    if (bytes <= CallMemory.BASE_HEAP_BYTES / 2) {
      tellOf(encoded);
      return;
    }
    long exact = decoder.bytes(encoded);
    if (waits && isPossible(exact)) {
      tellWhenHeld(encoded, exact, clockNanos() + tools.callTimeout().toNanos());
    } else if (hold(exact)) {
      tellOf(encoded);
    }
  }

  /**
   * A stream is not ended for want of memory that comes back soon: its next message is not asked
   * for before this one is taken.
   */
  private void tellWhenHeld(byte[] encoded, long bytes, long untilNanos) throws IOException {
    if (memory.holdRequest(bytes)) {
      tellOf(encoded);
    } else if (clockNanos() - untilNanos >= 0) {
      call.refuse();
    } else {
      postpone(() -> tellWhenHeld(encoded, bytes, untilNanos));
    }
  }

  private void tellOf(byte[] encoded) throws IOException {
    Q request = decoder.decode(encoded);
    tell(() -> service.onMessage(request));
  }

  private long clockNanos() {
    return tools.memory().nanos();
  }

  /** Asks for memory; without it the call is ended. */
  private boolean hold(long bytes) {
    if (!isPossible(bytes)) {
      return false;
    }
    if (!memory.holdRequest(bytes)) {
      call.refuse();
      return false;
    }
    return true;
  }

  /** Whether a node that does nothing else could take it; otherwise the call is ended. */
  private boolean isPossible(long bytes) {
    long all = memory.requestBytes() + bytes;
    if (all > tools.memory().largestRequestBytes()) {
      call.end(tools.errors().ofWrite(tooLarge(all)));
      return false;
    }
    return true;
  }

  private Refusal tooLarge(long bytes) {
    return Refusal.tooLarge(
        null,
        "bytes of memory that one request takes on a node with this heap",
        bytes,
        tools.memory().largestRequestBytes());
  }

  @Override
  public void onHalfClose() {
    inTurn(
        () -> {
          // Half a call: its message was refused, and its service must not take that for none.
          if (!call.isRefused()) {
            service.onHalfClose();
          }
        });
  }

  @Override
  public void onCancel() {
    drop();
    inTurn(service::onCancel);
  }

  @Override
  public void onComplete() {
    inTurn(service::onComplete);
  }

  @Override
  public void onReady() {
    call.onReady();
    inTurn(service::onReady);
  }
}
