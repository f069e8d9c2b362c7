package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.RangeFragmentQuery;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.readrepair.MergedRange;
import dev.colonnade.server.ring.ReplicaPlacement;
import dev.colonnade.server.ring.Ring;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.TokenRange;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.schema.Keyspace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A scan's rows from the nodes that own them: in token order, as far at a time as the same nodes
 * own everything. One topology for all of a page.
 *
 * <p>Thread-safe.
 */
final class ClusterRanges implements RangeSource {

  private final StorageEngine engine;
  private final Replicas replicas;
  private final Topology topology;
  private final Keyspace keyspace;
  private final RangeRead read;
  private final LocalRanges here;
  private final long nowSeconds;
  private final long deadlineNanos;

  ClusterRanges(
      StorageEngine engine,
      Replicas replicas,
      Topology topology,
      Keyspace keyspace,
      RangeRead read,
      long nowSeconds,
      long deadlineNanos) {
    this.engine = engine;
    this.replicas = replicas;
    this.topology = topology;
    this.keyspace = keyspace;
    this.read = read;
    this.here = new LocalRanges(engine, read, replicas.onlyHere(), nowSeconds);
    this.nowSeconds = nowSeconds;
    this.deadlineNanos = deadlineNanos;
  }

  /**
   * Why the scan cannot be carried out from where it stands to its end; null if it can, as far as
   * is known.
   */
  @Nullable CoordinationException refusal() {
    int first = read.from().map(RangePosition::range).orElse(0);
    for (int i = first; i < read.ranges().size(); i++) {
      RowRange range = read.ranges().get(i);
      RowKey at =
          i == first ? read.from().map(RangePosition::row).orElse(range.start()) : range.start();
      while (at != null) {
        ReadPlan plan = plan(at);
        if (!plan.isMet()) {
          return plan.refusal();
        }
        at = endOfPiece(at, range.end());
      }
    }
    return null;
  }

  private ReadPlan plan(RowKey at) {
    return ReadPlan.of(
        read.consistency(), keyspace, topology, at.token(), replicas.tools().closeness());
  }

  @Override
  public CompletableFuture<Part> read(Step step) {
    RowKey pieceEnd = endOfPiece(step.start(), step.end());
    Optional<RowKey> end = pieceEnd == null ? step.end() : Optional.of(pieceEnd);
    ReadPlan plan = plan(step.start());
    if (!plan.isMet()) {
      return CompletableFuture.failedFuture(plan.refusal());
    }
    CompletableFuture<Part> part =
        replicas.isHereOnly(plan)
            ? here.read(
                new Step(step.start(), end, step.inside(), step.startListed(), step.rowLimit()))
            : merged(plan, step, end);
    return pieceEnd == null
        ? part
        : Futures.map(
            part, p -> new Part(p.rows(), p.paused(), p.topContinues(), pieceEnd, p.cost()));
  }

  private CompletableFuture<Part> merged(ReadPlan plan, Step step, Optional<RowKey> end) {
    RangeFragmentQuery query =
        new RangeFragmentQuery(
            step.start(),
            end,
            step.inside(),
            step.startListed(),
            read.slice(),
            step.rowLimit(),
            read.includeEmptyRows(),
            read.keysOnly(),
            Math.min(read.pageBytes(), ReplicaReads.PART_BYTES_MAX),
            nowSeconds);
    return Futures.map(
        new ReplicaRead<>(
                replicas,
                plan,
                new RangeFragmentQuestion(engine, read.family(), query),
                keyspace.durableWrites(),
                deadlineNanos)
            .begin(),
        ClusterRanges::part);
  }

  private static Part part(ReadAnswer<MergedRange> answer) {
    MergedRange found = answer.result();
    List<RangePage.RowCells> rows = new ArrayList<>(found.rows().size());
    for (MergedRange.Row row : found.rows()) {
      rows.add(new RangePage.RowCells(row.key(), row.cells()));
    }
    return new Part(
        rows,
        found.paused().map(pause -> new Pause(pause.row(), pause.inside())),
        found.topContinues(),
        null,
        answer.cost());
  }

  /**
   * The first row behind those that the owners of {@code start} own together, now and when changes
   * under way are done, if it comes before {@code limit}; else null.
   */
  private @Nullable RowKey endOfPiece(RowKey start, Optional<RowKey> limit) {
    ReplicaPlacement placement = ReplicaPlacement.of(keyspace, topology.self());
    List<Set<String>> owners = owners(placement, start.token());
    byte[] token = start.token();
    while (true) {
      byte[] last = lastOfRange(token);
      if (last == null) {
        // The end of the ring; it goes on at the lowest tokens, which come first or not at all.
        return null;
      }
      token = behind(last);
      RowKey end = RowKey.firstOf(token);
      if (limit.isPresent() && end.compareTo(limit.get()) >= 0) {
        return null;
      }
      if (!owners(placement, token).equals(owners)) {
        return end;
      }
    }
  }

  /** The last token of the range that this one is in; null if that is the last range of all. */
  private byte @Nullable [] lastOfRange(byte[] token) {
    byte[] last = lastOfRange(topology.ring(), token);
    if (topology.future() == topology.ring()) {
      return last;
    }
    byte[] other = lastOfRange(topology.future(), token);
    boolean isOther = last == null || (other != null && Arrays.compareUnsigned(other, last) < 0);
    return isOther ? other : last;
  }

  private static byte @Nullable [] lastOfRange(Ring ring, byte[] token) {
    TokenRange range = ring.rangeOf(token);
    boolean isLast =
        Arrays.compareUnsigned(token, range.end()) > 0 || Arrays.equals(range.start(), range.end());
    return isLast ? null : range.end();
  }

  private List<Set<String>> owners(ReplicaPlacement placement, byte[] token) {
    return List.of(
        ids(topology.replicas(placement, token)), ids(topology.pending(placement, token)));
  }

  private static Set<String> ids(List<RingNode> nodes) {
    Set<String> ids = new TreeSet<>();
    for (RingNode node : nodes) {
      ids.add(node.id());
    }
    return ids;
  }

  /** The next token as bytes: nothing lies between. */
  private static byte[] behind(byte[] token) {
    return Arrays.copyOf(token, token.length + 1);
  }
}
