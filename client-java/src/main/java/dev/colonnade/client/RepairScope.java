package dev.colonnade.client;

import java.util.List;
import java.util.Optional;

/**
 * The scope of a repair.
 *
 * @param keyspace empty for all
 * @param families none for all of the keyspace
 * @param tokens only ranges of the ring that end in these; empty for all that the node has copies
 *     of
 * @param isDry whether to compare only
 */
public record RepairScope(
    String keyspace, List<String> families, Optional<Tokens> tokens, boolean isDry) {

  /**
   * A part of the ring.
   *
   * @param startToken outside of it
   * @param endToken inside
   */
  public record Tokens(String startToken, String endToken) {}

  /** Copies the list. */
  public RepairScope {
    families = List.copyOf(families);
  }

  /** All ranges of which the node has copies, of the families of a keyspace. */
  public static RepairScope of(String keyspace, String... families) {
    return new RepairScope(keyspace, List.of(families), Optional.empty(), false);
  }

  /** Only ranges that end in a part of the ring. */
  public RepairScope within(String startToken, String endToken) {
    return new RepairScope(
        keyspace, families, Optional.of(new Tokens(startToken, endToken)), isDry);
  }

  /** Compared only, without repairing. */
  public RepairScope dry() {
    return new RepairScope(keyspace, families, tokens, true);
  }
}
