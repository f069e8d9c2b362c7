package dev.colonnade.connectors.spark;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.ColumnFamilyDefinition;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * What a family says of its keys, names and values, and what the options say instead.
 *
 * @param comparator of the names that a slice selects: of super columns in a Super family, unless
 *     one of them is meant
 * @param isSuper whether rows of the table have the names of super columns
 * @param valueTypes of columns whose values are of another type, by their names in hexadecimal
 */
record FamilyTypes(
    boolean isSuper,
    String comparator,
    WireType key,
    WireType superColumn,
    WireType name,
    WireType value,
    TreeMap<String, WireType> valueTypes)
    implements Serializable {

  /**
   * Asks a node.
   *
   * @throws IllegalArgumentException if there is no such family, or an option does not fit it
   * @throws IllegalStateException if no node answers
   */
  static FamilyTypes of(Settings settings) {
    try (Colonnade client = settings.connect(List.of())) {
      List<ColumnFamilyDefinition> families =
          client.schema().keyspace(settings.keyspace()).columnFamilies();
      return families.stream()
          .filter(each -> each.name().equals(settings.family()))
          .findFirst()
          .map(each -> of(settings, each))
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "the keyspace "
                          + settings.keyspace()
                          + " has no column family "
                          + settings.family()
                          + "; it has "
                          + families.stream()
                              .map(ColumnFamilyDefinition::name)
                              .collect(Collectors.joining(", "))));
    } catch (ColonnadeException e) {
      throw new IllegalStateException(
          "the family " + settings.qualifiedName() + " cannot be looked at: " + e.getMessage(), e);
    }
  }

  private static FamilyTypes of(Settings settings, ColumnFamilyDefinition family) {
    boolean isOne = settings.superColumn().isPresent();
    if (isOne && !family.isSuper()) {
      throw new IllegalArgumentException(
          settings.qualifiedName()
              + " is Standard: its rows have no super columns, so there is no "
              + Settings.SUPER_COLUMN);
    }
    String compareWith = family.compareWith();
    String inner = family.compareSubcolumnsWith().orElse(compareWith);
    Optional<WireType> said = settings.type(Settings.VALUE_TYPE);
    TreeMap<String, WireType> valueTypes = new TreeMap<>();
    if (said.isEmpty()) {
      for (Map.Entry<ByteBuffer, String> each : family.columnValueTypes().entrySet()) {
        ByteBuffer name = each.getKey().duplicate();
        byte[] bytes = new byte[name.remaining()];
        name.get(bytes);
        valueTypes.put(Bytes.hex(bytes), WireType.named(each.getValue()));
      }
    }
    return new FamilyTypes(
        family.isSuper() && !isOne,
        family.isSuper() && !isOne ? compareWith : inner,
        type(settings, Settings.KEY_TYPE, family.keyType()),
        type(settings, Settings.SUPER_TYPE, Optional.of(compareWith)),
        type(settings, Settings.NAME_TYPE, Optional.of(inner)),
        type(settings, Settings.VALUE_TYPE, family.valueType()),
        valueTypes);
  }

  private static WireType type(Settings settings, String option, Optional<String> declared) {
    return settings
        .type(option)
        .orElseGet(() -> declared.map(WireType::named).orElse(WireType.BYTES));
  }

  /** The name of the one super column that is meant. */
  Optional<byte[]> meant(Settings settings) {
    return settings.superColumn().map(superColumn::name);
  }

  /** What the values of a column are. */
  WireType valueOf(byte[] column) {
    return valueTypes.getOrDefault(Bytes.hex(column), value);
  }

  /** The table of cells. */
  StructType cells() {
    StructType schema = new StructType().add(Fields.KEY, key.dataType(), false);
    if (isSuper) {
      schema = schema.add(Fields.SUPER, superColumn.dataType(), false);
    }
    return schema
        .add(Fields.NAME, name.dataType(), false)
        .add(Fields.VALUE, value.dataType(), false)
        .add(Fields.TIMESTAMP, DataTypes.LongType, false);
  }
}
