package dev.colonnade.client;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A message with rows or entries of an answer. They stay encoded, for {@link RowReader} and {@link
 * EntryReader} to make the program's objects of them without messages in between; the other fields
 * are read. Does not change.
 */
final class AnswerPart {

  static final MethodDescriptor<GetSliceRequest, AnswerPart> GET_SLICE =
      method(
          ColumnStoreServiceGrpc.getGetSliceMethod(),
          new Layout(
              GetSliceResponse.COLUMNS_FIELD_NUMBER,
              GetSliceResponse.NEXT_PAGE_TOKEN_FIELD_NUMBER,
              GetSliceResponse.STATS_FIELD_NUMBER,
              Layout.NONE,
              GetSliceResponse.SUPER_COLUMN_CONTINUES_FIELD_NUMBER));

  static final MethodDescriptor<MultigetSliceRequest, AnswerPart> MULTIGET_SLICE =
      method(
          ColumnStoreServiceGrpc.getMultigetSliceMethod(),
          new Layout(
              MultigetSliceResponse.ROWS_FIELD_NUMBER,
              MultigetSliceResponse.NEXT_PAGE_TOKEN_FIELD_NUMBER,
              MultigetSliceResponse.STATS_FIELD_NUMBER,
              MultigetSliceResponse.ROW_CONTINUES_FIELD_NUMBER,
              MultigetSliceResponse.SUPER_COLUMN_CONTINUES_FIELD_NUMBER));

  static final MethodDescriptor<StreamSliceRequest, AnswerPart> STREAM_SLICE =
      method(
          ColumnStoreServiceGrpc.getStreamSliceMethod(),
          new Layout(
              StreamSliceResponse.COLUMNS_FIELD_NUMBER,
              StreamSliceResponse.RESUME_TOKEN_FIELD_NUMBER,
              StreamSliceResponse.STATS_FIELD_NUMBER,
              Layout.NONE,
              StreamSliceResponse.SUPER_COLUMN_CONTINUES_FIELD_NUMBER));

  static final MethodDescriptor<StreamRangeSlicesRequest, AnswerPart> STREAM_RANGE_SLICES =
      method(
          ColumnStoreServiceGrpc.getStreamRangeSlicesMethod(),
          new Layout(
              StreamRangeSlicesResponse.ROWS_FIELD_NUMBER,
              StreamRangeSlicesResponse.RESUME_TOKEN_FIELD_NUMBER,
              StreamRangeSlicesResponse.STATS_FIELD_NUMBER,
              StreamRangeSlicesResponse.ROW_CONTINUES_FIELD_NUMBER,
              StreamRangeSlicesResponse.SUPER_COLUMN_CONTINUES_FIELD_NUMBER));

  /** Takes the rows or the entries of a part. */
  interface Elements {

    /** Reads one, which is all that is left until the limit of the stream. */
    void read(CodedInputStream in) throws IOException;
  }

  /**
   * The numbers of a message's fields.
   *
   * @param elements the rows or the entries
   * @param token where the next page begins, or the stream continues
   */
  record Layout(int elements, int token, int stats, int rowContinues, int superColumnContinues) {

    /** Is the number of no field. */
    static final int NONE = 0;

    /** The tag of an element. */
    int elementTag() {
      return elements << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    }
  }

  private final Layout layout;
  private final byte[] message;
  private String token = "";
  private @Nullable RequestStats stats;
  private boolean rowContinues;
  private boolean superColumnContinues;

  private AnswerPart(Layout layout, byte[] message) {
    this.layout = layout;
    this.message = message;
  }

  /**
   * Reads a message.
   *
   * @throws IOException if it is not one
   */
  static AnswerPart parse(MethodDescriptor<?, AnswerPart> method, byte[] message)
      throws IOException {
    return method.getResponseMarshaller() instanceof PartMarshaller marshaller
        ? parse(marshaller.layout, message)
        : method.parseResponse(new ByteArrayInputStream(message));
  }

  private static AnswerPart parse(Layout layout, byte[] message) throws IOException {
    AnswerPart part = new AnswerPart(layout, message);
    CodedInputStream in = CodedInputStream.newInstance(message);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      int field = WireFormat.getTagFieldNumber(tag);
      int type = WireFormat.getTagWireType(tag);
      if (type == WireFormat.WIRETYPE_LENGTH_DELIMITED && field == layout.token) {
        part.token = in.readStringRequireUtf8();
      } else if (type == WireFormat.WIRETYPE_LENGTH_DELIMITED && field == layout.stats) {
        part.stats = RequestStats.parseFrom(in.readByteArray());
      } else if (type == WireFormat.WIRETYPE_VARINT && field == layout.rowContinues) {
        part.rowContinues = in.readBool();
      } else if (type == WireFormat.WIRETYPE_VARINT && field == layout.superColumnContinues) {
        part.superColumnContinues = in.readBool();
      } else {
        skip(in, tag);
      }
    }
    return part;
  }

  /** Where the next page begins, or the stream continues; empty if it says nothing of that. */
  String token() {
    return token;
  }

  /** The whole message. */
  byte[] encoded() {
    return message;
  }

  /** What the call cost; null if the node does not say. */
  @Nullable RequestStats stats() {
    return stats;
  }

  /** Whether the last row may go on in the next part. */
  boolean rowContinues() {
    return rowContinues;
  }

  /** Whether the last super column may go on in the next part. */
  boolean superColumnContinues() {
    return superColumnContinues;
  }

  /**
   * Passes the elements on, one after the other.
   *
   * @throws ColonnadeException if the bytes cannot be read
   */
  void forEach(Elements elements) {
    try {
      CodedInputStream in = CodedInputStream.newInstance(message);
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == layout.elementTag()) {
          within(in, elements);
        } else {
          skip(in, tag);
        }
      }
    } catch (IOException e) {
      throw Errors.translate(
          Status.INTERNAL
              .withDescription("the answer could not be decoded")
              .withCause(e)
              .asRuntimeException(),
          Applied.NO);
    }
  }

  /** Reads a field of a message's type, whose tag was read, and nothing beyond it. */
  static void within(CodedInputStream in, Elements field) throws IOException {
    int outer = in.pushLimit(in.readRawVarint32());
    field.read(in);
    if (in.getBytesUntilLimit() != 0) {
      throw new InvalidProtocolBufferException("a message goes on behind its last field");
    }
    in.popLimit(outer);
  }

  /** Leaves out a field of a kind that this client does not know. */
  static void skip(CodedInputStream in, int tag) throws IOException {
    if (!in.skipField(tag)) {
      throw new InvalidProtocolBufferException("a group ends that did not begin");
    }
  }

  private static <Q> MethodDescriptor<Q, AnswerPart> method(
      MethodDescriptor<Q, ?> method, Layout layout) {
    return method.toBuilder(method.getRequestMarshaller(), new PartMarshaller(layout)).build();
  }

  private record PartMarshaller(Layout layout) implements MethodDescriptor.Marshaller<AnswerPart> {

    @Override
    public InputStream stream(AnswerPart part) {
      return new ByteArrayInputStream(part.message);
    }

    @Override
    public AnswerPart parse(InputStream stream) {
      try {
        return AnswerPart.parse(layout, SessionCodec.bytes(stream));
      } catch (IOException e) {
        throw Status.INTERNAL
            .withDescription("the answer could not be decoded")
            .withCause(e)
            .asRuntimeException();
      }
    }
  }
}
