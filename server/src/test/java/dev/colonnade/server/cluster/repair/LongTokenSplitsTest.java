package dev.colonnade.server.cluster.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.net.FrameCodec;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows with long tokens, a leaf for each of which would not fit the message with a tree. */
final class LongTokenSplitsTest {

  private static final int ROWS = 60;

  @Test
  void theRequestForATreeFitsAMessageHoweverLongTokensAre() throws Exception {
    SimulatedStore store =
        SimulatedStore.open(
            new SimFileSystem(),
            EngineSettingsBuilder.forHeap(256 << 20).build(),
            new SimClock(),
            Partitioners.COLLATING_ORDER_PRESERVING);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.of("K", "F")));
    ColumnFamily family = store.family("K", "F");
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live(new byte[] {1}, null, new byte[] {1}, 1))
            .build();
    for (int i = 0; i < ROWS; i++) {
      RowKey key = store.key((char) ('0' + i) + "a".repeat(65_534));
      store.await(
          store
              .engine()
              .write(
                  new Mutation(key, List.of(new Mutation.FamilyMutation(family.id(), update)), 1),
                  true));
    }

    MerkleSplits splits =
        store.await(
            MerkleSplits.byRows(
                store.engine(), family.id(), new TokenRange(new byte[0], new byte[0]), 1));

    long bytes = splits.ends().stream().mapToLong(end -> end.length).sum();
    assertTrue(bytes <= MerkleSplits.ENDS_BYTES_MAX, bytes + " bytes");
    assertTrue(splits.leaves() > ROWS / 4, splits.leaves() + " leaves");
    byte[] request = MerkleTreeCodec.encode(new TreeMessage(family.id(), 1, splits));
    assertTrue(2L * request.length < FrameCodec.MAX_BODY_BYTES, request.length + " bytes");
    assertEquals(splits, MerkleTreeCodec.decodeRequest(request).cuts());
    store.close();
  }
}
