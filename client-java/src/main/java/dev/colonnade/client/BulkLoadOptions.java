package dev.colonnade.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * How a {@link BulkLoader} loads. Immutable; {@code with…} methods return a changed copy.
 *
 * @param consistency how many replicas must have taken each part: {@link Consistency#ONE} and up
 * @param memoryBytes of columns that are held while they are sorted; 64 MiB by default
 * @param directory where files of sorted columns are spilled; twice the size of the data. By
 *     default the system's directory for temporary files
 * @param partBytes what a replica takes in one step, about: 256 MiB by default. A part that failed
 *     is sent again from its beginning; each makes a data file
 * @param parallel how many parts are under way at a time, 2 by default; a node takes
 *     bulk_load_concurrency of all its clients
 * @param attempts how often a part is sent to a replica that does not take it, 5 by default
 * @param stallTimeout a replica that writes nothing for so long is given up, one minute by default
 * @param stateFile remembers which replica has taken which part, so that a load of the same columns
 *     goes on where one was killed. Deleted when every replica has all of them
 * @param progress is told how far the load is, by one thread at a time; must not block for long
 * @param statistics is told what each part cost at each replica that has taken it, by the threads
 *     that send the parts; if it throws, so does the load. Empty by default. A node of an older
 *     release tells no costs
 * @param traceparent gives the W3C's header of the trace that a part, sent to a replica, belongs
 *     to, as {@link CallOptions#withTraceparent} does; empty, which it is by default, for none
 */
public record BulkLoadOptions(
    Consistency consistency,
    long memoryBytes,
    Optional<Path> directory,
    long partBytes,
    int parallel,
    int attempts,
    Duration stallTimeout,
    Optional<Path> stateFile,
    Consumer<Progress> progress,
    Optional<Consumer<CallStatistics>> statistics,
    Supplier<String> traceparent) {

  private static final int PARALLEL_MAX = 64;

  /** The options while they are being changed. */
  private static final class Draft {
    Consistency consistency;
    long memoryBytes;
    Optional<Path> directory;
    long partBytes;
    int parallel;
    int attempts;
    Duration stallTimeout;
    Optional<Path> stateFile;
    Consumer<Progress> progress;
    Optional<Consumer<CallStatistics>> statistics;
    Supplier<String> traceparent;

    Draft(BulkLoadOptions from) {
      consistency = from.consistency;
      memoryBytes = from.memoryBytes;
      directory = from.directory;
      partBytes = from.partBytes;
      parallel = from.parallel;
      attempts = from.attempts;
      stallTimeout = from.stallTimeout;
      stateFile = from.stateFile;
      progress = from.progress;
      statistics = from.statistics;
      traceparent = from.traceparent;
    }
  }

  /** Checks the bounds. */
  public BulkLoadOptions {
    if (consistency == Consistency.ANY || consistency == Consistency.ZERO) {
      throw new IllegalArgumentException(
          "a load needs at least one replica, so " + consistency + " is no level for it");
    }
    if (memoryBytes < 1 || partBytes < 1) {
      throw new IllegalArgumentException("memory and parts have at least one byte");
    }
    if (parallel < 1 || parallel > PARALLEL_MAX) {
      throw new IllegalArgumentException("1 to 64 parts are under way, not " + parallel);
    }
    if (attempts < 1) {
      throw new IllegalArgumentException("there is at least one attempt, not " + attempts);
    }
    if (stallTimeout.isNegative() || stallTimeout.isZero()) {
      throw new IllegalArgumentException("the stall timeout is not " + stallTimeout);
    }
  }

  /** The defaults, at {@link Consistency#ALL}: what is missing at a replica needs a repair. */
  public static BulkLoadOptions defaults() {
    return new BulkLoadOptions(
        Consistency.ALL,
        64L << 20,
        Optional.empty(),
        256L << 20,
        2,
        5,
        Duration.ofMinutes(1),
        Optional.empty(),
        progress -> {},
        Optional.empty(),
        () -> "");
  }

  private BulkLoadOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new BulkLoadOptions(
        draft.consistency,
        draft.memoryBytes,
        draft.directory,
        draft.partBytes,
        draft.parallel,
        draft.attempts,
        draft.stallTimeout,
        draft.stateFile,
        draft.progress,
        draft.statistics,
        draft.traceparent);
  }

  /** With another level. */
  public BulkLoadOptions withConsistency(Consistency other) {
    return with(draft -> draft.consistency = other);
  }

  /** With another bound of memory. */
  public BulkLoadOptions withMemoryBytes(long other) {
    return with(draft -> draft.memoryBytes = other);
  }

  /** With another directory for spilled files. */
  public BulkLoadOptions withDirectory(Path other) {
    return with(draft -> draft.directory = Optional.of(other));
  }

  /** With parts of another size. */
  public BulkLoadOptions withPartBytes(long other) {
    return with(draft -> draft.partBytes = other);
  }

  /** With another number of parts under way. */
  public BulkLoadOptions withParallel(int other) {
    return with(draft -> draft.parallel = other);
  }

  /** With another number of attempts, and another time after which a silent replica is given up. */
  public BulkLoadOptions withAttempts(int other, Duration otherStallTimeout) {
    return with(
        draft -> {
          draft.attempts = other;
          draft.stallTimeout = otherStallTimeout;
        });
  }

  /** With a file that remembers what was taken. */
  public BulkLoadOptions withStateFile(Path other) {
    return with(draft -> draft.stateFile = Optional.of(other));
  }

  /** With a listener. */
  public BulkLoadOptions withProgress(Consumer<Progress> other) {
    return with(draft -> draft.progress = other);
  }

  /** With what each part cost told to a listener. */
  public BulkLoadOptions withStatistics(Consumer<CallStatistics> other) {
    return with(draft -> draft.statistics = Optional.of(other));
  }

  /** As parts of a trace, of which the statistics hold what happened when if it is sampled. */
  public BulkLoadOptions withTraceparent(Supplier<String> current) {
    return with(draft -> draft.traceparent = current);
  }
}
