package dev.colonnade.server.cluster;

import dev.colonnade.server.config.AddressSettings;
import dev.colonnade.server.config.ClusterSettings;
import dev.colonnade.server.coordinator.CoordinationException;
import dev.colonnade.server.coordinator.CoordinatorSettings;
import dev.colonnade.server.coordinator.LocalOperations;
import dev.colonnade.server.engine.EngineSettings;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.gossip.Locations;
import dev.colonnade.server.manifest.NodeIdentity;
import dev.colonnade.server.membership.MembershipSettings;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.node.NodeCore;
import dev.colonnade.server.ring.InvalidKeyException;
import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.ring.Partitioners;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.NameTypeResolver;
import dev.colonnade.server.schema.SchemaException;
import dev.colonnade.server.sim.SimNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A real node in a world: everything but its doors. */
public final class CoreNode implements SimNode {

  private static final LocalOperations.Memory NO_MEMORY =
      new LocalOperations.Memory() {
        @Override
        public long heapUsedBytes() {
          return 0;
        }

        @Override
        public long offheapUsedBytes() {
          return 0;
        }
      };

  /**
   * How the nodes of a cluster are set up.
   *
   * @param engine the same on all
   * @param cluster the same on all, but for the initial token
   * @param tokens initial ones by the name of the machine; others choose for themselves
   */
  public record Plan(EngineSettings engine, ClusterSettings cluster, Map<String, String> tokens) {}

  private static final Partitioner PARTITIONER = Partitioners.RANDOM;

  private final NodeCore core;
  private final Clock clock;
  private final CompletableFuture<Void> started;

  private CoreNode(NodeCore core, Clock clock) {
    this.core = core;
    this.clock = clock;
    this.started = core.start(List.of());
  }

  /** Makes such nodes. */
  public static Factory<CoreNode> factory(Plan plan) {
    return seams -> new CoreNode(open(plan, seams), seams.environment().clock());
  }

  private static NodeCore open(Plan plan, Seams seams) throws IOException {
    var random = seams.environment().random().fork("identity");
    try {
      return NodeCore.open(
          new NodeCore.Parts(
              seams.environment(),
              plan.engine(),
              new NodeIdentity(
                  random.nextLong(), random.nextLong(), plan.cluster().name(), PARTITIONER.name()),
              PARTITIONER,
              NameTypeResolver.builtIns(),
              plan.cluster().withInitialToken(plan.tokens().getOrDefault(seams.name(), "")),
              AddressSettings.DEFAULT
                  .withAddress(seams.address().host())
                  .withPeerPort(seams.address().port()),
              seams.transport(),
              Locations.single(),
              MembershipSettings.DEFAULT,
              CoordinatorSettings.DEFAULT,
              Optional.empty(),
              NO_MEMORY,
              "simulated"));
    } catch (SchemaException e) {
      throw new IllegalStateException("the schema on the disk of " + seams.name() + " is bad", e);
    }
  }

  /** The real thing. */
  public NodeCore core() {
    return core;
  }

  Clock clock() {
    return clock;
  }

  /** Whether it has taken its place in the cluster. */
  public boolean isStarted() {
    if (started.isCompletedExceptionally()) {
      throw new CoordinationException.NodeNotReady("its start failed: " + started);
    }
    return started.isDone();
  }

  /** Whether it could not take its place, and will not. */
  boolean hasFailed() {
    return started.isCompletedExceptionally();
  }

  /** A row's key. */
  static RowKey key(String text) {
    try {
      return PARTITIONER.rowKey(text.getBytes(StandardCharsets.UTF_8));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  /** A family as this node knows it. */
  ColumnFamily family(String keyspace, String name) throws SchemaException {
    return core.schema().current().requireFamily(keyspace, name);
  }

  /** Whether it knows that family. */
  boolean knows(String keyspace, String name) {
    try {
      family(keyspace, name);
      return true;
    } catch (SchemaException unknown) {
      return false;
    }
  }

  @Override
  public CompletableFuture<Void> stop() {
    return core.stop();
  }
}
