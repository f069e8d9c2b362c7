package dev.colonnade.client;

import dev.colonnade.v1.ConsistencyLevel;

/** How many replicas a call waits for. A write always goes to all of them. */
public enum Consistency {
  /** Writes only: answers at once, applies in the background, and reports no failure. */
  ZERO(ConsistencyLevel.CONSISTENCY_LEVEL_ZERO),
  /** Writes only: any one node has taken it. */
  ANY(ConsistencyLevel.CONSISTENCY_LEVEL_ANY),
  /** One replica. */
  ONE(ConsistencyLevel.CONSISTENCY_LEVEL_ONE),
  /** Two replicas. */
  TWO(ConsistencyLevel.CONSISTENCY_LEVEL_TWO),
  /** Three replicas. */
  THREE(ConsistencyLevel.CONSISTENCY_LEVEL_THREE),
  /** More than half of the replicas. */
  QUORUM(ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM),
  /** More than half of the replicas in the coordinator's data centre. */
  LOCAL_QUORUM(ConsistencyLevel.CONSISTENCY_LEVEL_LOCAL_QUORUM),
  /** More than half of the replicas in each data centre. */
  EACH_QUORUM(ConsistencyLevel.CONSISTENCY_LEVEL_EACH_QUORUM),
  /** All replicas. */
  ALL(ConsistencyLevel.CONSISTENCY_LEVEL_ALL);

  private final ConsistencyLevel level;

  Consistency(ConsistencyLevel level) {
    this.level = level;
  }

  ConsistencyLevel level() {
    return level;
  }
}
