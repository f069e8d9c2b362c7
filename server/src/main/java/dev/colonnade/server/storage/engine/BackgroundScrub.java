package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Slot;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.sstable.SSTableResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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
 * that is restarted often. A pass that is requested comes before it, at the same rate.
 *
 * <p>A turn of each second reads what the rate allows on the stage of compactions, behind what
 * waits there. A file is held for a turn only, so that its room is freed when it is merged.
 *
 * <p>Thread-safe.
 */
public final class BackgroundScrub {

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundScrub.class);

  /** How often it is checked whether a pass is due. */
  static final Duration LOOK_PERIOD = Duration.ofHours(1);

  /** From the beginning of a pass to the beginning of the next one. */
  static final Duration PASS_PERIOD = Duration.ofDays(7);

  static final Duration TURN_PERIOD = Duration.ofSeconds(1);

  /** The rate of a requested pass where there are no others. */
  private static final long REQUESTED_BYTES_PER_SECOND = 2L << 20;

  /** A pass that somebody waits for. */
  private record Requested(
      ScrubPass pass, Consumer<ScrubReport> progress, CompletableFuture<ScrubReport> done) {}

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

  /** The place of the one pass that is requested. */
  private final Slot slot = new Slot();

  private volatile @Nullable Requested requested;
  private Scheduler.@Nullable Cancellable turns;
  private @Nullable ScrubPass pass;
  private long passBegunNanos;
  private boolean anyPass;

  /** What may be read; less than 0 after a block that was longer than the rest of its turn. */
  private long allowance;

  /**
   * Creates one.
   *
   * @param damage is told of what is damaged
   * @param bytesPerSecond the rate; 0 to do nothing unless it is requested
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

  /**
   * Changes the rate; 0 begins no pass unless it is requested, and lets one that has begun wait for
   * another rate.
   */
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
    Requested waiting = requested;
    if (waiting != null) {
      waiting.done().completeExceptionally(new StoreStoppedException("the node is shutting down"));
    }
  }

  ScrubFigures figures() {
    return new ScrubFigures(verifiedBytes.sum(), damagedFiles.sum(), lastPassSeconds);
  }

  /**
   * Reads the live files of families now, at the rate of this scrub. One request at a time is
   * served. Does not block.
   *
   * @param chosen the families; those that do not exist here are left out
   * @param progress told after each turn and not at the end; one call at a time
   * @return fails with {@link OverloadedException} while another request is served; cancelling it
   *     stops the work at its next block
   */
  public CompletableFuture<ScrubReport> request(
      Collection<FamilyId> chosen, Consumer<ScrubReport> progress) {
    Claim claim = slot.claim();
    if (claim == null) {
      return CompletableFuture.failedFuture(
          new OverloadedException("the place of the one scrub that is requested"));
    }
    CompletableFuture<ScrubReport> done = new CompletableFuture<>();
    // Not by the future that follows it: a caller that cancels that one would keep the place taken.
    Then.whenDone(done, (report, failure) -> claim.close());
    boolean queued =
        scheduler.submit(
            Stage.COMPACTION, () -> Then.onBehalfOf(done, () -> begin(chosen, progress, done)));
    if (!queued) {
      done.completeExceptionally(new OverloadedException("the compaction stage"));
    }
    return done;
  }

  private void begin(
      Collection<FamilyId> chosen,
      Consumer<ScrubReport> progress,
      CompletableFuture<ScrubReport> done) {
    List<ColumnFamilyStore> stores = new ArrayList<>();
    for (FamilyId id : chosen) {
      ColumnFamilyStore store = families.find(id);
      if (store != null) {
        stores.add(store);
      }
    }
    turn.lock();
    try {
      requested =
          new Requested(new ScrubPass(families, stores, resources, damage, random), progress, done);
      startTurns();
    } finally {
      turn.unlock();
    }
    if (stopped) {
      stop();
    }
    turn();
  }

  private void look() {
    long now = clock.monotonicNanos();
    if (!turn.tryLock()) {
      return;
    }
    try {
      if (pass == null
          && bytesPerSecond > 0
          && (!anyPass || now - passBegunNanos >= PASS_PERIOD.toNanos())) {
        anyPass = true;
        passBegunNanos = now;
        pass = new ScrubPass(families, families.all(), resources, damage, random);
        startTurns();
      }
    } finally {
      turn.unlock();
    }
  }

  private void startTurns() {
    if (turns == null) {
      allowance = 0;
      turns = scheduler.every(TURN_PERIOD, Stage.COMPACTION, this::turn);
    }
  }

  private void turn() {
    if (!turn.tryLock()) {
      return;
    }
    try {
      Scheduler.Cancellable timer = turns;
      if (timer == null) {
        return;
      }
      long set = bytesPerSecond;
      long rate = set > 0 ? set : REQUESTED_BYTES_PER_SECOND;
      allowance = Math.min(allowance + rate, rate);
      Requested first = requested;
      if (first != null) {
        Then.onBehalfOf(first.done(), () -> serve(first));
        if (first.done().isDone()) {
          requested = null;
        }
      }
      ScrubPass current = pass;
      if (current != null && requested == null && (set > 0 || stopped)) {
        go(current);
      }
      if (pass == null && requested == null) {
        timer.cancel();
        turns = null;
      }
    } finally {
      turn.unlock();
    }
  }

  private void serve(Requested first) {
    while (allowance > 0 && !first.pass().isDone() && !first.done().isDone()) {
      read(first.pass());
    }
    if (first.pass().isDone()) {
      first.done().complete(first.pass().report());
    } else if (!first.done().isDone()) {
      first.progress().accept(first.pass().report());
    }
  }

  private void go(ScrubPass current) {
    while (allowance > 0 && !current.isDone() && !stopped) {
      read(current);
    }
    if (current.isDone()) {
      lastPassSeconds = clock.wallSeconds();
      LOG.info(
          "all data files were read to look for damage: {} bytes, {} damaged files",
          current.report().bytes(),
          current.report().damagedFiles());
    }
    if (current.isDone() || stopped) {
      pass = null;
    }
  }

  private void read(ScrubPass from) {
    long damagedBefore = from.report().damagedFiles();
    long read = from.read(allowance);
    allowance -= read;
    verifiedBytes.add(read);
    damagedFiles.add(from.report().damagedFiles() - damagedBefore);
  }
}
