package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.sstable.ReadContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads everything known of rows in token order, over one version. Rows with nothing left but
 * deletions past gc grace are passed over as if they did not exist. For one thread and one
 * fragment.
 */
final class RangeFragmentReader {

  /** How many purgeable rows count as one row against the budget. */
  private static final int PURGEABLE_PER_ROW = 16;

  /** What a row takes beside its key and its atoms. */
  private static final int ROW_BYTES = 16;

  private static final Slice WHOLE =
      new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE);

  private final FamilyVersion view;
  private final PathOrder order;
  private final long keptSinceSeconds;
  private final RangeCommand command;
  private final WorkSteps steps;
  private final ReadContext context;

  private final List<RangeFragment.Row> rows = new ArrayList<>();
  private @Nullable RowKey end;
  private long bytesLeft;
  private int atomsLeft;
  private int existing;
  private long purgeableRows;
  private long purgeable;
  private long listed;
  private long tombstones;

  RangeFragmentReader(
      FamilyVersion view,
      PathOrder order,
      long keptSinceSeconds,
      RangeCommand command,
      WorkSteps steps,
      ReadContext context) {
    this.view = view;
    this.order = order;
    this.keptSinceSeconds = keptSinceSeconds;
    this.command = command;
    this.steps = steps;
    this.context = context;
    this.bytesLeft = command.bytes();
    this.atomsLeft = steps.readAtoms();
  }

  void read() throws IOException {
    view.requireNothingMissing(command.start(), command.end());
    RowKeys keys = RowKeys.from(view, command.start(), context);
    for (RowKey key = keys.next(); key != null && end == null; key = keys.next()) {
      if (command.end().isPresent() && key.compareTo(command.end().get()) >= 0) {
        return;
      }
      boolean goesOn = key.equals(command.start());
      if (command.rowsLeft() == 0 && !goesOn) {
        break;
      }
      read(key, keys.row(order), command.from(key), goesOn && command.startListed());
    }
    if (command.rowsLeft() == 0) {
      // Only the rest of the first row was wanted.
      end = command.start();
    }
  }

  RangeFragment fragment() {
    return new RangeFragment(rows, Optional.ofNullable(end));
  }

  long tombstones() {
    return tombstones;
  }

  private void read(RowKey key, RowSourceSet row, Optional<SlicePosition> inside, boolean isListed)
      throws IOException {
    FragmentReader reader =
        read(row, command.sliceOfRow(), inside, Math.max(1, bytesLeft), Math.max(1, atomsLeft));
    RowFragment fragment = reader.fragment();
    boolean empty = fragment.atoms().isEmpty();
    if (empty && !reader.isCutShort() && !exists(row)) {
      purgeableRows++;
      purgeable += reader.lookupAtoms();
      if (purgeableRows / PURGEABLE_PER_ROW >= steps.readRows() || isOverTombstoneLimit()) {
        end = key;
      }
      return;
    }
    existing++;
    atomsLeft -= reader.lookupAtoms();
    if (!empty || fragment.end().isPresent() || command.includeEmptyRows()) {
      rows.add(new RangeFragment.Row(key, fragment));
      bytesLeft -= ROW_BYTES + key.token().length + key.key().length + reader.bytes();
      atomsLeft -= reader.atoms();
    }
    if (!isListed && (reader.hasLive() || command.includeEmptyRows())) {
      listed++;
    }
    if (reader.isCutShort()
        || bytesLeft <= 0
        || atomsLeft <= 0
        || existing >= steps.readRows()
        || listed >= command.rowsLeft()
        || isOverTombstoneLimit()) {
      end = key;
    }
  }

  private FragmentReader read(
      RowSourceSet row, Slice slice, Optional<SlicePosition> inside, long bytes, int atoms)
      throws IOException {
    FragmentReader reader =
        new FragmentReader(
            order,
            row,
            slice,
            inside,
            command.nowSeconds(),
            keptSinceSeconds,
            new ReadBudget(bytes, atoms));
    reader.walk(inside);
    purgeable += reader.purgeable();
    tombstones += reader.tombstones();
    return reader;
  }

  /** Whether anything of the row is left, inside or outside of the slice. */
  private boolean exists(RowSourceSet row) throws IOException {
    FragmentReader reader = read(row, WHOLE, Optional.empty(), 1, 1);
    return !reader.fragment().atoms().isEmpty() || reader.isCutShort();
  }

  private boolean isOverTombstoneLimit() {
    return purgeable / FragmentReader.PURGEABLE_PER_ATOM >= steps.readAtoms();
  }
}
