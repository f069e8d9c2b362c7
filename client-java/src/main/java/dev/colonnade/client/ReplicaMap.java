package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.TokenRange;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes hold a row of one keyspace, under the RandomPartitioner: its token is the absolute
 * value of the key's MD5, read as a signed number. Immutable.
 */
final class ReplicaMap {

  /** The partitioner whose tokens this client computes. */
  static final String PARTITIONER = "RandomPartitioner";

  /** Nothing is known, or any node is as good as any other. */
  static final ReplicaMap NONE = new ReplicaMap(new BigInteger[0], List.of());

  private static final MessageDigest PRISTINE = md5();

  /** Ascending; each belongs to the range that ends with it. */
  private final BigInteger[] ends;

  private final List<List<NodeConnection>> replicas;

  private ReplicaMap(BigInteger[] ends, List<List<NodeConnection>> replicas) {
    this.ends = ends;
    this.replicas = replicas;
  }

  /**
   * The map of a ring.
   *
   * @param nodes the connection to an endpoint; null if there is none
   * @return {@link #NONE} if every range has all nodes
   * @throws NumberFormatException if a token is no number
   */
  static ReplicaMap of(
      List<TokenRange> ranges, int nodeCount, Function<Endpoint, @Nullable NodeConnection> nodes) {
    record Range(BigInteger end, List<NodeConnection> replicas) {}
    List<Range> sorted =
        ranges.stream()
            .map(
                range ->
                    new Range(
                        new BigInteger(range.getEndToken()),
                        range.getEndpointsList().stream()
                            .map(endpoint -> nodes.apply(Endpoint.of(endpoint)))
                            .filter(Objects::nonNull)
                            .toList()))
            .sorted(Comparator.comparing(Range::end))
            .toList();
    return sorted.stream().allMatch(range -> range.replicas().size() >= nodeCount)
        ? NONE
        : new ReplicaMap(
            sorted.stream().map(Range::end).toArray(BigInteger[]::new),
            sorted.stream().map(Range::replicas).toList());
  }

  /** The nodes that hold a row; empty if that is not known or does not matter. */
  List<NodeConnection> of(ByteString key) {
    if (ends.length == 0 || key.isEmpty()) {
      return List.of();
    }
    int at = Arrays.binarySearch(ends, token(key));
    int range = at >= 0 ? at : -at - 1;
    // What comes after the last token belongs to the range that wraps around to the first.
    return replicas.get(range == ends.length ? 0 : range);
  }

  static BigInteger token(ByteString key) {
    MessageDigest digest;
    try {
      digest = (MessageDigest) PRISTINE.clone();
    } catch (CloneNotSupportedException e) {
      digest = md5();
    }
    key.asReadOnlyByteBufferList().forEach(digest::update);
    return new BigInteger(digest.digest()).abs();
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5, this one has not", e);
    }
  }
}
