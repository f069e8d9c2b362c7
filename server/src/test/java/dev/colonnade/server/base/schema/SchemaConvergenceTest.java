package dev.colonnade.server.base.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.node.platform.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random histories of several nodes that exchange changes now and then. Each change is valid where
 * it is made; once all nodes have all changes, all have one schema, which can be changed further.
 */
class SchemaConvergenceTest {

  private static final long FIRST_SEED = Long.getLong("colonnade.schema.from", 1);
  private static final int SEEDS = Integer.getInteger("colonnade.schema.seeds", 300);
  private static final List<String> KEYSPACES = List.of("K", "L");
  private static final List<String> FAMILIES = List.of("F", "G");
  private static final List<String> DATACENTERS = List.of("DC1", "DC2", "DC3");
  private static final List<Set<String>> MASKS =
      List.of(
          Set.of(),
          Set.of(),
          Set.of("replica_placement_strategy", "datacenter_replicas", "replication_factor"),
          Set.of("datacenter_replicas"),
          Set.of("replication_factor"));

  /** Some nodes' schemas, and how many changes were accepted. */
  private static final class Run {
    private final Random random;
    private final SeededRandom ids;
    private final List<Schema> nodes = new ArrayList<>();
    private int accepted;

    Run(long seed) {
      random = new Random(seed);
      ids = new SeededRandom(seed);
      for (int node = 0; node < 3; node++) {
        nodes.add(Schema.empty(ComparatorResolver.builtIns()));
      }
    }

    void step() {
      int node = random.nextInt(nodes.size());
      if (random.nextInt(4) == 0) {
        hear(node, random.nextInt(nodes.size()));
        return;
      }
      try {
        // Few timestamps, so that many are equal.
        Schema before = nodes.get(node);
        Schema after = change(before, 10 + random.nextInt(20)).after();
        nodes.set(node, after);
        accepted += after == before ? 0 : 1;
      } catch (SchemaException refused) {
        // The change was not valid there.
      }
    }

    void hear(int node, int from) {
      nodes.set(node, merged(nodes.get(node), nodes.get(from)));
    }

    private SchemaChange change(Schema schema, long micros) throws SchemaException {
      String keyspace = pick(KEYSPACES);
      FamilyDefinition family = FamilyDefinition.of(keyspace, pick(FAMILIES));
      return switch (random.nextInt(11)) {
        case 0 -> schema.createKeyspace(keyspace(keyspace).withFamily(family), ids, micros);
        case 1, 2, 3 -> schema.updateKeyspace(keyspace(keyspace), pick(MASKS), micros);
        case 4 -> schema.dropKeyspace(keyspace, micros);
        case 5 -> schema.createFamily(family, ids, micros);
        case 6, 7, 8 -> schema.updateFamily(options(family), Set.of(), micros);
        case 9 -> schema.dropFamily(keyspace, family.name(), micros);
        default -> schema.createConfigured(keyspace(keyspace).withFamily(family));
      };
    }

    private KeyspaceDefinition keyspace(String name) {
      KeyspaceDefinition definition = KeyspaceDefinition.of(name);
      return switch (random.nextInt(4)) {
        case 0 -> definition.withReplicationFactor(1 + random.nextInt(4));
        case 1 -> definition.withStrategy("SimpleStrategy").withReplicationFactor(2);
        case 2 -> definition.withDatacenterReplicas(replicas());
        default ->
            definition.withStrategy("NetworkTopologyStrategy").withDatacenterReplicas(replicas());
      };
    }

    private Map<String, Integer> replicas() {
      Map<String, Integer> replicas = new TreeMap<>();
      for (String datacenter : DATACENTERS) {
        if (random.nextBoolean()) {
          replicas.put(datacenter, random.nextInt(10) == 0 ? 600 : random.nextInt(4));
        }
      }
      return replicas;
    }

    private FamilyDefinition options(FamilyDefinition family) {
      FamilyDefinition changed = family;
      if (random.nextBoolean()) {
        changed = changed.with(FamilyField.MIN_COMPACTION_THRESHOLD, random.nextInt(40));
      }
      if (random.nextBoolean()) {
        changed = changed.with(FamilyField.MAX_COMPACTION_THRESHOLD, random.nextInt(40));
      }
      return changed.with(FamilyField.COMMENT, "c" + random.nextInt(3));
    }

    private <T> T pick(List<T> of) {
      return of.get(random.nextInt(of.size()));
    }
  }

  private static Schema merged(Schema schema, Schema other) {
    List<String> refused = new ArrayList<>();
    Schema merged = schema.mergeAll(other.rows(), refused::add).after();
    assertEquals(List.of(), refused);
    return merged;
  }

  @Test
  void allHistoriesEndInOneSchemaThatCanBeChanged() throws SchemaException {
    int accepted = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Run run = new Run(seed);
      for (int step = 0; step < 60; step++) {
        run.step();
      }
      accepted += run.accepted;
      try {
        check(run);
      } catch (SchemaException | RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertEquals(true, accepted > SEEDS * 5, "accepted changes: " + accepted);
  }

  private static void check(Run run) throws SchemaException {
    Schema first = merged(merged(run.nodes.get(0), run.nodes.get(1)), run.nodes.get(2));
    Schema last = merged(run.nodes.get(2), merged(run.nodes.get(1), run.nodes.get(0)));
    Schema loaded = Schema.load(first.rows(), ComparatorResolver.builtIns());
    for (Schema other : List.of(last, loaded)) {
      assertEquals(first.version(), other.version());
      assertEquals(first.keyspaces(), other.keyspaces());
      assertEquals(first.setAside(), other.setAside());
    }
    for (Keyspace keyspace : first.keyspaces().values()) {
      if (!keyspace.isSystem()) {
        checkChangeable(first, keyspace);
      }
    }
  }

  private static void checkChangeable(Schema schema, Keyspace keyspace) throws SchemaException {
    KeyspaceDefinition same = KeyspaceDefinition.of(keyspace.name()).withDurableWrites(false);
    Keyspace changed =
        schema
            .updateKeyspace(same, Set.of("durable_writes"), 100)
            .after()
            .requireKeyspace(keyspace.name());
    assertEquals(keyspace.datacenterReplicas(), changed.datacenterReplicas());
    assertEquals(keyspace.replicationFactor(), changed.replicationFactor());
    assertEquals(keyspace.strategy(), changed.strategy());
    for (ColumnFamily family : keyspace.families().values()) {
      schema.updateFamily(
          FamilyDefinition.of(keyspace.name(), family.name()).with(FamilyField.COMMENT, "last"),
          Set.of(),
          100);
    }
  }
}
