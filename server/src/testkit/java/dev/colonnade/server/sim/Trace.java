package dev.colonnade.server.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * All that happened in a world, as one running hash, and the latest of it in words. Two runs from
 * one seed have the same hash, or something in them depends on more than the seed.
 *
 * <p>Only numbers and names that are the same in every JVM belong here: no hash codes of objects,
 * no names of threads or classes.
 */
public final class Trace {

  /** What can happen. */
  public enum Kind {
    /** A stage runs a task; a says which start of the node it belongs to. */
    TASK,
    /** A message arrives; a is its verb and kind, b a checksum of its bytes. */
    DELIVER,
    /** A message is lost; a is its verb and kind. */
    LOSE,
    /** A message comes back, since no node listens; a is its verb and kind. */
    REFUSE,
    /** A node, a link or a clock changes, as the words say. */
    FAULT,
    /** A client asks, or is answered, as the words say. */
    CLIENT,
    /** Something else worth knowing. */
    NOTE
  }

  private record Entry(long nanos, int node, Kind kind, long a, long b, String words) {}

  private final int kept;
  private final Deque<Entry> latest = new ArrayDeque<>();
  private long hash = 0x9E3779B97F4A7C15L;
  private long entries;

  /** Keeps this number of the latest entries in words. */
  public Trace(int kept) {
    this.kept = kept;
  }

  void add(long nanos, int node, Kind kind, long a, long b, String words) {
    mix(nanos);
    mix(node);
    mix(kind.name());
    mix(a);
    mix(b);
    if (kind != Kind.DELIVER) {
      // Its words follow from the numbers.
      mix(words);
    }
    entries++;
    if (kind != Kind.TASK && kept > 0) {
      if (latest.size() == kept) {
        latest.removeFirst();
      }
      latest.addLast(new Entry(nanos, node, kind, a, b, words));
    }
  }

  private void mix(String words) {
    long all = words.length();
    for (int i = 0; i < words.length(); i++) {
      all = all * 31 + words.charAt(i);
    }
    mix(all);
  }

  private void mix(long value) {
    long mixed = (hash ^ value) * 0xBF58476D1CE4E5B9L;
    hash = mixed ^ (mixed >>> 29);
  }

  /** The hash of all entries so far. */
  public long hash() {
    return hash;
  }

  /** How many entries there were. */
  public long entries() {
    return entries;
  }

  /** The latest entries, oldest first, one line each; tasks are left out. */
  public List<String> latest() {
    return latest.stream().map(Trace::line).toList();
  }

  private static String line(Entry entry) {
    return String.format(
        Locale.ROOT,
        "%12.6f s  %-8s %-7s %s",
        entry.nanos / 1e9,
        entry.node < 0 ? "world" : "n" + entry.node,
        entry.kind.name().toLowerCase(Locale.ROOT),
        entry.words);
  }
}
