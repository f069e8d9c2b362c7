package dev.colonnade.client;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Columns in their order, of which the first that is left is the head. Of a file only the value is
 * in memory that is asked for, since values may be long and runs many. For one thread.
 */
final class LoadRun {

  private final @Nullable DataInputStream file;
  private final Iterator<LoadEntry> sorted;
  private @Nullable LoadEntry head;

  /** Whether the value of the head is still in the file. */
  private boolean cut;

  private LoadRun(@Nullable DataInputStream file, Iterator<LoadEntry> sorted) {
    this.file = file;
    this.sorted = sorted;
  }

  /** The columns of a file that {@link LoadEntry#write} has written. */
  static LoadRun of(DataInputStream file) {
    return new LoadRun(file, List.<LoadEntry>of().iterator());
  }

  static LoadRun of(List<LoadEntry> sorted) {
    return new LoadRun(null, sorted.iterator());
  }

  /** Goes to the next column, at first to the first one; false at the end. */
  boolean advance() throws IOException {
    DataInputStream in = file;
    if (in == null) {
      head = sorted.hasNext() ? sorted.next() : null;
    } else {
      if (cut) {
        LoadEntry.skipValue(in);
      }
      head = LoadEntry.readBeforeValue(in);
      cut = head != null;
    }
    return head != null;
  }

  private LoadEntry place() {
    if (head == null) {
      throw new IllegalStateException("the run is at its end");
    }
    return head;
  }

  /** The head, with its value. */
  LoadEntry head() throws IOException {
    LoadEntry entry = place();
    if (cut && file != null) {
      entry = entry.withValueFrom(file);
      head = entry;
      cut = false;
    }
    return entry;
  }

  /**
   * The order of runs by their heads. Throws {@link UncheckedIOException} if a value that it needs
   * cannot be read.
   *
   * @param byPlaceAndAge of columns
   */
  static Comparator<LoadRun> byHead(Comparator<LoadEntry> byPlaceAndAge) {
    return (left, right) -> {
      int order = byPlaceAndAge.compare(left.place(), right.place());
      if (order != 0) {
        return order;
      }
      try {
        return LoadEntry.byValue(left.head(), right.head());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  /** Whether the head is of that column, in whatever version. */
  boolean isOf(LoadEntry column, Comparator<LoadEntry> byPlace) {
    return byPlace.compare(column, place()) == 0;
  }
}
