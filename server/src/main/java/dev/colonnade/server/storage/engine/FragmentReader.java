package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RangeTombstoneBuilder;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads everything known of a slice of one row, deletions included, as a {@link RowFragment}.
 *
 * <p>Only the content of a fragment decides where it ends, so the end does not depend on how the
 * content lies in memtables and files. Deletions past gc grace, which some replicas have purged and
 * others not yet, are passed over as if they did not exist; only a very long run of them ends a
 * fragment, too. What is older than the slice's least timestamp is passed over in the same way: it
 * decides nothing in the slice, so replicas that differ in it alone give equal fragments. For one
 * thread and one fragment.
 */
final class FragmentReader extends SliceWalk {

  /** What a range deletion takes beside its names. */
  private static final long DELETION_BYTES = 40;

  /** How many atoms that are passed over count as one atom against the budget. */
  static final int PURGEABLE_PER_ATOM = 16;

  private final RowSourceSet row;
  private final boolean columnsOnly;
  private final long nowSeconds;
  private final long keptSinceSeconds;
  private final ReadBudget budget;
  private final LiveCells live;

  private final RowUpdate.Builder deletions;
  private final List<Cell> cells = new ArrayList<>();
  private DeletionTime rowDeletion = DeletionTime.NONE;
  private int atoms;
  private int lookups;
  private long bytes;
  private long purgeable;
  private long tombstones;
  private @Nullable Bound end;
  private boolean cutShort;

  /**
   * Prepares a fragment.
   *
   * @param from where an earlier one ended
   * @param nowSeconds judges expiry
   * @param keptSinceSeconds deletions that are older are left out
   */
  FragmentReader(
      PathOrder order,
      RowSourceSet row,
      Slice slice,
      Optional<SlicePosition> from,
      long nowSeconds,
      long keptSinceSeconds,
      ReadBudget budget) {
    super(order, slice);
    this.row = row.since(slice.minTimestamp());
    this.columnsOnly = slice.isOfColumns(order);
    this.nowSeconds = nowSeconds;
    this.keptSinceSeconds = keptSinceSeconds;
    this.budget = budget;
    this.live = new LiveCells(order, slice, from, Long.MAX_VALUE, nowSeconds, null);
    this.deletions = RowUpdate.builder(order);
  }

  RowFragment fragment() {
    if (slice.reversed()) {
      cells.sort(order);
    }
    return new RowFragment(
        RowUpdate.ofCanonical(rowDeletion, deletions.build().ranges(), List.copyOf(cells)),
        Optional.ofNullable(end));
  }

  /** Whether it ended early because it became too large. */
  boolean isCutShort() {
    return cutShort;
  }

  /** Whether there is a live cell in it. */
  boolean hasLive() {
    return live.delivered() > 0;
  }

  /** How many cells and deletions are in it. */
  int atoms() {
    return atoms;
  }

  /** What the lookups of ranges count as, in cells and deletions. */
  int lookupAtoms() {
    return lookups * WorkSteps.ATOMS_PER_LOOKUP;
  }

  /** About how many bytes its atoms take. */
  long bytes() {
    return bytes;
  }

  /** What was passed over: deletions past gc grace, and what is too old for the slice. */
  long purgeable() {
    return purgeable;
  }

  /** Deletions and expired cells passed over. */
  long tombstones() {
    return tombstones;
  }

  @Override
  boolean hasEnded() {
    return end != null;
  }

