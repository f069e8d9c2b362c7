package dev.colonnade.connectors.hadoop;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.io.Writable;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a row that an input format's predicate selects, in the order of the family; in a
 * Super family all columns of one super column, then those of the next. Not thread-safe.
 */
public final class RowWritable implements Writable, Iterable<CellWritable> {

  private List<CellWritable> cells;

  /** An empty one, for {@link #readFields}. */
  public RowWritable() {
    this(List.of());
  }

  RowWritable(List<CellWritable> cells) {
    this.cells = cells;
  }

  /** The columns; cannot be changed. */
  public List<CellWritable> cells() {
    return List.copyOf(cells);
  }

  /** The first column of that name, as text in UTF-8, if there is one. */
  public Optional<CellWritable> get(String name) {
    return cells.stream().filter(cell -> cell.nameText().equals(name)).findFirst();
  }

  @Override
  public Iterator<CellWritable> iterator() {
    return cells().iterator();
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeInt(cells.size());
    for (CellWritable cell : cells) {
      cell.write(out);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    int count = in.readInt();
    if (count < 0) {
      throw new EOFException("a row is damaged: " + count + " columns");
    }
    // Not sized by the count, which is not checked: each column that is read proves itself.
    List<CellWritable> read = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      CellWritable cell = new CellWritable();
      cell.readFields(in);
      read.add(cell);
    }
    cells = read;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RowWritable that && cells.equals(that.cells);
  }

  @Override
  public int hashCode() {
    return cells.hashCode();
  }
}
