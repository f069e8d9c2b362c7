package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.SchemaException.SchemaErrorKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** One change of one schema: checks it, and encodes it as cells. Used once. */
final class SchemaTransition {

  private static final String KEYSPACE = "keyspace";
  private static final String FAMILY = "column_family";
  private static final String MASK = "update_mask";

  private final Schema schema;
  private final long nowMicros;
  private final List<Cell> cells = new ArrayList<>();

  SchemaTransition(Schema schema, long nowMicros) {
    this.schema = schema;
    this.nowMicros = nowMicros;
  }

  SchemaChange createKeyspace(KeyspaceDefinition definition, RandomSource random)
      throws SchemaException {
    return createKeyspace(definition, random(random));
  }

  SchemaChange createConfigured(KeyspaceDefinition definition) throws SchemaException {
    return createKeyspace(definition, SchemaTransition::configuredId);
  }

  private static Function<FamilyDefinition, FamilyId> random(RandomSource random) {
    return definition -> new FamilyId(random.nextLong(), random.nextLong());
  }

  /**
   * The same on all nodes with equal files. A file that sorts names in another order defines
   * another family, because its rows lie on disk in another order.
   */
  private static FamilyId configuredId(FamilyDefinition definition) {
    StringBuilder said =
        new StringBuilder(definition.keyspace()).append('/').append(definition.name());
    definition
        .fields()
        .forEach(
            (field, value) -> {
              if (field.isFixed()) {
                said.append('/').append(field.path()).append('=').append(value);
              }
            });
    ByteBuffer hash = ByteBuffer.wrap(Schema.sha256().digest(SchemaRow.bytes(said.toString())));
    return new FamilyId(hash.getLong(), hash.getLong());
  }

  private SchemaChange createKeyspace(
      KeyspaceDefinition definition, Function<FamilyDefinition, FamilyId> ids)
      throws SchemaException {
    check(definition);
    long timestamp = schema.row(definition.name()).timestampAfter(nowMicros);
    removeLeftovers(definition.name(), timestamp);
    put(SchemaRow.OF_KEYSPACE, SchemaRow.NAME, definition.name(), timestamp);
    stored(definition)
        .forEach((field, value) -> put(SchemaRow.OF_KEYSPACE, field, value, timestamp));
    for (int i = 0; i < definition.families().size(); i++) {
      FamilyDefinition family = definition.families().get(i).inKeyspace(definition.name());
      putFamily(new FamilyReader(family, familyPath(i)), ids, timestamp);
    }
    return change(definition.name());
  }

  /**
   * A dropped keyspace can have cells that another node wrote after the drop without knowing of it.
   * They must not become part of the new one.
   */
  private void removeLeftovers(String keyspace, long timestamp) {
    for (Cell cell : schema.row(keyspace).cells()) {
      boolean own = SchemaRow.text(cell.top()).equals(SchemaRow.OF_KEYSPACE);
      boolean name = SchemaRow.text(cell.name()).equals(SchemaRow.NAME);
      if (cell.kind() == Cell.CellKind.LIVE && own != name) {
        cells.add(Cell.deleted(cell.top(), cell.sub(), deletionAt(timestamp - 1)));
      }
    }
  }

  Keyspace check(KeyspaceDefinition definition) throws SchemaException {
    String name = definition.name();
    Names.check(KEYSPACE + ".name", name);
    if (schema.keyspace(name).isPresent()) {
      throw new SchemaException(
          SchemaErrorKind.KEYSPACE_EXISTS,
          KEYSPACE + ".name",
          "there is a keyspace " + Names.quote(name) + " already");
    }
    if (name.equalsIgnoreCase(SystemKeyspace.NAME)) {
      throw SchemaException.invalid(
          KEYSPACE + ".name", "the name system is reserved, in any case; got " + name);
    }
    Keyspace made = new KeyspaceReader(definition, KEYSPACE).read(new TreeMap<>());
    Set<String> names = new HashSet<>();
    for (int i = 0; i < definition.families().size(); i++) {
      FamilyDefinition family = definition.families().get(i);
      String path = familyPath(i);
      Names.checkFamily(path + ".name", family.name());
      if (!family.keyspace().isEmpty() && !family.keyspace().equals(name)) {
        throw SchemaException.invalid(
            path + ".keyspace",
            "column family "
                + family.name()
                + " says keyspace "
                + Names.quote(family.keyspace())
                + " inside of keyspace "
                + name
                + ": leave it out");
      }
      if (!names.add(family.name())) {
        throw SchemaException.invalid(
            path + ".name", "two column families have the name " + family.name());
      }
      new FamilyReader(family.inKeyspace(name), path).read(new FamilyId(0, 0), schema.types());
    }
    return made;
  }

