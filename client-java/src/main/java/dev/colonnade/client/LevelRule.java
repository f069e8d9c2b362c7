package dev.colonnade.client;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Whether enough replicas have taken a part. */
final class LevelRule {

  private final Consistency level;
  private final Optional<String> datacenter;

  /**
   * The rule of a level.
   *
   * @param datacenter of the client, for LOCAL_QUORUM
   */
  LevelRule(Consistency level, Optional<String> datacenter) {
    if (level == Consistency.LOCAL_QUORUM && datacenter.isEmpty()) {
      throw new IllegalArgumentException(
          "LOCAL_QUORUM counts the replicas of the client's data centre; name it in the client's"
              + " options");
    }
    this.level = level;
    this.datacenter = datacenter;
  }

  boolean isMet(List<Endpoint> replicas, Collection<Endpoint> taken) {
    return switch (level) {
      case ONE -> taken.size() >= 1;
      case TWO -> taken.size() >= 2;
      case THREE -> taken.size() >= 3;
      case QUORUM -> isMajority(taken.size(), replicas.size());
      case ALL -> taken.size() >= replicas.size();
      case LOCAL_QUORUM -> {
        String local = datacenter.orElse("");
        yield isMajority(
            inDatacenters(taken).getOrDefault(local, 0L),
            inDatacenters(replicas).getOrDefault(local, 0L));
      }
      case EACH_QUORUM -> {
        Map<String, Long> have = inDatacenters(taken);
        yield inDatacenters(replicas).entrySet().stream()
            .allMatch(each -> isMajority(have.getOrDefault(each.getKey(), 0L), each.getValue()));
      }
      case ANY, ZERO -> false;
    };
  }

  private static boolean isMajority(long some, long all) {
    return some >= all / 2 + 1;
  }

  private static Map<String, Long> inDatacenters(Collection<Endpoint> nodes) {
    return nodes.stream()
        .map(Endpoint::datacenter)
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }
}
