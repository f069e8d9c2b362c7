package dev.colonnade.server.node;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.config.HealthSettings;
import dev.colonnade.server.base.config.HealthSettings.DiskFailurePolicy;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.LockedException;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches for failing file operations and applies the disk-failure policy. The part that made the
 * operation decides what the failure means for its own work; this class decides for the node.
 *
 * <p>Thread-safe; never blocks.
 */
final class DiskWatch {

  private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

  /**
   * How long after the last error other nodes are preferred: long enough that a disk which fails
   * now and then does not make the node change its state all the time.
   */
  static final Duration CALM = Duration.ofMinutes(1);

  private final DiskFailurePolicy policy;
  private final Health health;
  private final Scheduler scheduler;
  private final Clock clock;

  /** The time of the last failure of each failing disk, in nanoseconds of the clock. */
  private final Map<String, Long> failing = new ConcurrentHashMap<>();

  private final CompletableFuture<String> end = new CompletableFuture<>();

  DiskWatch(DiskFailurePolicy policy, Health health, Scheduler scheduler, Clock clock) {
    this.policy = policy;
    this.health = health;
    this.scheduler = scheduler;
    this.clock = clock;
  }

  /** The same environment, with watched files. */
  Environment watched(Environment environment) {
    return new Environment(
        environment.clock(),
        environment.scheduler(),
        environment.random(),
        new WatchedFiles(environment.files(), failure -> failed("data", failure)),
        new WatchedFiles(environment.logFiles(), failure -> failed("commitlog", failure)),
        environment.keyIndexes(),
        environment.logArchive());
  }

  /** Completes with the reason when the node must stop. Never fails. */
  CompletableFuture<String> end() {
    return end.copy();
  }

  private void failed(String disk, IOException failure) {
    if (!isFailureOfTheDisk(failure)) {
      return;
    }
    boolean isFirst = failing.put(disk, clock.monotonicNanos()) == null;
    if (!isFirst) {
      return;
    }
    LOG.error(
        "the {} disk returns errors; the disk failure policy is {}",
        disk,
        HealthSettings.DISK_FAILURES.form().print(policy),
        failure);
    String reason = "reads or writes of it fail; the node's log has the errors";
    switch (policy) {
      case BEST_EFFORT -> {
        health.raise(Condition.DISK, disk, Impact.UNFAVOURABLE, reason);
        lookAgainAfter(CALM, disk);
      }
      case REFUSE ->
          health.raise(Condition.DISK, disk, Impact.NOT_SERVING, reason + "; restart the node");
      case STOP -> {
        health.raise(Condition.DISK, disk, Impact.NOT_SERVING, reason + "; the node stops");
        end.complete("the " + disk + " disk failed, and the disk failure policy is to stop");
      }
    }
  }

  private void lookAgainAfter(Duration delay, String disk) {
    try {
      scheduler.after(delay, Stage.CONTROL, () -> lookAgain(disk));
    } catch (RejectedExecutionException full) {
      // The next error tries to set a timer again; until then other nodes stay preferred.
      failing.remove(disk);
      LOG.warn("cannot schedule a timer to check whether the {} disk works again", disk, full);
    }
  }

  private void lookAgain(String disk) {
    long last = failing.getOrDefault(disk, 0L);
    Duration rest = CALM.minusNanos(clock.monotonicNanos() - last);
    if (rest.isNegative() || rest.isZero()) {
      if (failing.remove(disk, last)) {
        health.clear(Condition.DISK, disk);
        LOG.info("the {} disk has not failed for {} s", disk, CALM.toSeconds());
        return;
      }
      rest = CALM;
    }
    lookAgainAfter(rest, disk);
  }

  /**
   * Whether the disk caused the failure. A full disk, a file that is missing, damaged or taken, and
   * a process with too many open files do not count; these are handled elsewhere.
   */
  static boolean isFailureOfTheDisk(IOException failure) {
    return !(failure instanceof NoSpaceException
        || failure instanceof FileNotFoundException
        || failure instanceof NoSuchFileException
        || failure instanceof FileAlreadyExistsException
        || failure instanceof LockedException
        || failure instanceof ClosedChannelException
        || failure instanceof EOFException
        || failure instanceof UnreadableFileException
        || String.valueOf(failure.getMessage()).contains("Too many open files"));
  }
}
