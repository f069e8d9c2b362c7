package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.DescribeLoadRequest;
import dev.colonnade.admin.v1.DescribeLoadResponse;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.LoadRowsResponse;
import dev.colonnade.admin.v1.ScheduleRepairRequest;
import dev.colonnade.admin.v1.ScheduleRepairResponse;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.repair.RepairTask;
import dev.colonnade.server.cluster.ring.InvalidTokenException;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.service.bulkload.BulkLoader;
import dev.colonnade.server.service.bulkload.LoadTarget;
import dev.colonnade.server.service.consistency.CoordinationException;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Bulk loads. Thread-safe. */
final class BulkLoadCalls extends BulkLoadServiceGrpc.BulkLoadServiceImplBase {

  private static final int MAX_RANGES = 1_000;
  private static final int MAX_PURPOSE = 200;

  /** How far the clock of one who loads may be ahead of this node's. */
  private static final Duration NOW_AHEAD_MAX = Duration.ofDays(1);

  /** Room beside a longest value: its key, its names, and the tags and lengths of all. */
  private static final int MAX_CHUNK_BYTES_BESIDE_VALUE = 256 << 10;

  private final BulkLoader loads;
  private final Supplier<Schema> schema;
  private final RpcContext rpc;

  BulkLoadCalls(BulkLoader loads, Supplier<Schema> schema, RpcContext rpc) {
    this.loads = loads;
    this.schema = schema;
    this.rpc = rpc;
  }

  @Override
  public void describeLoad(
      DescribeLoadRequest request, StreamObserver<DescribeLoadResponse> observer) {
    rpc.read(observer, () -> CompletableFuture.completedFuture(describe(request)));
  }

  private DescribeLoadResponse describe(DescribeLoadRequest request) {
    // Read first: a family that has changed since then is refused by its id or its truncation.
    String version = schema.get().version();
    Keyspace keyspace = rpc.rules().writableKeyspace(request.getKeyspace());
    ColumnFamily family = rpc.rules().family(keyspace, "column_family", request.getColumnFamily());
    return DescribeLoadResponse.newBuilder()
        .setFamilyId(family.id().toString())
        .setTruncation(family.truncation())
        .setSchemaVersion(version)
        .setMaxChunkBytes(maxChunkBytes())
        .build();
  }

  private int maxChunkBytes() {
    return rpc.rules().limits().maxValueBytes() + MAX_CHUNK_BYTES_BESIDE_VALUE;
  }

  @Override
  public StreamObserver<LoadRowsRequest> loadRows(StreamObserver<LoadRowsResponse> observer) {
    return BulkLoadStream.start(
        (ServerCallStreamObserver<LoadRowsResponse>) observer,
        this::begin,
        maxChunkBytes(),
        () -> schema.get().version(),
        rpc);
  }

  /** Checks a header, and opens the load. */
  private BulkLoadStream.Begun begin(LoadHeader header) {
    LoadTarget target;
    try {
      target = target(header);
    } catch (RequestRefusal refusal) {
      throw refusal.within("header");
    }
    WriteTime time = new WriteTime(header::getTimestamp, header.getNowSeconds());
    return new BulkLoadStream.Begun(
        loads.open(target),
        chunk -> new BulkRows(chunk, target.family(), rpc, time),
        header.getIncludeStats());
  }

