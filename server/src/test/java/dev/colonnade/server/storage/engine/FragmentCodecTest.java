package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.sstable.ReadFigures;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Requests and fragments survive encoding and decoding; anything else is refused. */
class FragmentCodecTest {

  private static final PathOrder NESTED =
      new PathOrder(ColumnComparators.BYTES, ColumnComparators.BYTES);
  private static final FamilyId FAMILY = new FamilyId(-5, 9);

  private interface Reading {
    Object read(ByteReader in) throws CorruptDataException;
  }

  @Test
  void questionsComeBack() throws CorruptDataException {
    SliceCommand query =
        new SliceCommand(
            key("k"), slice(), Optional.of(position()), Long.MAX_VALUE, 1_700_000_000L);
    ReadCommandCodec.OfFamily<SliceCommand> read =
        ReadCommandCodec.readSliceCommand(new ByteReader(encoded(query)));
    assertEquals(FAMILY, read.family());
    assertEquals(query, read.command());

    SliceCommand since =
        new SliceCommand(key("k"), slice().since(-7), Optional.empty(), 5, 1_700_000_000L);
    assertEquals(
        since, ReadCommandCodec.readSliceCommand(new ByteReader(encoded(since))).command());

    RangeCommand range = rangeQuery(Optional.of(key("z")), Optional.of(position()));
    assertEquals(
        range, ReadCommandCodec.readRangeCommand(new ByteReader(encoded(range))).command());
    RangeCommand open = rangeQuery(Optional.empty(), Optional.empty());
    assertEquals(open, ReadCommandCodec.readRangeCommand(new ByteReader(encoded(open))).command());
  }

  @Test
  void aColumnThatIsAskedForByNameIsStillOneColumn() throws CorruptDataException {
    SliceCommand query = new SliceCommand(key("k"), slice(), Optional.empty(), 1, 0);
    Slice read =
        ReadCommandCodec.readSliceCommand(new ByteReader(encoded(query))).command().slice();
    PathRange column = read.ranges().get(0);
    assertTrue(column.isOneColumn(NESTED));
    assertSame(column.start().sub(), column.end().sub());
  }

  @Test
  void fragmentsComeBackWithWhatTheyCost() throws CorruptDataException {
    byte[] bytes = encoded(fragment());
    RangeFragment read = FragmentCodec.readRange(new ByteReader(bytes), NESTED);
    assertArrayEquals(bytes, encoded(read));
    assertEquals(fragment().end(), read.end());
    RowFragment row = read.rows().get(0).fragment();
    RowFragment expected = fragment().rows().get(0).fragment();
    assertEquals(expected.end(), row.end());
    assertEquals(expected.atoms().rowDeletion(), row.atoms().rowDeletion());
    assertEquals(expected.atoms().ranges(), row.atoms().ranges());
    assertEquals(expected.atoms().cells(), row.atoms().cells());

    ByteWriter out = new ByteWriter(16);
    FragmentCodec.writeCost(new ReadResponse<>(row, 77, new ReadFigures()), out);
    ReadResponse<RowFragment> cost = FragmentCodec.readCost(row, new ByteReader(out.toByteArray()));
    assertEquals(77, cost.tombstones());
    assertEquals(new ReadFigures().toString(), cost.figures().toString());
  }

  @Test
  void anythingThatIsSaidDifferentlyChangesTheDigest() {
    RowFragment one = fragment().rows().get(0).fragment();
    List<RowFragment> others = new ArrayList<>();
    others.add(new RowFragment(one.atoms(), Optional.empty()));
    others.add(new RowFragment(one.atoms(), Optional.of(Bound.after(bytes("q")))));
    others.add(RowFragment.NOTHING);
    RowUpdate atoms = one.atoms();
    others.add(with(DeletionTime.NONE, atoms.ranges(), atoms.cells()));
    others.add(with(atoms.rowDeletion(), List.of(), atoms.cells()));
    for (int i = 0; i < atoms.cells().size(); i++) {
      List<Cell> fewer = new ArrayList<>(atoms.cells());
      fewer.remove(i);
      others.add(with(atoms.rowDeletion(), atoms.ranges(), fewer));
    }
    for (RowFragment other : others) {
      assertNotEquals(FragmentCodec.digest(one), FragmentCodec.digest(other));
    }
    assertEquals(
        FragmentCodec.digest(one), FragmentCodec.digest(fragment().rows().get(0).fragment()));
  }

  private static RowFragment with(
      DeletionTime rowDeletion, List<RangeTombstone> ranges, List<Cell> cells) {
    return new RowFragment(
        RowUpdate.ofCanonical(rowDeletion, ranges, cells),
        fragment().rows().get(0).fragment().end());
  }

