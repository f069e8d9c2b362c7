package dev.colonnade.server.engine;

/** What made a memtable go to disk. */
public enum FlushReason {
  /** Its size reached the family's limit. */
  SIZE,
  /** Its number of operations reached the family's limit. */
  OPERATIONS,
  /** Its age reached the family's limit. */
  AGE,
  /** Somebody asked, or the commit log needed its space. */
  DEMAND
}
