package dev.colonnade.server.cluster.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Trees of replicas differ exactly where their rows do. */
class MerkleBuilderTest {

  private static final int ROWS = 300;
  private static final TokenRange ALL = new TokenRange(new byte[] {5}, new byte[] {5});

  private final List<SimulatedStore> stores = new ArrayList<>();
  private FamilyId family = new FamilyId(0, 0);

  private record Write(RowKey key, RowUpdate update) {}

  @BeforeEach
  void open() throws Exception {
    SimFileSystem files = new SimFileSystem();
    SimulatedStore store = SimulatedStore.open(files, SimulatedStore.TINY, new SimClock());
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.standard("K", "F", "BytesType")));
    store.close();
    for (int i = 0; i < 2; i++) {
      stores.add(SimulatedStore.open(files.crashClone(), SimulatedStore.TINY, new SimClock()));
    }
    family = stores.get(0).family("K", "F").id();
  }

  @Test
  void equalRowsHaveEqualTreesHoweverTheyLie() throws Exception {
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      List<Write> writes = writes(random, 60);
      for (SimulatedStore store : stores) {
        Collections.shuffle(writes, random);
        for (Write write : writes) {
          write(store, write);
          if (random.nextInt(30) == 0) {
            store.await(store.engine().flush(family));
          } else if (random.nextInt(60) == 0) {
            store.await(store.engine().compact(family, progress -> {}));
          }
        }
      }
      MerkleSplits cuts = cuts(range(random), 1 + random.nextInt(20));
      MerkleTree one = tree(0, cuts);
      MerkleTree other = tree(1, cuts);
      assertEquals(List.of(), one.differences(other), "seed " + seed);
      assertEquals(one.root(), other.root());
    }
  }

  @Test
  void whatDiffersIsFoundAndNothingElse() throws Exception {
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      for (Write write : writes(random, ROWS)) {
        stores.forEach(store -> write(store, write));
      }
      TokenRange range = range(random);
      MerkleSplits cuts = cuts(range, 10);
      assertTrue(cuts.leaves() > 3, "enough leaves to tell something");
      assertEquals(List.of(), tree(0, cuts).differences(tree(1, cuts)), "seed " + seed);
      List<Write> more = writes(random, 5);
      for (Write write : more) {
        write(stores.get(random.nextInt(2)), write);
      }
      List<TokenRange> differences = tree(0, cuts).differences(tree(1, cuts));
      int changed = 0;
      for (Write write : more) {
        byte[] token = write.key.token();
        boolean found = differences.stream().anyMatch(part -> part.contains(token));
        assertEquals(range.contains(token), found, "seed " + seed + " " + write.key);
        changed += found ? 1 : 0;
      }
      assertTrue(differences.size() <= changed, "one range for each change at most");
      for (Write write : more) {
        stores.forEach(store -> write(store, write));
      }
      assertEquals(List.of(), tree(0, cuts).differences(tree(1, cuts)), "seed " + seed);
    }
  }

  @Test
  void aRowWiderThanAStepIsHashedWhateverStandsBeforeIt() throws Exception {
    RowUpdate.Builder wide = RowUpdate.builder(stores.get(0).family("K", "F").order());
    for (int i = 0; i < 1_500; i++) {
      wide.add(Cell.live(bytes("column" + i), null, new byte[400], i));
    }
    RowUpdate update = wide.build();
    List<Write> others = writes(new Random(1), 10);
    RowKey key = key("wide");
    for (SimulatedStore store : stores) {
      write(store, new Write(key, update));
    }
    others.forEach(write -> write(stores.get(0), write));
    MerkleSplits cuts = cuts(ALL, 1);
    List<TokenRange> differences = tree(0, cuts).differences(tree(1, cuts));
    assertFalse(differences.isEmpty());
    assertFalse(differences.stream().anyMatch(part -> part.contains(key.token())));
    RowUpdate changed =
        RowUpdate.builder(stores.get(0).family("K", "F").order())
            .add(Cell.live(bytes("column1499"), null, new byte[1], 5_000))
            .build();
    write(stores.get(1), new Write(key, changed));
    assertTrue(
        tree(0, cuts).differences(tree(1, cuts)).stream()
            .anyMatch(part -> part.contains(key.token())));
  }

  @Test
  void aChangeOfTheSameLengthAnywhereInAWideRowIsFound() throws Exception {
    int columns = 1_500;
    RowUpdate.Builder wide = RowUpdate.builder(stores.get(0).family("K", "F").order());
    for (int i = 0; i < columns; i++) {
      wide.add(Cell.live(bytes(String.format("column%04d", i)), null, new byte[400], 10));
    }
    RowUpdate update = wide.build();
    RowKey key = key("wide");
    stores.forEach(store -> write(store, new Write(key, update)));
    MerkleSplits cuts = cuts(ALL, 1);
    assertEquals(List.of(), tree(0, cuts).differences(tree(1, cuts)));
    for (int at : List.of(0, columns / 2, columns - 1)) {
      // The same length, the same number of atoms, and the greater value wins the tie.
      byte[] value = new byte[400];
      value[399] = 1;
      RowUpdate changed =
          RowUpdate.builder(stores.get(0).family("K", "F").order())
              .add(Cell.live(bytes(String.format("column%04d", at)), null, value, 10))
              .build();
      write(stores.get(1), new Write(key, changed));
      assertTrue(
          tree(0, cuts).differences(tree(1, cuts)).stream()
              .anyMatch(part -> part.contains(key.token())),
          "column " + at);
      write(stores.get(0), new Write(key, changed));
      assertEquals(List.of(), tree(0, cuts).differences(tree(1, cuts)), "column " + at);
    }
  }

  @Test
  void aCancelledOneStops() {
    writes(new Random(3), 50).forEach(write -> write(stores.get(0), write));
    MerkleBuilder hashing = hashing(0, MerkleSplits.one(ALL));
    assertTrue(hashing.answer().cancel(false));
    stores.get(0).scheduler().runUntilIdle();
    assertEquals(0, hashing.rows());
    assertThrows(CancellationException.class, () -> hashing.answer().join());
  }

  private List<Write> writes(Random random, int count) {
    long now = stores.get(0).clock().wallSeconds();
    List<Write> writes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      RowUpdate.Builder update = RowUpdate.builder(stores.get(0).family("K", "F").order());
      byte[] name = bytes("c" + random.nextInt(4));
      // Each at its own time, so that none is hidden by another and changes nothing.
      long timestamp = stamp++;
      switch (random.nextInt(8)) {
        case 0 -> update.deleteRow(new DeletionTime(timestamp, now));
        case 1 -> update.deleteRange(PathRange.of(name), new DeletionTime(timestamp, now));
        case 2 -> update.add(Cell.deleted(name, null, new DeletionTime(timestamp, now)));
        default -> update.add(Cell.live(name, null, bytes("v" + i), timestamp));
      }
      writes.add(new Write(key("row" + random.nextInt(ROWS)), update.build()));
    }
    return writes;
  }

  private long stamp = 1;

  private TokenRange range(Random random) {
    byte[] a = key("edge" + random.nextInt(100)).token();
    byte[] b = key("edge" + random.nextInt(100)).token();
    return switch (random.nextInt(3)) {
      case 0 -> new TokenRange(a, a);
      case 1 -> Arrays.compareUnsigned(a, b) < 0 ? new TokenRange(b, a) : new TokenRange(a, b);
      default -> new TokenRange(new byte[] {16}, new byte[] {112});
    };
  }

  private MerkleSplits cuts(TokenRange range, long rowsPerLeaf) {
    SimulatedStore store = stores.get(0);
    return store.await(MerkleSplits.byRows(store.engine(), family, range, rowsPerLeaf));
  }

  private MerkleTree tree(int store, MerkleSplits cuts) {
    return stores.get(store).await(hashing(store, cuts).answer());
  }

  private MerkleBuilder hashing(int number, MerkleSplits cuts) {
    SimulatedStore store = stores.get(number);
    return MerkleBuilder.start(
        store.engine(), store.scheduler(), family, cuts, stores.get(0).clock().wallSeconds());
  }

  private void write(SimulatedStore store, Write write) {
    Mutation mutation =
        new Mutation(write.key, List.of(new Mutation.FamilyMutation(family, write.update)), 0);
    store.await(store.engine().write(mutation, true));
  }

  private RowKey key(String text) {
    try {
      return stores.get(0).partitioner().rowKey(bytes(text));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
