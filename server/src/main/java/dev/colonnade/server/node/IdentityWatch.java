package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Gossiper;
import dev.colonnade.server.cluster.gossip.HostIdCheck;
import dev.colonnade.server.cluster.gossip.HostIdConflict;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles another process with this node's host id, or another node with its place in the ring:
 * decides whether this node continues or stops. For CONTROL.
 */
final class IdentityWatch implements MemberListener {

  private static final Logger LOG = LoggerFactory.getLogger(IdentityWatch.class);

  /** How long to wait before asking again, as the other node may be unreachable for a moment. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(5);

  private static final int ATTEMPTS_MAX = 6;

  private final Gossiper gossiper;
  private final HostIdCheck check;
  private final SystemLocal systemLocal;
  private final Scheduler scheduler;
  private final Consumer<String> stop;
  private final String selfId;

  /**
   * Creates the watch.
   *
   * @param stop receives why this node cannot continue
   */
  IdentityWatch(
      String selfId,
      Gossiper gossiper,
      HostIdCheck check,
      SystemLocal systemLocal,
      Scheduler scheduler,
      Consumer<String> stop) {
    this.selfId = selfId;
    this.gossiper = gossiper;
    this.check = check;
    this.systemLocal = systemLocal;
    this.scheduler = scheduler;
    this.stop = stop;
  }

  @Override
  public void joined(Member member) {
    look(member);
  }

  @Override
  public void restarted(Member member) {
    look(member);
  }

  @Override
  public void changed(Member member, ApplicationState key) {
    if (key == ApplicationState.STATUS) {
      look(member);
    }
  }

  /** Stops this node if that member has replaced it. */
  private void look(Member member) {
    if (!member.id().equals(selfId)
        && member.status().filter(status -> status.replaced(selfId)).isPresent()) {
      stop.accept(check.replacedMessage(member.id()));
    }
  }

  @Override
  public void conflict(HostIdConflict conflict) {
    if (conflict.removed()) {
      stop.accept(conflict.message());
      return;
    }
    contest(conflict, 1);
  }

  private void contest(HostIdConflict conflict, int attempt) {
    Then.whenDone(
        check.resolution(conflict.address()),
        (outcome, failure) -> {
          if (failure == null) {
            onControl(() -> settled(conflict, attempt, outcome));
          } else {
            LOG.error("cannot resolve a conflict over this node's host id", failure);
          }
        });
  }

  private void settled(HostIdConflict conflict, int attempt, HostIdCheck.Resolution outcome) {
    String address = conflict.address();
    switch (outcome) {
      case THIS_SHUTS_DOWN -> stop.accept(check.takenMessage(address));
      case OTHER_SHUTS_DOWN -> {
        LOG.warn("the other process, at {}, is stopping: this one started first", address);
        reclaim(conflict.generation());
      }
      case NO_ANSWER -> {
        if (attempt < ATTEMPTS_MAX) {
          scheduler.after(ASK_AGAIN, Stage.CONTROL, () -> contest(conflict, attempt + 1));
        } else {
          LOG.warn(
              "no process answers at {} any more: this node keeps its host id and continues",
              address);
          reclaim(conflict.generation());
        }
      }
    }
  }

  private void reclaim(long otherGeneration) {
    long generation = otherGeneration + 1;
    Then.whenDone(
        systemLocal.saveGeneration(generation),
        (kept, failure) -> {
          if (failure == null) {
            onControl(() -> gossiper.reclaim(generation));
          } else {
            LOG.error(
                "this node cannot reclaim its host id because its store cannot write ({}); other"
                    + " nodes ignore it until it is restarted",
                failure.getMessage());
          }
        });
  }

  private void onControl(Runnable task) {
    if (!scheduler.submit(Stage.CONTROL, task)) {
      LOG.warn("the control stage is full: cannot resolve a conflict over this node's host id");
    }
  }
}
