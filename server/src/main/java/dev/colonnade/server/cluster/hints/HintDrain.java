package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers what it can before this node leaves for good. Hints for nodes that are down stay
 * undelivered, and are reported. Thread-safe; never blocks.
 */
public final class HintDrain {
  private static final Logger LOG = LoggerFactory.getLogger(HintDrain.class);

  /** Between two checks of what is left. */
  private static final Duration TURN = Duration.ofSeconds(1);

  /**
   * After this many turns without any delivery, the drain gives up waiting. Turns in which this
   * node keeps to its own pace do not count.
   */
  private static final int IDLE_TURNS_MAX = 30;

  private final Hints hints;
  private final HintContext context;
  private final Scheduler scheduler;
  private final Consumer<String> told;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  /**
   * Prepares a drain.
   *
   * @param told hears how much is left
   */
  public HintDrain(Hints hints, HintContext context, Scheduler scheduler, Consumer<String> told) {
    this.hints = hints;
    this.context = context;
    this.scheduler = scheduler;
    this.told = told;
  }

  /**
   * Completes when nothing is left that a living node could take, or nothing has moved for a while.
   */
  public CompletableFuture<Void> begin() {
    // On the stage of hints, where no hint is between memory and disk.
    if (!scheduler.submit(Stage.HINTS, () -> turn(Long.MAX_VALUE, 0))) {
      done.completeExceptionally(new RejectedExecutionException("the stage of hints is full"));
    }
    return done;
  }

  private void turn(long before, int idleBefore) {
    long left = left();
    int idle = left < before || hints.waitForPace() ? 0 : idleBefore + 1;
    if ((left == 0 && hints.totals().queuedBytes() == 0) || idle > IDLE_TURNS_MAX) {
      sayWhatIsLost();
      done.complete(null);
      return;
    }
    told.accept(left + " hints for other nodes are being delivered");
    hints.redeliveryScan();
    try {
      scheduler.after(TURN, Stage.HINTS, () -> turn(left, idle));
    } catch (RejectedExecutionException full) {
      done.completeExceptionally(full);
    }
  }

  /** How many hints for living nodes are not delivered yet. */
  private long left() {
    long left = 0;
    for (HintFigures queue : hints.figures()) {
      String id = queue.targetId();
      if (context.isGone(id) || context.reach(id).isPresent()) {
        left += queue.hints();
      }
    }
    return left;
  }

  private void sayWhatIsLost() {
    long kept = hints.figures().stream().mapToLong(HintFigures::hints).sum();
    if (kept > 0) {
      LOG.warn(
          "{} hints for nodes that are down, or did not accept them, leave with this node: {}."
              + " Repair those nodes when they are back",
          kept,
          hints.figures().stream().map(HintFigures::targetId).toList());
    }
  }
}
