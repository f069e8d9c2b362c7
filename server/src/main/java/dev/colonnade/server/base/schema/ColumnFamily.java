package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import java.util.Optional;

/**
 * A column family as defined by a schema.
 *
 * <p>Immutable. Requests carry it along, so that a change of schema does not affect half of a
 * request.
 *
 * @param id never changes, unlike the name's meaning: a family that is dropped and created again
 *     has another
 * @param order how its names sort; never changes
 * @param options what can change
 * @param definition as given, in canonical spelling, without defaults
 * @param truncation the number of the last truncation; 0 before the first, later ones are greater.
 *     Data written or read before it is void wherever it still exists: in messages, hints and
 *     streams
 */
public record ColumnFamily(
    String keyspace,
    String name,
    FamilyId id,
    PathOrder order,
    FamilyOptions options,
    FamilyDefinition definition,
    long truncation) {

  /** Returns the family after a truncation. */
  ColumnFamily truncatedBy(long number) {
    return new ColumnFamily(keyspace, name, id, order, options, definition, number);
  }

  /** Whether rows hold super columns. */
  public boolean isSuper() {
    return order.isSuper();
  }

  /** Orders columns (Standard) or super columns (Super). */
  public ColumnComparator compareWith() {
    return order.topType();
  }

  /** Orders columns inside super columns; empty in a Standard family. */
  public Optional<ColumnComparator> compareSubcolumnsWith() {
    return Optional.ofNullable(order.subType());
  }

  /** The analyzer of a search index; empty for a family that is none. */
  public Optional<String> analyzer() {
    return definition.value(FamilyField.ANALYZER);
  }

  /** Keyspace and name, for messages to people. */
  public String qualifiedName() {
    return keyspace + "." + name;
  }
}
