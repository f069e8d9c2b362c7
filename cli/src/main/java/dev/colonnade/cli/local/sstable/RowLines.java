package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.shell.output.Json;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.node.offline.OfflineFamily;
import java.io.IOException;

/**
 * Writes rows as lines of JSON, with everything that a data file holds. A wide row takes several
 * lines, so that memory is bounded.
 */
final class RowLines {

  static final int VERSION = 1;

  /** After so many columns, or characters, the row goes on in another line. */
  private static final int COLUMNS_MAX = 1_000;

  private static final int CHARACTERS_MAX = 1 << 20;

  /** Takes lines, without their ends. */
  @FunctionalInterface
  interface LineSink {
    void accept(String line) throws IOException;
  }

  private final LineSink sink;
  private final StringBuilder line = new StringBuilder();
  private final Json json = new Json(line::append);
  private final boolean superFamily;

  RowLines(LineSink sink, boolean superFamily) {
    this.sink = sink;
    this.superFamily = superFamily;
  }

  /** The first line, which says what the rows are of. */
  void header(OfflineFamily family) throws IOException {
    json.open("{").name(RowFields.VERSION).value(VERSION);
    if (!family.name().isEmpty()) {
      json.name(RowFields.KEYSPACE).text(family.keyspace());
      json.name(RowFields.FAMILY).text(family.name());
    }
    json.name(RowFields.FAMILY_ID).text(family.id().toString());
    json.name(RowFields.PARTITIONER).text(family.partitioner());
    json.name(RowFields.COMPARATOR).text(family.order().topType().typeName());
    if (family.order().subType() != null) {
      json.name(RowFields.SUBCOMPARATOR).text(family.order().subType().typeName());
    }
    json.close("}");
    end();
  }

  /**
   * Writes a row.
   *
   * @return how many columns it has
   */
  long row(byte[] key, AtomCursor atoms) throws IOException {
    json.open("{").name(RowFields.KEY).value(BytesField.value(key));
    deletion(RowFields.DELETED, atoms.rowDeletion());
    deletion(RowFields.OPEN, atoms.open());
    json.name(RowFields.COLUMNS).open("[");
    long cells = 0;
    int inLine = 0;
    for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
      if (inLine == COLUMNS_MAX || line.length() > CHARACTERS_MAX) {
        json.close("]").close("}");
        end();
        json.open("{")
            .name(RowFields.KEY)
            .value(BytesField.value(key))
            .name(RowFields.CONTINUED)
            .value(true);
        json.name(RowFields.COLUMNS).open("[");
        inLine = 0;
      }
      if (atom instanceof Cell cell) {
        cell(cell);
        cells++;
      } else {
        marker((RangeTombstoneMarker) atom);
      }
      inLine++;
    }
    json.close("]").close("}");
    end();
    return cells;
  }

  private void end() throws IOException {
    sink.accept(line.toString());
    line.setLength(0);
  }

  private void cell(Cell cell) {
    json.open("{");
    names(cell);
    if (cell.hasValue()) {
      json.name(RowFields.VALUE)
          .value(BytesField.value(cell.valueArray(), cell.valueOffset(), cell.valueLength()));
    }
    json.name(RowFields.TIMESTAMP).number64(cell.timestamp());
    switch (cell.kind()) {
      case LIVE -> {}
      case DELETED -> json.name(RowFields.DELETED).number64(cell.localSeconds());
      case EXPIRING -> {
        if (cell.hasValue()) {
          json.name(RowFields.TTL).value(cell.ttlSeconds());
          json.name(RowFields.EXPIRES).number64(cell.localSeconds());
        } else {
          json.name(RowFields.EXPIRED).number64(cell.localSeconds());
        }
      }
    }
    json.close("}");
  }

  private void marker(RangeTombstoneMarker marker) {
    int weight = marker.weight();
    json.open("{").name(RowFields.BOUND);
    json.text(weight == 2 ? RowFields.END : weight < 0 ? RowFields.BEFORE : RowFields.AFTER);
    if (weight != 2) {
      names(marker);
    }
    deletion(RowFields.ENDS, marker.before());
    deletion(RowFields.BEGINS, marker.after());
    json.close("}");
  }

  private void names(Atom atom) {
    byte[] sub = atom.sub();
    json.name(superFamily ? RowFields.SUPER : RowFields.NAME).value(BytesField.value(atom.top()));
    if (sub != null) {
      json.name(RowFields.NAME).value(BytesField.value(sub));
    }
  }

  private void deletion(String name, DeletionTime deletion) {
    if (!deletion.isNone()) {
      json.name(name).open("{").name(RowFields.TIMESTAMP).number64(deletion.timestamp());
      json.name(RowFields.AT).number64(deletion.deletedAtSeconds()).close("}");
    }
  }
}
