package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.FamilyId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Builds a keyspace from its merged row. */
final class SchemaRowReader {

  /**
   * The content of a row.
   *
   * @param keyspace empty if it was dropped, or never created
   * @param setAside families whose name another one has: of two created concurrently on two nodes
   *     the one with the smaller (timestamp, id) keeps the name; one from a configuration file
   *     yields to one that a user created
   */
  record Result(Optional<Keyspace> keyspace, List<ColumnFamily> setAside) {}

  private record Named(ColumnFamily family, long createdMicros) {
    private boolean isConfigured() {
      return createdMicros == SchemaRow.CONFIGURED_MICROS;
    }

    boolean isBefore(Named other) {
      if (isConfigured() != other.isConfigured()) {
        return other.isConfigured();
      }
      return createdMicros != other.createdMicros
          ? createdMicros < other.createdMicros
          : family.id().compareTo(other.family.id()) < 0;
    }
  }

  private static final String OF_STORED = "system.Schema";

  private final SchemaRow row;
  private final ComparatorResolver types;
  private final Map<String, SortedMap<String, Cell>> liveCells = new TreeMap<>();

  SchemaRowReader(SchemaRow row, ComparatorResolver types) {
    this.row = row;
    this.types = types;
    for (Cell cell : row.cells()) {
      if (cell.kind() == Cell.CellKind.LIVE) {
        liveCells
            .computeIfAbsent(SchemaRow.text(cell.top()), top -> new TreeMap<>())
            .put(SchemaRow.text(cell.name()), cell);
      }
    }
  }

  Result read() throws SchemaException {
    SortedMap<String, Cell> own = liveCells.getOrDefault(SchemaRow.OF_KEYSPACE, new TreeMap<>());
    if (!own.containsKey(SchemaRow.NAME)) {
      return new Result(Optional.empty(), List.of());
    }
    Map<String, Named> byName = new HashMap<>();
    List<ColumnFamily> setAside = new ArrayList<>();
    for (Map.Entry<String, SortedMap<String, Cell>> entry : liveCells.entrySet()) {
      Cell nameCell = entry.getValue().get(SchemaRow.NAME);
      if (nameCell == null || entry.getKey().equals(SchemaRow.OF_KEYSPACE)) {
        continue;
      }
      Named found =
          new Named(family(entry.getKey(), nameCell, entry.getValue()), nameCell.timestamp());
      @Nullable Named known = byName.get(found.family().name());
      boolean wins = known == null || found.isBefore(known);
      if (wins) {
        byName.put(found.family().name(), found);
      }
      if (known != null) {
        setAside.add(wins ? known.family() : found.family());
      }
    }
    TreeMap<String, ColumnFamily> families = new TreeMap<>();
    byName.forEach((name, named) -> families.put(name, named.family()));
    KeyspaceDefinition definition = keyspaceDefinition(row.keyspace(), Collisions.settle(own));
    return new Result(
        Optional.of(new KeyspaceReader(definition, OF_STORED).read(families)), setAside);
  }

  private ColumnFamily family(String idText, Cell nameCell, Map<String, Cell> cells)
      throws SchemaException {
    FamilyDefinition definition =
        FamilyDefinition.of(row.keyspace(), SchemaRow.text(nameCell.value()));
    for (Map.Entry<String, Cell> cell : cells.entrySet()) {
      Optional<FamilyField> field = FamilyField.byPath(cell.getKey());
      if (field.isPresent()) {
        definition = definition.with(field.get(), SchemaRow.text(cell.getValue().value()));
      }
    }
    FamilyId id;
    try {
      id = FamilyId.parse(idText);
    } catch (IllegalArgumentException e) {
      throw SchemaException.invalid(
          OF_STORED, "a super column that is neither the keyspace nor a family id: " + e);
    }
    ColumnFamily family =
        new FamilyReader(Collisions.settle(definition), OF_STORED).read(id, types);
    Cell truncation = cells.get(SchemaRow.TRUNCATION);
    return truncation == null ? family : family.truncatedBy(truncation.timestamp());
  }

  /** Decodes stored fields; unknown ones come from a newer version and are left alone. */
  static KeyspaceDefinition keyspaceDefinition(String name, Map<String, String> fields)
      throws SchemaException {
    KeyspaceDefinition definition = KeyspaceDefinition.of(name);
    Map<String, Integer> replicas = new TreeMap<>();
    for (Map.Entry<String, String> entry : fields.entrySet()) {
      String field = entry.getKey();
      String value = entry.getValue();
      if (field.equals(KeyspaceField.STRATEGY)) {
        definition = definition.withStrategy(value);
      } else if (field.equals(KeyspaceField.REPLICATION_FACTOR)) {
        definition = definition.withReplicationFactor(number(field, value));
      } else if (field.equals(KeyspaceField.DURABLE_WRITES)) {
        definition = definition.withDurableWrites(Boolean.parseBoolean(value));
      } else if (field.startsWith(KeyspaceField.DATACENTER_PREFIX)) {
        replicas.put(
            field.substring(KeyspaceField.DATACENTER_PREFIX.length()), number(field, value));
      }
    }
    return definition.withDatacenterReplicas(replicas);
  }

  private static int number(String field, String text) throws SchemaException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw SchemaException.invalid(OF_STORED, field + " is not a number: " + Names.quote(text));
    }
  }
}
