package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A batch of changes to some rows. */
record Write(List<Part> parts) implements Operation {

  /** The changes to one row of one family; parts of one key are one mutation. */
  record Part(Families.Shape shape, int key, List<Change> changes) {
    @Override
    public String toString() {
      return shape + " row" + key + " " + changes;
    }
  }

  /** A timestamp, as it is, or a number of microseconds before the moment of the write. */
  record Stamp(boolean ago, long micros) {
    long at(long nowSeconds) {
      return ago ? nowSeconds * 1_000_000 - micros : micros;
    }

    @Override
    public String toString() {
      return ago ? "@now-" + micros : "@" + micros;
    }
  }

  /** A change to a row. */
  sealed interface Change {
    Stamp stamp();
  }

  /** A value; {@code ttlSeconds} 0 for one that stays. */
  record Put(int top, int sub, int fill, int length, int ttlSeconds, Stamp stamp)
      implements Change {
    @Override
    public String toString() {
      String lives = ttlSeconds == 0 ? "" : " for " + ttlSeconds + " s";
      return "put " + top + "/" + sub + " = " + fill + " x " + length + " " + stamp + lives;
    }
  }

  record DeleteColumn(int top, int sub, Stamp stamp) implements Change {
    @Override
    public String toString() {
      return "delete " + top + "/" + sub + " " + stamp;
    }
  }

  record DeleteSuperColumn(int top, Stamp stamp) implements Change {
    @Override
    public String toString() {
      return "delete " + top + "/* " + stamp;
    }
  }

  record DeleteRange(Edge from, Edge to, Stamp stamp) implements Change {
    @Override
    public String toString() {
      return "delete " + from + " to " + to + " " + stamp;
    }
  }

  record DeleteRow(Stamp stamp) implements Change {
    @Override
    public String toString() {
      return "delete row " + stamp;
    }
  }

  /** A place in a row; {@code sub} below 0 for the edge of a whole column or super column. */
  record Edge(int top, int sub, boolean after) {
    /** Before the first column. */
    static final int START = -1;

    Bound bound(Families.Shape shape) {
      if (top == START) {
        return after ? Bound.END : Bound.START;
      }
      byte[] name = shape.top(top);
      return after
          ? Bound.after(name, sub < 0 ? null : shape.sub(sub))
          : Bound.before(name, sub < 0 ? null : shape.sub(sub));
    }

    @Override
    public String toString() {
      if (top == START) {
        return after ? "end" : "start";
      }
      return (after ? "after " : "before ") + top + (sub < 0 ? "" : "/" + sub);
    }
  }

  @Override
  public List<Object> run(Target target) {
    List<RowMutation> mutations = new ArrayList<>();
    for (int key = 0; key < Families.KEYS; key++) {
      List<RowMutation.FamilyUpdate> updates = new ArrayList<>();
      for (Families.Shape shape : Families.Shape.values()) {
        RowUpdate update = update(target, shape, key);
        if (!update.isEmpty()) {
          updates.add(new RowMutation.FamilyUpdate(target.family(shape), update));
        }
      }
      if (!updates.isEmpty()) {
        mutations.add(new RowMutation(target.key(key), updates));
      }
    }
    if (!mutations.isEmpty()) {
      target.await(target.rows().write(mutations, true, Consistency.ONE, Long.MAX_VALUE));
    }
    return List.of();
  }

  private RowUpdate update(Target target, Families.Shape shape, int key) {
    ColumnFamily family = target.family(shape);
    RowUpdate.Builder update = RowUpdate.builder(family.order());
    for (Part part : parts) {
      if (part.shape() == shape && part.key() == key) {
        part.changes().forEach(change -> add(update, change, family, shape, target.nowSeconds()));
      }
    }
    return update.build();
  }

  private static void add(
      RowUpdate.Builder update,
      Change change,
      ColumnFamily family,
      Families.Shape shape,
      long now) {
    long timestamp = change.stamp().at(now);
    DeletionTime deletion = new DeletionTime(timestamp, now);
    if (change instanceof Put put) {
      byte[] value = new byte[put.length()];
      Arrays.fill(value, (byte) put.fill());
      byte[] top = shape.top(put.top());
      update.add(
          put.ttlSeconds() == 0
              ? Cell.live(top, shape.sub(put.sub()), value, timestamp)
              : Cell.expiring(
                  top,
                  shape.sub(put.sub()),
                  value,
                  timestamp,
                  put.ttlSeconds(),
                  now + put.ttlSeconds()));
    } else if (change instanceof DeleteColumn gone) {
      update.add(Cell.deleted(shape.top(gone.top()), shape.sub(gone.sub()), deletion));
    } else if (change instanceof DeleteSuperColumn gone) {
      update.deleteRange(PathRange.of(shape.top(gone.top())), deletion);
    } else if (change instanceof DeleteRange gone) {
      Bound a = gone.from().bound(shape);
      Bound b = gone.to().bound(shape);
      boolean ordered = family.order().compare(a, b) <= 0;
      update.deleteRange(ordered ? new PathRange(a, b) : new PathRange(b, a), deletion);
    } else {
      update.deleteRow(deletion);
    }
  }

  @Override
  public List<Operation> smaller() {
    List<Operation> smaller = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      List<Part> fewer = new ArrayList<>(parts);
      Part part = fewer.remove(i);
      if (!fewer.isEmpty()) {
        smaller.add(new Write(fewer));
      }
      for (int j = 0; part.changes().size() > 1 && j < part.changes().size(); j++) {
        List<Change> changes = new ArrayList<>(part.changes());
        changes.remove(j);
        List<Part> changed = new ArrayList<>(parts);
        changed.set(i, new Part(part.shape(), part.key(), changes));
        smaller.add(new Write(changed));
      }
    }
    return smaller;
  }

  @Override
  public String toString() {
    return "Write" + parts;
  }
}
