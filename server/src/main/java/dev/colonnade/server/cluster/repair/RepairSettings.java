package dev.colonnade.server.cluster.repair;

import java.time.Duration;

/**
 * How repair works.
 *
 * @param rowsPerLeaf about how many rows one hash covers, and so are sent for one that differs
 * @param treeTimeout how long a replica may take to hash one range of one family
 * @param treesMax ranges that are hashed for others at a time; more are refused
 */
public record RepairSettings(long rowsPerLeaf, Duration treeTimeout, int treesMax) {

  /**
   * Sixteen rows: few rows are sent in vain, and a tree of 32,768 leaves, half a megabyte, covers
   * half a million rows before leaves grow. Within an hour no disk can hash a terabyte, but every
   * disk a hundred gigabytes.
   */
  public static final RepairSettings DEFAULT = new RepairSettings(16, Duration.ofHours(1), 4);

  /** Checks the ranges. */
  public RepairSettings {
    if (rowsPerLeaf < 1 || treeTimeout.isNegative() || treeTimeout.isZero() || treesMax < 1) {
      throw new IllegalArgumentException("rows, time and trees are at least one");
    }
  }
}
