package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Announces by gossip how far a change of this node is: a joining node does not serve, so it cannot
 * be asked. Thread-safe.
 */
final class GossipedProgress implements Consumer<MembershipProgress> {

  /** As often as gossip goes out. */
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final RingOperation.OperationContext parts;
  private final Consumer<MembershipProgress> asked;
  private final Consumer<MembershipProgress> others;
  private volatile boolean ended;

  /** Passes every step on to {@code asked}, too. */
  GossipedProgress(RingOperation.OperationContext parts, Consumer<MembershipProgress> asked) {
    this.parts = parts;
    this.asked = asked;
    this.others = new ThrottledProgress(parts.clock(), PERIOD, this::say);
  }

  @Override
  public void accept(MembershipProgress step) {
    asked.accept(step);
    others.accept(step);
  }

  private void say(MembershipProgress step) {
    String text = step.text();
    onControl(
        () -> {
          if (!ended) {
            parts.gossiper().set(ApplicationState.PROGRESS, text);
          }
        });
  }

  /** The change is over, successfully or not. */
  void end() {
    ended = true;
    onControl(() -> parts.gossiper().set(ApplicationState.PROGRESS, ""));
  }

  /** If the stage is full, others hear of the next step. */
  private void onControl(Runnable task) {
    parts.scheduler().submit(Stage.CONTROL, task);
  }
}