  @Test
  void atomsOutOfOrderAreRefused() {
    RowUpdate atoms = fragment().rows().get(0).fragment().atoms();
    List<Cell> swapped = new ArrayList<>(atoms.cells());
    swapped.add(swapped.remove(0));
    refuses(new RowFragment(with(DeletionTime.NONE, List.of(), swapped).atoms(), Optional.empty()));
    Cell plain = Cell.live(bytes("s"), null, bytes("1"), 2);
    refuses(with(DeletionTime.NONE, List.of(), List.of(plain)));
    RangeTombstone backwards =
        new RangeTombstone(
            Bound.after(bytes("b")), Bound.before(bytes("a")), new DeletionTime(1, 1));
    refuses(with(DeletionTime.NONE, List.of(backwards), List.of()));
  }

  private static void refuses(RowFragment fragment) {
    ByteWriter out = new ByteWriter(16);
    FragmentCodec.writeRow(fragment, out);
    ByteReader in = new ByteReader(out.toByteArray());
    assertThrows(CorruptDataException.class, () -> FragmentCodec.readRow(in, NESTED));
  }

  @Test
  void cutAndDamagedBytesAreRefusedOrReadWithoutHarm() {
    damage(encoded(fragment()), in -> FragmentCodec.readRange(in, NESTED));
    damage(
        encoded(rangeQuery(Optional.of(key("z")), Optional.of(position()))),
        ReadCommandCodec::readRangeCommand);
    damage(
        encoded(new SliceCommand(key("k"), slice(), Optional.of(position()), 5, 6)),
        ReadCommandCodec::readSliceCommand);
    damage(
        encoded(new SliceCommand(key("k"), slice().since(9), Optional.empty(), 5, 6)),
        ReadCommandCodec::readSliceCommand);
  }

  private static void damage(byte[] bytes, Reading reading) {
    for (int length = 0; length < bytes.length; length++) {
      ByteReader cut = new ByteReader(bytes, 0, length);
      assertThrows(CorruptDataException.class, () -> reading.read(cut));
    }
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      readOrRefuse(damaged, reading, "bit " + bit);
    }
    for (int seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      byte[] garbage = new byte[random.nextInt(80)];
      random.nextBytes(garbage);
      readOrRefuse(garbage, reading, "seed " + seed);
    }
  }

  private static void readOrRefuse(byte[] bytes, Reading reading, String what) {
    try {
      reading.read(new ByteReader(bytes));
    } catch (CorruptDataException refused) {
      assertTrue(refused.getMessage() != null, what);
    }
  }

  private static Slice slice() {
    return new Slice(
        List.of(
            PathRange.of(bytes("a"), bytes("b")),
            PathRange.of(bytes("c")),
            new PathRange(Bound.before(bytes("d")), Bound.END)),
        true,
        true,
        Long.MAX_VALUE);
  }

  private static SlicePosition position() {
    return new SlicePosition(Bound.after(bytes("d"), bytes("x")), true, 12);
  }

  private static RangeCommand rangeQuery(Optional<RowKey> end, Optional<SlicePosition> inside) {
    return new RangeCommand(
        key("a"), end, inside, inside.isPresent(), slice(), 7, true, false, 99, -1);
  }

  private static RangeFragment fragment() {
    RowUpdate atoms =
        RowUpdate.builder(NESTED)
            .deleteRow(new DeletionTime(-4, 1_000))
            .deleteRange(PathRange.of(bytes("s")), new DeletionTime(1, 1))
            .deleteRange(PathRange.of(bytes("v")), new DeletionTime(1, 2))
            .add(Cell.live(bytes("s"), bytes("x"), bytes("1"), 2))
            .add(Cell.expiring(bytes("s"), bytes("y"), bytes("2"), 2, 60, 3_000_000_000L))
            .add(Cell.deleted(bytes("t"), bytes("x"), new DeletionTime(8, 5)))
            .build();
    return new RangeFragment(
        List.of(
            new RangeFragment.Row(
                key("k"), new RowFragment(atoms, Optional.of(Bound.before(bytes("z"))))),
            new RangeFragment.Row(key("l"), RowFragment.NOTHING)),
        Optional.of(key("l")));
  }

  private static byte[] encoded(SliceCommand query) {
    ByteWriter out = new ByteWriter(16);
    ReadCommandCodec.writeSliceCommand(new ReadCommandCodec.OfFamily<>(FAMILY, 3, query), out);
    return out.toByteArray();
  }

  private static byte[] encoded(RangeCommand query) {
    ByteWriter out = new ByteWriter(16);
    ReadCommandCodec.writeRangeCommand(new ReadCommandCodec.OfFamily<>(FAMILY, 3, query), out);
    return out.toByteArray();
  }

  private static byte[] encoded(RangeFragment fragment) {
    ByteWriter out = new ByteWriter(16);
    FragmentCodec.writeRange(fragment, out);
    return out.toByteArray();
  }

  private static RowKey key(String text) {
    return new RowKey(bytes(text), bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
