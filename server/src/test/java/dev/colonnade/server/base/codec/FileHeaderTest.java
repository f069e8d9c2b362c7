package dev.colonnade.server.base.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Too old, too new and damaged are three different answers. */
final class FileHeaderTest {
  private static final FileFormat FORMAT = new FileFormat("test file", "TEST", 3, 5);
  private static final byte[] BODY = {1, 2, 3};

  private final SimFileSystem files = new SimFileSystem();

  @Test
  void headerAndFooterComeBack() throws IOException {
    byte[] file = file(FORMAT);
    FileHeader header = header(file);
    assertEquals(5, header.version());
    assertArrayEquals(BODY, header.body());
    assertEquals(21, header.length());
    FileFooter footer = footer(file);
    assertArrayEquals(new byte[] {9}, footer.body());
    assertEquals(23, footer.offset());
  }

  @Test
  void theLayoutIsTheDocumentedOne() {
    ByteWriter out = new ByteWriter(32);
    FileHeader.write(out, FORMAT, BODY);
    assertEquals(
        "434c4e44" + "54455354" + "0005" + "00000003" + "010203",
        HexFormat.of().formatHex(out.array(), 0, 17));
    out.reset();
    FileFooter.write(out, FORMAT, BODY);
    assertEquals("01020300000003", HexFormat.of().formatHex(out.array(), 0, 7));
    assertEquals("54455354444e4c43", HexFormat.of().formatHex(out.array(), 11, 19));
  }

  @Test
  void anOlderVersionIsTooOld() {
    byte[] file = file(new FileFormat("test file", "TEST", 1, 2));
    FormatTooOldException old = assertThrows(FormatTooOldException.class, () -> header(file));
    assertEquals(2, old.found());
    assertEquals(3, old.oldest());
    assertTrue(String.valueOf(old.getMessage()).contains("/memory/file"));
  }

  @Test
  void aNewerVersionIsTooNew() {
    byte[] file = file(new FileFormat("test file", "TEST", 1, 6));
    FormatTooNewException young = assertThrows(FormatTooNewException.class, () -> header(file));
    assertEquals(6, young.found());
    assertEquals(5, young.newest());
  }

  @Test
  void anotherKindIsNotThisFile() {
    byte[] file = file(new FileFormat("other file", "OTHR", 1, 4));
    CorruptFileException other = assertThrows(CorruptFileException.class, () -> header(file));
    assertEquals("OTHR", other.found());
  }

  @Test
  void everyFlippedBitIsDamage() {
    byte[] whole = file(FORMAT);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      boolean inHeader = bit < 8 * 21;
      if (inHeader) {
        assertThrows(CorruptFileException.class, () -> header(damaged), "bit " + bit);
      } else if (bit >= 8 * 23) {
        assertThrows(CorruptFileException.class, () -> footer(damaged), "bit " + bit);
      }
    }
  }

  @Test
  void everyTruncationIsDamage() {
    byte[] whole = file(FORMAT);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      if (length < 21) {
        assertThrows(CorruptFileException.class, () -> header(cut), "length " + length);
      }
      assertThrows(CorruptFileException.class, () -> footer(cut), "length " + length);
    }
  }

  @Test
  void aHugeBodyLengthTakesNoMemory() {
    byte[] file = file(FORMAT);
    Arrays.fill(file, 10, 14, (byte) 0x7f);
    assertThrows(CorruptFileException.class, () -> header(file));
    byte[] end = file(FORMAT);
    Arrays.fill(end, end.length - 16, end.length - 12, (byte) 0x7f);
    assertThrows(CorruptFileException.class, () -> footer(end));
  }

  private static byte[] file(FileFormat format) {
    ByteWriter out = new ByteWriter(64);
    FileHeader.write(out, format, BODY);
    out.writeShort(0xABCD);
    FileFooter.write(out, format, new byte[] {9});
    return out.toByteArray();
  }

  private FileHeader header(byte[] content) throws IOException {
    files.overwrite("file", content);
    try (ReadableFile file = files.open("file")) {
      return FileHeader.read(file, files.describe("file"), FORMAT);
    }
  }

  private FileFooter footer(byte[] content) throws IOException {
    files.overwrite("file", content);
    try (ReadableFile file = files.open("file")) {
      return FileFooter.read(file, files.describe("file"), FORMAT, 21);
    }
  }
}
