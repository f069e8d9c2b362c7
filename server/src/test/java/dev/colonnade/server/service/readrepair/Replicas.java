package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.NaiveRowStore;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.engine.FragmentCodec;
import dev.colonnade.server.storage.engine.ReadCommandCodec;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.WorkSteps;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * Some stores that are replicas of each other, and a model that received every write. Requests and
 * answers are encoded and decoded.
 */
final class Replicas {

  private static final String KEYSPACE = "K";
  private static final int KEYS = 5;

  private static final List<FamilyDefinition> FAMILIES =
      List.of(
          FamilyDefinition.standard(KEYSPACE, "Plain", "BytesType"),
          FamilyDefinition.standard(KEYSPACE, "Numbered", "IntegerType"),
          FamilyDefinition.superFamily(KEYSPACE, "Nested", "UTF8Type", "LongType"));

  private static final SimFileSystem EMPTY_DISK = emptyDisk();

  private final Random random;
  private final EngineSettings settings;
  private final List<SimulatedStore> stores = new ArrayList<>();
  private final SimClock modelClock = new SimClock();
  private final NaiveRowStore model = new NaiveRowStore(modelClock);
  private final FamilyDefinition definition;

  Replicas(Random random, int count) throws Exception {
    this.random = random;
    this.definition = FAMILIES.get(random.nextInt(FAMILIES.size()));
    WorkSteps steps =
        random.nextBoolean()
            ? WorkSteps.DEFAULT
            : new WorkSteps(1 + random.nextInt(6), 1 + random.nextInt(3), 16, 20_000);
    this.settings = EngineSettingsBuilder.of(SimulatedStore.TINY).withSteps(steps).build();
    for (int i = 0; i < count; i++) {
      stores.add(SimulatedStore.open(EMPTY_DISK.crashClone(), settings, new SimClock()));
    }
  }

  private static SimFileSystem emptyDisk() {
    try {
      SimFileSystem files = new SimFileSystem();
      SimulatedStore store = SimulatedStore.open(files, SimulatedStore.TINY, new SimClock());
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of(KEYSPACE)));
      for (FamilyDefinition family : FAMILIES) {
        store.await(store.schema().createFamily(family));
      }
      store.close();
      return files;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  int count() {
    return stores.size();
  }

  ColumnFamily family() {
    return stores.get(0).family(KEYSPACE, definition.name());
  }

  long nowSeconds() {
    return modelClock.wallSeconds();
  }

  NaiveRowStore model() {
    return model;
  }

  RandomRow randomRow() {
    return new RandomRow(random, family(), nowSeconds());
  }

  RowKey key() {
    try {
      byte[] key = ("row" + random.nextInt(KEYS)).getBytes(StandardCharsets.UTF_8);
      return stores.get(0).partitioner().rowKey(key);
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes to the model, and to one replica. */
  void write(int replica, RowKey key, RowUpdate update) {
    model
        .write(
            List.of(new RowMutation(key, List.of(new RowMutation.FamilyUpdate(family(), update)))),
            true,
            Consistency.ONE,
            Long.MAX_VALUE)
        .join();
    correct(replica, key, update);
  }

  /** Writes to one replica alone. */
  void correct(int replica, RowKey key, RowUpdate update) {
    SimulatedStore store = stores.get(replica);
    Mutation mutation =
        new Mutation(
            key, List.of(new Mutation.FamilyMutation(family().id(), update)), nowSeconds());
    store.await(store.engine().write(mutation, true));
  }

  /** Random writes, each to some of the replicas. */
  void writeSome(int count) throws Exception {
    writeSome(count, RandomRow::update);
  }

  /** Random writes of one kind, each to some of the replicas. */
  void writeSome(int count, Function<RandomRow, RowUpdate> kind) throws Exception {
    RandomRow rows = randomRow();
    for (int i = 0; i < count; i++) {
      RowUpdate update = kind.apply(rows);
      if (update.isEmpty()) {
        continue;
      }
      RowKey key = key();
      int sure = random.nextInt(count());
      for (int replica = 0; replica < count(); replica++) {
        if (replica == sure || random.nextInt(3) > 0) {
          write(replica, key, update);
        }
      }
      maintain(random.nextInt(count()));
    }
  }

  /** Operations that change no answer. */
  void maintain(int replica) throws Exception {
    SimulatedStore store = stores.get(replica);
    switch (random.nextInt(8)) {
      case 0, 1 -> store.await(store.engine().flush(family().id()));
      case 2 -> store.await(store.engine().compact(family().id(), progress -> {}));
      case 3 -> {
        if (random.nextInt(4) == 0) {
          SimFileSystem disk = store.files();
          store.close();
          stores.set(replica, SimulatedStore.open(disk, settings, store.clock()));
        }
      }
      default -> {}
    }
  }

  List<RowFragment> ask(SliceCommand query) throws CorruptDataException {
    List<RowFragment> answers = new ArrayList<>();
    for (SimulatedStore store : stores) {
      ByteWriter out = new ByteWriter(16);
      ReadCommandCodec.writeSliceCommand(
          new ReadCommandCodec.OfFamily<>(family().id(), 0, query), out);
      ByteReader in = new ByteReader(out.toByteArray());
      var asked = ReadCommandCodec.readSliceCommand(in);
      in.expectEnd("query");
      RowFragment answer =
          store
              .await(store.engine().read(asked.family(), asked.command(), ReadOutput.ROW_FRAGMENT))
              .result();
      out.reset();
      FragmentCodec.writeRow(answer, out);
      in = new ByteReader(out.toByteArray());
      answers.add(FragmentCodec.readRow(in, family().order()));
      in.expectEnd("fragment");
    }
    return answers;
  }

  List<RangeFragment> ask(RangeCommand query) throws CorruptDataException {
    List<RangeFragment> answers = new ArrayList<>();
    for (SimulatedStore store : stores) {
      ByteWriter out = new ByteWriter(16);
      ReadCommandCodec.writeRangeCommand(
          new ReadCommandCodec.OfFamily<>(family().id(), 0, query), out);
      ByteReader in = new ByteReader(out.toByteArray());
      var asked = ReadCommandCodec.readRangeCommand(in);
      in.expectEnd("query");
      RangeFragment answer =
          store
              .await(
                  store.engine().read(asked.family(), asked.command(), ReadOutput.RANGE_FRAGMENT))
              .result();
      out.reset();
      FragmentCodec.writeRange(answer, out);
      in = new ByteReader(out.toByteArray());
      answers.add(FragmentCodec.readRange(in, family().order()));
      in.expectEnd("fragment");
    }
    return answers;
  }
}
