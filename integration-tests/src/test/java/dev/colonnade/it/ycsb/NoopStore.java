package dev.colonnade.it.ycsb;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.colonnade.cli.local.bench.RawCalls;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionLimits;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server of the contract that stores nothing: it answers each call at once, with bytes that were
 * encoded when it started, and does not decode more of a request than it must. The same client asks
 * it and a node, so the difference is what the node costs.
 */
public final class NoopStore {

  private static final int FIELDS = 10;
  private static final int FIELD_BYTES = 100;
  private static final byte[] EMPTY = new byte[0];
  private static final GetSliceResponse ROW = row();
  private static final byte[] ROW_BYTES = ROW.toByteArray();
  private static final Map<Integer, byte[]> SCANS = new ConcurrentHashMap<>();

  private NoopStore() {}

  /** Serves on a free port of loopback, prints it, and ends with standard input. */
  public static void main(String[] args) throws IOException {
    Server server = start();
    System.out.println("port " + server.getPort() + " serving");
    while (System.in.read() >= 0) {
      // Only the end of the input is expected.
    }
    server.shutdownNow();
  }

  /** Serves on a free port of loopback. */
  static Server start() throws IOException {
    return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .directExecutor()
        .addService(service())
        .build()
        .start();
  }

  private static ServerServiceDefinition service() {
    return ServerServiceDefinition.builder(ColumnStoreServiceGrpc.SERVICE_NAME)
        .addMethod(
            raw(ColumnStoreServiceGrpc.getGetSliceMethod()),
            ServerCalls.asyncUnaryCall((request, answer) -> answer(answer, ROW_BYTES)))
        .addMethod(
            raw(ColumnStoreServiceGrpc.getBatchMutateMethod()),
            ServerCalls.asyncUnaryCall((request, answer) -> answer(answer, EMPTY)))
        .addMethod(
            raw(ColumnStoreServiceGrpc.getStreamRangeSlicesMethod()),
            ServerCalls.asyncServerStreamingCall(NoopStore::scan))
        .addMethod(
            raw(ColumnStoreServiceGrpc.getSessionMethod()),
            ServerCalls.asyncBidiStreamingCall(NoopSession::new))
        .build();
  }

  private static MethodDescriptor<byte[], byte[]> raw(MethodDescriptor<?, ?> method) {
    return RawCalls.method(method.getFullMethodName()).toBuilder()
        .setType(method.getType())
        .build();
  }

  private static void answer(StreamObserver<byte[]> observer, byte[] message) {
    observer.onNext(message);
    observer.onCompleted();
  }

  private static void scan(byte[] request, StreamObserver<byte[]> answer) {
    int count;
    try {
      count = StreamRangeSlicesRequest.parseFrom(request).getRange().getCount();
    } catch (InvalidProtocolBufferException e) {
      answer.onError(Status.INVALID_ARGUMENT.withCause(e).asException());
      return;
    }
    answer(answer, SCANS.computeIfAbsent(count, NoopStore::rows));
  }

  private static byte[] rows(int count) {
    StreamRangeSlicesResponse.Builder rows = StreamRangeSlicesResponse.newBuilder();
    for (int i = 0; i < count; i++) {
      rows.addRows(
          KeySlice.newBuilder()
              .setKey(ByteString.copyFromUtf8("user" + i))
              .addAllColumns(ROW.getColumnsList()));
    }
    return rows.build().toByteArray();
  }

  private static GetSliceResponse row() {
    GetSliceResponse.Builder row = GetSliceResponse.newBuilder();
    for (int i = 0; i < FIELDS; i++) {
      row.addColumns(
          ColumnOrSuperColumn.newBuilder()
              .setColumn(
                  Column.newBuilder()
                      .setName(ByteString.copyFromUtf8("field" + i))
                      .setValue(ByteString.copyFrom(new byte[FIELD_BYTES]))
                      .setTimestamp(1)));
    }
    return row.build();
  }

  /** One session: a message of answers for each message of calls. */
  private static final class NoopSession implements StreamObserver<byte[]> {

    private static final SessionLimits LIMITS =
        SessionLimits.newBuilder()
            .setMaxCalls(1_024)
            .setMaxBytes(1 << 20)
            .setMaxMessageBytes(32 << 10)
            .build();

    private final StreamObserver<byte[]> answers;

    NoopSession(StreamObserver<byte[]> answers) {
      this.answers = answers;
      answers.onNext(SessionResponse.newBuilder().setLimits(LIMITS).build().toByteArray());
    }

    @Override
    public void onNext(byte[] message) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try {
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        CodedInputStream in = CodedInputStream.newInstance(message);
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
          if (WireFormat.getTagFieldNumber(tag) == SessionRequest.CALLS_FIELD_NUMBER) {
            int outer = in.pushLimit(in.readRawVarint32());
            answer(in, out);
            in.popLimit(outer);
          } else {
            in.skipField(tag);
          }
        }
        out.flush();
      } catch (IOException e) {
        answers.onError(Status.INVALID_ARGUMENT.withCause(e).asException());
        return;
      }
      if (bytes.size() > 0) {
        answers.onNext(bytes.toByteArray());
      }
    }

    /** Of a call, its number and kind are read. */
    private static void answer(CodedInputStream in, CodedOutputStream out) throws IOException {
      long id = 0;
      int kind = SessionCall.BATCH_MUTATE_FIELD_NUMBER;
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        int field = WireFormat.getTagFieldNumber(tag);
        if (field == SessionCall.ID_FIELD_NUMBER) {
          id = in.readUInt64();
        } else {
          if (field != SessionCall.TIMEOUT_MILLIS_FIELD_NUMBER) {
            kind = field;
          }
          in.skipField(tag);
        }
      }
      byte[] answer = kind == SessionCall.GET_SLICE_FIELD_NUMBER ? ROW_BYTES : EMPTY;
      out.writeTag(SessionResponse.ANSWERS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
      out.writeUInt32NoTag(
          CodedOutputStream.computeUInt64Size(SessionAnswer.ID_FIELD_NUMBER, id)
              + CodedOutputStream.computeByteArraySize(kind, answer));
      out.writeUInt64(SessionAnswer.ID_FIELD_NUMBER, id);
      out.writeByteArray(kind, answer);
    }

    @Override
    public void onError(Throwable thrown) {
      // The client has gone.
    }

    @Override
    public void onCompleted() {
      answers.onCompleted();
    }
  }
}
