package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.TokenRanges;
import java.util.List;
import java.util.stream.Stream;

/**
 * A repair that is to be made: another node lacks rows of a family that this node has.
 *
 * @param nodeId of the node that lacks them
 * @param ranges where their tokens lie: disjoint, as few as there can be; none if nothing is to be
 *     done any more
 */
public record RepairTask(FamilyId family, String nodeId, List<TokenRange> ranges) {

  /** Joins ranges that touch. */
  public RepairTask {
    ranges = TokenRanges.joined(ranges);
  }

  /** What a task is about: there is one for each family and node. */
  record Subject(FamilyId family, String nodeId) {}

  Subject subject() {
    return new Subject(family, nodeId);
  }

  RepairTask with(RepairTask other) {
    return new RepairTask(
        family, nodeId, Stream.concat(ranges.stream(), other.ranges.stream()).toList());
  }

  RepairTask done() {
    return new RepairTask(family, nodeId, List.of());
  }

  /** The bytes of all its tokens. */
  long tokenBytes() {
    return ranges.stream().mapToLong(range -> range.start().length + range.end().length).sum();
  }
}
