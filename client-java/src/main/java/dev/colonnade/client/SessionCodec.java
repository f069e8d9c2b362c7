package dev.colonnade.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionLimits;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The messages of a session as bytes. Requests were encoded by the threads that make the calls, and
 * answers are decoded by them, so that the one thread that sends or receives for all copies bytes
 * and no more.
 */
final class SessionCodec {

  /** The Session method with messages as bytes. */
  static final MethodDescriptor<byte[], byte[]> METHOD =
      ColumnStoreServiceGrpc.getSessionMethod().toBuilder(new AsBytes(), new AsBytes()).build();

  /** The most bytes that a message adds to a call's request. */
  static final int CALL_OVERHEAD_BYTES = 32;

  /** The most bytes of a cancellation. */
  static final int CANCELLATION_BYTES = 11;

  private SessionCodec() {}

  /**
   * A SessionRequest with calls that have their numbers, and with the numbers of cancelled ones.
   */
  static byte[] encode(List<PendingCall> calls, List<Long> cancelled, long nowNanos) {
    int size = 0;
    for (PendingCall call : calls) {
      int length = size(call, nowNanos);
      size += 1 + CodedOutputStream.computeUInt32SizeNoTag(length) + length;
    }
    for (long id : cancelled) {
      size += CodedOutputStream.computeUInt64Size(SessionRequest.CANCELLED_FIELD_NUMBER, id);
    }
    byte[] message = new byte[size];
    CodedOutputStream out = CodedOutputStream.newInstance(message);
    try {
      for (PendingCall call : calls) {
        out.writeTag(SessionRequest.CALLS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(size(call, nowNanos));
        out.writeUInt64(SessionCall.ID_FIELD_NUMBER, call.id());
        out.writeUInt32(SessionCall.TIMEOUT_MILLIS_FIELD_NUMBER, timeoutMillis(call, nowNanos));
        out.writeRawBytes(call.request());
        if (!call.traceparent().isEmpty()) {
          out.writeString(SessionCall.TRACEPARENT_FIELD_NUMBER, call.traceparent());
        }
      }
      for (long id : cancelled) {
        out.writeUInt64(SessionRequest.CANCELLED_FIELD_NUMBER, id);
      }
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException("the array has the size of what is written into it", e);
    }
    return message;
  }

  private static int size(PendingCall call, long nowNanos) {
    return CodedOutputStream.computeUInt64Size(SessionCall.ID_FIELD_NUMBER, call.id())
        + CodedOutputStream.computeUInt32Size(
            SessionCall.TIMEOUT_MILLIS_FIELD_NUMBER, timeoutMillis(call, nowNanos))
        + (call.traceparent().isEmpty()
            ? 0
            : CodedOutputStream.computeStringSize(
                SessionCall.TRACEPARENT_FIELD_NUMBER, call.traceparent()))
        + call.request().length;
  }

  /** At least 1, because 0 means no limit. */
  private static int timeoutMillis(PendingCall call, long nowNanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(call.deadlineNanos() - nowNanos);
    return (int) Math.max(1, Math.min(millis, Integer.MAX_VALUE));
  }

  /** Takes the parts of a SessionResponse. */
  interface Receiver {

    /** The limits, which the first message has. */
    void limits(SessionLimits limits);

    /**
     * How a call ended, or a piece of its answer.
     *
     * @param field of the outcome, by its number in SessionAnswer; 0 if there is none
     * @param last false for a piece that is followed by others
     */
    void answer(long id, int field, ByteString bytes, boolean last);

    /** The node is about to stop. */
    void goingAway();
  }

  /**
   * Reads a SessionResponse.
   *
   * @throws IOException if it is not one
   */
  static void decode(byte[] message, Receiver to) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(message);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case SessionResponse.ANSWERS_FIELD_NUMBER -> answer(message, in, to);
        case SessionResponse.LIMITS_FIELD_NUMBER ->
            to.limits(SessionLimits.parseFrom(bytes(message, in)));
        case SessionResponse.GOING_AWAY_FIELD_NUMBER -> {
          if (in.readBool()) {
            to.goingAway();
          }
        }
        default -> in.skipField(tag);
      }
    }
  }

  private static void answer(byte[] message, CodedInputStream in, Receiver to) throws IOException {
    int outer = in.pushLimit(in.readRawVarint32());
    long id = 0;
    int field = 0;
    ByteString bytes = ByteString.EMPTY;
    boolean lastPiece = false;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      int number = WireFormat.getTagFieldNumber(tag);
      if (number == SessionAnswer.ID_FIELD_NUMBER) {
        id = in.readUInt64();
      } else if (number == SessionAnswer.LAST_PIECE_FIELD_NUMBER) {
        lastPiece = in.readBool();
      } else if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        field = number;
        bytes = bytes(message, in);
      } else {
        in.skipField(tag);
      }
    }
    in.checkLastTagWas(0);
    in.popLimit(outer);
    to.answer(id, field, bytes, lastPiece || field != SessionAnswer.PIECE_FIELD_NUMBER);
  }

  /** The bytes of a field, as a part of the message's array. */
  private static ByteString bytes(byte[] message, CodedInputStream in) throws IOException {
    int length = in.readRawVarint32();
    int start = in.getTotalBytesRead();
    in.skipRawBytes(length);
    return UnsafeByteOperations.unsafeWrap(message, start, length);
  }

  /** All bytes of a message that gRPC has received. */
  static byte[] bytes(InputStream stream) throws IOException {
    // gRPC knows the length of a message, unless it is compressed.
    byte[] message = new byte[stream instanceof KnownLength ? stream.available() : 0];
    int read = stream.readNBytes(message, 0, message.length);
    byte[] rest = stream.readAllBytes();
    if (rest.length == 0 && read == message.length) {
      return message;
    }
    byte[] whole = Arrays.copyOf(message, read + rest.length);
    System.arraycopy(rest, 0, whole, read, rest.length);
    return whole;
  }

  private static final class AsBytes implements MethodDescriptor.Marshaller<byte[]> {

    @Override
    public InputStream stream(byte[] message) {
      return new KnownBytes(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return bytes(stream);
      } catch (IOException e) {
        throw Status.INTERNAL
            .withDescription("a message of the session could not be read")
            .withCause(e)
            .asRuntimeException();
      }
    }
  }

  /** Is written without a copy in between. */
  private static final class KnownBytes extends ByteArrayInputStream
      implements KnownLength, Drainable {

    private final byte[] message;

    KnownBytes(byte[] message) {
      super(message);
      this.message = message;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      int length = available();
      target.write(message, message.length - length, length);
      long unused = skip(length);
      return length;
    }
  }
}
