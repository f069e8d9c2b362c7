package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The loader and the slow reader, against a server that only counts. */
final class WideRowTest {

  private final Counting counting = new Counting();
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    String name = InProcessServerBuilder.generateName();
    server = InProcessServerBuilder.forName(name).addService(counting).build().start();
    channel = InProcessChannelBuilder.forName(name).build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  @Test
  void everyColumnIsWrittenOnce() throws Exception {
    row(null).load(channel);
    assertEquals(names(), counting.names);
  }

  @Test
  void everySubcolumnIsWrittenOnce() throws Exception {
    row(ByteString.copyFromUtf8("s")).load(channel);
    assertEquals(names(), counting.names);
  }

  @Test
  void aRefusedBatchFailsTheLoad() {
    counting.code = 3;
    assertThrows(AssertionError.class, () -> row(null).load(channel));
  }

  @Test
  void aSlowReaderGetsOneMessageForEachRequest() throws Exception {
    SlowReader reader = SlowReader.open(channel, StreamSliceRequest.getDefaultInstance());
    for (int i = 0; i < 3; i++) {
      assertEquals(String.valueOf(i), reader.next().orElseThrow().getResumeToken());
    }
    assertTrue(reader.next().isEmpty());
  }

  private static WideRow row(@Nullable ByteString superColumn) {
    return new WideRow("K", "F", ByteString.copyFromUtf8("r"), superColumn, 45_678, 1);
  }

  private static Set<ByteString> names() {
    Set<ByteString> names = new HashSet<>();
    for (int n = 0; n < 45_678; n++) {
      names.add(WideRow.name(n));
    }
    return names;
  }

  private static final class Counting extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {

    private final Set<ByteString> names = ConcurrentHashMap.newKeySet();
    private volatile int code;

    @Override
    public StreamObserver<StreamMutateRequest> streamMutate(
        StreamObserver<StreamMutateResponse> answers) {
      return new StreamObserver<>() {
        @Override
        public void onNext(StreamMutateRequest request) {
          for (Mutation mutation : request.getBatch().getRows(0).getMutationsList()) {
            ColumnOrSuperColumn written = mutation.getColumnOrSuperColumn();
            if (written.hasColumn()) {
              names.add(written.getColumn().getName());
            }
            written.getSuperColumn().getColumnsList().forEach(each -> names.add(each.getName()));
          }
          answers.onNext(
              StreamMutateResponse.newBuilder()
                  .addOutcomes(
                      MutateOutcome.newBuilder().setSequence(request.getSequence()).setCode(code))
                  .build());
        }

        @Override
        public void onError(Throwable t) {}

        @Override
        public void onCompleted() {
          answers.onCompleted();
        }
      };
    }

    @Override
    public void streamSlice(
        StreamSliceRequest request, StreamObserver<StreamSliceResponse> answers) {
      ServerCallStreamObserver<StreamSliceResponse> flow =
          (ServerCallStreamObserver<StreamSliceResponse>) answers;
      AtomicInteger sent = new AtomicInteger();
      flow.setOnReadyHandler(
          () -> {
            while (flow.isReady() && sent.get() < 3) {
              flow.onNext(
                  StreamSliceResponse.newBuilder()
                      .setResumeToken(String.valueOf(sent.getAndIncrement()))
                      .build());
            }
            if (sent.compareAndSet(3, 4)) {
              flow.onCompleted();
            }
          });
    }
  }
}
