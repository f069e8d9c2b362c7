package dev.colonnade.server.service.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.ring.Topology.RingState;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.EngineSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether callers with many writes should wait for this node: a store without room, on rings. */
final class CoordinatorTest {

  private static final Duration STALL = Duration.ofMinutes(1);

  private final SimFileSystem disk = new SimFileSystem();
  private SimulatedStore store;
  private ColumnFamily family;

  /** This node's view of a ring. */
  private record View(Topology topology, Partitioner partitioner) implements ClusterView {
    @Override
    public String clusterName() {
      return "sim";
    }

    @Override
    public String nodeId() {
      return topology.self().id();
    }

    @Override
    public String snitch() {
      return "";
    }

    @Override
    public String serverVersion() {
      return "";
    }
  }

  @BeforeEach
  void open() throws Exception {
    EngineSettings small =
        EngineSettingsBuilder.of(SimulatedStore.TINY)
            .withMemtableBytesMax(1 << 20)
            .withSync(false, Duration.ofSeconds(1))
            .withLog(CommitLogSettings.defaults())
            .build();
    store = SimulatedStore.open(disk, small, new SimClock());
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.of("K", "F")));
    family = store.family("K", "F");
  }

  private static Topology.Place place(int number, RingState state) {
    RingNode node =
        new RingNode(
            "node" + number,
            "127.0.0." + number,
            1,
            1,
            "dc",
            "rack",
            List.of(new byte[] {(byte) number}));
    return new Topology.Place(node, state, List.of(), true);
  }

  /** A coordinator over the same store, which is that of the first node. */
  private Coordinator among(Topology.Place... places) {
    Topology topology = Topology.of(places[0].node(), List.of(places));
    return new Coordinator(
        store.engine(),
        store.schema(),
        new View(topology, store.partitioner()),
        store.clock(),
        store.scheduler());
  }

  private CompletableFuture<AskedReplicas> write(int row) {
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live("c".getBytes(StandardCharsets.UTF_8), null, new byte[40_000], 1))
            .build();
    return store
        .coordinator()
        .write(
            List.of(
                new RowMutation(
                    store.key("row" + row), List.of(new RowMutation.FamilyUpdate(family, update)))),
            true,
            Consistency.ONE,
            Long.MAX_VALUE);
  }

  @Test
  void aNodeIsBehindWhileItsStoreHasNoRoomAndNoOtherNodeMayHoldTheRow() {
    Coordinator alone = among(place(1, RingState.NORMAL));
    Coordinator ofTwo = among(place(1, RingState.NORMAL), place(2, RingState.NORMAL));
    Coordinator whileOneJoins = among(place(1, RingState.NORMAL), place(2, RingState.JOINING));
    assertFalse(alone.isBehind(), "nothing was written yet");

    disk.plan().add(FileFault.STALL).on(FileOperation.CREATE).lasting(STALL).once();
    List<CompletableFuture<AskedReplicas>> writes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int row = i;
      Runnable write = () -> writes.add(write(row));
      store
          .scheduler()
          .after(Duration.ofMillis(i + 1), Stage.TIMER, () -> store.scheduler().outside(write));
    }
    List<Boolean> behind = new ArrayList<>();
    Runnable look =
        () -> behind.addAll(List.of(alone.isBehind(), ofTwo.isBehind(), whileOneJoins.isBehind()));
    store.scheduler().after(Duration.ofSeconds(2), Stage.TIMER, look);
    store.scheduler().advance(STALL.plusSeconds(10));

    assertEquals(1, disk.plan().fired());
    assertEquals(List.of(true, false, false), behind);
    assertTrue(writes.stream().allMatch(CompletableFuture::isDone));
    assertFalse(alone.isBehind(), "the disk has caught up");
  }
}
