package dev.colonnade.server.service.status;

import java.util.List;
import java.util.Optional;

/**
 * What a node says of itself: its state now, and counts since its start, from which rates follow as
 * differences. Immutable. Figures are at least 0.
 *
 * @param timeMillis the node's clock, since 1970
 * @param problems in words, the gravest first
 * @param timestamps the families that were written with timestamps in a wrong unit lately, in words
 * @param familiesLeftOut how many families there are besides those of the list
 * @param families those with the most reads and writes first
 * @param slowNanos from what time on a call counts as slow; 0: none does
 * @param slow the last one first
 */
public record NodeFigures(
    long timeMillis,
    long upMillis,
    String version,
    boolean ready,
    List<String> problems,
    List<String> timestamps,
    Load load,
    Calls calls,
    long familiesLeftOut,
    List<Family> families,
    List<StageWork> stages,
    Running running,
    long slowNanos,
    List<SlowCall> slow,
    List<DamagedFile> damaged) {

  /** The most families that a node tells of. */
  public static final int FAMILIES_MAX = 100;

  /** The most problems, merges and so on that a node tells of, of each kind. */
  public static final int WORKS_MAX = 50;

  static final int STAGES_MAX = 64;

  /** Copies the lists. */
  public NodeFigures {
    problems = List.copyOf(problems);
    timestamps = List.copyOf(timestamps);
    families = List.copyOf(families);
    stages = List.copyOf(stages);
    slow = List.copyOf(slow);
    damaged = List.copyOf(damaged);
  }

  /**
   * Memory, disk and queues.
   *
   * @param loadBytes of live data files
   * @param writeQueueBytes of writes that wait for the log
   * @param writesDropped writes that were refused because too many waited
   * @param callsPending calls of clients in progress
   * @param callsDropped calls that were refused because too many were in progress
   */
  public record Load(
      long heapUsedBytes,
      long heapMaxBytes,
      long loadBytes,
      long writeQueueBytes,
      long writesDropped,
      long callsPending,
      long callsDropped) {}

  /**
   * How long the data calls took that the node coordinated.
   *
   * @param bounds the upper bounds of the buckets, in seconds, ascending; the last bucket has none
   * @param buckets the calls in each bucket, one more than bounds; empty if there were none
   */
  public record Calls(List<Double> bounds, List<Long> buckets) {
    /** Copies the lists. */
    public Calls {
      bounds = List.copyOf(bounds);
      buckets = List.copyOf(buckets);
    }
  }

  /**
   * A column family.
   *
   * @param reads of the node's replicas
   * @param writes the same
   * @param tombstones deletions and expired columns that reads passed
   * @param files of data
   * @param pending merges that wait
   * @param calls about it that the node coordinated, in the buckets of {@link Calls}; empty if none
   */
  public record Family(
      String keyspace,
      String name,
      long reads,
      long writes,
      long tombstones,
      long diskBytes,
      long files,
      long pending,
      List<Long> calls) {
    /** Copies the list. */
    public Family {
      calls = List.copyOf(calls);
    }
  }

  /**
   * A stage.
   *
   * @param dropped tasks that were refused because the queue was full
   * @param stillSeconds for how long any of its tasks has made no progress
   */
  public record StageWork(
      String name, long active, long pending, long completed, long dropped, long stillSeconds) {}

  /**
   * Work that runs in the background.
   *
   * @param pendingRepairs ranges whose repair waits for other nodes
   */
  public record Running(
      List<Merge> merges,
      List<Transfer> streams,
      Optional<RepairWork> repair,
      long pendingRepairs) {
    /** Copies the lists. */
    public Running {
      merges = List.copyOf(merges);
      streams = List.copyOf(streams);
    }
  }

  /** A merge of data files. */
  public record Merge(
      String keyspace, String family, long files, long doneBytes, long totalBytes) {}

  /**
   * A stream.
   *
   * @param outgoing whether the node sends
   * @param peer the other node's address
   * @param purpose in words
   * @param fileBytes of the sender's files that the rows come from; 0 while not known
   */
  public record Transfer(
      boolean outgoing, String peer, String purpose, long rows, long bytes, long fileBytes) {}

  /**
   * A repair.
   *
   * @param done ranges
   * @param total ranges
   * @param detail what it does now, in words
   */
  public record RepairWork(long done, long total, String detail) {}

  /**
   * A data call that took long.
   *
   * @param timeMillis when it ended, since 1970
   * @param key cut; empty if the call was not about one row
   * @param trace the trace's id; empty if it was not traced
   * @param work as pairs of names and figures; empty if that is not known
   */
  public record SlowCall(
      long timeMillis,
      String method,
      String keyspace,
      String family,
      String key,
      long rows,
      String level,
      String client,
      String code,
      String trace,
      String work,
      long nanos) {}

  /** A damaged file that was set aside. */
  public record DamagedFile(
      String keyspace, String family, long number, long sinceSeconds, String reason) {}

  /**
   * The same with shorter lists, as others get it.
   *
   * @param familiesMax the most families
   * @param worksMax the most of each other kind, but for stages
   */
  NodeFigures shortened(int familiesMax, int worksMax) {
    return new NodeFigures(
        timeMillis,
        upMillis,
        version,
        ready,
        first(problems, worksMax),
        first(timestamps, worksMax),
        load,
        calls,
        familiesLeftOut + Math.max(0, families.size() - familiesMax),
        first(families, familiesMax),
        first(stages, STAGES_MAX),
        new Running(
            first(running.merges(), worksMax),
            first(running.streams(), worksMax),
            running.repair(),
            running.pendingRepairs()),
        slowNanos,
        first(slow, worksMax),
        first(damaged, worksMax));
  }

  private static <T> List<T> first(List<T> list, int most) {
    return list.subList(0, Math.min(most, list.size()));
  }
}
