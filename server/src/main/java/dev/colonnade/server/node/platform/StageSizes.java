package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.Stage;
import java.util.EnumMap;
import java.util.Map;

/**
 * The threads and queue places of each stage.
 *
 * @param sizes one for every {@link Stage}; serial stages have one thread
 * @param maxTimers delayed and periodic tasks that may wait at a time
 */
public record StageSizes(Map<Stage, Size> sizes, int maxTimers) {

  /**
   * The size of one stage.
   *
   * @param threads at least 1
   * @param queuePlaces tasks that may wait, at least 1; the next one is refused
   */
  public record Size(int threads, int queuePlaces) {
    /** Checks the ranges. */
    public Size {
      if (threads < 1 || queuePlaces < 1) {
        throw new IllegalArgumentException(
            "a stage needs a thread and a queue place, not " + threads + " and " + queuePlaces);
      }
    }
  }

  /** Checks that every stage has a size and that the serial ones are serial. */
  public StageSizes {
    Map<Stage, Size> copy = new EnumMap<>(Stage.class);
    copy.putAll(sizes);
    sizes = copy;
    for (Stage stage : Stage.values()) {
      Size size = sizes.get(stage);
      if (size == null) {
        throw new IllegalArgumentException("no size for stage " + stage);
      }
      if (stage.isSerial() && size.threads() != 1) {
        throw new IllegalArgumentException(
            "stage " + stage + " is serial: 1 thread, not " + size.threads());
      }
    }
    if (maxTimers < 1) {
      throw new IllegalArgumentException("at least 1 timer, not " + maxTimers);
    }
  }

  /**
   * Sizes for a machine with that many processors: enough readers to keep a disk's queue busy, and
   * half of the processors for compaction, so that background work never takes them all.
   */
  public static StageSizes forProcessors(int processors) {
    int half = Math.max(1, processors / 2);
    Map<Stage, Size> sizes = new EnumMap<>(Stage.class);
    // Two, so that one long task does not delay every deadline.
    sizes.put(Stage.TIMER, new Size(2, 4096));
    // Pure processor work: more threads than processors would only take turns.
    sizes.put(Stage.LARGE, new Size(Math.max(1, half), 1024));
    sizes.put(Stage.READ, new Size(Math.max(4, 2 * processors), 4096));
    sizes.put(Stage.WRITE, new Size(1, 4096));
    sizes.put(Stage.LOG, new Size(1, 4096));
    sizes.put(Stage.FLUSH, new Size(half, 1024));
    sizes.put(Stage.COMPACTION, new Size(half, 1024));
    sizes.put(Stage.HINTS, new Size(1, 4096));
    sizes.put(Stage.MANIFEST, new Size(1, 4096));
    sizes.put(Stage.GOSSIP, new Size(1, 1024));
    sizes.put(Stage.CONTROL, new Size(1, 4096));
    // Some seconds of hashing: who waits longer than that has given up.
    sizes.put(Stage.PASSWORD, new Size(1, 64));
    return new StageSizes(sizes, 65_536);
  }

  /** The same with another size of one stage. */
  public StageSizes with(Stage stage, Size size) {
    Map<Stage, Size> changed = new EnumMap<>(sizes);
    changed.put(stage, size);
    return new StageSizes(changed, maxTimers);
  }

  /** The size of one stage. */
  public Size of(Stage stage) {
    Size size = sizes.get(stage);
    if (size == null) {
      throw new IllegalStateException("no size for stage " + stage);
    }
    return size;
  }
}