  @Override
  boolean readRange(PathRange range, boolean reversed) throws IOException {
    if (endsAtLimit(range.start())) {
      return false;
    }
    // The requested names are the same on all replicas.
    if (lookups > 0 && atoms + lookupAtoms() >= budget.atoms()) {
      cutShort(reversed ? range.end() : range.start());
      return false;
    }
    lookups++;
    if (columnsOnly) {
      return readColumn(range, reversed);
    }
    AtomCursor cursor = open(range, reversed);
    RangeTombstoneBuilder open =
        new RangeTombstoneBuilder(
            reversed ? range.end() : range.start(), kept(cursor.open()), reversed);
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      Atom known = known(atom);
      if (known == null) {
        if (isOverTombstoneLimit()) {
          cutShort(SliceReader.behind(atom, reversed));
        }
      } else if (!endsAtLimit(known) && hasRoomFor(known, reversed)) {
        if (known instanceof RangeTombstoneMarker marker) {
          open.pass(marker, deletions);
          count(costOf(marker), true);
        } else {
          take((Cell) known, reversed);
        }
      }
      if (end != null) {
        open.end(end, deletions);
        return false;
      }
    }
    open.end(reversed ? range.start() : range.end(), deletions);
    return true;
  }

  /** A column has one version, or a deletion over it; which deletion that is does not matter. */
  private boolean readColumn(PathRange range, boolean reversed) throws IOException {
    AtomCursor cursor = row.open(range, reversed);
    Atom version = cursor.next();
    if (version instanceof Cell cell && known(cell) instanceof Cell known) {
      if (hasRoomFor(known, reversed)) {
        take(known, reversed);
      }
      return end == null;
    }
    if (version instanceof Cell old && old.timestamp() < slice.minTimestamp()) {
      // The column's newest version, so a deletion over it is older still.
      return true;
    }
    if (version != null || isPurgeable(cursor.rowDeletion()) || isPurgeable(cursor.open())) {
      // A compaction that purges what is past gc grace leaves the deletions below it. So these
      // count, and they may lie in files without anything as new, which were not read.
      cursor = row.openWhole(range, reversed);
    }
    DeletionTime deletion = DeletionTime.max(kept(cursor.rowDeletion()), kept(cursor.open()));
    if (!deletion.isNone()) {
      RangeTombstoneMarker marker =
          new RangeTombstoneMarker(range.start(), DeletionTime.NONE, deletion);
      if (isFull(costOf(marker))) {
        cutShort(reversed ? range.end() : range.start());
        return false;
      }
      deletions.deleteRange(range, deletion);
      count(costOf(marker), true);
    }
    return true;
  }

  @Override
  Optional<byte[]> stepBack(PathRange range) throws IOException {
    byte[] counted = live.countedTop();
    if (live.isLimitReached() && counted != null) {
      end = Bound.after(counted);
      return Optional.empty();
    }
    AtomCursor cursor = open(range, true);
    RangeTombstoneBuilder open = new RangeTombstoneBuilder(range.end(), kept(cursor.open()), true);
    RowUpdate.Builder gap = RowUpdate.builder(order);
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      Atom known = known(atom);
      if (known instanceof Cell cell) {
        open.end(Bound.before(cell.top()), gap);
        keepBehind(cell.top(), gap.build());
        return Optional.of(cell.top());
      }
      // The deletions in a super column without cells are read with it, when the walk reaches it.
      boolean full =
          known instanceof RangeTombstoneMarker marker
              ? isFull(costOf(marker))
              : isOverTombstoneLimit();
      if (full) {
        Bound at = Bound.before(atom.top());
        cutShort(at);
        open.end(at, gap);
        keepBehind(atom.top(), gap.build());
        return Optional.empty();
      }
      if (known instanceof RangeTombstoneMarker marker) {
        open.pass(marker, gap);
        count(costOf(marker), true);
      }
    }
    open.end(range.start(), gap);
    for (RangeTombstone deletion : gap.build().ranges()) {
      deletions.deleteRange(new PathRange(deletion.start(), deletion.end()), deletion.deletion());
    }
    return Optional.empty();
  }

  /** Keeps the parts of a gap's deletions that lie behind the super column at its end. */
  private void keepBehind(byte[] top, RowUpdate gap) {
    Bound behind = Bound.after(top);
    for (RangeTombstone deletion : gap.ranges()) {
      Bound start = order.compare(deletion.start(), behind) < 0 ? behind : deletion.start();
      deletions.deleteRange(new PathRange(start, deletion.end()), deletion.deletion());
    }
  }

  private AtomCursor open(PathRange range, boolean reversed) throws IOException {
    AtomCursor cursor = row.openWhole(range, reversed);
    rowDeletion = kept(cursor.rowDeletion());
    return cursor;
  }

  private DeletionTime kept(DeletionTime deletion) {
    return isPurgeable(deletion) || deletion.timestamp() < slice.minTimestamp()
        ? DeletionTime.NONE
        : deletion;
  }

  private boolean isPurgeable(DeletionTime deletion) {
    return !deletion.isNone() && deletion.deletedAtSeconds() < keptSinceSeconds;
  }

  /** The part of an atom that another replica should hear of; null if nothing. */
  private @Nullable Atom known(Atom atom) {
    if (atom instanceof RangeTombstoneMarker marker) {
      DeletionTime before = kept(marker.before());
      DeletionTime after = kept(marker.after());
      if (!before.equals(after)) {
        return new RangeTombstoneMarker(order.canonical(marker.bound()), before, after);
      }
    } else {
      Cell cell = (Cell) atom;
      if (cell.timestamp() < slice.minTimestamp()) {
        purgeable++;
        return null;
      }
      if (cell.isLiveAt(nowSeconds)) {
        return cell;
      }
      if (cell.localSeconds() >= keptSinceSeconds) {
        return cell.kind() == Cell.CellKind.DELETED ? cell : order.withoutValue(cell);
      }
    }
    purgeable++;
    tombstones++;
    return null;
  }

  private boolean isOverTombstoneLimit() {
    return purgeable / PURGEABLE_PER_ATOM >= budget.atoms();
  }

  /** Ends the fragment when all super columns that are wanted have been read whole. */
  private boolean endsAtLimit(Position next) {
    byte[] counted = live.countedTop();
    if (slice.bySuperColumn() && live.isLimitReached() && counted != null) {
      Bound behind = Bound.after(counted);
      if (order.compare(next, behind) >= 0) {
        end = behind;
      }
    }
    return end != null;
  }

  private boolean hasRoomFor(Atom atom, boolean reversed) {
    if (atom instanceof RangeTombstoneMarker marker) {
      if (isFull(costOf(marker))) {
        cutShort(marker.bound());
      }
    } else {
      Cell cell = (Cell) atom;
      if (isFull(LiveCells.costOf(cell))) {
        cutShort(reversed ? Bound.after(cell) : Bound.before(cell));
      }
    }
    return end == null;
  }

  private void cutShort(Bound at) {
    end = at;
    cutShort = true;
  }

  private boolean isFull(long cost) {
    return atoms > 0 && (bytes + cost > budget.bytes() || atoms >= budget.atoms());
  }

  private void take(Cell cell, boolean reversed) {
    cells.add(cell);
    boolean isLive = live.isLive(cell);
    count(LiveCells.costOf(cell), !isLive);
    if (isLive && !live.take(cell, reversed, false)) {
      end = reversed ? Bound.before(cell) : Bound.after(cell);
    }
  }

  private void count(long cost, boolean tombstone) {
    atoms++;
    bytes += cost;
    if (tombstone) {
      tombstones++;
    }
  }

  private static long costOf(RangeTombstoneMarker marker) {
    byte[] sub = marker.bound().sub();
    return DELETION_BYTES + marker.bound().top().length + (sub == null ? 0 : sub.length);
  }
}
