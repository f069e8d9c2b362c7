package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.storage.sstable.SSTableSalvage.Loss;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** What a data file has in which block, and so what must be left of it without some blocks. */
final class SalvageModel {

  /** Where a block's frame stands. */
  record Frame(long offset, int bytes) {}

  private final PathOrder order;
  private final NavigableMap<RowKey, RowState> rows;
  private final List<Frame> frames = new ArrayList<>();
  private final Map<RowKey, TreeSet<Integer>> blocksOf = new LinkedHashMap<>();
  private final Map<RowKey, Map<Integer, List<Atom>>> atomsOf = new HashMap<>();

  /** Reads the layout of a sound file. */
  SalvageModel(SimFileSystem files, SSTableIdentity identity, NavigableMap<RowKey, RowState> rows)
      throws IOException {
    this.order = identity.order();
    this.rows = rows;
    try (BlockReader data = BlockReader.open(files, identity, Component.DATA)) {
      BlockWalk walk = new BlockWalk(data, OpenComponents.DataFooter.read(data));
      for (DataBlock block = walk.next(); block != null; block = walk.next()) {
        int number = frames.size();
        frames.add(new Frame(walk.offset(), walk.frameBytes()));
        ByteReader reader = block.reader();
        for (int i = 0; i < block.rows(); i++) {
          RowKey key = block.rowKey(i, reader);
          blocksOf.computeIfAbsent(key, each -> new TreeSet<>()).add(number);
          List<Atom> atoms = new ArrayList<>();
          for (int each = block.firstAtom(i); each < block.endAtom(i); each++) {
            atoms.add(block.atom(each, reader));
          }
          atomsOf.computeIfAbsent(key, each -> new HashMap<>()).put(number, atoms);
        }
      }
    }
  }

  List<Frame> frames() {
    return frames;
  }

  /** How many rows reach over several blocks. */
  long wide() {
    return blocksOf.values().stream().filter(blocks -> blocks.size() > 1).count();
  }

  /** Compares what was salvaged without some blocks with what must be left. */
  void check(
      Set<Integer> bad,
      SimFileSystem files,
      SSTableIdentity salvaged,
      SSTableSalvage.Outcome outcome,
      List<Loss> losses,
      String where)
      throws IOException {
    Map<RowKey, List<Object>> found = read(files, salvaged, outcome);
    long whole = 0;
    long incomplete = 0;
    for (Map.Entry<RowKey, TreeSet<Integer>> each : blocksOf.entrySet()) {
      RowKey key = each.getKey();
      TreeSet<Integer> sound = new TreeSet<>(each.getValue());
      sound.removeAll(bad);
      String row = where + ", row " + key;
      if (sound.equals(each.getValue())) {
        whole++;
        assertEquals(original(key), found.remove(key), row);
      } else if (sound.isEmpty()) {
        assertEquals(null, found.remove(key), row);
        assertTrue(losses.stream().anyMatch(loss -> covers(loss, key)), row + " is not reported");
      } else {
        incomplete++;
        List<Object> part = found.remove(key);
        // Of a row without deletion of which no column and no range is known nothing is written.
        partOf(
            key, sound, part == null ? List.of(DeletionTime.NONE, DeletionTime.NONE) : part, row);
        assertTrue(
            losses.stream().anyMatch(loss -> isIn(loss, key)), row + " is not said to be cut");
      }
    }
    assertEquals(Map.of(), found, where + ": rows that were never written");
    assertEquals(whole, outcome.whole(), where);
    assertEquals(incomplete, outcome.incomplete(), where);
    assertEquals(0, outcome.refused(), where);
    assertTrue(bad.isEmpty() || outcome.losses() > 0, where);
    assertEquals(losses.size(), outcome.losses(), where);
    outcome
        .lostRows()
        .ifPresent(
            lost -> assertEquals(rows.size() - outcome.whole() - outcome.incomplete(), lost));
  }

  private static Map<RowKey, List<Object>> read(
      SimFileSystem files, SSTableIdentity salvaged, SSTableSalvage.Outcome outcome)
      throws IOException {
    Map<RowKey, List<Object>> found = new HashMap<>();
    if (outcome.whole() + outcome.incomplete() == 0) {
      return found;
    }
    try (SSTableScan scan = SSTableScan.ofData(files, salvaged)) {
      for (RowKey key = scan.nextRow(); key != null; key = scan.nextRow()) {
        found.put(key, TestFiles.drain(scan.atoms()));
      }
    }
    return found;
  }

  private List<Atom> atoms(RowKey key, int block) {
    return Objects.requireNonNull(Objects.requireNonNull(atomsOf.get(key)).get(block));
  }

  private List<Object> original(RowKey key) throws IOException {
    AtomCursor cursor = Objects.requireNonNull(rows.get(key)).cursor(PathRange.ALL, false, order);
    return TestFiles.drain(cursor);
  }

  /** All cells of the sound blocks, no range deletion where there was none, and none lost there. */
  private void partOf(RowKey key, Set<Integer> sound, List<Object> found, String where)
      throws IOException {
    List<Object> original = original(key);
    assertEquals(original.get(0), found.get(0), where + ": the row's deletion");
    List<Cell> cells = new ArrayList<>();
    for (int block : sound) {
      for (Atom atom : atoms(key, block)) {
        if (atom instanceof Cell cell) {
          cells.add(cell);
        }
      }
    }
    List<Object> kept = found.stream().filter(each -> each instanceof Cell).toList();
    assertEquals(cells, kept, where);
    for (int block : sound) {
      List<Atom> atoms = atoms(key, block);
      for (int i = 0; i < atoms.size(); i++) {
        Atom atom = atoms.get(i);
        if (atom instanceof Cell) {
          assertEquals(at(original, atom), at(found, atom), where + ": deletion over " + atom);
        } else if (i < atoms.size() - 1) {
          Position behind = ((RangeTombstoneMarker) atom).bound();
          assertEquals(at(original, behind), at(found, behind), where + ": deletion at " + atom);
        }
      }
    }
    for (Object each : original.subList(2, original.size())) {
      Atom atom = (Atom) each;
      for (Position place : List.of(before(atom), atom, after(atom))) {
        DeletionTime has = at(found, place);
        assertTrue(
            has.isNone() || has.equals(at(original, place)),
            () -> where + ": a deletion at " + place + " that was never made: " + has);
      }
    }
  }

  private static Position before(Atom atom) {
    return atom instanceof Cell cell ? Bound.before(cell) : atom;
  }

  private static Position after(Atom atom) {
    return atom instanceof Cell cell ? Bound.after(cell) : atom;
  }

  /** The range deletion in force just behind a place. */
  private DeletionTime at(List<Object> row, Position place) {
    DeletionTime open = (DeletionTime) row.get(1);
    for (Object each : row.subList(2, row.size())) {
      if (each instanceof RangeTombstoneMarker marker && order.compare(marker, place) <= 0) {
        open = marker.after();
      }
    }
    return open;
  }

  private static boolean covers(Loss loss, RowKey key) {
    return (loss.afterRow() == null || loss.afterRow().compareTo(key) < 0)
        && (loss.beforeRow() == null || key.compareTo(loss.beforeRow()) < 0);
  }

  private static boolean isIn(Loss loss, RowKey key) {
    return (key.equals(loss.afterRow()) && loss.afterPlace() != null)
        || (key.equals(loss.beforeRow()) && loss.beforePlace() != null);
  }
}
