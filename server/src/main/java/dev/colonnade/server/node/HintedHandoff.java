package dev.colonnade.server.node;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.cluster.hints.HintContext;
import dev.colonnade.server.cluster.hints.HintDrain;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.hints.HintReceiver;
import dev.colonnade.server.cluster.hints.HintSettings;
import dev.colonnade.server.cluster.hints.HintTotals;
import dev.colonnade.server.cluster.hints.Hints;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.service.write.HintSink;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hinted handoff as this node is configured: if it is on, the coordinator's writes are kept for
 * nodes that miss them, and delivered when gossip tells that these are back; if it is off, nothing
 * is kept. Hints of other nodes are accepted either way (see {@link HintReceiver}).
 *
 * <p>Thread-safe; only {@link #of} blocks.
 */
final class HintedHandoff implements HintSink, MemberListener {

  private static final Logger LOG = LoggerFactory.getLogger(HintedHandoff.class);

  private final HintContext context;
  private final String selfId;

  /** Whether a hint is durable before it counts, as a write to the log would be. */
  private final boolean syncBefore;

  /** Null if hinted handoff is off. */
  private final @Nullable Hints hints;

  private HintedHandoff(
      HintContext context, String selfId, boolean syncBefore, @Nullable Hints hints) {
    this.context = context;
    this.selfId = selfId;
    this.syncBefore = syncBefore;
    this.hints = hints;
  }

  /** The hint settings of the node, with defaults for the rest. */
  static HintSettings settings(NodeSettings settings) {
    return HintSettings.DEFAULT
        .withRedeliveryInterval(settings.get(ReplicationSettings.HINT_INTERVAL))
        .withBytesPerSecond(settings.get(ReplicationSettings.HINT_BYTES_PER_SECOND));
  }

  /**
   * Opens what an earlier run kept, if hinted handoff is on. Call before the messenger starts.
   *
   * @param receiver takes this node's own hints: writes that its store could not take
   * @throws IOException as {@link Hints#open}
   */
  static HintedHandoff of(
      NodeParts parts, HintContext context, Messenger messenger, HintReceiver receiver)
      throws IOException {
    String selfId = messenger.self().id();
    NodeSettings settings = parts.settings().node();
    Hints hints =
        settings.get(ReplicationSettings.HINTED_HANDOFF)
            ? Hints.open(
                parts.machine().environment(),
                settings(settings),
                (to, body, deadlineNanos) ->
                    to.id().equals(selfId)
                        ? receiver.take(body)
                        : messenger.request(to, Verb.HINT, body, deadlineNanos),
                context,
                parts.health())
            : null;
    return new HintedHandoff(context, selfId, parts.settings().engine().syncBeforeAck(), hints);
  }

  void start() {
    if (hints != null) {
      hints.start();
      // Delivers this node's own hints: writes that its store could not take before the restart.
      hints.alive(selfId);
    }
  }

  /** Changes how much time passes between two scans for hints. */
  void redeliveryInterval(Duration interval) {
    if (hints != null) {
      hints.redeliveryInterval(interval);
    }
  }

  /** Changes how fast hints are delivered; 0 for no limit. */
  void bytesPerSecond(long changed) {
    if (hints != null) {
      hints.bytesPerSecond(changed);
    }
  }

  CompletableFuture<Void> stop() {
    return hints == null ? CompletableFuture.completedFuture(null) : hints.stop();
  }

  /**
   * Delivers the hints for nodes that are up; completes when none are left, or when there was no
   * progress for a while. Hints for nodes that are down stay, and are reported.
   *
   * @param told receives how much is left
   */
  CompletableFuture<Void> deliverAll(Environment environment, Consumer<String> told) {
    return hints == null
        ? CompletableFuture.completedFuture(null)
        : new HintDrain(hints, context, environment.scheduler(), told).begin();
  }

  List<HintFigures> figures() {
    return hints == null ? List.of() : hints.figures();
  }

  HintTotals totals() {
    return hints == null ? HintTotals.NONE : hints.totals();
  }

  @Override
  public CompletableFuture<Boolean> keep(RingNode replica, Mutation mutation, boolean counts) {
    if (hints == null) {
      return CompletableFuture.completedFuture(false);
    }
    boolean maySuffice = !counts || hints.mayBack(mutation);
    return hints
        .keep(replica.id(), mutation, syncBefore || counts)
        .handle(
            (kept, failure) -> {
              if (failure != null) {
                LOG.debug("no hint is kept for {}: {}", replica.id(), failure.getMessage());
              }
              return failure == null && maySuffice;
            });
  }

  @Override
  public boolean isOn() {
    return hints != null;
  }

  @Override
  public void alive(Member member) {
    if (hints != null) {
      hints.alive(member.id());
    }
  }

  /** The node may have returned before it was noticed as down, and accepts writes again. */
  @Override
  public void restarted(Member member) {
    takesWritesAgain(member);
  }

  @Override
  public void changed(Member member, ApplicationState key) {
    if (key == ApplicationState.HEALTH) {
      takesWritesAgain(member);
    }
  }

  private void takesWritesAgain(Member member) {
    if (hints != null && member.alive() && member.impact().takesWrites()) {
      hints.alive(member.id());
    }
  }

  @Override
  public void dead(Member member) {
    if (hints != null) {
      hints.dead(member.id());
    }
  }

  @Override
  public void departed(Member member) {
    if (hints != null) {
      hints.removed(member.id());
    }
  }
}
