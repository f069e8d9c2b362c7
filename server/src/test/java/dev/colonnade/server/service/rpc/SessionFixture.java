package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static dev.colonnade.server.service.rpc.Service.parent;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A service whose store can hold what it is asked, and clients of its sessions. */
final class SessionFixture implements AutoCloseable {

  /** Reads of these keys, and writes while {@link #holdWrites}, wait until they are released. */
  static final String HELD = "held";

  final Map<String, CompletableFuture<SlicePage>> heldReads = new LinkedHashMap<>();
  final List<CompletableFuture<AskedReplicas>> heldWrites = new ArrayList<>();
  final List<String> begun = new ArrayList<>();
  final Service service;
  boolean holdWrites;

  /** How long each read occupies its thread. */
  Duration slowRead = Duration.ZERO;

  long lastDeadlineNanos;

  /** What a held read is answered with when it is released. */
  private final Map<String, SliceRead> waiting = new LinkedHashMap<>();

  private RowStore inner;

  SessionFixture(RpcSettings settings, NodeMemory memory) {
    inner = new Gone();
    service =
        Service.start(
            settings,
            store -> {
              inner = store;
              return new Between();
            },
            memory);
  }

  SessionFixture() {
    this(RpcSettings.defaults(), NodeMemory.unbounded());
  }

  /** Answers a read that was held. */
  void release(String key) {
    CompletableFuture<SlicePage> held = heldReads.remove(key);
    SliceRead read = waiting.remove(key);
    if (held == null || read == null) {
      throw new IllegalStateException("no read of " + key + " is held");
    }
    held.complete(inner.read(read).join());
  }

  Client open() {
    Client client = new Client(true);
    service.async().session(client);
    return client;
  }

  /** A client that takes answers only when it is told to. */
  Client openUnread() {
    Client client = new Client(false);
    service.async().session(client);
    return client;
  }

  @Override
  public void close() {
    service.close();
  }

  static SessionCall get(long id, String key) {
    return SessionCall.newBuilder()
        .setId(id)
        .setGet(
            GetRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes(key))
                .setColumnPath(
                    ColumnPath.newBuilder().setColumnFamily("Standard1").setColumn(bytes("c"))))
        .build();
  }

  static SessionCall slice(long id, String key, int pageBytes) {
    return SessionCall.newBuilder()
        .setId(id)
        .setGetSlice(
            GetSliceRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes(key))
                .setColumnParent(parent("Standard1"))
                .setPredicate(all())
                .setPageBytes(pageBytes))
        .build();
  }

  static SessionCall insert(long id, String key, String value) {
    return SessionCall.newBuilder()
        .setId(id)
        .setInsert(
            InsertRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes(key))
                .setColumnParent(parent("Standard1"))
                .setColumn(column("c", value, 1)))
        .build();
  }

  static StatusRuntimeException error(SessionAnswer answer) {
    try {
      return StatusProto.toStatusRuntimeException(
          com.google.rpc.Status.parseFrom(answer.getError()));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  /** One session as its client sees it. */
  static final class Client implements ClientResponseObserver<SessionRequest, SessionResponse> {
    final List<SessionResponse> messages = new ArrayList<>();
    final List<SessionAnswer> answers = new ArrayList<>();
    private final boolean reads;
    @Nullable StatusRuntimeException error;
    boolean completed;
    private @Nullable ClientCallStreamObserver<SessionRequest> call;

    Client(boolean reads) {
      this.reads = reads;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<SessionRequest> requests) {
      call = requests;
      if (!reads) {
        requests.disableAutoRequestWithInitial(1);
      }
    }

    ClientCallStreamObserver<SessionRequest> call() {
      ClientCallStreamObserver<SessionRequest> current = call;
      if (current == null) {
        throw new IllegalStateException("the session has not begun");
      }
      return current;
    }

    /** Sends calls in one message. */
    void send(SessionCall... calls) {
      call().onNext(SessionRequest.newBuilder().addAllCalls(List.of(calls)).build());
    }

    void cancel(long... ids) {
      SessionRequest.Builder message = SessionRequest.newBuilder();
      for (long id : ids) {
        message.addCancelled(id);
      }
      call().onNext(message.build());
    }

    /** The numbers that were answered, in order; pieces count each. */
    List<Long> answered() {
      return answers.stream().map(SessionAnswer::getId).toList();
    }

    SessionAnswer answer(long id) {
      return answers.stream().filter(one -> one.getId() == id).findFirst().orElseThrow();
    }

    @Override
    public void onNext(SessionResponse message) {
      messages.add(message);
      answers.addAll(message.getAnswersList());
    }

    @Override
    public void onError(Throwable problem) {
      error = (StatusRuntimeException) problem;
    }

    @Override
    public void onCompleted() {
      completed = true;
    }
  }

  /** Between the calls and the store. */
  private final class Between implements RowStore {
    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      String key = new String(read.key().key(), StandardCharsets.UTF_8);
      begun.add(key);
      service.clock.advance(slowRead);
      lastDeadlineNanos = read.deadlineNanos();
      if (!key.startsWith(HELD)) {
        return inner.read(read);
      }
      CompletableFuture<SlicePage> held = new CompletableFuture<>();
      heldReads.put(key, held);
      waiting.put(key, read);
      return held;
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return inner.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      begun.add("write");
      lastDeadlineNanos = deadlineNanos;
      if (!holdWrites) {
        return inner.write(mutations, durable, level, deadlineNanos);
      }
      CompletableFuture<AskedReplicas> held = new CompletableFuture<>();
      heldWrites.add(held);
      return held;
    }
  }

  /** Stands in until the service has made the store. */
  private static final class Gone implements RowStore {
    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      throw new IllegalStateException();
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      throw new IllegalStateException();
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      throw new IllegalStateException();
    }
  }
}
