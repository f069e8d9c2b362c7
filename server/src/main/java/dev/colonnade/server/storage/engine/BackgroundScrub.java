package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.SSTableSweep;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for damage that no read has met: reads all live files block by block and compares their
 * checksums, again and again, at a low rate. What it finds is handled like what a read finds.
 *
 * <p>A pass begins an hour after the start of the node, and then a week after the last pass began,
 * or when that ends if it takes longer. It takes the files that are live when it begins, in random
 * order: where it was is not kept over a restart, and so each file has the same chance on a node
 * that is restarted often. A file that is merged before its turn was read by the merge.
 *
 * <p>A turn of each second reads what the rate allows on the stage of compactions, behind what
 * waits there. A file is held for a turn only, so that its room is freed when it is merged.
 *
 * <p>Thread-safe.
 */
final class BackgroundScrub {

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundScrub.class);

  /** How often it is checked whether a pass is due. */
  static final Duration LOOK_PERIOD = Duration.ofHours(1);

  /** From the beginning of a pass to the beginning of the next one. */
  static final Duration PASS_PERIOD = Duration.ofDays(7);

  static final Duration TURN_PERIOD = Duration.ofSeconds(1);

  /** A file in the list of a pass. */
  private record ListedFile(FamilyId family, long generation) {}

  private final ColumnFamilyStores families;
  private final SSTableResources resources;
  private final DamageListener damage;
  private final Scheduler scheduler;
  private final Clock clock;
  private final RandomSource random;
  private volatile long bytesPerSecond;

  private final LongAdder verifiedBytes = new LongAdder();
  private final LongAdder damagedFiles = new LongAdder();
  private volatile long lastPassSeconds;
  private volatile boolean stopped;

  /** Null until there is a rate. Guarded by this. */
  private Scheduler.@Nullable Cancellable looks;

  private boolean started;

  /** Held by the thread that takes a turn; one that finds it held leaves its turn out. */
  private final ReentrantLock turn = new ReentrantLock();

  private Scheduler.@Nullable Cancellable turns;
  private List<ListedFile> left = List.of();
  private SSTableSweep sweep = new SSTableSweep();
  private long passBegunNanos;
  private boolean anyPass;
  private long passBytes;
  private long passDamage;

  /** What may be read; less than 0 after a block that was longer than the rest of its turn. */
  private long allowance;

  /**
   * Creates one.
   *
   * @param damage is told of what is damaged
   * @param bytesPerSecond the rate; 0 to do nothing at all
   */
  BackgroundScrub(
      ColumnFamilyStores families,
      SSTableResources resources,
      DamageListener damage,
      Environment environment,
      long bytesPerSecond) {
    this.families = families;
    this.resources = resources;
    this.damage = damage;
    this.scheduler = environment.scheduler();
    this.clock = environment.clock();
    this.random = environment.random();
    this.bytesPerSecond = bytesPerSecond;
  }

  synchronized void start() {
    started = true;
    bytesPerSecond(bytesPerSecond);
  }

  /** Changes the rate; 0 begins no pass, and lets one that has begun wait for another rate. */
  synchronized void bytesPerSecond(long changed) {
    bytesPerSecond = changed;
    if (started && !stopped && changed > 0 && looks == null) {
      looks = scheduler.every(LOOK_PERIOD, Stage.COMPACTION, this::look);
    }
  }

  /** Ends it within the turn that runs. Idempotent; does not block. */
  synchronized void stop() {
    stopped = true;
    if (looks != null) {
      looks.cancel();
    }
  }

  ScrubFigures figures() {
    return new ScrubFigures(verifiedBytes.sum(), damagedFiles.sum(), lastPassSeconds);
  }

  private void look() {
    long now = clock.monotonicNanos();
    if (!turn.tryLock()) {
      return;
    }
    try {
      if (turns == null
          && bytesPerSecond > 0
          && (!anyPass || now - passBegunNanos >= PASS_PERIOD.toNanos())) {
        begin(now);
      }
    } finally {
      turn.unlock();
    }
  }

  private void begin(long now) {
    List<ListedFile> files = new ArrayList<>();
    for (ColumnFamilyStore store : families.all()) {
      for (SSTable table : store.view().tables()) {
        files.add(new ListedFile(store.id(), table.identity().generation()));
      }
    }
    for (int i = files.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      ListedFile moved = files.get(i);
      files.set(i, files.get(other));
      files.set(other, moved);
    }
    anyPass = true;
    passBegunNanos = now;
    passBytes = 0;
    passDamage = 0;
    allowance = 0;
    left = files;
    sweep = new SSTableSweep();
    turns = scheduler.every(TURN_PERIOD, Stage.COMPACTION, this::turn);
  }

  private void turn() {
    if (!turn.tryLock()) {
      return;
    }
    try {
      if (turns == null) {
        return;
      }
      long rate = bytesPerSecond;
      allowance = Math.min(allowance + rate, rate);
      while (allowance > 0 && !left.isEmpty() && !stopped) {
        read(left.get(left.size() - 1));
      }
      if (left.isEmpty() || stopped) {
        end();
      }
    } finally {
      turn.unlock();
    }
  }

  /** Reads on in the last file of the list, and removes it from the list at its end. */
  private void read(ListedFile file) {
    ColumnFamilyStore store = families.find(file.family());
    Optional<SSTable> table = store == null ? Optional.empty() : table(store, file.generation());
    if (store == null || table.isEmpty() || !table.get().retain()) {
      next();
      return;
    }
    try {
      long read = sweep.step(resources, table.get(), allowance);
      allowance -= read;
      passBytes += read;
      verifiedBytes.add(read);
      if (sweep.isDone()) {
        next();
      }
    } catch (CorruptFileException found) {
      passDamage++;
      damagedFiles.increment();
      next();
      damage.found(store, found);
    } catch (IOException unreadable) {
      LOG.warn(
          "file {} of {} could not be read to look for damage; the next pass reads it again",
          file.generation(),
          store.definition().qualifiedName(),
          unreadable);
      next();
    } finally {
      table.get().release();
    }
  }

  private static Optional<SSTable> table(ColumnFamilyStore store, long generation) {
    return store.view().tables().stream()
        .filter(each -> each.identity().generation() == generation)
        .findFirst();
  }

  private void next() {
    left.remove(left.size() - 1);
    sweep = new SSTableSweep();
  }

  private void end() {
    Scheduler.Cancellable timer = turns;
    if (timer != null) {
      timer.cancel();
    }
    turns = null;
    if (left.isEmpty()) {
      lastPassSeconds = clock.wallSeconds();
      LOG.info(
          "all data files were read to look for damage: {} bytes, {} damaged files",
          passBytes,
          passDamage);
    }
    left = List.of();
  }
}
