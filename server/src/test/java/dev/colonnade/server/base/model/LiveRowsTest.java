package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which rows a page of a scan lists, which of them count, and where it says to go on. */
final class LiveRowsTest {

  private static final SlicePosition INSIDE =
      new SlicePosition(Bound.after("c".getBytes(StandardCharsets.UTF_8)), true, 3);

  private static RowKey key(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new RowKey(bytes, bytes);
  }

  private static LiveRows rows(
      Optional<SlicePosition> inside, boolean startListed, long rowsListed, boolean emptyRows) {
    return new LiveRows(
        new RangeCommand(
            key("a"),
            Optional.empty(),
            inside,
            startListed,
            rowsListed,
            new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
            3,
            emptyRows,
            false,
            1_000,
            0));
  }

  private static RowPage part(int cells, long counted, Optional<SlicePosition> next) {
    CellList found = new CellList();
    for (int i = 0; i < cells; i++) {
      found.add(Cell.live(new byte[] {(byte) i}, null, new byte[0], 1));
    }
    return new RowPage(found, counted, next, false);
  }

  private static RowPage whole(int cells) {
    return part(cells, cells, Optional.empty());
  }

  @Test
  void rowsCountTogetherWithThoseOfEarlierPages() {
    LiveRows live = rows(Optional.empty(), false, 1, false);
    assertTrue(live.take(key("a"), whole(2), 20));
    assertFalse(live.isLimitReached());
    assertTrue(live.take(key("b"), whole(1), 10));
    assertTrue(live.isLimitReached());
    assertFalse(live.isWanted(key("c")));
    RangeRows page = live.page();
    assertEquals(List.of(key("a"), key("b")), page.rows().stream().map(RowCells::key).toList());
    assertEquals(3, page.rowsListed());
    assertEquals(Optional.empty(), page.next());
    assertEquals(1_000 - 30 - 2, live.bytesLeft());
  }

  @Test
  void theRestOfARowThatWasListedIsWantedBeyondTheLimitAndDoesNotCountAgain() {
    LiveRows live = rows(Optional.of(INSIDE), true, 3, true);
    assertTrue(live.isWanted(key("a")));
    assertTrue(live.take(key("a"), part(1, 4, Optional.empty()), 10));
    assertFalse(live.isWanted(key("b")));
    assertEquals(3, live.page().rowsListed());
    assertEquals(1, live.page().rows().size());
  }

  @Test
  void aRowWithoutLiveCellsIsListedOnlyWhenEmptyRowsAreWantedAndOnlyFromItsBeginning() {
    LiveRows without = rows(Optional.empty(), false, 0, false);
    without.take(key("a"), whole(0), 0);
    assertEquals(List.of(), without.page().rows());
    LiveRows with = rows(Optional.empty(), false, 0, true);
    with.take(key("a"), whole(0), 0);
    assertEquals(1, with.page().rowsListed());
    LiveRows restOnly = rows(Optional.of(INSIDE), true, 1, true);
    restOnly.take(key("a"), part(0, 3, Optional.empty()), 0);
    assertEquals(List.of(), restOnly.page().rows());
  }

  @Test
  void aRowThatIsNotDoneEndsThePageInsideItWhetherItIsListedOrNot() {
    LiveRows listed = rows(Optional.empty(), false, 0, false);
    assertFalse(listed.take(key("a"), part(1, 1, Optional.of(INSIDE)), 10));
    assertEquals(
        Optional.of(new RangePosition(key("a"), Optional.of(INSIDE), 1)), listed.page().next());
    LiveRows passed = rows(Optional.empty(), false, 0, false);
    assertFalse(passed.take(key("a"), part(0, 0, Optional.of(INSIDE)), 0));
    assertEquals(
        Optional.of(new RangePosition(key("a"), Optional.of(INSIDE), 0)), passed.page().next());
    assertEquals(List.of(), passed.page().rows());
  }
}