  SchemaChange updateKeyspace(KeyspaceDefinition wanted, Set<String> mask) throws SchemaException {
    Keyspace existing = writableKeyspace(KEYSPACE + ".name", wanted.name());
    if (!wanted.families().isEmpty()) {
      throw SchemaException.invalid(
          KEYSPACE + ".column_families",
          "column families are changed one by one, with UpdateColumnFamily");
    }
    for (String path : mask) {
      if (!KeyspaceField.ALL.contains(path)) {
        throw unknownMask(path, KeyspaceField.ALL);
      }
    }
    SortedMap<String, Cell> cellsBefore = schema.row(existing.name()).live(SchemaRow.OF_KEYSPACE);
    Map<String, String> before = Collisions.settle(cellsBefore);
    Map<String, String> given = stored(wanted);
    Map<String, String> after = new TreeMap<>(before);
    after.keySet().removeIf(field -> isReplaced(field, mask, given));
    given.forEach(
        (field, value) -> {
          if (mask.isEmpty() || mask.contains(groupOf(field))) {
            after.put(field, value);
          }
        });
    dropStaleFactor(after, given, mask);
    KeyspaceDefinition merged = definition(existing.name(), after);
    new KeyspaceReader(merged, KEYSPACE).read(new TreeMap<>());
    after.putAll(Collisions.formerReplicas(before, after));
    SortedMap<String, String> fieldsBefore = SchemaRow.texts(cellsBefore);
    fieldsBefore.remove(SchemaRow.NAME);
    fieldsBefore.forEach(
        (field, value) -> {
          if (KeyspaceField.isFormerReplicas(field)) {
            after.putIfAbsent(field, value);
          }
        });
    putAll(after, fieldsBefore, schema.row(existing.name()).timestampAfter(nowMicros));
    return change(existing.name());
  }

  /** A factor that was stored before must not contradict data centres that are given now. */
  private static void dropStaleFactor(
      Map<String, String> after, Map<String, String> given, Set<String> mask) {
    boolean countsDatacenters =
        after.keySet().stream().anyMatch(f -> f.startsWith(KeyspaceField.DATACENTER_PREFIX));
    boolean factorIsNew =
        given.containsKey(KeyspaceField.REPLICATION_FACTOR)
            && (mask.isEmpty() || mask.contains(KeyspaceField.REPLICATION_FACTOR));
    if (countsDatacenters && !factorIsNew) {
      after.remove(KeyspaceField.REPLICATION_FACTOR);
    }
  }

  private static boolean isReplaced(String field, Set<String> mask, Map<String, String> given) {
    String group = groupOf(field);
    return mask.isEmpty()
        ? given.keySet().stream().anyMatch(other -> groupOf(other).equals(group))
        : mask.contains(group);
  }

  private static String groupOf(String field) {
    return field.startsWith(KeyspaceField.DATACENTER_PREFIX)
        ? KeyspaceField.DATACENTER_REPLICAS
        : field;
  }

  SchemaChange dropKeyspace(String name) throws SchemaException {
    Keyspace existing = writableKeyspace("name", name);
    long timestamp = schema.row(existing.name()).timestampAfter(nowMicros);
    return change(new SchemaRow(existing.name(), deletionAt(timestamp), List.of()));
  }

