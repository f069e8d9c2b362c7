package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.ThrottledProgress;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a node whose store is open join its cluster, and announces its shutdown.
 *
 * <p>The order of a start:
 *
 * <ul>
 *   <li>Create missing keyspaces, and save the generation of this start before any node hears of
 *       it.
 *   <li>Start to receive messages without announcing anything.
 *   <li>A node with saved tokens checks that no other node uses its host id and that it still
 *       belongs to the ring.
 *   <li>Start to gossip, then enter the ring with the saved tokens, bootstrap, or take first
 *       tokens.
 * </ul>
 *
 * <p>A fatal problem in between fails the start.
 *
 * <p>Thread-safe; nothing here blocks.
 */
final class NodeStartup {

  private static final Logger LOG = LoggerFactory.getLogger(NodeStartup.class);

  /**
   * How often the node's load is gossiped: often enough for operators, and for new nodes that look
   * for the most loaded node.
   */
  private static final Duration LOAD_PERIOD = Duration.ofSeconds(10);

  /** How often a joining node logs its progress. */
  private static final Duration LOG_PERIOD = Duration.ofSeconds(5);

  /**
   * How many remembered nodes are asked about this node's host id. One answer is enough; some may
   * be down, or new themselves.
   */
  private static final int ASKED_MAX = 4;

  private final NodeRuntime node;
  private final Environment environment;
  private final SystemLocal.Saved saved;
  private final long generation;
  private final InitialTokens initialTokens;

  /** Used by CONTROL only. */
  private final List<Scheduler.Cancellable> timers = new ArrayList<>();

  /**
   * Prepares the start.
   *
   * @param node all of whose other parts are there
   * @param generation of this start
   */
  NodeStartup(NodeRuntime node, long generation) {
    this.node = node;
    this.environment = node.parts().machine().environment();
    this.saved = node.storage().systemLocal().saved();
    this.generation = generation;
    this.initialTokens = new InitialTokens(node.parts(), node.self().address());
  }

  /** Announces the shutdown by gossip and stops the messenger. Idempotent. For CONTROL. */
  void announceShutdown() {
    timers.forEach(Scheduler.Cancellable::cancel);
    node.liveCluster().leave();
    node.messenger().stop();
  }

  /**
   * Joins the cluster; the node can serve when the future completes. A node that joins a ring with
   * data bootstraps first, however long that takes.
   *
   * @param keyspaces created unless keyspaces of these names exist
   */
  CompletableFuture<Void> begin(List<KeyspaceDefinition> keyspaces) {
    if (saved.departed()) {
      return CompletableFuture.failedFuture(
          new MembershipException(
              MembershipException.Reason.HAS_LEFT,
              "",
              "this node has left its cluster, and other nodes hold its data. To make it join"
                  + " again, start it with an empty data directory"));
    }
    CompletableFuture<Void> created = CompletableFuture.completedFuture(null);
    for (KeyspaceDefinition keyspace : keyspaces) {
      created = created.thenCompose(done -> create(keyspace));
    }
    return created
        .thenCompose(
            done ->
                node.storage()
                    .systemLocal()
                    .saveStart(generation, node.self().address().toString()))
        .thenCompose(kept -> onControl(() -> node.messenger().start()))
        .thenCompose(listening -> node.ending().orEnded(mayStart()))
        .thenCompose(free -> onControl(this::beginToGossip))
        .thenCompose(begun -> node.ending().orEnded(joinRing()));
  }

  private CompletableFuture<Void> create(KeyspaceDefinition keyspace) {
    if (node.storage().localSchema().current().keyspace(keyspace.name()).isPresent()) {
      return CompletableFuture.completedFuture(null);
    }
    return node.storage()
        .localSchema()
        .createConfigured(keyspace)
        .thenAccept(
            version -> {
              if (node.storage().localSchema().current().keyspace(keyspace.name()).isPresent()) {
                LOG.info("keyspace {} created from the configuration file", keyspace.name());
              } else {
                LOG.warn(
                    "keyspace {} of the configuration file was dropped before, and is not"
                        + " recreated; create it with a statement if you want it",
                    keyspace.name());
              }
            });
  }

  /** Runs a task on CONTROL; fails if that takes no more. */
  CompletableFuture<Void> onControl(Runnable task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Runnable run =
        () -> {
          try {
            task.run();
            done.complete(null);
          } catch (RuntimeException | Error e) {
            done.completeExceptionally(e);
          }
        };
    if (!environment.scheduler().submit(Stage.CONTROL, run)) {
      done.completeExceptionally(new IllegalStateException("the node is stopping"));
    }
    return done;
  }

  /**
   * Checks a node that was in the ring: no other node may use its host id, and it must still belong
   * to the ring.
   */
  private CompletableFuture<Void> mayStart() {
    if (saved.tokens().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<PeerAddress> knowing = new ArrayList<>(initialTokens.otherSeeds());
    node.storage().remembered().stream()
        .limit(ASKED_MAX)
        .forEach(other -> knowing.add(new PeerAddress(other.address(), other.peerPort())));
    return node.hostIdCheck()
        .beforeStart(knowing, saved.address())
        .thenAccept(
            refusal ->
                refusal.ifPresent(
                    reason -> {
                      throw new MembershipException(reason);
                    }));
  }

  private void beginToGossip() {
    // Keyspaces of the configuration file may have been created since the node was built.
    node.liveCluster().announceSchema(node.schema().current().version());
    node.liveCluster().start();
    node.hints().start();
    node.streams().start();
    node.bulkLoads().start();
    timers.add(node.clusterSchema().start());
    if (node.parts().settings().node().get(AccessSettings.AUTHENTICATION).isRequired()) {
      timers.add(node.accountReplication().start());
    }
    timers.add(environment.scheduler().every(LOAD_PERIOD, Stage.CONTROL, this::announceLoad));
  }

  private CompletableFuture<Void> joinRing() {
    if (!saved.tokens().isEmpty()) {
      return node.membership().enter(saved.tokens(), saved.replaced());
    }
    if (initialTokens.fetchesData()) {
      return node.membership()
          .bootstrap(
              initialTokens.chosenForData(environment.random().fork("token")),
              node.parts().replacedNode(),
              new ThrottledProgress(
                  environment.clock(), LOG_PERIOD, step -> LOG.info("joining: {}", step.text())));
    }
    List<byte[]> tokens = initialTokens.chosen(environment.random().fork("token"));
    return node.membership()
        .found(tokens, !initialTokens.otherSeeds().isEmpty())
        .thenCompose(
            founded ->
                onControl(
                    () -> node.liveCluster().liveTopology().listen(made -> detectLateConflict())));
  }

  /**
   * Stops this node if no seed answered when it took its tokens, and gossip now shows that another
   * node has its address.
   */
  private void detectLateConflict() {
    node.membership()
        .addressConflict()
        .ifPresent(
            reason -> {
              Then.whenDone(
                  node.membership().giveUp(), (kept, failure) -> node.ending().end(reason));
            });
  }

  private void announceLoad() {
    node.liveCluster().announceLoad(node.operations().node().loadBytes());
  }
}
