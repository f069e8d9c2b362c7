package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.FamilyId;
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
import java.util.function.Consumer;

/**
 * All keyspaces and column families at one moment, {@code system} included.
 *
 * <p>Immutable and thread-safe; requests look names up in the snapshot they began with. A change is
 * checked against this snapshot and returns the next one together with the cells to write; the
 * schema's owner makes one change at a time, writes the cells, and only then publishes.
 */
public final class Schema {

  /** Sixteen bytes of SHA-256 are enough to tell schemas apart, and short enough to read. */
  private static final int VERSION_BYTES = 16;

  /** What is known of one keyspace, also of a dropped one. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record KeyspaceEntry(
      SchemaRow row, byte[] digest, Optional<Keyspace> keyspace, List<ColumnFamily> setAside) {

    static KeyspaceEntry of(SchemaRow row, ComparatorResolver types) throws SchemaException {
      SchemaRowReader.Result read = new SchemaRowReader(row, types).read();
      return new KeyspaceEntry(row, row.digest(), read.keyspace(), read.setAside());
    }
  }

  private final ComparatorResolver types;
  private final SortedMap<String, KeyspaceEntry> entries;
  private final SortedMap<String, Keyspace> keyspaces = new TreeMap<>();
  private final Map<FamilyId, ColumnFamily> families = new HashMap<>();
  private final String version;

  private Schema(ComparatorResolver types, SortedMap<String, KeyspaceEntry> entries) {
    this.types = types;
    this.entries = entries;
    MessageDigest digest = sha256();
    keyspaces.put(SystemKeyspace.NAME, SystemKeyspace.keyspace());
    for (KeyspaceEntry entry : entries.values()) {
      entry.keyspace().ifPresent(keyspace -> keyspaces.put(keyspace.name(), keyspace));
      digest.update(entry.digest());
    }
    this.version = HexFormat.of().formatHex(digest.digest(), 0, VERSION_BYTES);
    for (Keyspace keyspace : keyspaces.values()) {
      for (ColumnFamily family : keyspace.families().values()) {
        families.put(family.id(), family);
      }
    }
  }

  /** Returns a schema with only the keyspace {@code system}. */
  public static Schema empty(ComparatorResolver types) {
    return new Schema(types, new TreeMap<>());
  }

  /**
   * Builds a schema from stored rows.
   *
   * @throws SchemaException if a row cannot be understood, or names a comparator whose jar is gone
   */
  public static Schema load(Collection<SchemaRow> rows, ComparatorResolver types)
      throws SchemaException {
    SortedMap<String, SchemaRow> merged = new TreeMap<>();
    for (SchemaRow row : rows) {
      merged.merge(row.keyspace(), row, SchemaRow::merge);
    }
    SortedMap<String, KeyspaceEntry> entries = new TreeMap<>();
    for (SchemaRow row : merged.values()) {
      entries.put(row.keyspace(), KeyspaceEntry.of(row, types));
    }
    return new Schema(types, entries);
  }

  /**
   * Returns this schema merged with a row, or a change of one.
   *
   * @throws SchemaException if the merged row cannot be understood, or a comparator is missing
   */
  public Schema merge(SchemaRow row) throws SchemaException {
    SchemaRow known = row(row.keyspace());
    SchemaRow merged = known.merge(row);
    if (merged.equals(known)) {
      return this;
    }
    SortedMap<String, KeyspaceEntry> next = new TreeMap<>(entries);
    next.put(row.keyspace(), KeyspaceEntry.of(merged, types));
    return new Schema(types, next);
  }

