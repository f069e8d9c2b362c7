package dev.colonnade.server.coordinator;

/** Where the timestamps of columns come from that a client wrote without one. Thread-safe. */
@FunctionalInterface
public interface TimestampSource {

  /** Microseconds since 1970, each greater than any before on this node. */
  long nextMicros();
}
