package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.UpdateColumnFamilyRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class DefinitionsTest {

  @Test
  void everySettingOfTheContractCanBeSetAndRead() {
    ColumnFamilyDefinition family =
        ColumnFamilyDefinition.superFamily("F", Comparators.TIME_UUID, Comparators.UTF8)
            .withComment("text")
            .withKeysCached("10%")
            .withRowsCached("100")
            .withReadRepairChance(0.25)
            .withGcGrace(Duration.ofDays(2))
            .withDefaultTtl(Duration.ofHours(1))
            .withCompactionThresholds(3, 9)
            .withMemtableThroughputMebibytes(16)
            .withMemtableOperations(1_000)
            .withMemtableFlushAfter(Duration.ofMinutes(5))
            .withKeyType("UTF8Type")
            .withValueType("LongType")
            .withAnalyzer("english")
            .withColumnValueType(new byte[] {0, -1}, "Int32Type")
            .withColumnValueType(new byte[] {'a'}, "UTF8Type");
    ColumnFamilyDef message = family.in("K");
    assertEquals(ColumnFamilyDef.getDescriptor().getFields().size(), message.getAllFields().size());
    assertEquals(3, message.getMemtable().getAllFields().size());
    assertEquals(0.25, family.readRepairChance().orElseThrow());
    assertEquals(16, family.memtableThroughputMebibytes().orElseThrow());
    assertEquals(1_000, family.memtableOperations().orElseThrow());
    assertEquals(Optional.of(Duration.ofMinutes(5)), family.memtableFlushAfter());
    assertEquals(Optional.of("UTF8Type"), family.keyType());
    assertEquals(Optional.of("LongType"), family.valueType());
    assertEquals(Optional.of("english"), family.analyzer());
    assertEquals(
        Map.of(
            ByteBuffer.wrap(new byte[] {0, -1}),
            "Int32Type",
            ByteBuffer.wrap(new byte[] {'a'}),
            "UTF8Type"),
        family.columnValueTypes());
    assertEquals(family, ColumnFamilyDefinition.of(message));
  }

  @Test
  void aFamilyThatExistsMustHaveTheSameTypeAndComparators() {
    ColumnFamilyDefinition family = ColumnFamilyDefinition.standard("F", Comparators.LONG);
    family.requireSameNames(family.withComment("other settings do not count"));
    family.requireSameNames(
        ColumnFamilyDefinition.standard("F", "org.apache.cassandra.db.marshal.LongType"));
    ColumnFamilyDefinition.standard("F", "")
        .requireSameNames(ColumnFamilyDefinition.standard("F", Comparators.BYTES));
    for (ColumnFamilyDefinition other :
        List.of(
            ColumnFamilyDefinition.standard("F", Comparators.UTF8),
            ColumnFamilyDefinition.superFamily("F", Comparators.LONG, Comparators.BYTES))) {
      IllegalStateException refusal =
          assertThrows(IllegalStateException.class, () -> family.requireSameNames(other));
      assertEquals(
          "the family F exists as " + words(other) + ", and not as Standard with LongType",
          refusal.getMessage());
    }
  }

  private static String words(ColumnFamilyDefinition family) {
    return family.isSuper() ? "Super with LongType and BytesType" : "Standard with UTF8Type";
  }

  @Test
  void changesNameNothingButWhatTheySet() {
    ColumnFamilyDefinition changes =
        ColumnFamilyDefinition.changesOf("F").withMaxCompactionThreshold(9);
    assertEquals("", changes.compareWith());
    assertFalse(changes.isSuper());
    assertEquals(OptionalInt.empty(), changes.minCompactionThreshold());
    UpdateColumnFamilyRequest update = changes.update("K");
    assertEquals(List.of(), update.getUpdateMask().getPathsList());
    assertEquals(3, update.getColumnFamily().getAllFields().size());
  }

  @Test
  void whatIsTakenBackIsNamedInTheMaskWithWhatIsSet() {
    ColumnFamilyDefinition changes =
        ColumnFamilyDefinition.changesOf("F")
            .withDefaultTtl(Duration.ofHours(1))
            .withoutDefaultTtl()
            .withComment("")
            .withMemtableOperations(5)
            .withRowsCached("")
            .withRowsCached("7")
            .withKeyType("")
            .withoutColumnValueTypes();
    assertEquals(
        List.of(
            "column_value_types",
            "comment",
            "default_ttl",
            "key_type",
            "memtable.max_operations",
            "rows_cached"),
        changes.update("K").getUpdateMask().getPathsList().stream().sorted().toList());
    assertFalse(changes.update("K").getColumnFamily().hasDefaultTtl());
  }

  @Test
  void partsOfSecondsAreRefused() {
    ColumnFamilyDefinition family = ColumnFamilyDefinition.changesOf("F");
    assertThrows(
        IllegalArgumentException.class, () -> family.withGcGrace(Duration.ofMillis(1_500)));
    assertThrows(
        IllegalArgumentException.class, () -> family.withMemtableFlushAfter(Duration.ofMillis(1)));
  }
}
