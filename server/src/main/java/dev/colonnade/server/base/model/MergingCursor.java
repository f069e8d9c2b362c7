package dev.colonnade.server.base.model;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges one row from several sources: of each cell the version that stands, without what deletions
 * hide, and the deletions that are in force over all sources. Deletions stay in the sequence,
 * because they are needed for merging with another replica's answer.
 *
 * <p>Memory is one atom for each source. For one thread.
 */
public final class MergingCursor implements AtomCursor {

  private final AtomCursor[] sources;
  private final PathOrder order;
  private final boolean reversed;
  private final WorkMeter work;
  private final DeletionTime rowDeletion;
  private final DeletionTime open;
  private final @Nullable Atom[] heads;
  private final DeletionTime[] opened;
  private DeletionTime rangeInForce;
  private boolean started;

  private MergingCursor(AtomCursor[] sources, PathOrder order, boolean reversed, WorkMeter work) {
    this.work = work;
    this.sources = sources;
    this.order = order;
    this.reversed = reversed;
    this.heads = new Atom[sources.length];
    this.opened = new DeletionTime[sources.length];
    DeletionTime row = DeletionTime.NONE;
    for (int i = 0; i < sources.length; i++) {
      row = DeletionTime.max(row, sources[i].rowDeletion());
      opened[i] = sources[i].open();
    }
    this.rowDeletion = row;
    this.open = strongestOpened();
    this.rangeInForce = open;
  }

  /** Merges sources of one row that read the same range in the same direction. */
  public static AtomCursor of(
      List<? extends AtomCursor> sources, PathOrder order, boolean reversed) {
    return of(sources, order, reversed, WorkMeter.NONE);
  }

  /**
   * The same.
   *
   * @param work is told of each step, also of steps over cells that a deletion hides
   */
  public static AtomCursor of(
      List<? extends AtomCursor> sources, PathOrder order, boolean reversed, WorkMeter work) {
    return new MergingCursor(sources.toArray(new AtomCursor[0]), order, reversed, work);
  }

  @Override
  public DeletionTime rowDeletion() {
    return rowDeletion;
  }

  @Override
  public DeletionTime open() {
    return open;
  }

  @Override
  public @Nullable Atom next() throws IOException {
    if (!started) {
      for (int i = 0; i < sources.length; i++) {
        heads[i] = sources[i].next();
      }
      started = true;
    }
    while (true) {
      work.spend(heads.length);
      int nearest = nearestHead();
      if (nearest < 0) {
        return null;
      }
      Atom atom = heads[nearest] instanceof Cell ? takeCell(nearest) : takeMarker(nearest);
      if (atom != null) {
        return atom;
      }
    }
  }

  /** Of one source only, which hides nothing of its own. */
  @Override
  public @Nullable PlainCells plain(long atMost) throws IOException {
    if (started || sources.length != 1 || !rowDeletion.isNone() || !open.isNone()) {
      return null;
    }
    PlainCells plain = sources[0].plain(atMost);
    if (plain != null) {
      work.spend(plain.count());
    }
    return plain;
  }

  /**
   * The source whose head comes first; of equals the first source. -1 when all are at their end.
   */
  private int nearestHead() {
    int nearest = -1;
    Atom best = null;
    for (int i = 0; i < heads.length; i++) {
      Atom head = heads[i];
      if (head == null) {
        continue;
      }
      if (best == null || isAhead(head, best)) {
        best = head;
        nearest = i;
      }
    }
    return nearest;
  }

  private boolean isAhead(Position a, Position b) {
    int result = order.compare(a, b);
    return reversed ? result > 0 : result < 0;
  }

  private @Nullable Atom takeCell(int nearest) throws IOException {
    Cell standing = (Cell) take(nearest);
    for (int i = nearest + 1; i < heads.length; i++) {
      if (heads[i] instanceof Cell other && order.compare(other, standing) == 0) {
        take(i);
        standing = Reconcile.pick(standing, other);
      }
    }
    boolean hidden =
        rowDeletion.hides(standing.timestamp()) || rangeInForce.hides(standing.timestamp());
    return hidden ? null : standing;
  }

  private @Nullable Atom takeMarker(int nearest) throws IOException {
    Bound at = ((RangeTombstoneMarker) takeOpening(nearest)).bound();
    for (int i = nearest + 1; i < heads.length; i++) {
      if (heads[i] instanceof RangeTombstoneMarker other && order.compare(other, at) == 0) {
        takeOpening(i);
      }
    }
    DeletionTime left = rangeInForce;
    rangeInForce = strongestOpened();
    if (left.equals(rangeInForce)) {
      return null;
    }
    return reversed
        ? new RangeTombstoneMarker(at, rangeInForce, left)
        : new RangeTombstoneMarker(at, left, rangeInForce);
  }

  private Atom takeOpening(int source) throws IOException {
    Atom taken = take(source);
    opened[source] = ((RangeTombstoneMarker) taken).opened(reversed);
    return taken;
  }

  private Atom take(int source) throws IOException {
    Atom taken = heads[source];
    if (taken == null) {
      throw new IllegalStateException("source " + source + " is at its end");
    }
    heads[source] = sources[source].next();
    return taken;
  }

  /** A range deletion that is weaker than the row's deletion counts as none. */
  private DeletionTime strongestOpened() {
    DeletionTime strongest = DeletionTime.NONE;
    for (DeletionTime deletion : opened) {
      strongest = DeletionTime.max(strongest, deletion);
    }
    return strongest.compareTo(rowDeletion) > 0 ? strongest : DeletionTime.NONE;
  }
}
