package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What clients did to registers and saw of them, in one order of beginnings and ends that all
 * clients share. Not thread-safe.
 */
public final class RegisterHistory {

  /** A change of a register; its number is its place in the common order. */
  public static final class Write {
    final String key;
    final Version version;
    final long begin;
    long end = Long.MAX_VALUE;
    Outcome outcome = Outcome.UNKNOWN;

    private Write(String key, Version version, long begin) {
      this.key = key;
      this.version = version;
      this.begin = begin;
    }

    public Version version() {
      return version;
    }

    public Outcome outcome() {
      return outcome;
    }
  }

  /** A read of a register; one that has not ended, or failed, saw nothing. */
  public static final class Read {
    final String key;
    final long begin;
    long end = Long.MAX_VALUE;
    @Nullable Version seen;

    private Read(String key, long begin) {
      this.key = key;
      this.begin = begin;
    }
  }

  private final Map<String, List<Write>> writes = new TreeMap<>();
  private final Map<String, List<Read>> reads = new TreeMap<>();
  private long order;

  /** A client asks for a change. */
  public Write beginWrite(String key, Version version) {
    Write write = new Write(key, version, order++);
    writes.computeIfAbsent(key, k -> new ArrayList<>()).add(write);
    return write;
  }

  /** A client learns what became of its change. */
  public void endWrite(Write write, Outcome outcome) {
    write.end = order++;
    write.outcome = outcome;
  }

  /** A client asks for a register. */
  public Read beginRead(String key) {
    Read read = new Read(key, order++);
    reads.computeIfAbsent(key, k -> new ArrayList<>()).add(read);
    return read;
  }

  /** A client is answered; a read that fails is just never ended. */
  public void endRead(Read read, @Nullable Version seen) {
    read.end = order++;
    read.seen = seen;
  }

  /** Keys that were written or read. */
  public List<String> keys() {
    Map<String, Boolean> keys = new TreeMap<>();
    writes.keySet().forEach(key -> keys.put(key, true));
    reads.keySet().forEach(key -> keys.put(key, true));
    return List.copyOf(keys.keySet());
  }

  /** Changes of a key, in the order in which they began. */
  public List<Write> writes(String key) {
    return writes.getOrDefault(key, List.of());
  }

  List<Read> endedReads(String key) {
    return reads.getOrDefault(key, List.of()).stream()
        .filter(read -> read.end != Long.MAX_VALUE)
        .toList();
  }

  /** How many changes were acknowledged. */
  public long acknowledged() {
    return writes.values().stream()
        .flatMap(List::stream)
        .filter(write -> write.outcome == Outcome.DONE)
        .count();
  }

  /** How many reads were answered. */
  public long answered() {
    return reads.values().stream()
        .flatMap(List::stream)
        .filter(read -> read.end != Long.MAX_VALUE)
        .count();
  }
}
