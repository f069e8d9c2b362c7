package dev.colonnade.server.base.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.SchemaException.SchemaErrorKind;
import dev.colonnade.server.node.platform.SeededRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaTest {

  private static final long NOW = 1_000_000_000L;

  private final RandomSource random = new SeededRandom(7);
  private final Schema empty = Schema.empty(ComparatorResolver.builtIns());

  private Schema blog() throws SchemaException {
    KeyspaceDefinition definition =
        KeyspaceDefinition.of("Blog")
            .withFamily(FamilyDefinition.standard("", "Authors", "BytesType"))
            .withFamily(
                FamilyDefinition.superFamily("Blog", "Comments", "TimeUUIDType", "BytesType"));
    return empty.createKeyspace(definition, random, NOW).after();
  }

  private static SchemaException refused(SchemaErrorKind kind, String field, Executable change) {
    SchemaException refusal = assertThrows(SchemaException.class, change);
    assertEquals(kind, refusal.kind(), refusal.getMessage());
    assertEquals(field, refusal.field(), refusal.getMessage());
    return refusal;
  }

  @Test
  void theSystemKeyspaceIsAlwaysThere() {
    Keyspace system = empty.keyspace("system").orElseThrow();
    assertTrue(system.isSystem());
    assertEquals(
        Set.of("Accounts", "Local", "Peers", "Repairs", "Schema"), system.families().keySet());
    assertEquals(SystemKeyspace.SCHEMA, empty.family(SystemKeyspace.SCHEMA.id()).orElseThrow());
  }

  @Test
  void whatIsLeftOutTakesItsDefault() throws SchemaException {
    Keyspace blog = blog().requireKeyspace("Blog");
    assertEquals(PlacementStrategy.SIMPLE, blog.strategy());
    assertEquals(1, blog.replicationFactor());
    assertTrue(blog.durableWrites());
    ColumnFamily authors = blog.family("Authors").orElseThrow();
    assertEquals(FamilyOptions.DEFAULT, authors.options());
    assertFalse(authors.isSuper());
    ColumnFamily comments = blog.family("Comments").orElseThrow();
    assertTrue(comments.isSuper());
    assertEquals("TimeUUIDType", comments.compareWith().typeName());
    assertEquals("BytesType", comments.compareSubcolumnsWith().orElseThrow().typeName());
  }

  @Test
  void aSuperFamilyWithoutSubcomparatorHasBytes() throws SchemaException {
    FamilyDefinition tags = FamilyDefinition.of("Blog", "Tags").withColumnType(ColumnType.SUPER);
    Schema after = blog().createFamily(tags, random, NOW).after();
    ColumnFamily made = after.requireFamily("Blog", "Tags");
    assertEquals("BytesType", made.compareSubcolumnsWith().orElseThrow().typeName());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a-b", "a b", "a.b", "ä", "a/b", "..", "x\n"})
  void namesOfKeyspacesAreLettersDigitsAndUnderscores(String name) throws SchemaException {
    Schema blog = blog();
    refused(
        SchemaErrorKind.INVALID,
        "keyspace.name",
        () -> blog.createKeyspace(KeyspaceDefinition.of(name), random, NOW));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a-b", "a  b", "a.b", "ä", "a/b", "..", "'", "\"", "\\", "日本語", "😀", "🏳", "-", "$"
      })
  void namesOfFamiliesAreAnythingThatCanBeSeen(String name) throws SchemaException {
    Schema after = blog().createFamily(FamilyDefinition.of("Blog", name), random, NOW).after();
    assertEquals(name, after.requireFamily("Blog", name).name());
    refused(
        SchemaErrorKind.COLUMN_FAMILY_EXISTS,
        "column_family.name",
        () -> after.createFamily(FamilyDefinition.of("Blog", name), random, NOW));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        " a",
        "a ",
        "x\n",
        "a\tb",
        "a\u0000",
        "\u001b[31m",
        "a\u200bb",
        "\u202eabc",
        "a\u00a0b",
        "a\u2028b",
        "\ud800",
        "\u0085"
      })
  void namesOfFamiliesWithWhatCannotBeSeenAreRefused(String name) throws SchemaException {
    Schema blog = blog();
    refused(
        SchemaErrorKind.INVALID,
        "column_family.name",
        () -> blog.createFamily(FamilyDefinition.of("Blog", name), random, NOW));
  }

  @Test
  void namesHaveAtMost48Characters() throws SchemaException {
    empty.createKeyspace(KeyspaceDefinition.of("a".repeat(48)), random, NOW);
    refused(
        SchemaErrorKind.INVALID,
        "keyspace.name",
        () -> empty.createKeyspace(KeyspaceDefinition.of("a".repeat(49)), random, NOW));
  }

  @Test
  void namesOfFamiliesHaveAtMost128Characters() throws SchemaException {
    Schema blog = blog();
    blog.createFamily(FamilyDefinition.of("Blog", "ä".repeat(128)), random, NOW);
    refused(
        SchemaErrorKind.INVALID,
        "column_family.name",
        () -> blog.createFamily(FamilyDefinition.of("Blog", "ä".repeat(129)), random, NOW));
  }

  @Test
  void namesThatExistAreRefused() throws SchemaException {
    Schema blog = blog();
    refused(
        SchemaErrorKind.KEYSPACE_EXISTS,
        "keyspace.name",
        () -> blog.createKeyspace(KeyspaceDefinition.of("Blog"), random, NOW));
    refused(
        SchemaErrorKind.COLUMN_FAMILY_EXISTS,
        "column_family.name",
        () -> blog.createFamily(FamilyDefinition.of("Blog", "Authors"), random, NOW));
    blog.createKeyspace(KeyspaceDefinition.of("blog"), random, NOW);
    KeyspaceDefinition twice =
        KeyspaceDefinition.of("K")
            .withFamily(FamilyDefinition.of("", "F"))
            .withFamily(FamilyDefinition.of("", "F"));
    refused(
        SchemaErrorKind.INVALID,
        "keyspace.column_families[1].name",
        () -> blog.createKeyspace(twice, random, NOW));
  }

  @Test
  void whatDoesNotExistCannotBeChanged() throws SchemaException {
    Schema blog = blog();
    refused(SchemaErrorKind.KEYSPACE_NOT_FOUND, "name", () -> blog.dropKeyspace("blog", NOW));
    refused(
        SchemaErrorKind.COLUMN_FAMILY_NOT_FOUND,
        "name",
        () -> blog.dropFamily("Blog", "authors", NOW));
    refused(
        SchemaErrorKind.KEYSPACE_NOT_FOUND,
        "column_family.keyspace",
        () -> blog.createFamily(FamilyDefinition.of("No", "F"), random, NOW));
    refused(
        SchemaErrorKind.COLUMN_FAMILY_NOT_FOUND,
        "column_family",
        () -> blog.requireFamily("Blog", "No"));
    refused(SchemaErrorKind.KEYSPACE_NOT_FOUND, "keyspace", () -> blog.requireFamily("No", "No"));
  }

  @Test
  void theSystemKeyspaceCannotBeChanged() {
    refused(
        SchemaErrorKind.KEYSPACE_EXISTS,
        "keyspace.name",
        () -> empty.createKeyspace(KeyspaceDefinition.of("system"), random, NOW));
    refused(
        SchemaErrorKind.INVALID,
        "keyspace.name",
        () -> empty.createKeyspace(KeyspaceDefinition.of("System"), random, NOW));
    refused(
        SchemaErrorKind.SYSTEM_KEYSPACE_READ_ONLY, "name", () -> empty.dropKeyspace("system", NOW));
    refused(
        SchemaErrorKind.SYSTEM_KEYSPACE_READ_ONLY,
        "column_family.keyspace",
        () -> empty.createFamily(FamilyDefinition.of("system", "F"), random, NOW));
    refused(
        SchemaErrorKind.SYSTEM_KEYSPACE_READ_ONLY,
        "keyspace",
        () -> empty.dropFamily("system", "Local", NOW));
  }

  @ParameterizedTest
  @CsvSource({
    "COMPARE_WITH, NoSuchType",
    "COMPARE_WITH, longtype",
    "COMPARE_WITH, com.example.Missing",
    "COMPARE_SUBCOLUMNS_WITH, BytesType",
    "COLUMN_TYPE, Simple",
    "KEYS_CACHED, -1",
    "KEYS_CACHED, 101%",
    "ROWS_CACHED, many",
    "READ_REPAIR_CHANCE, 1.1",
    "READ_REPAIR_CHANCE, NaN",
    "GC_GRACE, -1",
    "GC_GRACE, 0.5",
    "MIN_COMPACTION_THRESHOLD, 1",
    "MIN_COMPACTION_THRESHOLD, 33",
    "MEMTABLE_THROUGHPUT, 0",
    "MEMTABLE_MAX_OPERATIONS, -1",
    "MEMTABLE_FLUSH_AFTER, 0",
    "DEFAULT_TTL, -1",
    "DEFAULT_TTL, 999999999",
  })
  void valuesThatBreakARuleAreRefusedNamingTheField(FamilyField field, String value)
      throws SchemaException {
    Schema blog = blog();
    FamilyDefinition definition = FamilyDefinition.of("Blog", "F").with(field, value);
    refused(
        SchemaErrorKind.INVALID,
        "column_family." + field.path(),
        () -> blog.createFamily(definition, random, NOW));
  }

  @ParameterizedTest
  @CsvSource({
    "200000, 200000, 1000, 200000",
    "0, 0, 1000, 0",
    "0.5, 50%, 1000, 500",
    "12.5%, 12.5%, 1000, 125",
    "100%, 100%, 1000, 1000",
    "1, 1, 1000, 1",
    "1.0, 1, 1000, 1",
  })
  void cacheSizesAreNumbersSharesOrPercentages(
      String text, String shown, long available, long entries) {
    CacheSize size = CacheSize.parse(text).orElseThrow();
    assertEquals(shown, size.toString());
    assertEquals(entries, size.entries(available));
    assertEquals(size, CacheSize.parse(shown).orElseThrow());
  }

  @Test
  void strategiesHaveOldNames() throws SchemaException {
    for (String name :
        List.of("RackAwareStrategy", "org.apache.cassandra.locator.RackAwareStrategy")) {
      KeyspaceDefinition definition =
          KeyspaceDefinition.of("K").withStrategy(name).withReplicationFactor(3);
      Keyspace made = empty.createKeyspace(definition, random, NOW).after().requireKeyspace("K");
      assertEquals("OldNetworkTopologyStrategy", made.strategy().shortName());
      assertEquals(3, made.replicationFactor());
    }
  }

  @Test
  void placementsThatContradictThemselvesAreRefused() {
    KeyspaceDefinition k = KeyspaceDefinition.of("K");
    KeyspaceDefinition topology = k.withStrategy("NetworkTopologyStrategy");
    Map<String, KeyspaceDefinition> wrong =
        Map.of(
            "replica_placement_strategy", k.withStrategy("LocalStrategy"),
            "replication_factor", k.withReplicationFactor(-1),
            "datacenter_replicas", k.withDatacenterReplicas(Map.of("dc1", 1)));
    wrong.forEach(
        (field, definition) ->
            refused(
                SchemaErrorKind.INVALID,
                "keyspace." + field,
                () -> empty.createKeyspace(definition, random, NOW)));
    for (Map<String, Integer> replicas :
        List.of(Map.<String, Integer>of(), Map.of("dc1", -1), Map.of("a b", 1))) {
      refused(
          SchemaErrorKind.INVALID,
          "keyspace.datacenter_replicas",
          () -> empty.createKeyspace(topology.withDatacenterReplicas(replicas), random, NOW));
    }
    refused(
        SchemaErrorKind.INVALID,
        "keyspace.replication_factor",
        () ->
            empty.createKeyspace(
                topology.withDatacenterReplicas(Map.of("dc1", 2)).withReplicationFactor(3),
                random,
                NOW));
  }

  @Test
  void anUpdateWithoutMaskChangesWhatIsGiven() throws SchemaException {
    Schema before = blog();
    ColumnFamily authors = before.requireFamily("Blog", "Authors");
    FamilyDefinition wanted =
        FamilyDefinition.standard("Blog", "Authors", "org.apache.cassandra.db.marshal.BytesType")
            .with(FamilyField.GC_GRACE, Duration.ofHours(1))
            .with(FamilyField.COMMENT, "who writes");
    ColumnFamily after =
        before.updateFamily(wanted, Set.of(), NOW).after().requireFamily("Blog", "Authors");
    assertEquals(3600, after.options().gcGraceSeconds());
    assertEquals("who writes", after.options().comment());
    assertEquals(authors.id(), after.id());
  }

  @Test
  void anUpdateWithMaskChangesOnlyThatAndResetsWhatIsNotGiven() throws SchemaException {
    FamilyDefinition first =
        FamilyDefinition.of("Blog", "Posts")
            .with(FamilyField.COMMENT, "one")
            .with(FamilyField.MEMTABLE_MAX_OPERATIONS, 128)
            .with(FamilyField.GC_GRACE, 60);
    Schema before = blog().createFamily(first, random, NOW).after();
    FamilyDefinition wanted =
        FamilyDefinition.of("Blog", "Posts")
            .with(FamilyField.COMMENT, "two")
            .with(FamilyField.GC_GRACE, 90);
    FamilyOptions options =
        before
            .updateFamily(wanted, Set.of("comment", "memtable"), NOW)
            .after()
            .requireFamily("Blog", "Posts")
            .options();
    assertEquals("two", options.comment());
    assertEquals(MemtableLimits.DEFAULT, options.memtable());
    assertEquals(60, options.gcGraceSeconds());
  }

  @ParameterizedTest
  @ValueSource(strings = {"name", "keyspace", "id", "gc_grace.seconds", ""})
  void masksNameOnlyWhatCanChange(String path) throws SchemaException {
    Schema blog = blog();
    refused(
        SchemaErrorKind.INVALID,
        "update_mask",
        () -> blog.updateFamily(FamilyDefinition.of("Blog", "Authors"), Set.of(path), NOW));
    refused(
        SchemaErrorKind.INVALID,
        "update_mask",
        () -> blog.updateKeyspace(KeyspaceDefinition.of("Blog"), Set.of("column_families"), NOW));
  }

  @Test
  void comparatorsAndTypeCannotChange() throws SchemaException {
    Schema blog = blog();
    refused(
        SchemaErrorKind.COMPARATOR_CANNOT_CHANGE,
        "column_family.compare_with",
        () ->
            blog.updateFamily(
                FamilyDefinition.standard("Blog", "Authors", "UTF8Type"), Set.of(), NOW));
    refused(
        SchemaErrorKind.COMPARATOR_CANNOT_CHANGE,
        "column_family.column_type",
        () ->
            blog.updateFamily(
                FamilyDefinition.of("Blog", "Authors").withColumnType(ColumnType.SUPER),
                Set.of(),
                NOW));
    refused(
        SchemaErrorKind.COMPARATOR_CANNOT_CHANGE,
        "column_family.compare_subcolumns_with",
        () ->
            blog.updateFamily(
                FamilyDefinition.superFamily("Blog", "Comments", "TimeUUIDType", "LongType"),
                Set.of("compare_subcolumns_with"),
                NOW));
  }

  @Test
  void updatingAKeyspaceKeepsWhatIsNotNamed() throws SchemaException {
    Schema one =
        blog()
            .updateKeyspace(
                KeyspaceDefinition.of("Blog").withReplicationFactor(3).withDurableWrites(false),
                Set.of(),
                NOW)
            .after();
    assertEquals(3, one.requireKeyspace("Blog").replicationFactor());
    assertEquals(2, one.requireKeyspace("Blog").families().size());
    Schema two =
        one.updateKeyspace(
                KeyspaceDefinition.of("Blog").withReplicationFactor(5),
                Set.of("durable_writes"),
                NOW)
            .after();
    assertEquals(3, two.requireKeyspace("Blog").replicationFactor());
    assertTrue(two.requireKeyspace("Blog").durableWrites());
    KeyspaceDefinition topology =
        KeyspaceDefinition.of("Blog")
            .withStrategy("NetworkTopologyStrategy")
            .withDatacenterReplicas(Map.of("dc1", 2, "dc2", 2));
    Keyspace three = two.updateKeyspace(topology, Set.of(), NOW).after().requireKeyspace("Blog");
    assertEquals(4, three.replicationFactor());
    assertEquals(Map.of("dc1", 2, "dc2", 2), three.datacenterReplicas());
    refused(
        SchemaErrorKind.INVALID,
        "keyspace.column_families",
        () ->
            two.updateKeyspace(
                KeyspaceDefinition.of("Blog").withFamily(FamilyDefinition.of("", "F")),
                Set.of(),
                NOW));
  }

  @Test
  void aFamilyMadeAgainHasAnotherIdentity() throws SchemaException {
    Schema before = blog();
    FamilyId id = before.requireFamily("Blog", "Authors").id();
    Schema dropped = before.dropFamily("Blog", "Authors", NOW).after();
    assertTrue(dropped.family(id).isEmpty());
    Schema again =
        dropped.createFamily(FamilyDefinition.of("Blog", "Authors"), random, NOW).after();
    assertNotEquals(id, again.requireFamily("Blog", "Authors").id());
  }

  @Test
  void anUpdateThatChangesNothingWritesNothing() throws SchemaException {
    Schema before = blog();
    SchemaChange change =
        before.updateFamily(
            FamilyDefinition.standard("Blog", "Authors", "BytesType"), Set.of(), NOW);
    assertTrue(change.isEmpty());
    assertEquals(before.version(), change.after().version());
  }
}
