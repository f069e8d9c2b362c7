package dev.colonnade.client;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.ErrorInfo;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.DescribeClusterRequest;
import dev.colonnade.admin.v1.DescribeClusterResponse;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DescribeRingResponse;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.GetKeyspaceResponse;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.admin.v1.RingNode;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.TokenRange;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.admin.v1.TruncateColumnFamilyResponse;
import dev.colonnade.admin.v1.WatchRingRequest;
import dev.colonnade.admin.v1.WatchRingResponse;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Nodes that answer as they are told, and show the ring that they are told to show. */
final class FakeNodes implements AutoCloseable {

  /** What clients take for the time, in nanoseconds. */
  final AtomicLong clock = new AtomicLong();

  final List<FakeNode> nodes = new ArrayList<>();

  volatile String partitioner = "RandomPartitioner";

  /** Who holds which ranges, of every keyspace. */
  volatile DescribeRingResponse ranges = DescribeRingResponse.getDefaultInstance();

  /** The keyspaces whose ranges clients asked for. */
  final Queue<String> looks = new ConcurrentLinkedQueue<>();

  /** How many times clients began to watch the ring. */
  final AtomicInteger watches = new AtomicInteger();

  private final Map<String, String> names = new HashMap<>();
  private final List<StreamObserver<WatchRingResponse>> watchers = new CopyOnWriteArrayList<>();
  private volatile WatchRingResponse ring = WatchRingResponse.getDefaultInstance();

  FakeNodes(int count) {
    for (int i = 0; i < count; i++) {
      FakeNode node = new FakeNode(i);
      nodes.add(node);
      names.put(node.target(), node.name);
    }
  }

  FakeNode node(int index) {
    return nodes.get(index);
  }

  /** A client of some of the nodes. */
  Colonnade client(ClientOptions options, FakeNode... contactPoints) {
    return new Colonnade(
        List.of(contactPoints).stream().map(FakeNode::target).toList(),
        Network.of(target -> InProcessChannelBuilder.forName(names.getOrDefault(target, target))),
        options,
        clock::get);
  }

