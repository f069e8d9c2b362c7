package dev.colonnade.server.node;

import dev.colonnade.server.async.Then;
import dev.colonnade.server.coordinator.ClusterSchema;
import dev.colonnade.server.coordinator.IncreasingTimestamps;
import dev.colonnade.server.coordinator.LocalSchema;
import dev.colonnade.server.coordinator.NodeOperations;
import dev.colonnade.server.env.Environment;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.gossip.Gossiper;
import dev.colonnade.server.membership.Membership;
import dev.colonnade.server.membership.MembershipException;
import dev.colonnade.server.membership.Seldom;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.PeerAddress;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.schema.KeyspaceDefinition;
import dev.colonnade.server.streaming.Streams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a node whose store is open comes to take part in its cluster, and how it falls silent.
 * Thread-safe; nothing here waits.
 */
final class Arrival {

  private static final Logger LOG = LoggerFactory.getLogger(Arrival.class);

  /** Often enough for people and for new nodes that look for the fullest one. */
  private static final Duration LOAD_PERIOD = Duration.ofSeconds(10);

  /** How often a node that joins says how far it is. */
  private static final Duration LOG_PERIOD = Duration.ofSeconds(5);

  /** One of them is enough; they may be down, or new themselves. */
  private static final int ASKED_MAX = 4;

  /** What a node is reached by and what it remembers. */
  record Rooms(
      LocalState localState,
      RingMemory ringMemory,
      LocalSchema localSchema,
      ClusterSchema schema,
      LiveCluster cluster,
      Messenger messenger,
      Streams streams,
      NodeHints hints,
      NodeOperations operations,
      IncreasingTimestamps timestamps) {}

  private final NodeCore.Parts parts;
  private final Rooms rooms;
  private final FirstPlace firstPlace;
  private final Ending ending;

  private volatile @Nullable Membership membership;

  /** Of CONTROL. */
  private final List<Scheduler.Cancellable> timers = new ArrayList<>();

  Arrival(NodeCore.Parts parts, Rooms rooms) {
    this.parts = parts;
    this.rooms = rooms;
    this.firstPlace = new FirstPlace(parts, rooms.messenger().self().address());
    this.ending = new Ending(() -> onControl(this::fallSilent));
  }

  Ending ending() {
    return ending;
  }

  /** There is none before {@link #begin} has got so far. */
  Membership membership() {
    Membership known = membership;
    if (known == null) {
      throw new IllegalStateException("the node has not begun to gossip yet");
    }
    return known;
  }

  /** Idempotent. For CONTROL. */
  void fallSilent() {
    timers.forEach(Scheduler.Cancellable::cancel);
    rooms.cluster().leave();
    rooms.messenger().stop();
  }

  /**
   * Takes the node's place in its rooms.cluster(); it can serve when the future completes. A node
   * that joins a ring with data first fetches its share, however long that takes.
   *
   * @param keyspaces made unless there are some of these names
   */
  CompletableFuture<Void> begin(List<KeyspaceDefinition> keyspaces) {
    CompletableFuture<LocalState.Kept> loaded = rooms.localState().load();
    for (KeyspaceDefinition keyspace : keyspaces) {
      loaded = loaded.thenCompose(state -> create(keyspace).thenApply(created -> state));
    }
    return loaded
        .thenCompose(this::nextGeneration)
        .thenCompose(this::unlessDeparted)
        .thenCompose(
            kept ->
                rooms
                    .ringMemory()
                    .load()
                    .thenCompose(
                        remembered ->
                            onControl(() -> prepare(kept, remembered))
                                .thenCompose(prepared -> ending.orEnded(mayStart(kept, remembered)))
                                .thenCompose(free -> onControl(this::beginToGossip)))
                    .thenCompose(begun -> ending.orEnded(takePlace(kept))));
  }

  private CompletableFuture<Void> create(KeyspaceDefinition keyspace) {
    if (rooms.localSchema().current().keyspace(keyspace.name()).isPresent()) {
      return CompletableFuture.completedFuture(null);
    }
    return rooms
        .localSchema()
        .createConfigured(keyspace)
        .thenAccept(
            version -> {
              if (rooms.localSchema().current().keyspace(keyspace.name()).isPresent()) {
                LOG.info("keyspace {} created from the configuration file", keyspace.name());
              } else {
                LOG.warn(
                    "keyspace {} of the configuration file was dropped, and is not made again;"
                        + " create it by a statement if it is wanted",
                    keyspace.name());
              }
            });
  }

