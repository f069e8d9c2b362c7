package dev.colonnade.server.storage.mutation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The layout is the one that MutationFormat.md gives, and the worst outcome of any input is a
 * refusal.
 */
class MutationCodecTest {

  private static final PathOrder PLAIN = new PathOrder(ColumnComparators.BYTES, null);
  private static final PathOrder NESTED =
      new PathOrder(ColumnComparators.BYTES, ColumnComparators.BYTES);

  @Test
  void theExampleOfTheFormatDocumentIsWhatIsWritten() throws CorruptDataException {
    RowUpdate update =
        RowUpdate.builder(PLAIN).add(Cell.live(bytes("name"), null, bytes("v"), 5)).build();
    Mutation mutation =
        new Mutation(
            new RowKey(new byte[] {(byte) 0xaa}, bytes("k")),
            List.of(new Mutation.FamilyMutation(new FamilyId(1, 2), update)),
            0);
    String example =
        "00 01aa 016b 01 0000000000000001 0000000000000002 00000013 000001 00 046e616d65"
            + " 0000000000000005 0176";
    byte[] expected = HexFormat.of().parseHex(example.replace(" ", ""));
    assertArrayEquals(expected, encoded(mutation));
    assertArrayEquals(expected, encoded(MutationCodec.read(new ByteReader(expected))));
  }

  @Test
  void everyPartComesBack() throws CorruptDataException {
    Mutation mutation = everything();
    byte[] bytes = encoded(mutation);
    Mutation read = MutationCodec.read(new ByteReader(bytes));
    assertEquals(mutation.key(), read.key());
    assertEquals(mutation.nowSeconds(), read.nowSeconds());
    for (int i = 0; i < mutation.updates().size(); i++) {
      Mutation.FamilyMutation expected = mutation.updates().get(i);
      Mutation.FamilyMutation found = read.updates().get(i);
      assertEquals(expected.family(), found.family());
      assertEquals(expected.update().rowDeletion(), found.update().rowDeletion());
      assertEquals(expected.update().ranges(), found.update().ranges());
      assertEquals(expected.update().cells(), found.update().cells());
    }
  }

  @Test
  void theEstimateOfItsSizeIsNeverTooSmall() {
    Mutation mutation = everything();
    assertTrue(encoded(mutation).length <= mutation.payloadBytes());
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] bytes = encoded(everything());
    for (int length = 0; length < bytes.length; length++) {
      ByteReader cut = new ByteReader(bytes, 0, length);
      assertThrows(CorruptDataException.class, () -> MutationCodec.read(cut));
    }
  }

  @Test
  void damagedBytesAreRefusedOrReadWithoutHarm() {
    byte[] bytes = encoded(everything());
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      readOrRefuse(damaged, "bit " + bit);
    }
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      byte[] garbage = new byte[random.nextInt(80)];
      random.nextBytes(garbage);
      readOrRefuse(garbage, "seed " + seed);
    }
  }

  private static void readOrRefuse(byte[] bytes, String what) {
    try {
      MutationCodec.read(new ByteReader(bytes));
    } catch (CorruptDataException refused) {
      assertTrue(refused.getMessage() != null, what);
    }
  }

  private static Mutation everything() {
    RowUpdate plain =
        RowUpdate.builder(PLAIN)
            .deleteRow(new DeletionTime(-4, 1_000))
            .deleteRange(
                new PathRange(Bound.START, Bound.after(bytes("b"))), new DeletionTime(3, 2_000))
            .add(Cell.live(bytes("a"), null, bytes(""), Long.MIN_VALUE))
            .add(Cell.expiring(bytes("c"), null, bytes("value"), 9, 60, 3_000_000_000L))
            .add(Cell.deleted(bytes("d"), null, new DeletionTime(8, 5)))
            .build();
    RowUpdate nested =
        RowUpdate.builder(NESTED)
            .deleteRange(PathRange.of(bytes("s")), new DeletionTime(1, 1))
            .add(Cell.live(bytes("s"), bytes("x"), bytes("1"), 2))
            .add(Cell.live(bytes("s"), bytes("y"), bytes("2"), 2))
            .add(Cell.live(bytes("t"), bytes("x"), bytes("3"), 2))
            .build();
    return new Mutation(
        new RowKey(new byte[16], bytes("row key")),
        List.of(
            new Mutation.FamilyMutation(new FamilyId(1, 2), plain),
            new Mutation.FamilyMutation(new FamilyId(-1, -2), nested)),
        1_700_000_000L);
  }

  private static byte[] encoded(Mutation mutation) {
    ByteWriter out = new ByteWriter(64);
    MutationCodec.write(mutation, out);
    return out.toByteArray();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
