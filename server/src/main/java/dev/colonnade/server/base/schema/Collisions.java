package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.model.Cell;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Resolves collisions of changes that were each valid on the node that made them. Fields merge one
 * by one, the later change of each winning, so two concurrent changes can leave a combination that
 * no single change may make:
 *
 * <ul>
 *   <li>The placement strategy decides which other fields are effective. With
 *       NetworkTopologyStrategy a replication factor is not; with any other strategy the data
 *       centres are not.
 *   <li>NetworkTopologyStrategy without a replica in any data centre: the data centre that was
 *       removed last keeps the replicas that it had, so that rows stay where they are. If none was
 *       ever removed, rows are placed as SimpleStrategy does.
 *   <li>Data centres with more replicas together than a keyspace may have: those that were set last
 *       get what the others leave.
 *   <li>One of the compaction thresholds is 0: automatic compaction is off. A minimum above the
 *       maximum: the minimum is lowered to it.
 * </ul>
 *
 * <p>Pure. Every node applies these rules to the same cells, so all see the same keyspace; the next
 * change of the keyspace or family starts from the result.
 */
final class Collisions {

  private static final Comparator<Map.Entry<String, Cell>> OLDEST_FIRST =
      Comparator.<Map.Entry<String, Cell>>comparingLong(entry -> entry.getValue().timestamp())
          .thenComparing(Map.Entry::getKey);

  private Collisions() {}

  /**
   * Returns the effective fields of a keyspace.
   *
   * @param own live cells of the keyspace by field
   */
  static SortedMap<String, String> settle(SortedMap<String, Cell> own) {
    SortedMap<String, String> fields = SchemaRow.texts(own);
    fields.remove(SchemaRow.NAME);
    fields.keySet().removeIf(KeyspaceField::isFormerReplicas);
    String name = fields.getOrDefault(KeyspaceField.STRATEGY, "");
    Optional<PlacementStrategy> strategy =
        name.isEmpty() ? Optional.of(PlacementStrategy.SIMPLE) : PlacementStrategy.byName(name);
    if (strategy.isEmpty()) {
      return fields; // of a newer release: refused, with its name
    }
    if (strategy.get() != PlacementStrategy.NETWORK_TOPOLOGY) {
      fields.keySet().removeIf(KeyspaceField::isDatacenter);
      return fields;
    }
    if (replicas(fields) > 0) {
      fields.remove(KeyspaceField.REPLICATION_FACTOR);
      cut(own, fields);
    } else if (!restore(own, fields)) {
      fields.keySet().removeIf(KeyspaceField::isDatacenter);
      fields.put(KeyspaceField.STRATEGY, PlacementStrategy.SIMPLE.shortName());
    }
    return fields;
  }

  private static long replicas(Map<String, String> fields) {
    return fields.entrySet().stream()
        .filter(field -> KeyspaceField.isDatacenter(field.getKey()))
        .mapToLong(field -> number(field.getValue()))
        .sum();
  }

  private static void cut(SortedMap<String, Cell> own, SortedMap<String, String> fields) {
    List<Map.Entry<String, Cell>> counts = new ArrayList<>(own.entrySet());
    counts.removeIf(entry -> !KeyspaceField.isDatacenter(entry.getKey()));
    counts.sort(OLDEST_FIRST);
    long left = KeyspaceReader.MAX_REPLICATION_FACTOR;
    for (Map.Entry<String, Cell> count : counts) {
      long wanted = number(SchemaRow.text(count.getValue().value()));
      if (wanted > left) {
        fields.put(count.getKey(), Long.toString(left));
      }
      left -= Math.max(0, Math.min(wanted, left));
    }
  }

  private static boolean restore(SortedMap<String, Cell> own, SortedMap<String, String> fields) {
    Optional<Map.Entry<String, Cell>> last =
        own.entrySet().stream()
            .filter(entry -> KeyspaceField.isFormerReplicas(entry.getKey()))
            .filter(entry -> number(SchemaRow.text(entry.getValue().value())) > 0)
            .max(OLDEST_FIRST);
    if (last.isEmpty()) {
      return false;
    }
    fields.remove(KeyspaceField.REPLICATION_FACTOR);
    fields.put(
        KeyspaceField.formerDatacenter(last.get().getKey()),
        SchemaRow.text(last.get().getValue().value()));
    return true;
  }

  /** Returns the effective definition of a family. */
  static FamilyDefinition settle(FamilyDefinition stored) {
    FamilyOptions defaults = FamilyOptions.DEFAULT;
    long least =
        number(stored, FamilyField.MIN_COMPACTION_THRESHOLD, defaults.minCompactionThreshold());
    long most =
        number(stored, FamilyField.MAX_COMPACTION_THRESHOLD, defaults.maxCompactionThreshold());
    boolean fits = least <= most && (least > 0 || most == 0);
    if (fits || least < 0 || most < 0) {
      return stored;
    }
    long counts = Math.min(least, most);
    FamilyDefinition settled = stored.with(FamilyField.MIN_COMPACTION_THRESHOLD, counts);
    return counts > 0 ? settled : settled.with(FamilyField.MAX_COMPACTION_THRESHOLD, 0);
  }

  private static long number(FamilyDefinition stored, FamilyField field, int absent) {
    return stored.value(field).map(Collisions::number).orElse((long) absent);
  }

  /** -1 for a text that is no number: the caller reports it. */
  private static long number(String text) {
    try {
      return text.length() > 20 ? -1 : new BigDecimal(text).longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      return -1;
    }
  }

  /**
   * Returns the replicas that a change takes from data centres, so that {@link #settle} can restore
   * them.
   */
  static SortedMap<String, String> formerReplicas(
      Map<String, String> before, Map<String, String> after) {
    SortedMap<String, String> former = new TreeMap<>();
    before.forEach(
        (field, count) -> {
          if (KeyspaceField.isDatacenter(field)
              && number(count) > 0
              && number(after.getOrDefault(field, "0")) == 0) {
            former.put(KeyspaceField.formerReplicas(field), count);
          }
        });
    return former;
  }
}
