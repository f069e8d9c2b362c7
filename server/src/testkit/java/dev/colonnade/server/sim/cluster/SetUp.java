package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.Rng;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the seed of a run decides about the cluster and its families besides the faults. Each part
 * is drawn independently, so that many seeds see each pair of them.
 *
 * @param partitioner of the cluster; where it preserves order, rows lie exactly on tokens
 * @param rowsAreCached whether all families have a row cache
 * @param elementBytes how long the values in sets are; with the longest a row of a set is wider
 *     than what a repair hashes in one step
 * @param hasTwin whether each write of a register changes a second family in the same row
 * @param setsApart whether sets lie in a keyspace of their own, with a copy on each node
 * @param expiring of a thousand elements of sets
 * @param truncates whether a client truncates a family now and then
 * @param cleansUp whether all nodes are cleaned up in the end
 */
record SetUp(
    Partitioner partitioner,
    boolean rowsAreCached,
    int elementBytes,
    boolean hasTwin,
    boolean setsApart,
    int expiring,
    boolean truncates,
    boolean cleansUp) {

  /** Names of rows that sort as they stand here. */
  private static final List<String> ROWS = List.of("k1", "k12", "k4", "k7", "set1");

  /** Names of other rows. */
  static final List<String> OTHER_ROWS =
      List.of("k10", "k11", "k2", "k3", "k5", "k6", "k8", "k9", "set2");

  private static final int WIDE_BYTES = 9 << 10;

  /** What of {@link #seen} every workload should meet now and then. */
  static final List<String> SOMETIMES =
      List.of(
          "rows in order on tokens",
          "rows cached",
          "rows wider than a hash step",
          "two families in a mutation",
          "elements expire",
          "cleaned up");

  /** Draws for a seed. */
  static SetUp drawn(long seed) {
    Rng rng = new Rng(new SeededRandom(seed).fork("set-up"));
    int order = rng.between(0, 999);
    return new SetUp(
        order < 500
            ? Partitioners.RANDOM
            : order < 800 ? Partitioners.ORDER_PRESERVING : Partitioners.BYTE_ORDERED,
        rng.chance(400),
        rng.chance(150) ? WIDE_BYTES : 0,
        rng.chance(400),
        rng.chance(300),
        rng.chance(400) ? 250 : 0,
        rng.chance(300),
        rng.chance(400));
  }

  /** The places of the first nodes: equal shares of the ring, or rows. */
  Map<String, String> tokens(int nodes) {
    Map<String, String> tokens = new TreeMap<>();
    BigInteger step = BigInteger.ONE.shiftLeft(127).divide(BigInteger.valueOf(nodes));
    for (int i = 0; i < nodes; i++) {
      tokens.put(
          "n" + (i + 1),
          partitioner.preservesOrder()
              ? partitioner.printToken(token(ROWS.get(i)))
              : step.multiply(BigInteger.valueOf(i)).toString());
    }
    return tokens;
  }

  /** The token of a row. */
  byte[] token(String row) {
    try {
      return partitioner.tokenOf(row.getBytes(StandardCharsets.UTF_8));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  /** What families are made with. */
  Map<FamilyField, String> fields() {
    return rowsAreCached ? Map.of(FamilyField.ROWS_CACHED, "100") : Map.of();
  }

  /** What of it a run has met. */
  Map<String, Long> seen() {
    Map<String, Long> seen = new TreeMap<>();
    seen.put("rows in order on tokens", partitioner.preservesOrder() ? 1L : 0L);
    seen.put("rows cached", rowsAreCached ? 1L : 0L);
    seen.put("rows wider than a hash step", elementBytes > 0 ? 1L : 0L);
    seen.put("two families in a mutation", hasTwin ? 1L : 0L);
    seen.put("elements expire", expiring > 0 ? 1L : 0L);
    seen.put("cleaned up", cleansUp ? 1L : 0L);
    return seen;
  }
}
