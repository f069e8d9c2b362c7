package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.env.FileSystem;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The hints of all nodes on disk. Used on the stage of hints only, except for methods marked "any
 * thread".
 */
final class HintStore {
  private final FileSystem files;
  private final HintCounters counters;
  private final AtomicLong totalBytes = new AtomicLong();
  private final ConcurrentSkipListMap<String, HintsForNode> targets = new ConcurrentSkipListMap<>();
  private long nextNumber = 1;

  private HintStore(FileSystem files, HintCounters counters) {
    this.files = files;
    this.counters = counters;
  }

  /** Opens existing hints. Blocks; called before anything runs on the stage. */
  static HintStore open(FileSystem files, HintCounters counters) throws IOException {
    if (!files.exists(HintFormat.ROOT)) {
      files.createDirectories(HintFormat.ROOT);
      files.syncDirectory("");
    }
    HintStore store = new HintStore(files, counters);
    for (String name : files.list(HintFormat.ROOT)) {
      if (name.equals(HintFormat.TEMPORARY)) {
        files.delete(HintFormat.ROOT + "/" + name);
      } else {
        store.openTarget(name);
      }
    }
    files.syncDirectory(HintFormat.ROOT);
    return store;
  }

  private void openTarget(String targetId) throws IOException {
    for (String name : files.list(HintFormat.directory(targetId))) {
      String numbered = name.replace(HintFormat.DAMAGED, "");
      nextNumber = Math.max(nextNumber, HintFormat.number(numbered).orElse(0L) + 1);
    }
    HintsForNode target = HintOpening.open(files, targetId, totalBytes, counters);
    nextNumber = Math.max(nextNumber, target.deliveredSegment() + 1);
    if (target.isEmpty()) {
      HintsForNode.removeLeftovers(files, targetId);
    } else {
      targets.put(targetId, target);
    }
  }

  /** Returns a number greater than that of any segment. */
  long takeNumber() {
    return nextNumber++;
  }

  HintsForNode make(String targetId) {
    return targets.computeIfAbsent(
        targetId, id -> new HintsForNode(files, id, totalBytes, counters));
  }

  /** Any thread. */
  @Nullable HintsForNode find(String targetId) {
    return targets.get(targetId);
  }

  /** Any thread; in the order of their ids. */
  Collection<HintsForNode> all() {
    return targets.values();
  }

  /** Any thread. */
  long totalBytes() {
    return totalBytes.get();
  }

  /** Forgets a target without hints. */
  void forgetIfEmpty(HintsForNode target) throws IOException {
    if (target.isEmpty() && !target.isDelivering()) {
      target.tidy();
      targets.remove(target.targetId(), target);
    }
  }

  long usableBytes() throws IOException {
    return files.usableBytes();
  }
}
