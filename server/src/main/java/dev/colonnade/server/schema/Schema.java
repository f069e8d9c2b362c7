package dev.colonnade.server.schema;

import dev.colonnade.server.env.RandomSource;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.FamilyId;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All keyspaces and column families at one moment, {@code system} included.
 *
 * <p>Immutable and thread-safe; requests look names up in the snapshot they began with. A change is
 * checked against this snapshot and returns the next one together with the cells to write; whoever
 * owns the schema makes one change at a time, writes the cells, and only then publishes.
 */
public final class Schema {

  /** Sixteen bytes of SHA-256 are enough to tell schemas apart, and short enough to read. */
  private static final int VERSION_BYTES = 16;

  private final NameTypeResolver types;
  private final SortedMap<String, SchemaRow> rows;
  private final SortedMap<String, Keyspace> keyspaces;
  private final Map<FamilyId, ColumnFamily> families;
  private final SortedMap<String, List<ColumnFamily>> setAside;
  private final String version;

  private Schema(
      NameTypeResolver types,
      SortedMap<String, SchemaRow> rows,
      SortedMap<String, Keyspace> keyspaces,
      SortedMap<String, List<ColumnFamily>> setAside) {
    this.types = types;
    this.rows = rows;
    this.keyspaces = keyspaces;
    this.setAside = setAside;
    this.families = new HashMap<>();
    for (Keyspace keyspace : keyspaces.values()) {
      for (ColumnFamily family : keyspace.families().values()) {
        families.put(family.id(), family);
      }
    }
    this.version = digest(rows.values());
  }

  /** Only the keyspace {@code system}. */
  public static Schema empty(NameTypeResolver types) {
    TreeMap<String, Keyspace> keyspaces = new TreeMap<>();
    keyspaces.put(SystemKeyspace.NAME, SystemKeyspace.keyspace());
    return new Schema(types, new TreeMap<>(), keyspaces, new TreeMap<>());
  }

  /**
   * The schema that was stored.
   *
   * @throws SchemaException if a row cannot be understood, or names a comparator whose jar is gone
   */
  public static Schema load(Collection<SchemaRow> rows, NameTypeResolver types)
      throws SchemaException {
    Schema schema = empty(types);
    for (SchemaRow row : rows) {
      schema = schema.merge(row);
    }
    return schema;
  }

  /**
   * This schema with a row, or a change of one, from disk or from another node.
   *
   * @throws SchemaException if the merged row cannot be understood, or a comparator is missing
   */
  public Schema merge(SchemaRow row) throws SchemaException {
    SchemaRow known = row(row.keyspace());
    SchemaRow merged = known.merge(row);
    if (merged.equals(known)) {
      return this;
    }
    TreeMap<String, SchemaRow> nextRows = new TreeMap<>(rows);
    nextRows.put(row.keyspace(), merged);
    SchemaRowReader.Result read = new SchemaRowReader(merged, types).read();
    TreeMap<String, Keyspace> nextKeyspaces = new TreeMap<>(keyspaces);
    nextKeyspaces.remove(row.keyspace());
    read.keyspace().ifPresent(keyspace -> nextKeyspaces.put(keyspace.name(), keyspace));
    TreeMap<String, List<ColumnFamily>> nextAside = new TreeMap<>(setAside);
    nextAside.put(row.keyspace(), read.setAside());
    return new Schema(types, nextRows, nextKeyspaces, nextAside);
  }

  /** All cells and deletions, one row for each keyspace that there is or was, by name. */
  public List<SchemaRow> rows() {
    return List.copyOf(rows.values());
  }

  SchemaRow row(String keyspace) {
    return rows.getOrDefault(keyspace, new SchemaRow(keyspace, DeletionTime.NONE, List.of()));
  }

  NameTypeResolver types() {
    return types;
  }

  /** All keyspaces by name, sorted, {@code system} among them. */
  public SortedMap<String, Keyspace> keyspaces() {
    return Collections.unmodifiableSortedMap(keyspaces);
  }

  /** The keyspace of that name; case matters. */
  public Optional<Keyspace> keyspace(String name) {
    return Optional.ofNullable(keyspaces.get(name));
  }

  /** The family of that id. */
  public Optional<ColumnFamily> family(FamilyId id) {
    return Optional.ofNullable(families.get(id));
  }

  /** All families by id, those of {@code system} among them. */
  public Map<FamilyId, ColumnFamily> families() {
    return Collections.unmodifiableMap(families);
  }

  /**
   * The keyspace of that name.
   *
   * @throws SchemaException KEYSPACE_NOT_FOUND
   */
  public Keyspace requireKeyspace(String name) throws SchemaException {
    Keyspace keyspace = keyspaces.get(name);
    if (keyspace == null) {
      throw SchemaException.keyspaceNotFound("keyspace", name);
    }
    return keyspace;
  }