  static ColumnFamily<String, String, String> family(Colonnade client) {
    return client
        .keyspace("K")
        .columnFamily("F", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** Shows nodes, to those who watch and those who will. */
  void show(RingNode... changed) {
    WatchRingResponse message =
        WatchRingResponse.newBuilder().addAllChanged(List.of(changed)).build();
    Map<String, RingNode> all = new HashMap<>();
    ring.getChangedList().forEach(node -> all.put(node.getEndpoint().getNodeId(), node));
    List.of(changed).forEach(node -> all.put(node.getEndpoint().getNodeId(), node));
    ring = WatchRingResponse.newBuilder().addAllChanged(all.values()).build();
    watchers.forEach(watcher -> watcher.onNext(message));
  }

  /** Lets each node own a third of the tokens, with as many copies as are told. */
  void ownThirds(int copies) {
    own(copies, third(0), third(1), third(2));
  }

  /** Lets each of three nodes own the range that ends with its token. */
  void own(int copies, String... tokens) {
    DescribeRingResponse.Builder described = DescribeRingResponse.newBuilder();
    for (int i = 0; i < 3; i++) {
      TokenRange.Builder range =
          TokenRange.newBuilder().setStartToken(tokens[(i + 2) % 3]).setEndToken(tokens[i]);
      for (int copy = 0; copy < copies; copy++) {
        range.addEndpoints(
            node((i + copy) % 3).shown(NodeState.NODE_STATE_NORMAL, "dc").getEndpoint());
      }
      described.addRanges(range);
      described.addNodes(node(i).shown(NodeState.NODE_STATE_NORMAL, "dc"));
    }
    ranges = described.build();
  }

  /** Shows clients a ring of these nodes, all in that state. */
  void show(NodeState state, int... which) {
    show(Arrays.stream(which).mapToObj(at -> node(at).shown(state, "dc")).toArray(RingNode[]::new));
  }

  /** Makes calls until something is so. */
  static void callUntil(ColumnFamily<String, String, String> family, BooleanSupplier enough) {
    Await.until(
        () -> {
          boolean isEnough = enough.getAsBoolean();
          if (!isEnough) {
            family.get("k", "c");
          }
          return isEnough;
        });
  }

  /** The token of a node that owns a third; the last is not the greatest there is. */
  private static String third(int index) {
    return BigInteger.ONE
        .shiftLeft(127)
        .multiply(BigInteger.valueOf(index % 3))
        .divide(BigInteger.valueOf(3))
        .toString();
  }

  /** Which of three nodes with a third each owns a key, computed without a class of the client. */
  static int owner(String key) {
    BigInteger token;
    try {
      token =
          new BigInteger(
                  MessageDigest.getInstance("MD5").digest(key.getBytes(StandardCharsets.UTF_8)))
              .abs();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
    BigInteger third = BigInteger.ONE.shiftLeft(127).divide(BigInteger.valueOf(3));
    if (token.signum() == 0 || token.compareTo(third.shiftLeft(1).add(BigInteger.ONE)) > 0) {
      return 0;
    }
    return token.compareTo(third) <= 0 ? 1 : 2;
  }

  /** A failure as nodes report it. */
  static StatusRuntimeException failure(Status.Code code, String reason, String applied) {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage(reason)
            .addDetails(
                Any.pack(
                    ErrorInfo.newBuilder()
                        .setDomain("colonnade")
                        .setReason(reason)
                        .putMetadata("applied", applied)
                        .build()))
            .build());
  }

  @Override
  public void close() {
    nodes.forEach(FakeNode::kill);
  }

  /** One of the nodes. */
  final class FakeNode {

    final Queue<GetSliceRequest> slices = new ConcurrentLinkedQueue<>();
    final Queue<BatchMutateRequest> batches = new ConcurrentLinkedQueue<>();
    final AtomicInteger truncations = new AtomicInteger();

    /** Why calls fail; null: they do not. */
    volatile @Nullable StatusRuntimeException failure;

    /** How scans end after their first row; null: with the second. */
    volatile @Nullable StatusRuntimeException breaksScansWith;

    /** The resume tokens of scans. */
    final Queue<String> scans = new ConcurrentLinkedQueue<>();

    /** Whether calls get no answer at all. */
    volatile boolean hangs;

    /** How many reads clients cancelled. */
    final AtomicInteger cancelled = new AtomicInteger();

    /** Reads that wait until a test answers them, while the node hangs. */
    final Queue<StreamObserver<GetSliceResponse>> waiting = new ConcurrentLinkedQueue<>();

    /** What was loaded in bulk. */
    final FakeLoads loads = new FakeLoads();

    /** The header traceparent of each call that has it. */
    final Queue<String> traceparents = new ConcurrentLinkedQueue<>();

    /** Of the server in this process. */
    final String name = InProcessServerBuilder.generateName();

    private final int index;
    private final Server server;

    private FakeNode(int index) {
      this.index = index;
      try {
        server =
            InProcessServerBuilder.forName(name)
                .addService(new Data())
                .addService(new Cluster())
                .addService(new Schemas())
                .addService(loads)
                .intercept(new TraceparentReader(traceparents))
                .build()
                .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    String target() {
      return "127.0.0." + (index + 1) + ":9160";
    }

    /** Ends the node with all calls that it has. */
    void kill() {
      server.shutdownNow();
    }

    /** The node as a ring shows it. */
    RingNode shown(NodeState state, String datacenter) {
      RingNode.Builder shown = RingNode.newBuilder().setState(state);
      shown
          .getEndpointBuilder()
          .setNodeId("node-" + index)
          .setAddress("127.0.0." + (index + 1))
          .setClientPort(9160)
          .setDatacenter(datacenter);
      return shown.build();
    }

    private <R> void answer(StreamObserver<R> observer, R answer) {
      StatusRuntimeException why = failure;
      if (why != null) {
        observer.onError(why);
      } else if (!hangs) {
        observer.onNext(answer);
        observer.onCompleted();
      }
    }

    private final class Data extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {
      @Override
      public void getSlice(GetSliceRequest request, StreamObserver<GetSliceResponse> answer) {
        ((ServerCallStreamObserver<GetSliceResponse>) answer)
            .setOnCancelHandler(cancelled::incrementAndGet);
        slices.add(request);
        if (hangs) {
          waiting.add(answer);
        }
        answer(answer, GetSliceResponse.getDefaultInstance());
      }

      /** Rows a and b; their keys are the resume tokens. */
      @Override
      public void streamRangeSlices(
          StreamRangeSlicesRequest request, StreamObserver<StreamRangeSlicesResponse> answer) {
        scans.add(request.getResumeToken());
        if (request.getResumeToken().isEmpty()) {
          answer.onNext(row("a"));
          StatusRuntimeException why = breaksScansWith;
          if (why != null) {
            answer.onError(why);
            return;
          }
        }
        answer.onNext(row("b"));
        answer.onCompleted();
      }

      private StreamRangeSlicesResponse row(String key) {
        return StreamRangeSlicesResponse.newBuilder()
            .addRows(KeySlice.newBuilder().setKey(ByteString.copyFromUtf8(key)))
            .setResumeToken(key)
            .build();
      }

      @Override
      public StreamObserver<StreamMutateRequest> streamMutate(
          StreamObserver<StreamMutateResponse> answer) {
        return new StreamObserver<>() {
          @Override
          public void onNext(StreamMutateRequest request) {
            batches.add(request.getBatch());
            if (!hangs) {
              answer.onNext(FakeStore.outcome(request.getSequence(), Status.Code.OK));
            }
          }

          @Override
          public void onError(Throwable thrown) {
            // The client has gone.
          }

          @Override
          public void onCompleted() {
            if (!hangs) {
              answer.onCompleted();
            }
          }
        };
      }

      @Override
      public void batchMutate(
          BatchMutateRequest request, StreamObserver<BatchMutateResponse> answer) {
        batches.add(request);
        answer(answer, BatchMutateResponse.getDefaultInstance());
      }
    }

    private final class Schemas extends SchemaServiceGrpc.SchemaServiceImplBase {
      @Override
      public void getKeyspace(
          GetKeyspaceRequest request, StreamObserver<GetKeyspaceResponse> answer) {
        answer(
            answer,
            GetKeyspaceResponse.newBuilder()
                .setKeyspace(
                    KeyspaceDef.newBuilder()
                        .setName(request.getName())
                        .addColumnFamilies(
                            ColumnFamilyDef.newBuilder().setName("F").setCompareWith("LongType")))
                .build());
      }

      @Override
      public void truncateColumnFamily(
          TruncateColumnFamilyRequest request,
          StreamObserver<TruncateColumnFamilyResponse> answer) {
        truncations.incrementAndGet();
        answer(answer, TruncateColumnFamilyResponse.getDefaultInstance());
      }
    }

    private final class Cluster extends ClusterServiceGrpc.ClusterServiceImplBase {
      @Override
      public void describeCluster(
          DescribeClusterRequest request, StreamObserver<DescribeClusterResponse> answer) {
        answer(answer, DescribeClusterResponse.newBuilder().setPartitioner(partitioner).build());
      }

      @Override
      public void describeRing(
          DescribeRingRequest request, StreamObserver<DescribeRingResponse> answer) {
        looks.add(request.getKeyspace());
        answer(answer, ranges);
      }

      @Override
      public void watchRing(WatchRingRequest request, StreamObserver<WatchRingResponse> answer) {
        ((ServerCallStreamObserver<WatchRingResponse>) answer)
            .setOnCancelHandler(() -> watchers.remove(answer));
        answer.onNext(ring);
        watchers.add(answer);
        watches.incrementAndGet();
      }
    }
  }
}