  /**
   * Returns this schema merged with the rows of another node. The result depends on the rows alone,
   * not on their order: {@link Collisions} resolves concurrent changes that collide.
   *
   * @param refused hears, in words, of rows that cannot be understood here, because they name a
   *     comparator that this node does not have, or come from a newer release; the others are
   *     merged
   */
  public SchemaChange mergeAll(Collection<SchemaRow> rows, Consumer<String> refused) {
    SortedMap<String, KeyspaceEntry> next = new TreeMap<>(entries);
    List<SchemaRow> changes = new ArrayList<>();
    for (SchemaRow row : rows) {
      KeyspaceEntry entry = next.get(row.keyspace());
      SchemaRow known = entry == null ? SchemaRow.none(row.keyspace()) : entry.row();
      SchemaRow merged = known.merge(row);
      if (!merged.equals(known)) {
        try {
          next.put(row.keyspace(), KeyspaceEntry.of(merged, types));
          changes.add(row);
        } catch (SchemaException | RuntimeException | LinkageError e) {
          // The classes of an incomplete plug-in can throw any of these.
          refused.accept("keyspace " + Names.quote(row.keyspace()) + ": " + e.getMessage());
        }
      }
    }
    return new SchemaChange(changes, changes.isEmpty() ? this : new Schema(types, next));
  }

  /** All cells and deletions, one row for each keyspace that exists or existed, by name. */
  public List<SchemaRow> rows() {
    return entries.values().stream().map(KeyspaceEntry::row).toList();
  }

  /**
   * The digests of all rows whose keyspaces' names come after a name, in the order of names: equal
   * for rows with equal content. Not to be changed.
   */
  public SortedMap<String, byte[]> digests(String after) {
    SortedMap<String, byte[]> digests = new TreeMap<>();
    entries
        .tailMap(after + '\0')
        .forEach((keyspace, entry) -> digests.put(keyspace, entry.digest()));
    return digests;
  }

  /** What is known of the keyspace of that name; without cells if it never existed. */
  public SchemaRow row(String keyspace) {
    KeyspaceEntry entry = entries.get(keyspace);
    return entry == null ? SchemaRow.none(keyspace) : entry.row();
  }

  ComparatorResolver types() {
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
   * Returns the family of that name in that keyspace.
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
   * Families that lost their name to another one created concurrently on another node. Their data
   * is kept and not served; operators are told.
   */
  public List<ColumnFamily> setAside() {
    List<ColumnFamily> all = new ArrayList<>();
    entries.values().forEach(entry -> all.addAll(entry.setAside()));
    return all;
  }

  /**
   * The digest of the merged content, deletions included, in hexadecimal: equal on nodes that
   * agree, also about what was dropped.
   */
  public String version() {
    return version;
  }

  /** Creates a keyspace with its families. Ids come from {@code random}. */
  public SchemaChange createKeyspace(
      KeyspaceDefinition definition, RandomSource random, long timestampMicros)
      throws SchemaException {
    return new SchemaTransition(this, timestampMicros).createKeyspace(definition, random);
  }

  /**
   * Creates a keyspace that every node of a cluster has in its configuration file. All nodes derive
   * the same definition from it, ids included, so it does not matter which one is first. It is
   * created once: if it was dropped it stays dropped, and if the name exists already nothing
   * changes.
   */
  public SchemaChange createConfigured(KeyspaceDefinition definition) throws SchemaException {
    return row(definition.name()).isEmpty()
        ? new SchemaTransition(this, SchemaRow.CONFIGURED_MICROS).createConfigured(definition)
        : new SchemaChange(List.of(), this);
  }

  /**
   * Checks a new keyspace without creating it, and returns what it would be, without families.
   *
   * @throws SchemaException as {@link #createKeyspace} would
   */
  public Keyspace checkKeyspace(KeyspaceDefinition definition) throws SchemaException {
    return new SchemaTransition(this, 0).check(definition);
  }

  /**
   * Changes a keyspace's own fields.
   *
   * @param mask paths of the fields to change, one without a value taking its default; empty for
   *     all that have a value
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

  /** Creates a family in an existing keyspace. Its id comes from {@code random}. */
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
   * Records that a family is truncated; no change if that truncation or a later one is known.
   *
   * @param number greater than that of any earlier truncation, see {@link #nextTruncation}
   */
  public SchemaChange truncateFamily(FamilyId family, long number) throws SchemaException {
    return new SchemaTransition(this, number).truncateFamily(family);
  }

  /**
   * Returns a number for a truncation of the family: greater than that of the last one known here.
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
}
