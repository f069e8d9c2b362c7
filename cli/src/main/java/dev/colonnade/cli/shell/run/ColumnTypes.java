package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.grammar.Names;
import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.value.Edge;
import dev.colonnade.cli.shell.value.ValueType;
import dev.colonnade.cli.shell.value.ValueTypes;
import dev.colonnade.client.ColumnFamilyDefinition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a definition says, for people, about its keys and values: the attributes {@code key_type},
 * {@code value_type} and {@code column_value_types}, whose entries are names as the comparator
 * reads them, with a type for each.
 */
final class ColumnTypes {

  private static final String OF_COLUMNS = "column_value_types";
  private static final String OF_KEYS = "key_type";
  private static final String OF_VALUES = "value_type";
  private static final String HEX = "0x";

  private final ValueTypes types;

  ColumnTypes(ValueTypes types) {
    this.types = types;
  }

  /**
   * The attributes other than {@code column_value_types}, with types under the names that schemas
   * have.
   */
  List<Attribute> canonical(List<Attribute> attributes) throws StatementFailure {
    List<Attribute> canonical = new ArrayList<>();
    for (Attribute each : attributes) {
      boolean isType = each.name().equals(OF_KEYS) || each.name().equals(OF_VALUES);
      if (isType && !each.value().isEmpty()) {
        canonical.add(
            new Attribute(each.position(), each.name(), named(each.value()).name(), Map.of()));
      } else if (!each.name().equals(OF_COLUMNS)) {
        canonical.add(each);
      }
    }
    return canonical;
  }

  /**
   * A definition with what {@code column_value_types} says, if it is there; an empty map takes the
   * types of all columns back.
   *
   * @param existing the definition to be updated, whose comparator counts where the other has none
   */
  ColumnFamilyDefinition apply(
      ColumnFamilyDefinition to,
      List<Attribute> attributes,
      Optional<ColumnFamilyDefinition> existing)
      throws StatementFailure {
    ColumnFamilyDefinition definition = to;
    for (Attribute each : attributes) {
      if (each.name().equals(OF_COLUMNS)) {
        definition = definition.withoutColumnValueTypes();
        ValueType names = names(existing.orElse(to));
        for (Map.Entry<String, String> column : each.options().entrySet()) {
          definition =
              definition.withColumnValueType(
                  Family.bytes(
                      "a name in " + OF_COLUMNS,
                      names,
                      literal(each.position(), column.getKey()),
                      Edge.FIRST),
                  named(column.getValue()).name());
        }
      }
    }
    return definition;
  }

  /** The types of single columns as the value of the attribute, if there are any. */
  Optional<Fact> fact(ColumnFamilyDefinition definition) {
    if (definition.columnValueTypes().isEmpty()) {
      return Optional.empty();
    }
    ValueType names = names(definition);
    List<String> entries = new ArrayList<>();
    definition
        .columnValueTypes()
        .forEach(
            (name, type) ->
                entries.add(Names.option(names.show(bytes(name))) + ":" + Names.option(type)));
    return Optional.of(
        new Fact(OF_COLUMNS, "Values of columns are", "{" + String.join(", ", entries) + "}"));
  }

  /** Whether a fact is such a map, which stands in a statement as it is. */
  static boolean isMap(Fact fact) {
    return fact.name().equals(OF_COLUMNS);
  }

  private ValueType names(ColumnFamilyDefinition definition) {
    return types.of(
        definition.isSuper()
            ? definition.compareSubcolumnsWith().orElse("")
            : definition.compareWith());
  }

  private ValueType named(String name) throws StatementFailure {
    return Families.named(types, name);
  }

  private static Literal literal(Position position, String name) {
    return name.startsWith(HEX)
        ? new Literal.Hex(position, name.substring(HEX.length()))
        : new Literal.Text(position, name, true);
  }

  static byte[] bytes(ByteBuffer name) {
    byte[] bytes = new byte[name.remaining()];
    name.duplicate().get(bytes);
    return bytes;
  }
}
