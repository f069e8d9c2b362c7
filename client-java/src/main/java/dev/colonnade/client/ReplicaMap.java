package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.TokenRange;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which nodes hold a row of one keyspace. Immutable. */
final class ReplicaMap {

  /** Nothing is known, or any node is as good as any other. */
  static final ReplicaMap NONE = new ReplicaMap(key -> List.of(), true);

  private final Function<ByteString, List<NodeConnection>> replicas;
  private final boolean isComplete;

  private ReplicaMap(Function<ByteString, List<NodeConnection>> replicas, boolean isComplete) {
    this.replicas = replicas;
    this.isComplete = isComplete;
  }

  /** Whether there is a connection to every node that holds a row. */
  boolean isComplete() {
    return isComplete;
  }

  /**
   * The map of a ring.
   *
   * @param nodes the connection to an endpoint; null if there is none
   * @return {@link #NONE} if every range has all nodes
   * @throws IllegalArgumentException if a token is none of the partitioner
   */
  static <T> ReplicaMap of(
      KeyTokens<T> tokens,
      List<TokenRange> ranges,
      int nodeCount,
      Function<Endpoint, @Nullable NodeConnection> nodes) {
    record Range<T>(T end, List<NodeConnection> replicas) {}
    List<Range<T>> sorted =
        ranges.stream()
            .map(
                range ->
                    new Range<>(
                        tokens.parse().apply(range.getEndToken()),
                        range.getEndpointsList().stream()
                            .map(endpoint -> nodes.apply(Endpoint.of(endpoint)))
                            .filter(Objects::nonNull)
                            .toList()))
            .sorted(Comparator.comparing(Range::end, tokens.order()))
            .toList();
    if (sorted.stream().allMatch(range -> range.replicas().size() >= nodeCount)) {
      return NONE;
    }
    int connected = sorted.stream().mapToInt(range -> range.replicas().size()).sum();
    int named = ranges.stream().mapToInt(TokenRange::getEndpointsCount).sum();
    List<T> ends = sorted.stream().map(Range::end).toList();
    List<List<NodeConnection>> holders = sorted.stream().map(Range::replicas).toList();
    return new ReplicaMap(
        key -> {
          T token = tokens.ofKey().apply(key);
          if (token == null) {
            return List.of();
          }
          int at = Collections.binarySearch(ends, token, tokens.order());
          int range = at >= 0 ? at : -at - 1;
          // What comes after the last token belongs to the range that wraps around to the first.
          return holders.get(range == ends.size() ? 0 : range);
        },
        connected == named);
  }

  /** The nodes that hold a row; empty if that is not known or does not matter. */
  List<NodeConnection> of(ByteString key) {
    return key.isEmpty() ? List.of() : replicas.apply(key);
  }
}
