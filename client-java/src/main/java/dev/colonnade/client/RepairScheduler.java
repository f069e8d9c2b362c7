package dev.colonnade.client;

import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.ScheduleRepairRequest;
import dev.colonnade.admin.v1.TokenRange;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Has nodes that took rows repair them with replicas that did not. */
final class RepairScheduler {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A call takes no more. */
  private static final int RANGES_MAX = 1_000;

  /**
   * Rows that a replica did not take.
   *
   * @param taken the replicas that took them
   */
  record Lack(BulkLoadResult.MissingPart part, List<Endpoint> taken) {}

  /** Who is asked to repair the rows of whom. */
  private record Asked(Endpoint node, Endpoint lacking) {}

  private final Colonnade client;
  private final BulkLoader.BulkLoadTarget target;

  RepairScheduler(Colonnade client, BulkLoader.BulkLoadTarget target) {
    this.client = client;
    this.target = target;
  }

  /** Asks one node after the other, until one will do it; returns the parts with that node. */
  List<BulkLoadResult.MissingPart> schedule(List<Lack> lacks) {
    List<BulkLoadResult.MissingPart> parts = new ArrayList<>();
    List<Lack> left = lacks;
    for (int turn = 0; !left.isEmpty(); turn++) {
      Map<Asked, List<Lack>> groups = new LinkedHashMap<>();
      for (Lack lack : left) {
        if (turn < lack.taken().size()) {
          Asked asked = new Asked(lack.taken().get(turn), lack.part().replica());
          groups.computeIfAbsent(asked, none -> new ArrayList<>()).add(lack);
        } else {
          parts.add(lack.part());
        }
      }
      left = new ArrayList<>();
      for (Map.Entry<Asked, List<Lack>> group : groups.entrySet()) {
        Endpoint node = group.getKey().node();
        if (isScheduled(group.getKey(), group.getValue())) {
          group.getValue().forEach(lack -> parts.add(lack.part().repairedBy(node)));
        } else {
          left.addAll(group.getValue());
        }
      }
    }
    return parts;
  }

  private boolean isScheduled(Asked asked, List<Lack> lacks) {
    NodeConnection connection = client.pool().connectionTo(asked.node());
    if (connection == null) {
      return false;
    }
    Set<TokenRange> ranges = new LinkedHashSet<>();
    for (Lack lack : lacks) {
      ranges.add(
          TokenRange.newBuilder()
              .setStartToken(lack.part().startToken())
              .setEndToken(lack.part().endToken())
              .build());
    }
    List<TokenRange> all = List.copyOf(ranges);
    boolean scheduled = true;
    for (int from = 0; from < all.size() && scheduled; from += RANGES_MAX) {
      scheduled =
          isScheduled(
              connection,
              ScheduleRepairRequest.newBuilder()
                  .setKeyspace(target.keyspace())
                  .setColumnFamily(target.family())
                  .setFamilyId(target.described().getFamilyId())
                  .setNodeId(asked.lacking().nodeId())
                  .addAllRanges(all.subList(from, Math.min(all.size(), from + RANGES_MAX)))
                  .build());
    }
    return scheduled;
  }

  private static boolean isScheduled(NodeConnection connection, ScheduleRepairRequest request) {
    try {
      return BulkLoadServiceGrpc.newBlockingStub(connection.channel())
          .withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
          .scheduleRepair(request)
          .getScheduled();
    } catch (StatusRuntimeException refused) {
      // The rows are loaded. The result says which of them no node will repair by itself.
      return false;
    }
  }
}
