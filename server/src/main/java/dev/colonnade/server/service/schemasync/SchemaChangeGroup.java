package dev.colonnade.server.service.schemasync;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaChange;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.service.consistency.StorageFailures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Changes of the schema that are made durable and visible together. Each is computed from the
 * result of the one before, as if they were made one after another. One thread at a time.
 */
final class SchemaChangeGroup {

  /** About as many keyspaces as one change may merge. */
  private static final int ROWS_MAX = 64;

  /** Computes a change from the schema as it is when the change runs; maybe more than once. */
  interface Transition {
    SchemaChange from(Schema schema, long timestampMicros) throws SchemaException;
  }

  /**
   * A requested change.
   *
   * @param freesRoom whether it may be made on a disk that is nearly full
   */
  record WaitingChange(Transition transition, boolean freesRoom, CompletableFuture<String> done) {}

  /**
   * A change of the group.
   *
   * @param refusal why it changes nothing
   */
  private record GroupedChange(WaitingChange change, Optional<Throwable> refusal) {}

  private final Schema before;
  private final List<GroupedChange> members = new ArrayList<>();
  private final List<SchemaRow> rows = new ArrayList<>();
  private Schema after;
  private boolean truncates;

  SchemaChangeGroup(Schema before) {
    this.before = before;
    this.after = before;
  }

  /**
   * Adds a change. The first one always belongs to the group; a truncation is a group of its own,
   * because it empties the family before it is stored, and its failure means something else.
   *
   * @return whether it was added; otherwise it belongs to a later group
   */
  boolean add(WaitingChange change, long timestampMicros) {
    boolean isFirst = members.isEmpty();
    if (!isFirst && (truncates || rows.size() >= ROWS_MAX || change.freesRoom() != freesRoom())) {
      return false;
    }
    SchemaChange made;
    try {
      made = change.transition().from(after, timestampMicros);
      if (!change.freesRoom()) {
        made.requireSize();
      }
    } catch (SchemaException | RuntimeException | LinkageError e) {
      // A user's comparator may throw any of these; the other changes must still be made.
      members.add(new GroupedChange(change, Optional.of(e)));
      return true;
    }
    boolean isTruncation = truncates(made.after());
    if (isTruncation && !isFirst) {
      return false;
    }
    truncates = isTruncation;
    members.add(new GroupedChange(change, Optional.empty()));
    rows.addAll(made.rows());
    after = made.after();
    return true;
  }

  private boolean truncates(Schema next) {
    if (next == after) {
      return false;
    }
    for (ColumnFamily family : next.families().values()) {
      ColumnFamily known = before.families().get(family.id());
      if (known != null && family.truncation() > known.truncation()) {
        return true;
      }
    }
    return false;
  }

  boolean freesRoom() {
    return !members.isEmpty() && members.get(0).change().freesRoom();
  }

  /** The cells to write. */
  List<SchemaRow> rows() {
    return rows;
  }

  /** The schema with all changes. */
  Schema after() {
    return after;
  }

  /** Tells all callers what became of their changes. */
  void succeed() {
    for (GroupedChange member : members) {
      if (member.refusal().isPresent()) {
        member
            .change()
            .done()
            .completeExceptionally(StorageFailures.translate(member.refusal().get()));
      } else {
        member.change().done().complete(after.version());
      }
    }
  }

  /**
   * Tells all callers that nothing was stored. A change that was refused fails with the others:
   * what spoke against it may be one of them.
   */
  void fail(Throwable failure) {
    for (GroupedChange member : members) {
      member.change().done().completeExceptionally(failure);
    }
  }
}
