package dev.colonnade.server.base.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two concurrent changes, each valid, that cannot both take full effect. */
class CollisionsTest {

  private static final Set<String> ALL_FIELDS = Set.of();

  private final RandomSource random = new SeededRandom(3);
  private final Schema empty = Schema.empty(ComparatorResolver.builtIns());

  private interface Change {
    SchemaChange of(Schema schema) throws SchemaException;
  }

  private Schema keyspace(KeyspaceDefinition definition) throws SchemaException {
    return empty.createKeyspace(definition, random, 10).after();
  }

  private static KeyspaceDefinition named() {
    return KeyspaceDefinition.of("K");
  }

  private static KeyspaceDefinition network(Map<String, Integer> replicas) {
    return named().withStrategy("NetworkTopologyStrategy").withDatacenterReplicas(replicas);
  }

  /** The result on both nodes of two changes to the same schema. */
  private static Schema merged(Schema before, Change one, Change other) throws SchemaException {
    SchemaChange first = one.of(before);
    SchemaChange second = other.of(before);
    Schema here = mergeAll(first.after(), second.rows());
    Schema there = mergeAll(second.after(), first.rows());
    assertEquals(here.version(), there.version());
    assertEquals(here.keyspaces(), there.keyspaces());
    assertEquals(here.keyspaces(), Schema.load(here.rows(), here.types()).keyspaces());
    return here;
  }

  private static Schema mergeAll(Schema schema, List<SchemaRow> rows) {
    List<String> refused = new ArrayList<>();
    Schema merged = schema.mergeAll(rows, refused::add).after();
    assertEquals(List.of(), refused);
    return merged;
  }

  private static Change update(KeyspaceDefinition definition, Set<String> mask, long micros) {
    return schema -> schema.updateKeyspace(definition, mask, micros);
  }

  private static Change thresholds(int least, int most, long micros) {
    return schema ->
        schema.updateFamily(
            FamilyDefinition.of("K", "F")
                .with(FamilyField.MIN_COMPACTION_THRESHOLD, least)
                .with(FamilyField.MAX_COMPACTION_THRESHOLD, most),
            ALL_FIELDS,
            micros);
  }

  private static Change option(FamilyField field, int value, long micros) {
    return schema ->
        schema.updateFamily(FamilyDefinition.of("K", "F").with(field, value), ALL_FIELDS, micros);
  }

  @Test
  void theStrategyDecidesWhetherDatacentersOrTheFactorCount() throws SchemaException {
    Schema simple = keyspace(named().withReplicationFactor(3));
    Change toNetwork = update(network(Map.of("DC1", 2)), ALL_FIELDS, 20);
    Change factor = update(named().withReplicationFactor(5), ALL_FIELDS, 21);
    Keyspace network = merged(simple, toNetwork, factor).requireKeyspace("K");
    assertEquals(PlacementStrategy.NETWORK_TOPOLOGY, network.strategy());
    assertEquals(Map.of("DC1", 2), network.datacenterReplicas());
    assertEquals(2, network.replicationFactor());

    Schema placed = keyspace(network(Map.of("DC1", 2)));
    Change toSimple =
        update(
            named().withStrategy("SimpleStrategy").withReplicationFactor(2),
            Set.of("replica_placement_strategy", "replication_factor", "datacenter_replicas"),
            20);
    Change more =
        update(named().withDatacenterReplicas(Map.of("DC1", 2, "DC2", 3)), ALL_FIELDS, 21);
    Schema both = merged(placed, toSimple, more);
    Keyspace simpleAgain = both.requireKeyspace("K");
    assertEquals(PlacementStrategy.SIMPLE, simpleAgain.strategy());
    assertEquals(2, simpleAgain.replicationFactor());
    assertEquals(Map.of(), simpleAgain.datacenterReplicas());
    // Fields without effect do not get in the way.
    assertEquals(
        4,
        both.updateKeyspace(named().withReplicationFactor(4), ALL_FIELDS, 30)
            .after()
            .requireKeyspace("K")
            .replicationFactor());
  }

  @Test
  void twoDatacentersOfTwoChangesBothCountAndTheFactorIsTheirSum() throws SchemaException {
    Schema placed = keyspace(network(Map.of("DC1", 2)));
    Change second =
        update(
            named().withReplicationFactor(4).withDatacenterReplicas(Map.of("DC1", 2, "DC2", 2)),
            ALL_FIELDS,
            20);
    Change third =
        update(
            named().withReplicationFactor(5).withDatacenterReplicas(Map.of("DC1", 2, "DC3", 3)),
            ALL_FIELDS,
            21);
    Keyspace keyspace = merged(placed, second, third).requireKeyspace("K");
    assertEquals(Map.of("DC1", 2, "DC2", 2, "DC3", 3), keyspace.datacenterReplicas());
    assertEquals(7, keyspace.replicationFactor());
  }

