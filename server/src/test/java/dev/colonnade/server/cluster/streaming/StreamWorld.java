package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.MemoryNetwork;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.engine.RangeScan;
import dev.colonnade.server.storage.engine.RowSpan;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two stores with the same schema, connected by messengers over a network that loses and duplicates
 * frames.
 */
final class StreamWorld {
  static final StreamSettings SMALL =
      new StreamSettings(
          256,
          4,
          0,
          4,
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofSeconds(1),
          Duration.ofSeconds(60),
          Duration.ofMinutes(3));

  final SimClock clock = new SimClock();
  final SimScheduler scheduler = new SimScheduler(clock);
  final Node a;
  final Node b;
  final ColumnFamily plain;
  final ColumnFamily nested;

  /** How many of a thousand frames are lost, duplicated or late. */
  int lossPerMille;

  /** Called with each frame before it is sent; false loses it. */
  Consumer<Frame> onSend = frame -> {};

  boolean cut;

  private final MemoryNetwork network = MemoryNetwork.timed(scheduler, Stage.TIMER);

  StreamWorld(long seed) throws Exception {
    this(seed, SMALL);
  }

  StreamWorld(long seed, StreamSettings settings) throws Exception {
    network.conditions(new RandomConditions(new SeededRandom(seed).fork("network")));
    SimFileSystem first = new SimFileSystem();
    SimulatedStore made = store(first);
    made.await(made.schema().createKeyspace(KeyspaceDefinition.of("K")));
    made.await(made.schema().createFamily(FamilyDefinition.of("K", "Plain")));
    made.await(
        made.schema()
            .createFamily(FamilyDefinition.superFamily("K", "Nested", "BytesType", "BytesType")));
    made.await(made.engine().stop());
    made.release();
    SimFileSystem second = first.copy();
    first.kill();
    this.a = new Node("a", 1, first, settings, seed);
    this.b = new Node("b", 2, second, settings, seed + 1);
    this.plain = a.store.family("K", "Plain");
    this.nested = a.store.family("K", "Nested");
  }

  private SimulatedStore store(SimFileSystem disk) throws Exception {
    return SimulatedStore.open(disk, settings(), clock, Partitioners.RANDOM, scheduler);
  }

  private static EngineSettings settings() {
    return SimulatedStore.TINY;
  }

  /** The rows of a machine that starts on that disk. */
  static SortedMap<String, String> contentOf(SimFileSystem disk, ColumnFamily family)
      throws Exception {
    SimClock later = new SimClock();
    SimScheduler own = new SimScheduler(later);
    SimulatedStore opened = SimulatedStore.open(disk, settings(), later, Partitioners.RANDOM, own);
    SortedMap<String, String> content = content(opened, family);
    opened.close();
    return content;
  }

  /** Each row that the store has, deletions included, as text. */
  static SortedMap<String, String> content(SimulatedStore store, ColumnFamily family)
      throws Exception {
    RowSpan all = new RowSpan(RowKey.firstOf(new byte[0]), Optional.empty());
    SortedMap<String, String> rows = new TreeMap<>();
    RangeScan opened = store.await(store.engine().scan(family.id(), List.of(all)));
    store.guarded().enforce(false);
    try (RangeScan scan = opened) {
      while (scan.nextRow()) {
        StringBuilder row = new StringBuilder();
        row.append(scan.rowDeletion()).append(scan.open());
        for (Atom atom = scan.nextAtom(); atom != null; atom = scan.nextAtom()) {
          row.append('\n').append(atom);
        }
        rows.put(new String(scan.key().key(), StandardCharsets.UTF_8), row.toString());
      }
    }
    store.guarded().enforce(true);
    return rows;
  }

  /** One node. */
  final class Node {
    final Peer peer;
    final SimFileSystem disk;
    final SimulatedStore store;
    final Messenger messenger;
    final Streams streams;

    Node(String id, int port, SimFileSystem disk, StreamSettings settings, long seed)
        throws Exception {
      this.peer = new Peer(id, new PeerAddress("10.0.0.1", port));
      this.disk = disk;
      this.store = store(disk);
      this.messenger = new Messenger(peer, network.at(peer.address()), clock, scheduler);
      Environment environment =
          new Environment(
              clock,
              scheduler,
              new SeededRandom(seed),
              store.guarded(),
              store.guarded(),
              new SortedArrayKeyIndexes(store.guarded()));
      this.streams = new Streams(environment, settings, store.engine(), messenger);
      messenger.start();
      streams.start();
    }

    SortedMap<String, String> content(ColumnFamily family) throws Exception {
      return StreamWorld.content(store, family);
    }

