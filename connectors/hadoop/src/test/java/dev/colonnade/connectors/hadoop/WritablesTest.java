package dev.colonnade.connectors.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Endpoint;
import dev.colonnade.client.RingRange;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Writable;
import org.junit.jupiter.api.Test;

/** What travels between tasks, and what a configuration may say. */
final class WritablesTest {

  @Test
  void columnsRowsAndSplitsAreReadAsTheyWereWritten() throws IOException {
    CellWritable plain = CellWritable.of("name", "value");
    CellWritable full =
        CellWritable.of(new byte[] {1}, new byte[] {2}, new byte[0])
            .withTimestamp(-5)
            .withTtl(Duration.ofSeconds(7));
    CellWritable row = CellWritable.deletion(null, null);
    for (CellWritable cell : List.of(plain, full, row)) {
      assertEquals(cell, copy(cell, new CellWritable()));
    }
    assertEquals(
        new RowWritable(List.of(plain, full)),
        copy(new RowWritable(List.of(plain, full)), new RowWritable()));

    RingRange range =
        new RingRange("1", "2", List.of(new Endpoint("id", "10.0.0.1", 1, 2, "dc", "r")));
    ColumnFamilySplit split =
        copy(
            new ColumnFamilySplit("F", true, range, new byte[] {9}, 10, 20),
            new ColumnFamilySplit());
    assertEquals(range, split.range());
    assertEquals("F", split.family());
    assertTrue(split.isSuper());
    assertArrayEquals(new byte[] {9}, split.key().orElseThrow());
    assertEquals(10, split.estimatedRows());
    assertEquals(20, split.getLength());
    assertArrayEquals(new String[] {"10.0.0.1"}, split.getLocations());
  }

  private static <T extends Writable> T copy(Writable from, T to) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    from.write(new DataOutputStream(bytes));
    to.readFields(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    return to;
  }

  @Test
  void aDamagedColumnIsRefusedBeforeItTakesMemory() {
    byte[] damaged = {0, 0x7f, -1, -1, -1};
    assertThrows(
        IOException.class,
        () ->
            new CellWritable().readFields(new DataInputStream(new ByteArrayInputStream(damaged))));
  }

  @Test
  void aConfigurationThatContradictsItselfIsRefused() {
    assertRefused(Map.of("colonnade.input.start_token", "5"), "are set together");
    assertRefused(Map.of("colonnade.input.start_key", "AAAA"), "are set together");
    assertRefused(
        Map.of(
            "colonnade.input.start_key.text", "a",
            "colonnade.input.end_key.text", "b",
            "colonnade.input.start_token", "1",
            "colonnade.input.end_token", "2"),
        "not both");
    assertRefused(
        Map.of("colonnade.input.names.text", "a", "colonnade.input.from.text", "a"),
        "goes with neither");
    assertRefused(Map.of("colonnade.input.from", "not base64!"), "colonnade.input.from.text");
    assertRefused(Map.of("colonnade.input.split_size", "-1"), "from 1 on");
    assertRefused(Map.of("colonnade.client.contact_point", "a:1"), "contact_points");
    assertRefused(Map.of(), "colonnade.client.contact_points");
  }

  private static void assertRefused(Map<String, String> settings, String said) {
    Configuration conf = new Configuration(false);
    settings.forEach(conf::set);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> {
              ConfigHelper.slice(conf);
              ConfigHelper.tokens(conf);
              ConfigHelper.keys(conf);
              ConfigHelper.splitSize(conf);
              Clients.connect(conf, List.of()).close();
            });
    assertTrue(refused.toString().contains(said), refused::toString);
  }
}
