package dev.colonnade.server.storage.engine;

/** Why a memtable is flushed. */
public enum FlushReason {
  /** Its size reached the family's limit. */
  SIZE,
  /** Its number of operations reached the family's limit. */
  OPERATIONS,
  /** Its age reached the family's limit. */
  AGE,
  /** An operator or client requested it, or the commit log needed its space. */
  DEMAND
}
