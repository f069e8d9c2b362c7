package dev.colonnade.server.base.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.platform.SeededRandom;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Writers and readers mirror each other, and readers believe nothing. */
final class ByteReaderTest {

  @Test
  void readsBackEveryKindOfField() throws CorruptDataException {
    ByteWriter out = new ByteWriter(0);
    out.writeByte(0x1FF);
    out.writeShort(0xFFFE);
    out.writeInt(Integer.MIN_VALUE);
    out.writeLong(Long.MIN_VALUE + 1);
    out.writeVarint(300);
    out.writeSignedVarint(-3);
    out.writeBytes(new byte[] {1, 2, 3});
    out.writeText("Säule");
    out.writeRaw(ByteBuffer.wrap(new byte[] {8, 9}));
    ByteReader in = new ByteReader(out.toByteArray());
    assertEquals(0xFF, in.readByte());
    assertEquals(0xFF, in.readByte());
    assertEquals(0xFE, in.readByte());
    assertEquals(Integer.MIN_VALUE, in.readInt());
    assertEquals(Long.MIN_VALUE + 1, in.readLong());
    assertEquals(300, in.readVarint());
    assertEquals(-3, in.readSignedVarint());
    assertArrayEquals(new byte[] {1, 2, 3}, in.readBytes("bytes", 3));
    assertEquals("Säule", in.readText("text", 6));
    assertArrayEquals(new byte[] {8, 9}, in.readRaw(2));
    in.expectEnd("fields");
    assertFalse(in.hasRemaining());
  }

  @Test
  void numbersOfEverySizeComeBack() throws CorruptDataException {
    SeededRandom random = new SeededRandom(7);
    ByteWriter out = new ByteWriter(16);
    for (int round = 0; round < 20_000; round++) {
      long number = random.nextLong() >> random.nextInt(64);
      out.reset();
      out.writeVarint(number);
      out.writeSignedVarint(number);
      ByteReader in = new ByteReader(out.array(), 0, out.position());
      assertEquals(number, in.readVarint());
      assertEquals(number, in.readSignedVarint());
      in.expectEnd("numbers");
    }
  }

  @Test
  void bigEndianAsDocumented() {
    ByteWriter out = new ByteWriter(4);
    out.writeInt(0x01020304);
    out.writeLong(0x05060708090a0b0cL);
    out.writeVarint(300);
    assertArrayEquals(
        new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, (byte) 0xac, 2}, out.toByteArray());
  }

  @Test
  void everyTruncationIsNoticed() {
    ByteWriter out = new ByteWriter(64);
    out.writeInt(1);
    out.writeVarint(1L << 40);
    out.writeBytes(new byte[20]);
    out.writeText("text");
    byte[] whole = out.toByteArray();
    for (int length = 0; length < whole.length; length++) {
      ByteReader in = new ByteReader(whole, 0, length);
      assertThrows(
          CorruptDataException.class,
          () -> {
            in.readInt();
            in.readVarint();
            in.readBytes("bytes", 100);
            in.readText("text", 100);
          },
          "length " + length);
    }
  }

  @Test
  void aLengthIsCheckedBeforeMemoryIsTaken() {
    ByteWriter out = new ByteWriter(16);
    out.writeVarint(Integer.MAX_VALUE);
    byte[] bytes = out.toByteArray();
    CorruptDataException tooLong =
        assertThrows(
            CorruptDataException.class, () -> new ByteReader(bytes).readBytes("a value", 1000));
    assertEquals("a value", tooLong.what());
    assertEquals("at most 1000", tooLong.expected());
    assertEquals("2147483647", tooLong.found());
    assertThrows(
        CorruptDataException.class,
        () -> new ByteReader(bytes).readBytes("a value", Integer.MAX_VALUE));
  }

  @Test
  void aLengthThatLooksNegativeIsRefused() {
    ByteWriter out = new ByteWriter(16);
    out.writeVarint(-1);
    assertThrows(
        CorruptDataException.class,
        () -> new ByteReader(out.toByteArray()).readLength("a length", Integer.MAX_VALUE));
  }

  @Test
  void onlyTheShortestFormOfANumberIsAccepted() {
    assertThrows(
        CorruptDataException.class, () -> new ByteReader(new byte[] {(byte) 0x80, 0}).readVarint());
    byte[] elevenGroups = new byte[11];
    Arrays.fill(elevenGroups, (byte) 0x81);
    assertThrows(CorruptDataException.class, () -> new ByteReader(elevenGroups).readVarint());
    elevenGroups[9] = 2;
    assertThrows(CorruptDataException.class, () -> new ByteReader(elevenGroups).readVarint());
  }

  @Test
  void textMustBeUtf8() {
    ByteWriter out = new ByteWriter(8);
    out.writeBytes(new byte[] {(byte) 0xc3, 0x28});
    assertThrows(
        CorruptDataException.class, () -> new ByteReader(out.toByteArray()).readText("name", 10));
  }

  @Test
  void offsetsCountFromTheStartOfTheRange() throws CorruptDataException {
    ByteReader in = new ByteReader(new byte[10], 4, 5);
    in.skip(3);
    assertEquals(3, in.position());
    assertEquals(2, in.remaining());
    CorruptDataException corrupt = assertThrows(CorruptDataException.class, in::readInt);
    assertEquals(3, corrupt.offset());
    CorruptFileException inFile = corrupt.inFile("data/file", 100);
    assertEquals(103, inFile.offset());
    assertTrue(String.valueOf(inFile.getMessage()).contains("data/file"));
    in.position(0);
    assertEquals(4, in.arrayPosition());
    assertThrows(CorruptDataException.class, () -> in.position(6));
    assertThrows(CorruptDataException.class, () -> in.slice(6));
    assertEquals(5, in.slice(5).remaining());
  }

  @Test
  void patchingReachesOnlyWhatWasWritten() {
    ByteWriter out = new ByteWriter(2);
    int at = out.reserve(4);
    out.writeLong(-1);
    out.patchInt(at, 7);
    out.patchLong(4, 8);
    assertArrayEquals(new byte[] {0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 8}, out.toByteArray());
    out.truncate(4);
    assertThrows(IndexOutOfBoundsException.class, () -> out.patchInt(1, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> out.truncate(5));
    out.resetAndShrink(1);
    assertEquals(1, out.array().length);
  }
}