  /** Greater with each start, also within one second and when the clock goes back. */
  private CompletableFuture<LocalState.Kept> nextGeneration(LocalState.Kept kept) {
    long generation = Gossiper.nextGeneration(kept.generation(), parts.environment().clock());
    return rooms
        .localState()
        .keepStart(generation, rooms.messenger().self().address().toString())
        .thenApply(done -> kept.withGeneration(generation));
  }

  private CompletableFuture<LocalState.Kept> unlessDeparted(LocalState.Kept kept) {
    return kept.departed()
        ? CompletableFuture.failedFuture(
            new IllegalStateException(
                "this node has left its cluster for good, and its data is with the others. To let"
                    + " it join again, start it with an empty data directory"))
        : CompletableFuture.completedFuture(kept);
  }

  private CompletableFuture<Void> onControl(Runnable task) {
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
    if (!parts.environment().scheduler().submit(Stage.CONTROL, run)) {
      done.completeExceptionally(new IllegalStateException("the node is stopping"));
    }
    return done;
  }

  private void shareTimestamps(Topology topology) {
    rooms
        .timestamps()
        .shareWith(
            topology.places().stream().map(place -> place.node().id()).toList(),
            rooms.messenger().self().id());
  }

  /** From here on the node hears others, and says nothing of itself yet. */
  private void prepare(LocalState.Kept kept, List<RingNode> remembered) {
    Environment environment = parts.environment();
    List<byte[]> tokens =
        kept.tokens().isEmpty()
            ? List.of(parts.partitioner().randomToken(environment.random().fork("placeholder")))
            : kept.tokens();
    rooms
        .cluster()
        .prepare(
            new LiveCluster.Standing(
                tokens,
                rooms.localState().tokensSince(),
                !kept.tokens().isEmpty(),
                kept.replaced()),
            reason -> ending.end(reason),
            remembered,
            rooms.ringMemory().gone(),
            kept.generation(),
            rooms.schema().current().version());
    rooms.cluster().liveTopology().listen(rooms.ringMemory()::keep);
    rooms.cluster().liveTopology().listen(this::shareTimestamps);
    shareTimestamps(rooms.cluster().liveTopology().current());
    membership =
        new Membership(
            rooms.cluster().gossiper(),
            rooms.cluster().liveTopology(),
            rooms.streams(),
            rooms.messenger(),
            parts.partitioner(),
            rooms.schema()::current,
            environment.clock(),
            environment.scheduler(),
            parts.membership(),
            new Belongings(rooms.localState(), rooms.hints(), parts.health()));
    rooms.messenger().start();
  }

  /** A node that was in the ring must be the only one of its id, and still belong there. */
  private CompletableFuture<Void> mayStart(LocalState.Kept kept, List<RingNode> remembered) {
    if (kept.tokens().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<PeerAddress> knowing = new ArrayList<>(firstPlace.otherSeeds());
    remembered.stream()
        .limit(ASKED_MAX)
        .forEach(node -> knowing.add(new PeerAddress(node.address(), node.peerPort())));
    return rooms
        .cluster()
        .identityCheck()
        .beforeStart(knowing, kept.address())
        .thenAccept(
            refusal ->
                refusal.ifPresent(
                    reason -> {
                      throw new MembershipException(reason);
                    }));
  }

  private void beginToGossip() {
    rooms.cluster().start();
    rooms.hints().start();
    rooms.streams().start();
    timers.add(rooms.schema().start());
    timers.add(
        parts.environment().scheduler().every(LOAD_PERIOD, Stage.CONTROL, this::announceLoad));
  }

  private CompletableFuture<Void> takePlace(LocalState.Kept kept) {
    if (!kept.tokens().isEmpty()) {
      return membership().enter(kept.tokens(), kept.replaced());
    }
    if (firstPlace.fetchesData()) {
      return membership()
          .bootstrap(
              firstPlace.chosenForData(parts.environment().random().fork("token")),
              parts.replacedNode(),
              new Seldom(
                  parts.environment().clock(),
                  LOG_PERIOD,
                  step -> LOG.info("joining: {}", step.text())));
    }
    List<byte[]> tokens = firstPlace.chosen(parts.environment().random().fork("token"));
    return membership()
        .found(tokens, !firstPlace.otherSeeds().isEmpty())
        .thenCompose(
            founded ->
                onControl(() -> rooms.cluster().liveTopology().listen(made -> foundTooLate())));
  }

  /** No seed answered when this node took its place; now others say whose place this is. */
  private void foundTooLate() {
    membership()
        .formerSelf()
        .ifPresent(
            reason -> {
              Then.whenDone(membership().giveUp(), (kept, failure) -> ending.end(reason));
            });
  }

  private void announceLoad() {
    rooms.cluster().announceLoad(rooms.operations().node().loadBytes());
  }
}
