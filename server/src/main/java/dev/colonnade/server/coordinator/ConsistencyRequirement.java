package dev.colonnade.server.coordinator;

import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.schema.Keyspace;
import dev.colonnade.server.schema.PlacementStrategy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many replicas a level wants to hear of, and where they have to stand. Pure.
 *
 * @param each all of them have to be met
 */
record ConsistencyRequirement(List<BlockFor> each) {

  /**
   * So many answers.
   *
   * @param datacenter only answers from there count; null for all
   */
  record BlockFor(@Nullable String datacenter, int required) {

    boolean counts(RingNode node) {
      return datacenter == null || datacenter.equals(node.datacenter());
    }

    private BlockFor plus(int more) {
      return new BlockFor(datacenter, required + more);
    }
  }

  /** Copies the list. */
  ConsistencyRequirement {
    each = List.copyOf(each);
  }

  /** What a level means in a keyspace. */
  static ConsistencyRequirement of(
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

  /** A data centre that was given no replicas is none of the keyspace's. */
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
   * What has to be met so that the level holds among the present owners, and among those that there
   * will be once {@code pending} have taken over: as many answers more as there are such nodes.
   */
  ConsistencyRequirement plus(List<RingNode> pending) {
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

  /** Answers wanted in all. */
  int required() {
    int sum = 0;
    for (BlockFor quota : each) {
      sum += quota.required();
    }
    return sum;
  }

  /**
   * How many of these count. Where several quotas are to be met each counts no more than it wants,
   * so that a full data centre cannot stand in for another.
   */
  int counted(List<RingNode> nodes) {
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

  /** Whether there is a quota to which both nodes' answers count. */
  boolean countTogether(RingNode one, RingNode other) {
    for (BlockFor quota : each) {
      if (quota.counts(one) && quota.counts(other)) {
        return true;
      }
    }
    return false;
  }

  /** Whether answers of these would do. */
  boolean isMet(List<RingNode> nodes) {
    return counted(nodes) >= required();
  }

  /** The first nodes of a list that would do, in its order; fewer if all of them would not. */
  List<RingNode> firstOf(List<RingNode> nodes) {
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
