package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What clients asked for and were answered, in one order of beginnings and ends that all clients
 * share. Everything is a row of columns: a register is a row of one column, a set a row with a
 * column for each element, a user's documents a row with a column each, an account a row of its
 * rights, the schema a row of families. May be shared by threads.
 */
public final class History {

  /** A change; its numbers are its places in the common order. */
  public static final class Write {
    final String client;
    final String row;
    final Change change;
    final long begin;
    long end = Long.MAX_VALUE;
    long timestamp;
    Outcome outcome = Outcome.UNKNOWN;

    private Write(String client, String row, Change change, long begin) {
      this.client = client;
      this.row = row;
      this.change = change;
      this.begin = begin;
      this.timestamp = change.timestamp();
    }

    /** What became of it. */
    public Outcome outcome() {
      return outcome;
    }
  }

  /** A read or a count; one that has not ended, or failed, saw nothing. */
  public static final class Read {
    final String client;
    final String row;
    final long begin;
    long end = Long.MAX_VALUE;
    Promise promise;
    @Nullable Answer answer;

    /** How many columns of the answer's there were; negative if the answer is no count. */
    long count = -1;

    private Read(String client, String row, Promise promise, long begin) {
      this.client = client;
      this.row = row;
      this.promise = promise;
      this.begin = begin;
    }
  }

  /** Something that a reader of the history wants to know, such as a fault. */
  record Note(long at, String words) {}

  private final Map<String, List<Write>> writes = new TreeMap<>();
  private final Map<String, List<Read>> reads = new TreeMap<>();
  private final List<Note> notes = new ArrayList<>();
  private long order;

  /** A client asks for a change. */
  public synchronized Write begin(String client, String row, Change change) {
    return restored(client, row, change, order++);
  }

  /**
   * A client learns what became of its change. One that was acknowledged by less than a quorum is
   * unknown to those that read at QUORUM.
   */
  public synchronized void end(Write write, Outcome outcome) {
    write.end = order++;
    write.outcome = outcome;
  }

  /** The same of a change that the node gave this timestamp. */
  public synchronized void acknowledged(Write write, long timestamp) {
    end(write, Outcome.DONE);
    write.timestamp = timestamp;
  }

  /** A client asks for a row. */
  public synchronized Read begin(String client, String row, Promise promise) {
    return add(new Read(client, row, promise, order++));
  }

  /** A further answer to the same request, such as another row, or another message of a stream. */
  public synchronized Read another(Read first, String row) {
    return add(new Read(first.client, row, first.promise, first.begin));
  }

  /** A change of a history that was kept in a file, whose moments are given. */
  synchronized Write restored(String client, String row, Change change, long begin) {
    Write write = new Write(client, row, change, begin);
    writes.computeIfAbsent(row, r -> new ArrayList<>()).add(write);
    return write;
  }

  /** A read of such a history. */
  synchronized Read restored(String client, String row, Promise promise, long begin) {
    return add(new Read(client, row, promise, begin));
  }

  private Read add(Read read) {
    reads.computeIfAbsent(read.row, r -> new ArrayList<>()).add(read);
    return read;
  }

  /** A client is answered; a read that fails is just never ended. */
  public synchronized void end(Read read, Answer answer) {
    read.end = order++;
    read.answer = answer;
  }

  /**
   * A client is answered with a number.
   *
   * @param answer of the columns that were counted, without any that were seen
   */
  public synchronized void end(Read read, Answer answer, long count) {
    end(read, answer);
    read.count = count;
  }

  /** It turned out that less is promised, since something was broken meanwhile. */
  public synchronized void weaken(Read read, Promise promise) {
    read.promise = promise;
  }

  /** Notes what happened beside the calls, such as a fault. */
  public synchronized void note(String words) {
    notes.add(new Note(order++, words));
  }

  /** Rows that were written or read. */
  public synchronized SortedSet<String> rows() {
    SortedSet<String> rows = new TreeSet<>(writes.keySet());
    rows.addAll(reads.keySet());
    return rows;
  }

  /** Changes of a row, in the order in which they began. */
  public synchronized List<Write> writes(String row) {
    return List.copyOf(writes.getOrDefault(row, List.of()));
  }

  /** Reads of a row that were answered, in the order in which they began. */
  synchronized List<Read> reads(String row) {
    return reads.getOrDefault(row, List.of()).stream()
        .filter(read -> read.answer != null)
        .sorted((one, other) -> Long.compare(one.begin, other.begin))
        .toList();
  }

  synchronized List<Note> notes() {
    return List.copyOf(notes);
  }

  /** How many changes ended so, or have not ended yet, which is unknown. */
  public synchronized long count(Outcome outcome) {
    return writes.values().stream()
        .flatMap(List::stream)
        .filter(write -> write.outcome == outcome)
        .count();
  }

  /** How many reads were answered. */
  public synchronized long answered() {
    return reads.values().stream()
        .flatMap(List::stream)
        .filter(read -> read.answer != null)
        .count();
  }
}
