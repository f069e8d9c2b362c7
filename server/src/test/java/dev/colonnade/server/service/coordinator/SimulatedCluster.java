package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.service.replica.ReplicaService;
import dev.colonnade.server.service.schemasync.ClusterSchema;
import dev.colonnade.server.service.schemasync.LocalSchema;
import dev.colonnade.server.service.schemasync.Truncation;
import dev.colonnade.server.service.write.HintSink;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.GuardedFileSystem;
import dev.colonnade.server.sim.MemoryNetwork;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StorageOpening;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Several nodes, each with its own disk and store, that reach each other through a network in
 * memory. The test decides which nodes are alive, for all nodes alike.
 */
public final class SimulatedCluster {

  public static final Slice WHOLE = new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE);

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock);
  private final MemoryNetwork network = MemoryNetwork.timed(scheduler, Stage.TIMER).recording();
  private final Partitioner partitioner;
  private final List<Node> nodes = new ArrayList<>();
  private final Set<String> down = new TreeSet<>();
  private final Set<Integer> withdrawn = new TreeSet<>();
  private final List<Kept> hints = new ArrayList<>();
  private final List<Topology.Place> places = new ArrayList<>();
  private final Map<String, String> versions = new TreeMap<>();
  private boolean hintsOn = true;
  private boolean gossiping;

  /** A hint that was kept for a replica. */
  public record Kept(String replica, Mutation mutation) {}

  /** A node's place on the ring, and its state. */
  record Seat(String datacenter, Topology.RingState state) {}

  /** One node. */
  public final class Node extends NodeRows implements ClusterView, HintSink {
    private final int number;
    private final GuardedFileSystem guarded;
    private final StorageEngine engine;
    private final LocalSchema schema;
    private final ClusterSchema clusterSchema;
    private final Coordinator coordinator;
    private final SortedMap<String, String> announcedSchemas = new TreeMap<>();

    Node(int number) throws IOException, SchemaException {
      super(SimulatedCluster.this);
      this.number = number;
      SimFileSystem files = new SimFileSystem();
      guarded = new GuardedFileSystem(files, scheduler);
      Environment environment =
          new Environment(
              clock,
              scheduler,
              new SeededRandom(number),
              guarded,
              guarded,
              new SortedArrayKeyIndexes(guarded));
      StorageOpening.Opened opened =
          StorageOpening.open(
              environment,
              EngineSettingsBuilder.forHeap(64 << 20)
                  .withSync(false, Duration.ofSeconds(1))
                  .build(),
              new NodeIdentity(1, number, "sim", partitioner.name()),
              ComparatorResolver.builtIns(),
              new Health());
      guarded.enforce(true);
      this.engine = opened.engine();
      this.schema =
          new LocalSchema(
              engine,
              opened.schema(),
              partitioner,
              clock,
              scheduler,
              new SeededRandom(number),
              new IncreasingTimestamps(clock));
      RingNode self = places.get(number).node();
      Messenger messenger =
          new Messenger(
              new Peer(self.id(), address(number)), network.at(address(number)), clock, scheduler);
      new ReplicaService(
              engine,
              schema,
              environment.clock(),
              () -> withdrawn.contains(number) ? Optional.of("it has left") : Optional.empty())
          .register(messenger);
      Truncation truncation =
          new Truncation(
              schema, this, messenger::request, clock, scheduler, CoordinatorSettings.DEFAULT);
      truncation.register(messenger);
      this.clusterSchema =
          new ClusterSchema(
              schema,
              this,
              messenger::request,
              clock,
              scheduler,
              truncation,
              version -> gossip(nodeId(), version));
      clusterSchema.register(messenger);
      messenger.start();
      this.coordinator =
          new Coordinator(
              engine,
              schema,
              this,
              clock,
              scheduler,
              PeerClient.over(messenger),
              this,
              CoordinatorSettings.DEFAULT,
              number);
    }

    @Override
    public CompletableFuture<Boolean> keep(RingNode replica, Mutation mutation, boolean counts) {
      hints.add(new Kept(replica.id(), mutation));
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public boolean isOn() {
      return hintsOn;
    }

    @Override
    public String clusterName() {
      return "sim";
    }

    @Override
    public String nodeId() {
      return id(number);
    }

    @Override
    public Partitioner partitioner() {
      return partitioner;
    }

    @Override
    public String snitch() {
      return "";
    }

    @Override
    public String serverVersion() {
      return "";
    }

    @Override
    public Topology topology() {
      List<Topology.Place> seen = new ArrayList<>();
      for (Topology.Place place : places) {
        seen.add(
            new Topology.Place(
                place.node(),
                place.state(),
                place.newTokens(),
                !down.contains(place.node().id()) || place.node().id().equals(nodeId())));
      }
      return Topology.of(places.get(number).node(), seen);
    }

    @Override
    public StorageEngine engine() {
      return engine;
    }

    public ClusterSchema schema() {
      return clusterSchema;
    }

    @Override
    public Coordinator coordinator() {
      return coordinator;
    }

    private void heard(String nodeId, String version) {
      announcedSchemas.put(nodeId, version);
      clusterSchema.compare();
    }

    @Override
    public SortedMap<String, String> announcedSchemas() {
      return announcedSchemas;
    }

    public ColumnFamily family(String keyspace, String name) throws SchemaException {
      return schema.current().requireFamily(keyspace, name);
    }

    /** Drops a family on this node alone, which then refuses all requests about it. */
    public CompletableFuture<String> dropHere(ColumnFamily family) {
      return schema.dropFamily(family.keyspace(), family.name());
    }
  }

  /** Nodes of one data centre, a quarter of the ring each or the like. */
  public SimulatedCluster(int size) throws IOException, SchemaException {
    this(Partitioners.ORDER_PRESERVING, seats(size));
  }

  /** Nodes of one data centre, with another order of keys. */
  public SimulatedCluster(Partitioner partitioner, int size) throws IOException, SchemaException {
    this(partitioner, seats(size));
  }

  /** Tokens are the letters from b on, every third: b, e, h, k ... */
  public SimulatedCluster(Partitioner partitioner, List<Seat> seats)
      throws IOException, SchemaException {
    this.partitioner = partitioner;
    for (int i = 0; i < seats.size(); i++) {
      byte[] token = key(String.valueOf((char) ('b' + 3 * i))).token();
      places.add(
          new Topology.Place(
              new RingNode(
                  id(i), "host" + i, 7000, 9160, seats.get(i).datacenter(), "r", List.of(token)),
              seats.get(i).state(),
              List.of(),
              true));
    }
    for (int i = 0; i < seats.size(); i++) {
      nodes.add(new Node(i));
    }
  }

  private static List<Seat> seats(int size) {
    List<Seat> seats = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      seats.add(new Seat("dc", Topology.RingState.NORMAL));
    }
    return seats;
  }

  public static String id(int number) {
    return "node" + number;
  }

  public static PeerAddress address(int number) {
    return new PeerAddress("host" + number, 7000);
  }

  public Node node(int number) {
    return nodes.get(number);
  }

  public List<Node> nodes() {
    return nodes;
  }

  public MemoryNetwork network() {
    return network;
  }

  public SimClock clock() {
    return clock;
  }

  public SimScheduler scheduler() {
    return scheduler;
  }

  /** Notifies every node that can be reached and is not notified otherwise. */
  private void gossip(String nodeId, String version) {
    versions.put(nodeId, version);
    if (gossiping) {
      tellVersions();
    }
  }

  /** Whether all nodes hear of schema versions at once, from now on. */
  public void gossiping(boolean on) {
    gossiping = on;
    if (on) {
      tellVersions();
    }
  }

  private void tellVersions() {
    for (Node node : nodes) {
      versions.forEach(
          (id, version) -> {
            boolean reached = !down.contains(id) && !down.contains(node.nodeId());
            if (reached && !id.equals(node.nodeId())) {
              scheduler.submit(Stage.CONTROL, () -> node.heard(id, version));
            }
          });
    }
  }

  /** The hints kept since the start. */
  public List<Kept> hints() {
    return hints;
  }

  void switchHintsOff() {
    hintsOn = false;
  }

  /** A node stops answering, and the others do not know. */
  void withdraw(int number) {
    withdrawn.add(number);
  }

  /** These are known to be down and do not answer; all others are up again. */
  public void down(int... numbers) {
    down.clear();
    for (int number : numbers) {
      down.add(id(number));
    }
    silence(numbers);
  }

  /** These do not answer, and no node knows. */
  public void silence(int... numbers) {
    network.lose(
        route -> {
          for (int number : numbers) {
            if (route.touches(address(number))) {
              return true;
            }
          }
          return false;
        });
  }

  public RowKey key(String text) {
    try {
      return partitioner.rowKey(bytes(text));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes one column to the store of one of the row's owners alone. */
  CompletableFuture<Void> putOnOneOwner(
      ColumnFamily family, String key, String column, String value, int which)
      throws SchemaException {
    Topology topology = nodes.get(0).topology();
    Keyspace keyspace = nodes.get(0).schema().current().requireKeyspace(family.keyspace());
    List<RingNode> owners =
        topology.replicas(ReplicaPlacement.of(keyspace, topology.self()), key(key).token());
    String id = owners.get(which % owners.size()).id();
    for (Node node : nodes) {
      if (node.nodeId().equals(id)) {
        return node.putHere(family, key, column, value);
      }
    }
    throw new AssertionError(id);
  }

  /** One column, written now. */
  public RowMutation mutation(ColumnFamily family, String key, String column, String value) {
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live(bytes(column), null, bytes(value), clock.wallMicros()))
            .build();
    return new RowMutation(key(key), List.of(new RowMutation.FamilyUpdate(family, update)));
  }

  public long deadline() {
    return clock.monotonicNanos() + Duration.ofSeconds(1).toNanos();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public <T> T await(CompletableFuture<T> future) {
    scheduler.runUntil(future::isDone, PATIENCE);
    nodes.forEach(node -> node.guarded.check());
    return future.join();
  }

  /** The outcome of a call, in a word. */
  public String outcome(CompletableFuture<?> future) {
    try {
      await(future);
      return "ok";
    } catch (CompletionException failed) {
      return Render.failure(failed.getCause());
    }
  }
}
