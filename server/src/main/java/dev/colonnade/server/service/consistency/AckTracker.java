package dev.colonnade.server.service.consistency;

import dev.colonnade.server.cluster.ring.RingNode;

/** Counts the answers of replicas towards a {@link ConsistencyRequirement}. Not thread-safe. */
public final class AckTracker {

  private final ConsistencyRequirement requirement;
  private final int[] missing;
  private final int[] expected;

  /** Starts with no replica asked. */
  public AckTracker(ConsistencyRequirement requirement) {
    this.requirement = requirement;
    this.missing = new int[requirement.each().size()];
    this.expected = new int[missing.length];
    for (int i = 0; i < missing.length; i++) {
      missing[i] = requirement.each().get(i).required();
    }
  }

  /** Adds a replica that may answer. */
  public void expect(RingNode node) {
    for (int i = 0; i < expected.length; i++) {
      expected[i] += requirement.each().get(i).counts(node) ? 1 : 0;
    }
  }

  /** Records that an expected replica has answered. */
  public void answered(RingNode node) {
    for (int i = 0; i < missing.length; i++) {
      if (requirement.each().get(i).counts(node)) {
        missing[i]--;
        expected[i]--;
      }
    }
  }

  /** Records that an expected replica will not answer. */
  public void failed(RingNode node) {
    for (int i = 0; i < expected.length; i++) {
      expected[i] -= requirement.each().get(i).counts(node) ? 1 : 0;
    }
  }

  public boolean isMet() {
    for (int still : missing) {
      if (still > 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether the replicas still expected cannot meet the requirement. */
  public boolean isHopeless() {
    for (int i = 0; i < missing.length; i++) {
      if (missing[i] > expected[i]) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether asking this replica too could help meet a requirement that the expected ones cannot.
   */
  boolean lacks(RingNode node) {
    for (int i = 0; i < missing.length; i++) {
      if (missing[i] > expected[i] && requirement.each().get(i).counts(node)) {
        return true;
      }
    }
    return false;
  }

  /** The number of answers that count towards the requirement. */
  public int received() {
    int sum = 0;
    for (int i = 0; i < missing.length; i++) {
      sum += requirement.each().get(i).required() - Math.max(0, missing[i]);
    }
    return sum;
  }
}
