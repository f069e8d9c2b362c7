package dev.colonnade.connectors.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.sources.EqualNullSafe;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.GreaterThanOrEqual;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.sources.IsNotNull;
import org.apache.spark.sql.sources.LessThan;
import org.apache.spark.sql.sources.LessThanOrEqual;
import org.apache.spark.sql.sources.Or;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

/** What is pushed to nodes, and what is left to Spark; without any of both. */
final class PushedFiltersTest {

  private static final Settings SETTINGS =
      new Settings(Map.of("contact_points", "h:1", "keyspace", "K", "family", "F"));
  private static final String CELLS = "key string, name string, value string, timestamp bigint";

  private static FamilyTypes types(String comparator, WireType name) {
    return new FamilyTypes(
        false, comparator, WireType.TEXT, WireType.BYTES, name, WireType.BYTES, new TreeMap<>());
  }

  private static PushedFilters push(FamilyTypes types, String schema, Filter... filters) {
    return new PushedFilters(
        Fields.of(StructType.fromDDL(schema), SETTINGS, types), types, filters);
  }

  private static PushedFilters cells(Filter... filters) {
    return push(types("UTF8Type", WireType.TEXT), CELLS, filters);
  }

  private static List<String> keys(PushedFilters filters) {
    List<byte[]> keys = filters.keys();
    return keys == null ? List.of("all") : keys.stream().map(Bytes::show).toList();
  }

  @Test
  void equalKeysAreReadAloneAndOnlyThoseThatAllFiltersAllow() {
    PushedFilters both =
        cells(
            new In("key", new Object[] {"a", "b", null, "a", ""}),
            new EqualNullSafe("key", "b"),
            new IsNotNull("key"));
    assertEquals(List.of("b"), keys(both));
    assertEquals(List.of(), both.residual());
    assertEquals(3, both.pushed().size());
    assertEquals(List.of(), keys(cells(new EqualTo("key", ""))));
    assertEquals(List.of(), keys(cells(new EqualTo("key", "x".repeat(70_000)))));
  }

  @Test
  void namesAreAnIntervalOrAListAndNotBoth() {
    PushedFilters interval = cells(new GreaterThan("name", "b"), new LessThanOrEqual("name", "d"));
    assertEquals(", after b, to d", interval.selection().toString());
    assertEquals(List.of(), interval.residual());
    Filter more = new GreaterThanOrEqual("name", "b");
    PushedFilters list = cells(more, new In("name", new Object[] {"a", "c"}));
    assertEquals(", names [a, c]", list.selection().toString());
    assertEquals(List.of(more), list.residual());
    Filter second = new GreaterThan("name", "a");
    PushedFilters twice = cells(more, second);
    assertEquals(", from b", twice.selection().toString());
    assertEquals(List.of(second), twice.residual());
  }

  @Test
  void whatANodeCannotAnswerExactlyIsLeft() {
    assertLeft(cells(new LessThan("name", "")), new LessThan("name", ""));
    assertLeft(cells(new EqualTo("value", "x")), new EqualTo("value", "x"));
    Filter or = new Or(new EqualTo("key", "a"), new EqualTo("name", "b"));
    assertLeft(cells(or), or);
    Filter since = new GreaterThan("timestamp", 5L);
    PushedFilters timed = cells(since, new GreaterThanOrEqual("timestamp", 3L));
    assertEquals(", since 5", timed.selection().toString());
    assertEquals(2, timed.residual().size());
    // The order of the comparator is not that of Spark, or it takes no such bytes.
    Filter more = new GreaterThan("name", "x");
    assertLeft(push(types("LexicalUUIDType", WireType.LEXICAL_UUID), CELLS, more), more);
    Filter other = new EqualTo("name", "550E8400-E29B-41D4-A716-446655440000");
    assertLeft(push(types("LexicalUUIDType", WireType.LEXICAL_UUID), CELLS, other), other);
    Filter umlaut = new EqualTo("name", "ä");
    assertLeft(push(types("AsciiType", WireType.TEXT), CELLS, umlaut), umlaut);
    assertLeft(push(types("IntegerType", WireType.BYTES), CELLS, more), more);
  }

  private static void assertLeft(PushedFilters filters, Filter left) {
    assertEquals(List.of(left), filters.residual());
    assertEquals("", filters.selection().toString());
    assertNull(filters.keys());
  }

  @Test
  void aColumnThatHasToBeThereIsTheOnlyOneThatIsAskedFor() {
    FamilyTypes types = types("UTF8Type", WireType.TEXT);
    Fields table = Fields.of(StructType.fromDDL("key string, a string, b bigint"), SETTINGS, types);
    Fields wanted = table.pruned(StructType.fromDDL("b bigint"));
    assertEquals(
        ", names [b, a]",
        ReadPlan.of(SETTINGS, types, table, wanted, null, 0).selection().toString());
    PushedFilters there =
        new PushedFilters(table, types, new Filter[] {new IsNotNull("b"), new EqualTo("b", 3L)});
    assertEquals(Set.of("b"), there.present());
    assertEquals(List.of(new EqualTo("b", 3L)), there.residual());
    assertEquals(
        ", names [b]",
        ReadPlan.of(SETTINGS, types, table, wanted, there, 0).selection().toString());
  }

  @Test
  void theFieldsOfASchemaDecideWhatARowIs() {
    FamilyTypes types = types("UTF8Type", WireType.TEXT);
    assertEquals(true, Fields.of(StructType.fromDDL(CELLS), SETTINGS, types).isCells());
    assertEquals(
        false,
        Fields.of(StructType.fromDDL("key string, name string, age bigint"), SETTINGS, types)
            .isCells());
    Settings columns =
        new Settings(
            Map.of("contact_points", "h:1", "keyspace", "K", "family", "F", "mapping", "columns"));
    assertEquals(false, Fields.of(StructType.fromDDL(CELLS), columns, types).isCells());
    assertThrows(
        IllegalArgumentException.class,
        () -> new Settings(Map.of("contact_points", "h:1", "keyspace", "K")));
    assertThrows(
        IllegalArgumentException.class, () -> new Settings(Map.of("keyspace", "K", "family", "F")));
  }
}
