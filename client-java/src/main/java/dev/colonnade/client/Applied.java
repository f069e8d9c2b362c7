package dev.colonnade.client;

/** Whether a write that failed took effect. */
public enum Applied {
  /** It did, although the call failed. */
  YES,
  /** It did not and will not. */
  NO,
  /**
   * It may have, on some replicas or on all. Repeating the same write with the same timestamp is
   * always safe.
   */
  UNKNOWN
}
