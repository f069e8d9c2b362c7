package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The node's own keyspace. It is in every schema, is stored on this node alone, and clients may
 * read but not write it. The ids are part of the format on disk: do not change them.
 */
public final class SystemKeyspace {

  /** Its name, which no other keyspace may have in any case. */
  public static final String NAME = "system";

  /** Ten thousand years, the longest duration that an answer can name. */
  private static final long FOR_EVER_SECONDS = 315_576_000_000L;

  /**
   * One row for each keyspace, with the cells that {@link SchemaRow} describes. Its deletions are
   * kept for ever: a node or a configuration file that comes back after any time must not bring
   * back what was dropped.
   */
  public static final ColumnFamily SCHEMA =
      family(
          "Schema",
          1,
          ColumnComparators.UTF8,
          ColumnComparators.UTF8,
          FOR_EVER_SECONDS,
          "keyspaces and column families");

  private static final long GRACE = FamilyOptions.DEFAULT.gcGraceSeconds();

  /** What the node knows about itself: id, token, cluster name, partitioner. */
  public static final ColumnFamily LOCAL =
      family(
          "Local",
          2,
          ColumnComparators.UTF8,
          null,
          GRACE,
          "this node: id, tokens, cluster, partitioner");

  /** What it knows about other nodes, one row for each. */
  public static final ColumnFamily PEERS =
      family("Peers", 3, ColumnComparators.UTF8, null, GRACE, "the other nodes of the cluster");

  /**
   * Users, roles and what they may do, one row for each, told to all nodes. Clients do not read it:
   * it holds hashes of passwords.
   */
  public static final ColumnFamily ACCOUNTS =
      family("Accounts", 4, ColumnComparators.UTF8, null, GRACE, "users, roles and permissions");

  /** Repairs that the node is to make, one row for each family and node. */
  public static final ColumnFamily REPAIRS =
      family("Repairs", 5, ColumnComparators.UTF8, null, GRACE, "repairs that are to be made");

  private SystemKeyspace() {}

  static Keyspace keyspace() {
    TreeMap<String, ColumnFamily> families = new TreeMap<>();
    for (ColumnFamily family : List.of(SCHEMA, LOCAL, PEERS, ACCOUNTS, REPAIRS)) {
      families.put(family.name(), family);
    }
    return new Keyspace(NAME, PlacementStrategy.LOCAL, 1, new TreeMap<>(), true, families);
  }

  private static ColumnFamily family(
      String name,
      int id,
      ColumnComparator top,
      @Nullable ColumnComparator sub,
      long gcGraceSeconds,
      String comment) {
    FamilyOptions defaults = FamilyOptions.DEFAULT;
    FamilyOptions options =
        new FamilyOptions(
            comment,
            defaults.keysCached(),
            defaults.rowsCached(),
            0,
            gcGraceSeconds,
            defaults.minCompactionThreshold(),
            defaults.maxCompactionThreshold(),
            defaults.memtable(),
            0);
    FamilyDefinition definition =
        sub == null
            ? FamilyDefinition.standard(NAME, name, top.typeName())
            : FamilyDefinition.superFamily(NAME, name, top.typeName(), sub.typeName());
    return new ColumnFamily(
        NAME,
        name,
        new FamilyId(0, id),
        new PathOrder(top, sub),
        options,
        definition.with(FamilyField.COMMENT, comment),
        0);
  }
}
