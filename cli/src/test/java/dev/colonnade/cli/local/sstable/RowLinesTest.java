package dev.colonnade.cli.local.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.local.sstable.RowLineReader.BadLineException;
import dev.colonnade.cli.local.sstable.RowLineReader.RowLine;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.node.offline.DataDirectory;
import dev.colonnade.server.node.offline.DataFileImport;
import dev.colonnade.server.node.offline.FamilyRows;
import dev.colonnade.server.node.offline.OfflineFamily;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is exported and imported is the same, whatever the rows hold; other lines are refused. */
final class RowLinesTest {

  private static final String HEADING =
      "{\"colonnade_rows\":1,\"family_id\":\"00000000000000010000000000000002\","
          + "\"partitioner\":\"ByteOrderedPartitioner\",\"comparator\":\"BytesType\"}\n";

  @TempDir private Path directory;

  @ParameterizedTest(name = "seed {0}, super {1}")
  @CsvSource({"1,false", "2,true", "3,false", "4,true", "5,true"})
  void anImportExportsToTheSameLines(long seed, boolean superFamily) throws Exception {
    DataFileImport.Shape shape =
        DataFileImport.Shape.of(
            new FamilyId(1, 2),
            "ByteOrderedPartitioner",
            "BytesType",
            superFamily ? "BytesType" : "");
    Map<byte[], RowState> rows = rows(new Random(seed), shape.order());
    Path first = directory.resolve("first");
    try (DataFileImport file = DataFileImport.create(first, shape)) {
      for (Map.Entry<byte[], RowState> row : rows.entrySet()) {
        AtomCursor atoms = row.getValue().cursor(PathRange.ALL, false, shape.order());
        file.startRow(row.getKey(), atoms.rowDeletion(), atoms.open());
        for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
          file.add(atom);
        }
      }
      assertTrue(file.finish().isPresent());
    }
    List<String> exported = export(first);
    Path second = directory.resolve("second");
    try (DataFileImport file = DataFileImport.create(second, shape)) {
      RowLineReader lines = new RowLineReader(new StringReader(String.join("\n", exported)));
      assertEquals(shape.family(), lines.heading().id());
      for (Optional<RowLine> line = lines.row(); line.isPresent(); line = lines.row()) {
        line.get().addTo(file);
      }
      assertTrue(file.finish().isPresent());
    }
    assertEquals(exported, export(second));
    assertEquals(content(first), content(second));
    assertTrue(exported.size() > rows.size() + 1, "a wide row takes several lines");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{\"key\":\"a\"}",
        "{\"key\":1.5,\"columns\":[]}",
        "{\"key\":\"a\",\"columns\":[],\"column\":[]}",
        "{\"key\":\"a\",\"columns\":[{\"name\":\"n\",\"value\":\"v\"}]}",
        "{\"key\":\"a\",\"columns\":[{\"name\":\"n\",\"timestamp\":1}]}",
        "{\"key\":\"a\",\"columns\":[{\"name\":\"n\",\"value\":\"v\",\"timestamp\":1,\"ttl\":1}]}",
        "{\"key\":\"a\",\"columns\":[{\"super\":\"s\",\"name\":\"n\",\"value\":\"v\",\"timestamp\":1}]}",
        "{\"key\":\"a\",\"columns\":[{\"name\":{\"base64\":\"?\"},\"value\":\"v\",\"timestamp\":1}]}",
        "{\"key\":\"a\",\"columns\":[{\"name\":\"\\ud800\",\"value\":\"v\",\"timestamp\":1}]}",
        "{\"key\":\"a\",\"columns\":[{\"bound\":\"near\",\"name\":\"n\"}]}",
        "{\"key\":\"a\",\"continued\":true,\"open\":{\"timestamp\":1,\"at\":1},\"columns\":[]}"
      })
  void otherLinesAreRefused(String line) throws Exception {
    RowLineReader lines = new RowLineReader(new StringReader(HEADING + line));
    var unused = lines.heading();
    assertThrows(BadLineException.class, lines::row);
    assertEquals(2, lines.line());
  }

  @Test
  void aFileOfAnotherFormatIsRefused() {
    for (String text : List.of("", "{}", "key,column\n", HEADING.replace(":1", ":2"))) {
      assertThrows(
          BadLineException.class, () -> new RowLineReader(new StringReader(text)).heading());
    }
  }

  private static List<String> export(Path path) throws Exception {
    List<String> lines = new ArrayList<>();
    try (DataDirectory files = DataDirectory.open(path)) {
      OfflineFamily family = files.family("");
      RowLines out = new RowLines(lines::add, family.order().isSuper());
      out.header(family);
      try (FamilyRows rows = files.rows(family)) {
        for (RowKey key = rows.nextRow(); key != null; key = rows.nextRow()) {
          out.row(key.key(), rows.atoms());
        }
      }
    }
    return lines;
  }

  private static List<Object> content(Path path) throws Exception {
    List<Object> all = new ArrayList<>();
    try (DataDirectory files = DataDirectory.open(path);
        FamilyRows rows = files.rows(files.family(""))) {
      for (RowKey key = rows.nextRow(); key != null; key = rows.nextRow()) {
        AtomCursor atoms = rows.atoms();
        all.addAll(List.of(key, atoms.rowDeletion(), atoms.open()));
        for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
          all.add(atom);
        }
      }
    }
    return all;
  }

  private static Map<byte[], RowState> rows(Random random, PathOrder order) {
    TreeMap<byte[], RowState> rows = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < 60; i++) {
      RowUpdate.Builder update = RowUpdate.builder(order);
      int cells = i == 0 ? 3_000 : random.nextInt(8);
      for (int j = 0; j < cells; j++) {
        update.add(cell(random, order));
      }
      for (int j = random.nextInt(4); j > 0; j--) {
        Bound a = bound(random, order);
        Bound b = bound(random, order);
        int comparison = order.compare(a, b);
        if (comparison != 0) {
          update.deleteRange(
              comparison < 0 ? new PathRange(a, b) : new PathRange(b, a), deletion(random));
        }
      }
      if (random.nextInt(5) == 0) {
        update.deleteRow(deletion(random));
      }
      RowState state = RowState.EMPTY.apply(update.build(), order);
      if (!state.isEmpty()) {
        rows.put(bytes(random, 1 + random.nextInt(9)), state);
      }
    }
    return rows;
  }

  private static Cell cell(Random random, PathOrder order) {
    byte[] top = bytes(random, 2);
    byte[] sub = order.isSuper() ? bytes(random, 1) : null;
    long timestamp = random.nextInt(9) == 0 ? random.nextLong() : 1_000 + random.nextInt(900);
    byte[] value = bytes(random, random.nextInt(12));
    return switch (random.nextInt(6)) {
      case 0 -> Cell.deleted(top, sub, new DeletionTime(timestamp, random.nextInt()));
      case 1 -> Cell.expiring(top, sub, value, timestamp, 60, random.nextInt());
      case 2 -> Cell.expired(top, sub, timestamp, random.nextInt());
      default -> Cell.live(top, sub, value, timestamp);
    };
  }

  private static Bound bound(Random random, PathOrder order) {
    if (random.nextInt(8) == 0) {
      return random.nextBoolean() ? Bound.START : Bound.END;
    }
    byte[] top = bytes(random, 2);
    byte[] sub = order.isSuper() && random.nextBoolean() ? bytes(random, 1) : null;
    return random.nextBoolean() ? Bound.before(top, sub) : Bound.after(top, sub);
  }

  private static DeletionTime deletion(Random random) {
    return new DeletionTime(1_000 + random.nextInt(900), random.nextInt());
  }

  /** Text as often as not. */
  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    if (random.nextBoolean()) {
      for (int i = 0; i < length; i++) {
        bytes[i] = (byte) (bytes[i] & 0x7f);
      }
    }
    return bytes;
  }
}
