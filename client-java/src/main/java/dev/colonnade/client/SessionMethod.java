package dev.colonnade.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.WireFormat;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetCountResponse;
import dev.colonnade.v1.MultigetCountResponse;
import dev.colonnade.v1.SessionCall;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** The methods that this client calls on a session. */
enum SessionMethod {
  GET_SLICE(
      AnswerPart.GET_SLICE,
      answer -> AnswerPart.parse(AnswerPart.GET_SLICE, answer.toByteArray()),
      SessionCall.GET_SLICE_FIELD_NUMBER),
  MULTIGET_SLICE(
      AnswerPart.MULTIGET_SLICE,
      answer -> AnswerPart.parse(AnswerPart.MULTIGET_SLICE, answer.toByteArray()),
      SessionCall.MULTIGET_SLICE_FIELD_NUMBER),
  GET_COUNT(
      ColumnStoreServiceGrpc.getGetCountMethod(),
      GetCountResponse::parseFrom,
      SessionCall.GET_COUNT_FIELD_NUMBER),
  MULTIGET_COUNT(
      ColumnStoreServiceGrpc.getMultigetCountMethod(),
      MultigetCountResponse::parseFrom,
      SessionCall.MULTIGET_COUNT_FIELD_NUMBER),
  BATCH_MUTATE(
      ColumnStoreServiceGrpc.getBatchMutateMethod(),
      BatchMutateResponse::parseFrom,
      SessionCall.BATCH_MUTATE_FIELD_NUMBER);

  /**
   * The longest request on a session, in bytes as encoded: half of the shortest message that every
   * node takes. A longer one would hold up the calls behind it for longer than a call of its own
   * costs.
   */
  static final int MAX_REQUEST_BYTES = 16 << 10;

  private static final IdentityHashMap<MethodDescriptor<?, ?>, SessionMethod> BY_DESCRIPTOR =
      new IdentityHashMap<>();

  static {
    for (SessionMethod method : values()) {
      BY_DESCRIPTOR.put(method.descriptor, method);
    }
  }

  private final MethodDescriptor<?, ?> descriptor;
  private final Decoder answers;
  private final int field;

  /** Makes an answer of its bytes. */
  private interface Decoder {
    Object decode(ByteString answer) throws IOException;
  }

  SessionMethod(MethodDescriptor<?, ?> descriptor, Decoder answers, int field) {
    this.descriptor = descriptor;
    this.answers = answers;
    this.field = field;
  }

  /** The method of a descriptor; null if the client makes such calls as unary ones only. */
  static @Nullable SessionMethod of(MethodDescriptor<?, ?> descriptor) {
    return BY_DESCRIPTOR.get(descriptor);
  }

  /** The method of a call that is small enough for a session; null if it is not. */
  static @Nullable SessionMethod ofSmall(Transport.Request<? extends MessageLite, ?> request) {
    SessionMethod method = of(request.method());
    return method == null || request.message().getSerializedSize() > MAX_REQUEST_BYTES
        ? null
        : method;
  }

  /** The number of its request in SessionCall, and of its answer in SessionAnswer. */
  int field() {
    return field;
  }

  /** The field of SessionCall that holds a request. */
  byte[] encode(MessageLite request) {
    int length = request.getSerializedSize();
    byte[] encoded =
        new byte
            [CodedOutputStream.computeTagSize(field)
                + CodedOutputStream.computeUInt32SizeNoTag(length)
                + length];
    CodedOutputStream out = CodedOutputStream.newInstance(encoded);
    try {
      out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
      out.writeUInt32NoTag(length);
      request.writeTo(out);
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException("the array has the size that the message says it has", e);
    }
    return encoded;
  }

  /**
   * Decodes an answer.
   *
   * @throws IOException if the bytes are not an answer of this method
   */
  Object decode(ByteString answer) throws IOException {
    return answers.decode(answer);
  }
}
