package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.cluster.ring.RingNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many replicas a consistency level requires, and in which data centres. Pure.
 *
 * @param each counts that must all be met
 */
public record ConsistencyRequirement(List<BlockFor> each) {

  /**
   * A required number of answers.
   *
   * @param datacenter only answers from there count; null for any
   */
  public record BlockFor(@Nullable String datacenter, int required) {

    boolean counts(RingNode node) {
      return datacenter == null || datacenter.equals(node.datacenter());
    }

    private BlockFor plus(int more) {
      return new BlockFor(datacenter, required + more);
    }
  }

  /** Copies the list. */
  public ConsistencyRequirement {
    each = List.copyOf(each);
  }

  /** The requirement of a level in a keyspace. */
  public static ConsistencyRequirement of(
      Consistency consistency, Keyspace keyspace, String localDatacenter) {
    int factor = keyspace.replicationFactor();
    return switch (consistency) {
      case ZERO -> anywhere(0);
      case ANY, ONE -> anywhere(1);
      case TWO -> anywhere(2);
      case THREE -> anywhere(3);
      case QUORUM -> anywhere(quorum(factor));
      case ALL -> anywhere(factor);
      case LOCAL_QUORUM ->
          keyspace.strategy() == PlacementStrategy.NETWORK_TOPOLOGY
              ? new ConsistencyRequirement(List.of(inDatacenter(keyspace, localDatacenter)))
              : new ConsistencyRequirement(List.of(new BlockFor(localDatacenter, quorum(factor))));
      case EACH_QUORUM ->
          keyspace.strategy() == PlacementStrategy.NETWORK_TOPOLOGY
              ? inEachDatacenter(keyspace)
              : anywhere(quorum(factor));
    };
  }

  private static ConsistencyRequirement anywhere(int required) {
    return new ConsistencyRequirement(List.of(new BlockFor(null, required)));
  }

  /** Ignores data centres that have no replicas of the keyspace. */
  private static ConsistencyRequirement inEachDatacenter(Keyspace keyspace) {
    List<BlockFor> quotas = new ArrayList<>();
    keyspace
        .datacenterReplicas()
        .forEach(
            (datacenter, replicas) -> {
              if (replicas > 0) {
                quotas.add(inDatacenter(keyspace, datacenter));
              }
            });
    return new ConsistencyRequirement(quotas);
  }

  private static BlockFor inDatacenter(Keyspace keyspace, String datacenter) {
    return new BlockFor(
        datacenter, quorum(keyspace.datacenterReplicas().getOrDefault(datacenter, 0)));
  }

  private static int quorum(int replicas) {
    return replicas / 2 + 1;
  }

  /**
   * The requirement while nodes are about to own the row: one more answer for each node of {@code
   * pending}. The level then holds among the present owners as well as among the future ones.
   */
  public ConsistencyRequirement plus(List<RingNode> pending) {
    if (pending.isEmpty()) {
      return this;
    }
    List<BlockFor> raised = new ArrayList<>(each.size());
    for (BlockFor quota : each) {
      int more = 0;
      for (RingNode node : pending) {
        more += quota.counts(node) ? 1 : 0;
      }
      raised.add(quota.plus(more));
    }
    return new ConsistencyRequirement(raised);
  }

  /** The total number of answers required. */
  public int required() {
    int sum = 0;
    for (BlockFor quota : each) {
      sum += quota.required();
    }
    return sum;
  }

  /**
   * How many answers of these nodes count. If several counts must be met, each counts no more than
   * it requires, so that surplus answers of one data centre cannot replace those of another.
   */
  public int counted(List<RingNode> nodes) {
    int sum = 0;
    for (BlockFor quota : each) {
      int counted = 0;
      for (RingNode node : nodes) {
        counted += quota.counts(node) ? 1 : 0;
      }
      sum += each.size() == 1 ? counted : Math.min(counted, quota.required());
    }
    return sum;
  }

  /** Whether there is a count towards which answers of both nodes count. */
  boolean countTogether(RingNode one, RingNode other) {
    for (BlockFor quota : each) {
      if (quota.counts(one) && quota.counts(other)) {
        return true;
      }
    }
    return false;
  }

  /** Whether answers of these nodes meet the requirement. */
  public boolean isMet(List<RingNode> nodes) {
    return counted(nodes) >= required();
  }

  /**
   * The first nodes of the list that meet the requirement, in its order; if even all of them do
   * not, as many as count.
   */
  public List<RingNode> firstOf(List<RingNode> nodes) {
    int[] wanting = new int[each.size()];
    for (int i = 0; i < wanting.length; i++) {
      wanting[i] = each.get(i).required();
    }
    List<RingNode> chosen = new ArrayList<>(nodes.size());
    for (RingNode node : nodes) {
      boolean wanted = false;
      for (int i = 0; i < wanting.length; i++) {
        if (wanting[i] > 0 && each.get(i).counts(node)) {
          wanting[i]--;
          wanted = true;
        }
      }
      if (wanted) {
        chosen.add(node);
      }
    }
    return chosen;
  }
}
