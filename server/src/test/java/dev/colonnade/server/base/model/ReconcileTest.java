package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The rule that decides between two versions of one cell, on versions that tie all the time. */
class ReconcileTest {

  private static final int ROUNDS = 20_000;
  private static final PathOrder ORDER = new PathOrder(ColumnComparators.INTEGER, null);
  private static final byte[] NAME = {1};
  private static final byte[] LONGER_NAME = {0, 1};

  private final Random random = new Random(1);

  @Test
  void atEqualTimestampsADeletionStandsOverWhatExpiresAndThatOverWhatStays() {
    Cell deleted = Cell.deleted(NAME, null, new DeletionTime(5, 10));
    Cell expiring = expiring("a", 20);
    Cell staying = Cell.live(NAME, null, value("z"), 5);
    assertStands(deleted, expiring);
    assertStands(deleted, staying);
    assertStands(expiring, staying);
    assertStands(Cell.live(NAME, null, value("a"), 6), deleted);
  }

  @Test
  void ofTwoThatExpireTheLaterExpiryStandsAndThenTheGreaterValue() {
    assertStands(expiring("a", 21), expiring("b", 20));
    assertStands(expiring("b", 20), expiring("a", 20));
    assertStands(
        Cell.live(NAME, null, new byte[] {(byte) 0x80}, 5),
        Cell.live(NAME, null, new byte[] {0x7f}, 5));
  }

  @Test
  void whatExpiredStandsWhereItStoodWhenItsValueIsDropped() {
    Cell gone = ORDER.withoutValue(expiring("z", 20));
    assertStands(gone, Cell.live(NAME, null, value("z"), 5));
    assertStands(expiring("a", 21), gone);
    assertStands(Cell.deleted(NAME, null, new DeletionTime(5, 10)), gone);
    assertTrue(!gone.isLiveAt(0) && !gone.isLiveAt(100), "a clock that is behind sees no value");
  }

  @Test
  void theOrderIsTotal() {
    for (int round = 0; round < ROUNDS; round++) {
      Cell a = version();
      Cell b = version();
      Cell c = version();
      assertEquals(
          Integer.signum(Reconcile.compare(a, b)), -Integer.signum(Reconcile.compare(b, a)));
      assertEquals(a.equals(b), Reconcile.compare(a, b) == 0, () -> a + " and " + b);
      assertEquals(Reconcile.pick(a, b), Reconcile.pick(b, a));
      assertEquals(
          Reconcile.pick(Reconcile.pick(a, b), c), Reconcile.pick(a, Reconcile.pick(b, c)));
    }
  }

  /** A merge at any time may drop the values of what has expired by then. */
  @Test
  void whenValuesAreDroppedDoesNotMatter() {
    for (int round = 0; round < ROUNDS; round++) {
      List<Cell> versions = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        versions.add(version());
      }
      long now = 8L + random.nextInt(5);
      Cell late = versions.stream().reduce(Reconcile::pick).orElseThrow();
      Cell early = versions.stream().map(v -> merged(v, now)).reduce(Reconcile::pick).orElseThrow();
      assertEquals(known(late, now), known(early, now), () -> versions + " at " + now);
    }
  }

  /** As an early merge leaves it, or unchanged. */
  private Cell merged(Cell cell, long now) {
    boolean isGone = cell.kind() == Cell.CellKind.EXPIRING && !cell.isLiveAt(now);
    return isGone && random.nextBoolean()
        ? Cell.expired(cell.top(), cell.sub(), cell.timestamp(), cell.localSeconds())
        : cell;
  }

  /** As another replica receives it. */
  private static Cell known(Cell cell, long now) {
    return cell.kind() == Cell.CellKind.EXPIRING && !cell.isLiveAt(now)
        ? ORDER.withoutValue(cell)
        : cell;
  }

  private Cell version() {
    byte[] name = random.nextInt(3) == 0 ? LONGER_NAME : NAME;
    byte[] value = {(byte) random.nextInt(2)};
    long timestamp = random.nextInt(2);
    long seconds = 8L + random.nextInt(4);
    return switch (random.nextInt(4)) {
      case 0 -> Cell.deleted(name, null, new DeletionTime(timestamp, seconds));
      case 1 -> Cell.live(name, null, value, timestamp);
      default -> Cell.expiring(name, null, value, timestamp, 1 + random.nextInt(2), seconds);
    };
  }

  private static void assertStands(Cell over, Cell under) {
    assertSame(over, Reconcile.pick(over, under));
    assertSame(over, Reconcile.pick(under, over));
  }

  private static Cell expiring(String value, long expiry) {
    return Cell.expiring(NAME, null, value(value), 5, 60, expiry);
  }

  private static byte[] value(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }
}
