package dev.colonnade.server.service.read;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.ReadPlan;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.read.Subranges.Subrange;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads a scan's rows from the nodes that own them. The range is cut into subranges with the same
 * owners throughout, and a few of them are read at once.
 *
 * <ul>
 *   <li>Rows are returned in token order.
 *   <li>All of a page uses one snapshot of the topology.
 *   <li>Only the first subrange of a step may continue inside a row, and only it may fill the page.
 * </ul>
 *
 * <p>Thread-safe. Steps run one at a time, on changing threads.
 */
public final class ClusterRanges implements RangeSource {

  /**
   * How many subranges ahead are checked for enough live owners. A page covers fewer; later
   * subranges are checked when the scan reaches them.
   */
  private static final int PIECES_CHECKED = 1_024;

  /** The least number of bytes that a subrange read ahead may return. */
  private static final int AHEAD_BYTES_MIN = 4 << 10;

  private final StorageEngine engine;
  private final Replicas replicas;
  private final Topology topology;
  private final Keyspace keyspace;
  private final RangeRead read;
  private final Subranges pieces;
  private final ScanPace pace;
  private final long deadlineNanos;

  /**
   * Creates the source of one scan's rows.
   *
   * @param pace the width that scans of the family have learned
   */
  ClusterRanges(
      StorageEngine engine,
      Replicas replicas,
      Topology topology,
      Keyspace keyspace,
      RangeRead read,
      ScanPace pace,
      long deadlineNanos) {
    this.engine = engine;
    this.replicas = replicas;
    this.topology = topology;
    this.keyspace = keyspace;
    this.read = read;
    this.pieces = new Subranges(topology.placement(keyspace));
    this.pace = pace;
    this.deadlineNanos = deadlineNanos;
  }

  /**
   * Returns why the scan cannot continue from its position, or null if nothing is known to prevent
   * it.
   */
  @Nullable CoordinationException refusal() {
    int first = read.firstRange();
    int checked = 0;
    for (int i = first; i < read.ranges().size(); i++) {
      RowRange range = read.ranges().get(i);
      RowKey at =
          i == first ? read.from().map(RangePosition::row).orElse(range.start()) : range.start();
      while (at != null) {
        Subrange piece = pieces.from(at, range.end());
        if (!ReadPlan.isMet(read.consistency(), keyspace, topology, piece.owners())) {
          return plan(piece).refusal();
        }
        if (++checked == PIECES_CHECKED) {
          return null;
        }
        at = piece.isLast() ? null : piece.end().orElse(null);
      }
    }
    return null;
  }

  private ReadPlan plan(Subrange piece) {
    return ReadPlan.of(
        read.consistency(), keyspace, topology, piece.owners(), replicas.tools().sorter());
  }

  @Override
  public CompletableFuture<ScanPart> read(RangeCommand step, ReadMode mode) {
    List<Subrange> asked = new ArrayList<>();
    List<CompletableFuture<ScanPart>> answers = new ArrayList<>();
    // If no further row is wanted, the rest of one is, so later subranges are not needed.
    int width = step.rowsLeft() == 0 ? 1 : pace.width();
    Subrange piece = pieces.from(step.start(), step.end());
    while (true) {
      ReadPlan plan = plan(piece);
      if (!plan.isMet()) {
        if (asked.isEmpty()) {
          return CompletableFuture.failedFuture(plan.refusal());
        }
        break;
      }
      asked.add(piece);
      answers.add(readPart(piece, plan, step, asked.size() - 1, width, mode));
      if (asked.size() == width || piece.isLast()) {
        break;
      }
      piece = pieces.from(piece.end().orElseThrow(), step.end());
    }
    return new SubrangeAnswers(step, asked, answers, pace).begin();
  }

  /** Reads one subrange; only the first one may continue inside a row and fill the whole page. */
  private CompletableFuture<ScanPart> readPart(
      Subrange piece, ReadPlan plan, RangeCommand step, int at, int width, ReadMode mode) {
    RangeCommand its =
        at == 0
            ? step.until(piece.end())
            : step.within(piece.start(), piece.end()).atMost(aheadBytes(width));
    ReadMode here = at == 0 ? mode : ReadMode.OFFLOADED;
    CallTrace trace = read.trace();
    if (trace != null) {
      trace.add(CallTrace.Step.PLANNED, "", plan.inWords());
    }
    return Futures.map(
        replicas.isHereOnly(plan)
            ? replicas.readHere(
                read.family().id(), its, ReadOutput.rangePage(read.sinks()), here, trace)
            : new ReplicaRead<>(
                    replicas,
                    plan,
                    ReplicaReadCommand.of(engine, read.family(), its, here),
                    keyspace.durableWrites(),
                    deadlineNanos,
                    trace)
                .begin(),
        ScanPart::of);
  }

  private int aheadBytes(int width) {
    return Math.max(AHEAD_BYTES_MIN, read.pageBytes() / width);
  }
}