    void write(ColumnFamily family, String key, Consumer<RowUpdate.Builder> change) {
      RowUpdate.Builder builder = RowUpdate.builder(family.order());
      change.accept(builder);
      Mutation mutation =
          new Mutation(
              key(key),
              List.of(new Mutation.FamilyMutation(family.id(), builder.build())),
              clock.wallSeconds());
      store.await(store.engine().write(mutation, true));
    }

    void flush(ColumnFamily family) {
      store.await(store.engine().flush(family.id()));
    }

    /** Rows of all kinds, in several files and in memory. */
    void fill(ColumnFamily family, int rows, long seed) {
      RandomSource random = new SeededRandom(seed);
      for (int i = 0; i < rows; i++) {
        write(family, "row" + random.nextInt(rows), update -> change(update, family, random));
        if (random.nextInt(20) == 0) {
          flush(family);
        }
      }
    }
  }

  private void change(RowUpdate.Builder update, ColumnFamily family, RandomSource random) {
    long timestamp = random.nextInt(100);
    DeletionTime deletion = new DeletionTime(timestamp, clock.wallSeconds());
    boolean isSuper = family.order().isSuper();
    switch (random.nextInt(8)) {
      case 0 -> update.deleteRow(deletion);
      case 1 -> {
        byte[] from = name(random);
        update.deleteRange(
            new PathRange(Bound.before(from), random.nextInt(3) == 0 ? Bound.END : after(from)),
            deletion);
      }
      case 2 -> update.add(Cell.deleted(name(random), sub(isSuper, random), deletion));
      case 3 ->
          update.add(
              Cell.expiring(
                  name(random),
                  sub(isSuper, random),
                  bytes("soon gone"),
                  timestamp,
                  5,
                  clock.wallSeconds() + 100_000 + random.nextInt(3)));
      default -> {
        for (int i = random.nextInt(12); i >= 0; i--) {
          byte[] value = new byte[random.nextInt(40)];
          random.nextBytes(value);
          update.add(Cell.live(name(random), sub(isSuper, random), value, timestamp));
        }
      }
    }
  }

  private static Bound after(byte[] name) {
    byte[] later = name.clone();
    later[0] = (byte) (later[0] + 4);
    return Bound.after(later);
  }

  private static byte[] name(RandomSource random) {
    return new byte[] {(byte) ('a' + random.nextInt(20))};
  }

  private static byte @Nullable [] sub(boolean isSuper, RandomSource random) {
    return isSuper ? new byte[] {(byte) ('a' + random.nextInt(8))} : null;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  RowKey key(String text) {
    try {
      return Partitioners.RANDOM.rowKey(bytes(text));
    } catch (dev.colonnade.server.cluster.ring.InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits for the stream's end, for at most a simulated hour. */
  StreamProgress await(Transfer transfer) {
    CompletableFuture<StreamProgress> done = transfer.done();
    scheduler.runUntil(done::isDone, Duration.ofHours(1));
    return done.join();
  }

  /** Whether it succeeds. */
  boolean succeeds(Transfer transfer) {
    CompletableFuture<StreamProgress> done = transfer.done();
    scheduler.runUntil(done::isDone, Duration.ofHours(1));
    return !done.isCompletedExceptionally();
  }

  List<String> unfinishedFiles(Node node) throws Exception {
    List<String> unfinished = new ArrayList<>();
    for (String directory : node.disk.list("keyspaces/K")) {
      for (String name : node.disk.list("keyspaces/K/" + directory)) {
        if (name.endsWith(".tmp")) {
          unfinished.add(name);
        }
      }
    }
    return unfinished;
  }

  /** Loses, doubles and delays frames. */
  private final class RandomConditions implements MemoryNetwork.Conditions {
    private final RandomSource random;

    RandomConditions(RandomSource random) {
      this.random = random;
    }

    @Override
    public List<Duration> arrivals(MemoryNetwork.Route route) {
      onSend.accept(route.frame());
      List<Duration> arrivals = new ArrayList<>();
      for (int copies = random.nextInt(1_000) < lossPerMille ? 2 : 1; copies > 0; copies--) {
        boolean lost = cut || random.nextInt(1_000) < lossPerMille;
        long late = random.nextInt(1_000) < lossPerMille ? 3_000 : 1;
        if (!lost) {
          arrivals.add(Duration.ofMillis(late + random.nextInt(2)));
        }
      }
      return arrivals;
    }

    @Override
    public boolean arrives(MemoryNetwork.Route route) {
      return !cut;
    }
  }
}