  private LoadTarget target(LoadHeader header) {
    Keyspace keyspace;
    ColumnFamily family;
    try {
      keyspace = rpc.rules().writableKeyspace(header.getKeyspace());
      family = rpc.rules().family(keyspace, "column_family", header.getColumnFamily());
    } catch (RequestRefusal refusal) {
      throw isMissing(refusal) ? orUnheard(header, refusal) : refusal;
    }
    requireId(family, header.getFamilyId());
    if (header.getTruncation() < 0) {
      throw RequestRefusal.invalid("truncation", "it is at least 0");
    }
    if (header.getNowSeconds() < 1) {
      throw RequestRefusal.invalid("now_seconds", "it is required: seconds since 1970");
    }
    if (header.getNowSeconds() > rpc.clock().wallSeconds() + NOW_AHEAD_MAX.toSeconds()) {
      throw RequestRefusal.invalid(
          "now_seconds",
          "it is more than a day ahead of this node's clock, "
              + rpc.clock().wallSeconds()
              + ", and columns with a time to live would stay that much longer");
    }
    if (header.getPurpose().length() > MAX_PURPOSE) {
      throw RequestRefusal.invalid("purpose", "it has at most " + MAX_PURPOSE + " characters");
    }
    if (header.getPurpose().chars().anyMatch(Character::isISOControl)) {
      throw RequestRefusal.invalid("purpose", "it has no control characters: logs show it");
    }
    return new LoadTarget(
        keyspace,
        family,
        header.getTruncation(),
        ranges(header.getRangesList()),
        header.getPurpose());
  }

  private static void requireId(ColumnFamily family, String id) {
    if (!family.id().toString().equals(id)) {
      throw RequestRefusal.of(
          Status.Code.ABORTED,
          ErrorReasons.FAMILY_CHANGED,
          "family_id",
          "this node has "
              + family.qualifiedName()
              + " with the id "
              + family.id()
              + ": it was dropped and created again; describe it again");
    }
  }

  @Override
  public void scheduleRepair(
      ScheduleRepairRequest request, StreamObserver<ScheduleRepairResponse> observer) {
    rpc.write(
        observer,
        () ->
            schedule(request)
                .thenApply(
                    scheduled ->
                        ScheduleRepairResponse.newBuilder().setScheduled(scheduled).build()));
  }

  private CompletableFuture<Boolean> schedule(ScheduleRepairRequest request) {
    Keyspace keyspace = rpc.rules().writableKeyspace(request.getKeyspace());
    ColumnFamily family = rpc.rules().family(keyspace, "column_family", request.getColumnFamily());
    requireId(family, request.getFamilyId());
    if (request.getNodeId().equals(rpc.nodeId())) {
      throw RequestRefusal.invalid("node_id", "a node is not repaired with itself");
    }
    List<TokenRange> ranges = ranges(request.getRangesList());
    return loads.scheduleRepair(keyspace, new RepairTask(family.id(), request.getNodeId(), ranges));
  }

  private static boolean isMissing(RequestRefusal refusal) {
    return refusal.code() == Status.Code.NOT_FOUND;
  }

  /** A node with another schema may have yet to hear of a new family. */
  private RuntimeException orUnheard(LoadHeader header, RequestRefusal missing) {
    String version = schema.get().version();
    return version.equals(header.getSchemaVersion())
        ? missing
        : new CoordinationException.NodeNotReady(
            missing.text()
                + "; the schema of this node is "
                + version
                + " and that of the load another one: try again in a few seconds, if the family was"
                + " not dropped");
  }

  private List<TokenRange> ranges(List<dev.colonnade.admin.v1.TokenRange> asked) {
    if (asked.isEmpty() || asked.size() > MAX_RANGES) {
      throw RequestRefusal.invalid("ranges", "there are 1 to " + MAX_RANGES + " ranges");
    }
    List<TokenRange> ranges = new ArrayList<>(asked.size());
    for (int i = 0; i < asked.size(); i++) {
      dev.colonnade.admin.v1.TokenRange range = asked.get(i);
      try {
        ranges.add(
            new TokenRange(
                token("start_token", range.getStartToken()),
                token("end_token", range.getEndToken())));
      } catch (RequestRefusal refusal) {
        throw refusal.within("ranges[" + i + "]");
      }
    }
    return ranges;
  }

  private byte[] token(String field, String text) {
    try {
      return rpc.rules().partitioner().parseToken(text);
    } catch (InvalidTokenException e) {
      throw RequestRefusal.invalid(field, EchoedText.messageOf(e));
    }
  }
}