  @Test
  void ofDatacentersThatAreAllTakenOutTheLastKeepsItsReplicas() throws SchemaException {
    Schema placed = keyspace(network(Map.of("DC1", 2, "DC2", 3)));
    Change withoutFirst = update(named().withDatacenterReplicas(Map.of("DC2", 3)), ALL_FIELDS, 20);
    Change withoutSecond =
        update(named().withDatacenterReplicas(Map.of("DC1", 2, "DC2", 0)), ALL_FIELDS, 21);
    Schema both = merged(placed, withoutFirst, withoutSecond);
    assertEquals(Map.of("DC2", 3), both.requireKeyspace("K").datacenterReplicas());
    Schema after = both.updateKeyspace(named().withDurableWrites(false), ALL_FIELDS, 30).after();
    assertEquals(Map.of("DC2", 3), after.requireKeyspace("K").datacenterReplicas());
  }

  @Test
  void replicasBeyondTheLimitAreTakenFromThoseSetLast() throws SchemaException {
    Schema placed = keyspace(network(Map.of("DC1", 600)));
    Change second =
        update(named().withDatacenterReplicas(Map.of("DC1", 600, "DC2", 300)), ALL_FIELDS, 20);
    Change third =
        update(named().withDatacenterReplicas(Map.of("DC1", 600, "DC3", 400)), ALL_FIELDS, 21);
    assertEquals(
        Map.of("DC1", 600, "DC2", 300, "DC3", 100),
        merged(placed, second, third).requireKeyspace("K").datacenterReplicas());
  }

  @Test
  void aMinimumAboveTheMaximumIsLoweredToIt() throws SchemaException {
    Schema schema = keyspace(named().withFamily(FamilyDefinition.of("", "F")));
    Schema both =
        merged(
            schema,
            option(FamilyField.MIN_COMPACTION_THRESHOLD, 20, 20),
            option(FamilyField.MAX_COMPACTION_THRESHOLD, 10, 21));
    FamilyOptions options = both.requireFamily("K", "F").options();
    assertEquals(10, options.minCompactionThreshold());
    assertEquals(10, options.maxCompactionThreshold());
    // The next change starts from what was seen, not from what is stored.
    Schema raised = option(FamilyField.MAX_COMPACTION_THRESHOLD, 30, 30).of(both).after();
    assertEquals(10, raised.requireFamily("K", "F").options().minCompactionThreshold());
  }

  @Test
  void compactionThatOneChangeSwitchesOffIsOff() throws SchemaException {
    Schema schema = keyspace(named().withFamily(FamilyDefinition.of("", "F")));
    Schema both =
        merged(schema, thresholds(0, 0, 20), option(FamilyField.MAX_COMPACTION_THRESHOLD, 64, 21));
    FamilyOptions options = both.requireFamily("K", "F").options();
    assertEquals(0, options.minCompactionThreshold());
    assertEquals(0, options.maxCompactionThreshold());
  }

  @Test
  void aKeyspaceMadeAgainHasNothingOfWhatWasWrittenToTheDroppedOne() throws SchemaException {
    Schema schema = keyspace(named().withReplicationFactor(2));
    Schema both =
        merged(
            schema,
            before -> before.dropKeyspace("K", 20),
            before -> before.createFamily(FamilyDefinition.of("K", "Late"), random, 21));
    assertTrue(both.keyspace("K").isEmpty());
    Schema again = both.createKeyspace(named(), random, 22).after();
    assertEquals(Map.of(), again.requireKeyspace("K").families());
  }

  @Test
  void aRowThatCannotBeUnderstoodStopsNoOther() throws SchemaException {
    ComparatorResolver partial =
        name -> {
          if (name.startsWith("com.example.")) {
            throw new PlugInException("no class " + name);
          }
          return ComparatorResolver.builtIns().resolve(name);
        };
    Schema elsewhere =
        Schema.empty(
            name -> ComparatorResolver.builtIns().resolve(name.replace("com.example.", "")));
    List<SchemaRow> rows = new ArrayList<>();
    for (String name : List.of("A", "B", "C")) {
      String comparator = name.equals("B") ? "com.example.UTF8Type" : "UTF8Type";
      FamilyDefinition family = FamilyDefinition.standard("", "F", comparator);
      SchemaChange change =
          elsewhere.createKeyspace(KeyspaceDefinition.of(name).withFamily(family), random, 10);
      rows.addAll(change.rows());
    }
    assertEquals(3, rows.size());
    SchemaRow bad =
        new SchemaRow(
            "B",
            rows.get(1).deletion(),
            rows.get(1).cells().stream()
                .map(
                    cell ->
                        SchemaRow.text(cell.name()).equals("compare_with")
                            ? dev.colonnade.server.base.model.Cell.live(
                                cell.top(),
                                cell.sub(),
                                SchemaRow.bytes("com.example.Gone"),
                                cell.timestamp())
                            : cell)
                .toList());
    List<String> refused = new ArrayList<>();
    SchemaChange change =
        Schema.empty(partial).mergeAll(List.of(rows.get(0), bad, rows.get(2)), refused::add);
    assertEquals(List.of("A", "C", "system"), List.copyOf(change.after().keyspaces().keySet()));
    assertEquals(1, refused.size());
    assertTrue(refused.get(0).contains("\"B\"") && refused.get(0).contains("com.example.Gone"));
  }
}
