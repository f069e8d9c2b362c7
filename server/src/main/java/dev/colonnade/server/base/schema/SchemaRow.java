package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.Reconcile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One keyspace as cells, or a change of one: a row of the Super family {@code system.Schema}, whose
 * key is the keyspace's name. The super column {@code keyspace} holds the keyspace's own fields;
 * every other one is named by a family's id and holds the family's name and fields. All names and
 * values are UTF-8 text.
 *
 * <p>A keyspace exists while its cell {@code name} is live, a family while its own is. Dropping a
 * family deletes that cell, which makes all other cells of the family void, whenever they were
 * written: an id is never used twice. Dropping a keyspace deletes the row. A truncation is a cell
 * of the family. Deletions are kept for ever, since a node, or a configuration file, may come back
 * after any time with what was deleted.
 *
 * @param keyspace the row's key
 * @param deletion of the row, or {@link DeletionTime#NONE}
 * @param cells sorted by path, each path once, none hidden by the deletion
 */
public record SchemaRow(String keyspace, DeletionTime deletion, List<Cell> cells) {

  /** The super column of the keyspace's own fields; no family id looks like it. */
  static final String OF_KEYSPACE = "keyspace";

  static final String NAME = "name";

  /** The cell of a truncated family; its timestamp is the truncation's number. */
  static final String TRUNCATION = "truncation";

  /**
   * The timestamp of definitions from configuration files, before any that a clock gives: every
   * change by a user overrides them.
   */
  static final long CONFIGURED_MICROS = 1;

  /** Deletion, lengths and counts of a row; timestamp, kind and lengths of a cell. */
  private static final int ROW_BYTES = 40;

  private static final int CELL_BYTES = 20;

  private static final byte[] NAME_BYTES = bytes(NAME);

  private static final byte[] TRUNCATION_BYTES = bytes(TRUNCATION);

  /**
   * Sorts the cells, keeps one of each path, and leaves out cells that the deletion hides and,
   * except for their names, dropped families.
   */
  public SchemaRow {
    TreeMap<Cell, Cell> sorted = new TreeMap<>(SystemKeyspace.SCHEMA.order());
    addAll(sorted, deletion, cells);
    Set<String> dropped = new HashSet<>();
    for (Cell cell : sorted.values()) {
      if (isName(cell) && cell.kind() != Cell.CellKind.LIVE) {
        dropped.add(text(cell.top()));
      }
    }
    if (!dropped.isEmpty()) {
      sorted.values().removeIf(cell -> !isName(cell) && dropped.contains(text(cell.top())));
    }
    cells = List.copyOf(sorted.values());
  }

  /** Returns the row of a keyspace that never existed. */
  static SchemaRow none(String keyspace) {
    return new SchemaRow(keyspace, DeletionTime.NONE, List.of());
  }

  private static boolean isName(Cell cell) {
    return Arrays.equals(cell.name(), NAME_BYTES);
  }

  private static void addAll(
      TreeMap<Cell, Cell> target, DeletionTime deletion, Collection<Cell> cells) {
    for (Cell cell : cells) {
      if (!deletion.hides(cell.timestamp())) {
        target.merge(cell, cell, Reconcile::pick);
      }
    }
  }

  /** Whether a cell of a row says that a family was truncated. */
  public static boolean isTruncation(Cell cell) {
    return cell.kind() == Cell.CellKind.LIVE && Arrays.equals(cell.name(), TRUNCATION_BYTES);
  }

  /** The numbers of the truncations that cells of a row, or of a change of one, say. */
  public static Map<FamilyId, Long> truncations(Collection<Cell> cells) {
    Map<FamilyId, Long> truncations = new HashMap<>();
    for (Cell cell : cells) {
      if (isTruncation(cell)) {
        truncations.put(FamilyId.parse(text(cell.top())), cell.timestamp());
      }
    }
    return truncations;
  }

  /** Returns this row merged with {@code change}, whichever of the two happened first. */
  public SchemaRow merge(SchemaRow change) {
    TreeMap<Cell, Cell> merged = new TreeMap<>(SystemKeyspace.SCHEMA.order());
    DeletionTime later = DeletionTime.max(deletion, change.deletion);
    addAll(merged, later, cells);
    addAll(merged, later, change.cells);
    return new SchemaRow(keyspace, later, List.copyOf(merged.values()));
  }

  /** The live cells of a super column by their names. */
  SortedMap<String, Cell> live(String top) {
    SortedMap<String, Cell> live = new TreeMap<>();
    for (Cell cell : cells) {
      if (cell.kind() == Cell.CellKind.LIVE && text(cell.top()).equals(top)) {
        live.put(text(cell.name()), cell);
      }
    }
    return live;
  }

  /** The texts of cells. */
  static SortedMap<String, String> texts(Map<String, Cell> cells) {
    SortedMap<String, String> texts = new TreeMap<>();
    cells.forEach((field, cell) -> texts.put(field, text(cell.value())));
    return texts;
  }

  /** Equal for rows with equal content; 32 bytes. */
  byte[] digest() {
    MessageDigest digest = Schema.sha256();
    update(digest, key());
    update(digest, deletion.timestamp());
    for (Cell cell : cells) {
      boolean live = cell.kind() == Cell.CellKind.LIVE;
      update(digest, cell.top());
      update(digest, cell.name());
      update(digest, cell.timestamp());
      update(digest, live ? 1 : 0);
      update(digest, live ? cell.value() : new byte[0]);
    }
    return digest.digest();
  }

  private static void update(MessageDigest digest, byte[] part) {
    update(digest, part.length);
    digest.update(part);
  }

  private static void update(MessageDigest digest, long number) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  /** About how many bytes it takes, in a message or on disk. */
  public long bytes() {
    long bytes = (long) keyspace.length() + ROW_BYTES;
    for (Cell cell : cells) {
      bytes += cell.top().length + cell.name().length + cell.value().length + CELL_BYTES;
    }
    return bytes;
  }

  /** Whether the keyspace never existed. */
  boolean isEmpty() {
    return deletion.isNone() && cells.isEmpty();
  }

  /** The key of this row in {@code system.Schema}. */
  public byte[] key() {
    return bytes(keyspace);
  }

  /** The smallest timestamp that is after everything in this row, and not before {@code micros}. */
  long timestampAfter(long micros) {
    long latest = deletion.isNone() ? micros : Math.max(micros, deletion.timestamp() + 1);
    for (Cell cell : cells) {
      latest = Math.max(latest, cell.timestamp() + 1);
    }
    return latest;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
