package dev.colonnade.server.service.consistency;

/** How many replicas must answer before a call succeeds. */
public enum Consistency {
  /** Write: no acknowledgement; the call returns at once and errors are lost. Not for reads. */
  ZERO,
  /** Write: one node; a hint counts. Not for reads. */
  ANY,
  ONE,
  TWO,
  THREE,
  /** More than half of all replicas. */
  QUORUM,
  /** More than half of the replicas in the coordinator's data centre. */
  LOCAL_QUORUM,
  /** Write: more than half of the replicas in every data centre. */
  EACH_QUORUM,
  ALL
}
