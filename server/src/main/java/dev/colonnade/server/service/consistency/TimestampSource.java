package dev.colonnade.server.service.consistency;

/** The source of timestamps for columns that a client wrote without one. Thread-safe. */
@FunctionalInterface
public interface TimestampSource {

  /** Microseconds since 1970, each greater than all earlier ones of this node. */
  long nextMicros();
}
