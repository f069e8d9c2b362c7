package dev.colonnade.server.coordinator;

import dev.colonnade.server.ring.RingNode;

/** Counts the answers of replicas towards quotas. Not thread-safe. */
final class AckTracker {

  private final ConsistencyRequirement requirement;
  private final int[] missing;
  private final int[] expected;

  /** Nobody has been asked. */
  AckTracker(ConsistencyRequirement requirement) {
    this.requirement = requirement;
    this.missing = new int[requirement.each().size()];
    this.expected = new int[missing.length];
    for (int i = 0; i < missing.length; i++) {
      missing[i] = requirement.each().get(i).required();
    }
  }

  /** This one may answer. */
  void expect(RingNode node) {
    for (int i = 0; i < expected.length; i++) {
      expected[i] += requirement.each().get(i).counts(node) ? 1 : 0;
    }
  }

  /** One that was expected has answered. */
  void answered(RingNode node) {
    for (int i = 0; i < missing.length; i++) {
      if (requirement.each().get(i).counts(node)) {
        missing[i]--;
        expected[i]--;
      }
    }
  }

  /** One that was expected will not answer. */
  void failed(RingNode node) {
    for (int i = 0; i < expected.length; i++) {
      expected[i] -= requirement.each().get(i).counts(node) ? 1 : 0;
    }
  }

  boolean isMet() {
    for (int still : missing) {
      if (still > 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether those that are still expected cannot meet the quotas. */
  boolean isHopeless() {
    for (int i = 0; i < missing.length; i++) {
      if (missing[i] > expected[i]) {
        return true;
      }
    }
    return false;
  }

  /** Whether one more, this one, could help a quota that those expected cannot meet. */
  boolean lacks(RingNode node) {
    for (int i = 0; i < missing.length; i++) {
      if (missing[i] > expected[i] && requirement.each().get(i).counts(node)) {
        return true;
      }
    }
    return false;
  }

  /** Answers that came and were wanted. */
  int received() {
    int sum = 0;
    for (int i = 0; i < missing.length; i++) {
      sum += requirement.each().get(i).required() - Math.max(0, missing[i]);
    }
    return sum;
  }
}