  SchemaChange createFamily(FamilyDefinition definition, RandomSource random)
      throws SchemaException {
    Keyspace keyspace = writableKeyspace(FAMILY + ".keyspace", definition.keyspace());
    Names.checkFamily(FAMILY + ".name", definition.name());
    if (keyspace.family(definition.name()).isPresent()) {
      throw new SchemaException(
          SchemaErrorKind.COLUMN_FAMILY_EXISTS,
          FAMILY + ".name",
          "there is a column family "
              + Names.quote(definition.name())
              + " in keyspace "
              + keyspace.name()
              + " already");
    }
    long timestamp = schema.row(keyspace.name()).timestampAfter(nowMicros);
    putFamily(new FamilyReader(definition, FAMILY), random(random), timestamp);
    return change(keyspace.name());
  }

  SchemaChange updateFamily(FamilyDefinition wanted, Set<String> mask) throws SchemaException {
    Keyspace keyspace = writableKeyspace(FAMILY + ".keyspace", wanted.keyspace());
    ColumnFamily existing = family(FAMILY + ".name", keyspace, wanted.name());
    Set<FamilyField> fields = EnumSet.noneOf(FamilyField.class);
    for (String path : mask) {
      List<FamilyField> named = FamilyField.under(path);
      if (named.isEmpty()) {
        throw unknownMask(
            path, EnumSet.allOf(FamilyField.class).stream().map(FamilyField::path).toList());
      }
      fields.addAll(named);
    }
    if (mask.isEmpty()) {
      fields.addAll(wanted.fields().keySet());
    }
    Map<FamilyField, String> after = new TreeMap<>(existing.definition().fields());
    for (FamilyField field : fields) {
      Optional<String> value = wanted.value(field);
      if (value.isPresent()) {
        after.put(field, value.get());
      } else {
        after.remove(field);
      }
    }
    ColumnFamily next =
        new FamilyReader(new FamilyDefinition(keyspace.name(), wanted.name(), after), FAMILY)
            .read(existing.id(), schema.types());
    checkSameOrder(existing, next);
    SchemaRow row = schema.row(keyspace.name());
    long timestamp = row.timestampAfter(nowMicros);
    String id = existing.id().toString();
    // The stored fields, which can differ from the effective ones.
    Map<String, String> stored = SchemaRow.texts(row.live(id));
    for (FamilyField field : FamilyField.values()) {
      Optional<String> value = next.definition().value(field);
      if (!value.equals(Optional.ofNullable(stored.get(field.path())))) {
        putOrDelete(id, field.path(), value, timestamp);
      }
    }
    return change(keyspace.name());
  }

  private static void checkSameOrder(ColumnFamily existing, ColumnFamily next)
      throws SchemaException {
    for (FamilyField field : FamilyField.values()) {
      Optional<String> before = existing.definition().value(field);
      if (field.isFixed() && !before.equals(next.definition().value(field))) {
        throw new SchemaException(
            SchemaErrorKind.COMPARATOR_CANNOT_CHANGE,
            FAMILY + "." + field.path(),
            field.path()
                + " of "
                + existing.qualifiedName()
                + " is "
                + before.orElse("not set")
                + " and cannot become "
                + next.definition().value(field).orElse("unset")
                + (field == FamilyField.ANALYZER
                    ? ", because documents were indexed with it: create a new index and index them"
                        + " there"
                    : ", because data lies on disk in that order: make a new column family and copy"
                        + " into it"));
      }
    }
  }

  SchemaChange dropFamily(String keyspaceName, String name) throws SchemaException {
    Keyspace keyspace = writableKeyspace("keyspace", keyspaceName);
    ColumnFamily existing = family("name", keyspace, name);
    long timestamp = schema.row(keyspace.name()).timestampAfter(nowMicros);
    putOrDelete(existing.id().toString(), SchemaRow.NAME, Optional.empty(), timestamp);
    return change(keyspace.name());
  }

  SchemaChange truncateFamily(FamilyId id) throws SchemaException {
    ColumnFamily family = schema.requireFamily(id);
    if (family.truncation() < nowMicros) {
      put(id.toString(), SchemaRow.TRUNCATION, "", nowMicros);
    }
    return change(family.keyspace());
  }