  /**
   * The family of that name in that keyspace.
   *
   * @throws SchemaException KEYSPACE_NOT_FOUND or COLUMN_FAMILY_NOT_FOUND
   */
  public ColumnFamily requireFamily(String keyspace, String name) throws SchemaException {
    ColumnFamily family = requireKeyspace(keyspace).families().get(name);
    if (family == null) {
      throw SchemaException.familyNotFound("column_family", keyspace, name);
    }
    return family;
  }

  /**
   * Families that lost their name to another one made at the same time on another node. Their data
   * is kept and not served; people are told.
   */
  public List<ColumnFamily> setAside() {
    List<ColumnFamily> all = new ArrayList<>();
    setAside.values().forEach(all::addAll);
    return all;
  }

  /** The digest of the merged content, in hexadecimal: equal on nodes that agree. */
  public String version() {
    return version;
  }

  /** A new keyspace with its families. Ids come from {@code random}. */
  public SchemaChange createKeyspace(
      KeyspaceDefinition definition, RandomSource random, long timestampMicros)
      throws SchemaException {
    return new SchemaTransition(this, timestampMicros).createKeyspace(definition, random);
  }

  /**
   * A keyspace that every node of a cluster has in its configuration file. All make the same of it,
   * ids and all, so that it does not matter who comes first. It is made once: what was dropped
   * stays dropped, and where there is one of that name already nothing changes.
   */
  public SchemaChange createConfigured(KeyspaceDefinition definition) throws SchemaException {
    return row(definition.name()).isEmpty()
        ? new SchemaTransition(this, SchemaRow.CONFIGURED_MICROS).createConfigured(definition)
        : new SchemaChange(new SchemaRow(definition.name(), DeletionTime.NONE, List.of()), this);
  }

  /**
   * Checks a new keyspace without making it.
   *
   * @throws SchemaException as {@link #createKeyspace} would
   */
  public void checkKeyspace(KeyspaceDefinition definition) throws SchemaException {
    new SchemaTransition(this, 0).check(definition);
  }

  /**
   * Changes a keyspace's own fields.
   *
   * @param mask paths of the fields to change, one that is not given taking its default; empty for
   *     all that are given
   */
  public SchemaChange updateKeyspace(
      KeyspaceDefinition definition, Set<String> mask, long timestampMicros)
      throws SchemaException {
    return new SchemaTransition(this, timestampMicros).updateKeyspace(definition, mask);
  }

  /** Drops a keyspace and its families. */
  public SchemaChange dropKeyspace(String name, long timestampMicros) throws SchemaException {
    return new SchemaTransition(this, timestampMicros).dropKeyspace(name);
  }

  /** A new family in an existing keyspace. Its id comes from {@code random}. */
  public SchemaChange createFamily(
      FamilyDefinition definition, RandomSource random, long timestampMicros)
      throws SchemaException {
    return new SchemaTransition(this, timestampMicros).createFamily(definition, random);
  }

  /**
   * Changes a family's options.
   *
   * @param mask as in {@link #updateKeyspace}
   */
  public SchemaChange updateFamily(
      FamilyDefinition definition, Set<String> mask, long timestampMicros) throws SchemaException {
    return new SchemaTransition(this, timestampMicros).updateFamily(definition, mask);
  }

  /**
   * Notes that a family is emptied; no change if that truncation or a later one is known.
   *
   * @param number greater than that of any earlier truncation, see {@link #nextTruncation}
   */
  public SchemaChange truncateFamily(FamilyId family, long number) throws SchemaException {
    return new SchemaTransition(this, number).truncateFamily(family);
  }

  /**
   * A number for a truncation of the family: greater than that of the last one known here.
   *
   * @throws SchemaException COLUMN_FAMILY_NOT_FOUND
   */
  public long nextTruncation(FamilyId id, long nowMicros) throws SchemaException {
    return row(requireFamily(id).keyspace()).timestampAfter(nowMicros);
  }

  ColumnFamily requireFamily(FamilyId id) throws SchemaException {
    ColumnFamily family = families.get(id);
    if (family == null) {
      throw SchemaException.familyNotFound("column_family", "any", id.toString());
    }
    return family;
  }

  /** Drops a family. */
  public SchemaChange dropFamily(String keyspace, String name, long timestampMicros)
      throws SchemaException {
    return new SchemaTransition(this, timestampMicros).dropFamily(keyspace, name);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256, this one has not", e);
    }
  }

  /** Deletions are left out, so that purging them one day does not look like a disagreement. */
  private static String digest(Collection<SchemaRow> rows) {
    MessageDigest digest = sha256();
    for (SchemaRow row : rows) {
      for (Cell cell : row.cells()) {
        if (cell.kind() == Cell.Kind.LIVE) {
          update(digest, row.key());
          update(digest, cell.top());
          update(digest, cell.name());
          update(digest, cell.value());
          digest.update(ByteBuffer.allocate(Long.BYTES).putLong(cell.timestamp()).array());
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest(), 0, VERSION_BYTES);
  }

  private static void update(MessageDigest digest, byte[] part) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
    digest.update(part);
  }
}
