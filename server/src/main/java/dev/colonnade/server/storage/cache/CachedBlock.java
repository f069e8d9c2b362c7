package dev.colonnade.server.storage.cache;

/** Something read from a file that never changes and knows its own size. */
public interface CachedBlock {

  /** Bytes of heap that this takes, headers and arrays included; at least 1. */
  int weightBytes();
}
