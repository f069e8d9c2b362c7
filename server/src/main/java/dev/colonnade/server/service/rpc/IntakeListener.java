package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.HeapSizes;
import io.grpc.Context;
import io.grpc.Detachable;
import io.grpc.KnownLength;
import io.grpc.ServerCall;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Receives the transport's events of one call and passes them to the service.
 *
 * <ul>
 *   <li>A small request is decoded where it arrives.
 *   <li>A large or compressed request is decoded off the event loop. Later events queue behind it
 *       (see {@link CallEvents}), so that the service gets events one after the other.
 *   <li>A request is decoded only after its memory is reserved; without memory the call ends. A
 *       stream waits for memory instead, and gets no further message meanwhile.
 *   <li>A call that is cancelled before its turn is not carried out.
 * </ul>
 *
 * @param <Q> the request
 */
final class IntakeListener<Q> extends ServerCall.Listener<InputStream> {

  /** The first buffer for a compressed message, whose length is known only after inflating it. */
  private static final int FIRST_PIECE_BYTES = 16 << 10;

  private final IntakeCall<Q, ?> call;
  private final CallMemory memory;
  private final RequestDecoder<Q> decoder;
  private final RequestIntake.Tools tools;
  private final ServerCall.Listener<Q> service;
  private final Context context = Context.current();
  private final CallEvents events;

  /** Whether the call may wait for memory: true for streams, whose clients wait as well. */
  private final boolean waits;

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
    this.events =
        new CallEvents(
            tools.scheduler(), tools.large(), memory.connection(), this::failed, this::stageIsFull);
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
      if (length > tools.inlineBytes()) {
        events.add(
            new LargeMessage(
                message instanceof Detachable buffers ? buffers.detach() : message,
                length,
                whole -> take(whole, length)));
        return;
      }
      // The transport needs its buffers back now, and every call has room for this array.
      byte[] encoded = message.readNBytes(length);
      memory.received();
      events.add(() -> take(encoded));
    } catch (IOException e) {
      unreadable(e);
    }
  }

  /** Takes a message whose bytes are still compressed: see {@link LateGzip}. */
  private void takeCompressed(InputStream message) {
    try {
      if (hold(HeapSizes.ofArray(message.available()))) {
        byte[] compressed = message.readAllBytes();
        memory.received();
        events.add(
            new LargeMessage(
                InputStream.nullInputStream(), compressed.length, nothing -> inflate(compressed)));
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
                RequestRefusal.invalid(
                    null, "the request is not a message of this method: " + e.getMessage())));
  }

  /**
   * Ends the call for what an event threw, since the event loop is not always there to catch it.
   */
  private void failed(Throwable thrown) {
    if (thrown instanceof IOException e) {
      unreadable(e);
    } else {
      call.end(tools.errors().ofWrite(thrown));
    }
  }

  private void stageIsFull() {
    call.overloaded("large requests");
  }

  /** What to do with a message. */
  private interface Taking {
    CallEvents.@Nullable CallEvent take(InputStream message) throws IOException;
  }

  /** A message that is decoded off the event loop unless the call is cancelled before. */
  private final class LargeMessage implements CallEvents.Large {
    private final AtomicReference<@Nullable InputStream> untouched;
    private final int bytes;
    private final Taking taking;

    LargeMessage(InputStream message, int bytes, Taking taking) {
      this.bytes = bytes;
      this.untouched = new AtomicReference<>(message);
      this.taking = taking;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public CallEvents.@Nullable CallEvent run() throws IOException {
      if (context.isCancelled()) {
        drop();
        return null;
      }
      InputStream message = untouched.getAndSet(null);
      return message == null ? null : taking.take(message);
    }

    @Override
    public void drop() {
      InputStream message = untouched.getAndSet(null);
      if (message != null) {
        try {
          message.close();
        } catch (IOException e) {
          throw new UncheckedIOException("freeing network buffers cannot fail", e);
        }
      }
    }
  }

  private CallEvents.@Nullable CallEvent take(InputStream message, int length) throws IOException {
    byte[] encoded;
    try (message) {
      encoded = hold(HeapSizes.ofArray(length)) ? message.readNBytes(length) : null;
    }
    memory.received();
    return encoded == null ? null : take(encoded);
  }

  private CallEvents.@Nullable CallEvent inflate(byte[] compressed) throws IOException {
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
          return null;
        }
        bytes = Arrays.copyOf(bytes, longer);
        length += message.readNBytes(bytes, length, longer - length);
      }
    }
    return take(Arrays.copyOf(bytes, length));
  }

  private CallEvents.@Nullable CallEvent take(byte[] encoded) throws IOException {
    long bytes = RequestDecoder.bytesAtMost(encoded.length);
    if (bytes <= CallMemory.BASE_HEAP_BYTES / 2) {
      tellOf(encoded);
      return null;
    }
    long exact = decoder.bytes(encoded);
    if (waits && isPossible(exact)) {
      return tellWhenHeld(encoded, exact, clockNanos() + tools.callTimeout().get().toNanos());
    }
    if (hold(exact)) {
      tellOf(encoded);
    }
    return null;
  }

  /**
   * Passes a stream's message to the service once its memory is reserved. A stream does not end for
   * lack of memory that is soon free again: its next message is not requested before this one is
   * taken.
   */
  private CallEvents.@Nullable CallEvent tellWhenHeld(byte[] encoded, long bytes, long untilNanos)
      throws IOException {
    if (memory.holdRequest(bytes)) {
      tellOf(encoded);
    } else if (clockNanos() - untilNanos >= 0) {
      call.refuse();
    } else {
      return () -> context.isCancelled() ? null : tellWhenHeld(encoded, bytes, untilNanos);
    }
    return null;
  }

  private void tellOf(byte[] encoded) throws IOException {
    Q request = decoder.decode(encoded);
    memory.messageIs(encoded.length);
    service.onMessage(request);
  }

  private long clockNanos() {
    return tools.memory().nanos();
  }

  /** Reserves memory; ends the call if there is not enough. */
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

  /** Whether the request would fit on an otherwise idle node; ends the call if not. */
  private boolean isPossible(long bytes) {
    long all = memory.requestBytes() + bytes;
    if (all > tools.memory().largestRequestBytes()) {
      call.end(tools.errors().ofWrite(tooLarge(all)));
      return false;
    }
    return true;
  }

  private RequestRefusal tooLarge(long bytes) {
    return RequestRefusal.tooLarge(
        null,
        "bytes of memory that one request takes on a node with this heap",
        bytes,
        tools.memory().largestRequestBytes());
  }

  @Override
  public void onHalfClose() {
    LoopTurns loop = waits ? null : CallLoops.of(call.getAttributes());
    if (loop == null) {
      tell(this::requestIsThere);
    } else {
      events.begin(
          () -> {
            requestIsThere();
            return null;
          },
          loop);
    }
  }

  private void requestIsThere() {
    // If the message was refused, or dropped because the client has gone, the service must not take
    // that for an empty request.
    if (!call.isRefused() && (waits || !context.isCancelled())) {
      service.onHalfClose();
    }
  }

  @Override
  public void onCancel() {
    events.dropLarge();
    tell(service::onCancel);
  }

  @Override
  public void onComplete() {
    tell(service::onComplete);
  }

  @Override
  public void onReady() {
    call.onReady();
    tell(service::onReady);
  }

  private void tell(Runnable event) {
    events.add(
        () -> {
          event.run();
          return null;
        });
  }
}
