package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.FileSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The file of the worked example in {@code SSTableFormat.md}, byte for byte. If this fails, the
 * format has changed: give it a new version, keep reading the old one, and add a golden file.
 */
final class GoldenFileTest {
  private static final SSTableIdentity IDENTITY = TestFiles.identity(1, TestRows.SUPER);
  private static final DeletionTime RANGE = new DeletionTime(1_000_000_005L, 2_000_000_000L);

  private static final List<Atom> ATOMS =
      List.of(
          Cell.live(utf8("home"), utf8("city"), utf8("Oslo"), 1_000_000_000L),
          Cell.live(utf8("home"), utf8("zip"), utf8("0150"), 1_000_000_001L),
          new RangeTombstoneMarker(Bound.before(utf8("job")), DeletionTime.NONE, RANGE),
          Cell.expiring(utf8("job"), utf8("until"), utf8("5"), 1_000_000_006L, 60, 2_000_000_060L),
          new RangeTombstoneMarker(Bound.after(utf8("job")), RANGE, DeletionTime.NONE),
          Cell.deleted(utf8("old"), utf8("x"), new DeletionTime(1_000_000_002L, 2_000_000_001L)));

  @Test
  void theWriterWritesTheGoldenFile() throws IOException {
    SimFileSystem files = new SimFileSystem();
    files.createDirectories("f");
    try (SSTableWriter writer = SSTableWriter.create(resources(files), IDENTITY)) {
      writer.startRow(key("a"), DeletionTime.NONE);
      for (Atom atom : ATOMS) {
        writer.add(atom);
      }
      writer.endRow();
      writer.startRow(key("b"), new DeletionTime(1_000_000_009L, 2_000_000_002L));
      writer.endRow();
      writer.finish();
    }
    for (Component component :
        List.of(Component.DATA, Component.INDEX, Component.FILTER, Component.META)) {
      assertEquals(
          golden(component),
          HexFormat.of().formatHex(files.content(IDENTITY.path(component))),
          component.name());
    }
  }

  @Test
  void theGoldenFileIsReadAsItWasWritten() throws IOException {
    SimFileSystem files = new SimFileSystem();
    files.createDirectories("f");
    files.overwrite(IDENTITY.path(Component.DATA), HexFormat.of().parseHex(golden(Component.DATA)));
    SSTable table = SSTable.open(resources(files), IDENTITY);
    AtomCursor cursor = table.row(key("a"), PathRange.ALL, false, ReadContext.blocking());
    assertNotNull(cursor);
    List<Object> expected = new ArrayList<>(List.of(DeletionTime.NONE, DeletionTime.NONE));
    expected.addAll(ATOMS);
    assertEquals(expected, TestFiles.drain(cursor));
    AtomCursor deleted = table.row(key("b"), PathRange.ALL, false, ReadContext.blocking());
    assertNotNull(deleted);
    assertEquals(new DeletionTime(1_000_000_009L, 2_000_000_002L), deleted.rowDeletion());
    // Everything else was rebuilt, to the same bytes.
    assertEquals(
        golden(Component.INDEX),
        HexFormat.of().formatHex(files.content(IDENTITY.path(Component.INDEX))));
  }

  private static String golden(Component component) throws IOException {
    String name = "/sstable/golden-v1-" + component.name().toLowerCase(java.util.Locale.ROOT);
    try (InputStream in = GoldenFileTest.class.getResourceAsStream(name + ".hex")) {
      assertNotNull(in, name);
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", "");
    }
  }

  private static SSTableResources resources(SimFileSystem files) {
    return TestFiles.resources(
        files,
        FileSettings.withKeyIndexMinRows(
            SSTableSettings.DEFAULT.withCompression(SSTableSettings.BlockCompression.NONE), 1_000));
  }

  private static RowKey key(String name) {
    return new RowKey(new byte[] {0, (byte) name.charAt(0)}, utf8(name));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
