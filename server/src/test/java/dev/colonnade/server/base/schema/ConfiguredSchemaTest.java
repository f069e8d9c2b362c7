package dev.colonnade.server.base.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.node.platform.SeededRandom;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keyspaces that each node of a cluster creates by itself from its configuration. */
class ConfiguredSchemaTest {

  private static final long NOW = 1_000_000_000L;

  private final Schema empty = Schema.empty(ComparatorResolver.builtIns());

  private static KeyspaceDefinition blog(String authorsSorted) {
    return KeyspaceDefinition.of("Blog")
        .withReplicationFactor(3)
        .withFamily(FamilyDefinition.standard("", "Authors", authorsSorted))
        .withFamily(FamilyDefinition.superFamily("Blog", "Comments", "TimeUUIDType", "BytesType"));
  }

  private Schema configured(Schema before, String authorsSorted) throws SchemaException {
    return before.createConfigured(blog(authorsSorted)).after();
  }

  private static FamilyId authors(Schema schema) throws SchemaException {
    return schema.requireFamily("Blog", "Authors").id();
  }

  private static Schema merged(Schema schema, Schema other) throws SchemaException {
    Schema both = schema;
    for (SchemaRow row : other.rows()) {
      both = both.merge(row);
    }
    return both;
  }

  @Test
  void nodesWithTheSameFileHaveTheSameSchema() throws SchemaException {
    Schema one = configured(empty, "BytesType");
    Schema two = configured(empty, "org.apache.cassandra.db.marshal.BytesType");
    assertEquals(one.version(), two.version());
    assertEquals(authors(one), authors(two));
    assertNotEquals(authors(one), one.requireFamily("Blog", "Comments").id());
    assertEquals(List.of(), merged(one, two).setAside());
  }

  @Test
  void filesThatSortNamesOtherwiseMeanAnotherFamily() throws SchemaException {
    Schema one = configured(empty, "BytesType");
    Schema two = configured(empty, "UTF8Type");
    assertNotEquals(authors(one), authors(two));
    assertEquals(merged(one, two).version(), merged(two, one).version());
    assertEquals(1, merged(one, two).setAside().size());
  }

  @Test
  void whatWasDroppedIsNotMadeAgainByAFile() throws SchemaException {
    Schema one = configured(empty, "BytesType");
    Schema dropped = one.dropKeyspace("Blog", NOW).after();
    assertSame(dropped, configured(dropped, "BytesType"));
    Schema late = configured(empty, "BytesType");
    assertEquals(dropped.version(), merged(late, dropped).version());
    assertEquals(dropped.version(), merged(dropped, late).version());
  }

  @Test
  void whatIsMadeAgainByAStatementIsAnotherFamily() throws SchemaException {
    Schema one = configured(empty, "BytesType");
    Schema again =
        one.dropKeyspace("Blog", NOW)
            .after()
            .createKeyspace(blog("BytesType"), new SeededRandom(7), NOW)
            .after();
    assertNotEquals(authors(one), authors(again));
    Schema late = configured(empty, "BytesType");
    assertEquals(authors(again), authors(merged(late, again)));
    assertEquals(List.of(), merged(late, again).setAside());
  }

  @Test
  void aNewNodesFileDoesNotTakeTheNameFromAFamilyWithData() throws SchemaException {
    Schema made = empty.createKeyspace(blog("BytesType"), new SeededRandom(7), NOW).after();
    Schema late = configured(empty, "BytesType");
    assertEquals(authors(made), authors(merged(late, made)));
    assertEquals(authors(made), authors(merged(made, late)));
    assertSame(made, configured(made, "BytesType"));
  }
}