  private Keyspace writableKeyspace(String field, String name) throws SchemaException {
    if (name.equals(SystemKeyspace.NAME)) {
      throw new SchemaException(
          SchemaErrorKind.SYSTEM_KEYSPACE_READ_ONLY,
          field,
          "the keyspace system belongs to the node; it can be read, not changed");
    }
    return schema.keyspace(name).orElseThrow(() -> SchemaException.keyspaceNotFound(field, name));
  }

  private static ColumnFamily family(String field, Keyspace keyspace, String name)
      throws SchemaException {
    return keyspace
        .family(name)
        .orElseThrow(() -> SchemaException.familyNotFound(field, keyspace.name(), name));
  }

  private static SchemaException unknownMask(String path, Iterable<String> known) {
    return SchemaException.invalid(
        MASK,
        "the mask names "
            + Names.quote(path)
            + ", which cannot be updated; these can: "
            + String.join(", ", known));
  }

  private static String familyPath(int index) {
    return KEYSPACE + ".column_families[" + index + "]";
  }

  /** The fields of a definition, as they are stored. */
  private static Map<String, String> stored(KeyspaceDefinition definition) {
    Map<String, String> fields = new TreeMap<>();
    if (!definition.strategy().isEmpty()) {
      String name = definition.strategy();
      fields.put(
          KeyspaceField.STRATEGY,
          PlacementStrategy.byName(name).map(PlacementStrategy::shortName).orElse(name));
    }
    if (definition.replicationFactor() != 0) {
      fields.put(
          KeyspaceField.REPLICATION_FACTOR, Integer.toString(definition.replicationFactor()));
    }
    definition
        .durableWrites()
        .ifPresent(durable -> fields.put(KeyspaceField.DURABLE_WRITES, durable.toString()));
    definition
        .datacenterReplicas()
        .forEach(
            (datacenter, count) ->
                fields.put(KeyspaceField.DATACENTER_PREFIX + datacenter, count.toString()));
    return fields;
  }

  private static KeyspaceDefinition definition(String name, Map<String, String> fields)
      throws SchemaException {
    return SchemaRowReader.keyspaceDefinition(name, fields);
  }

  private void putFamily(
      FamilyReader reader, Function<FamilyDefinition, FamilyId> ids, long timestamp)
      throws SchemaException {
    ColumnFamily family = reader.read(new FamilyId(0, 0), schema.types());
    FamilyId id = ids.apply(family.definition());
    put(id.toString(), SchemaRow.NAME, family.name(), timestamp);
    family
        .definition()
        .fields()
        .forEach((field, value) -> put(id.toString(), field.path(), value, timestamp));
  }

  private void putAll(Map<String, String> after, Map<String, String> before, long timestamp) {
    Set<String> fields = new HashSet<>(before.keySet());
    fields.addAll(after.keySet());
    for (String field : fields) {
      Optional<String> value = Optional.ofNullable(after.get(field));
      if (!value.equals(Optional.ofNullable(before.get(field)))) {
        putOrDelete(SchemaRow.OF_KEYSPACE, field, value, timestamp);
      }
    }
  }

  private void putOrDelete(String top, String sub, Optional<String> value, long timestamp) {
    if (value.isPresent()) {
      put(top, sub, value.get(), timestamp);
    } else {
      cells.add(Cell.deleted(SchemaRow.bytes(top), SchemaRow.bytes(sub), deletionAt(timestamp)));
    }
  }

  private void put(String top, String sub, String value, long timestamp) {
    cells.add(
        Cell.live(SchemaRow.bytes(top), SchemaRow.bytes(sub), SchemaRow.bytes(value), timestamp));
  }

  private static DeletionTime deletionAt(long timestamp) {
    return new DeletionTime(timestamp, Math.floorDiv(timestamp, 1_000_000L));
  }

  private SchemaChange change(String keyspace) throws SchemaException {
    return change(new SchemaRow(keyspace, DeletionTime.NONE, cells));
  }

  private SchemaChange change(SchemaRow row) throws SchemaException {
    return SchemaChange.of(row, schema.merge(row));
  }
}
