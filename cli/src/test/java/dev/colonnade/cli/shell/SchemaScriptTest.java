package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code show schema} prints, an empty node runs, and has the same schema then. */
@Timeout(120)
final class SchemaScriptTest {

  @TempDir private Path temporary;

  @Test
  void scriptOfTheSchemaMakesTheSameSchema() throws Exception {
    String script;
    String keyspaces;
    try (LocalNode node = LocalNode.start(temporary.resolve("one"));
        ShellRun shell = new ShellRun(node.port())) {
      String unused =
          shell.answer(
              """
              create keyspace One with replication_factor = 3 and durable_writes = false
                and force = true;
              create keyspace Two with placement_strategy = NetworkTopologyStrategy
                and strategy_options = [{DC1:3, 'dc-2':2, 'dc.3':1, '-4':1, 'a--b':1, '1.0':1}]
                and force = true;
              use One;
              create column family A with comparator = TimeUUIDType
                and comment = 'it''s "said" \\\\ \\n in two\\tlines \\u001b[2J Grüße'
                and rows_cached = '10%' and keys_cached = 0.5 and read_repair_chance = 0.125
                and gc_grace = 1 and default_ttl = 2 and min_compaction_threshold = 3
                and max_compaction_threshold = 5 and memtable_throughput = 6
                and memtable_operations = 0.007 and memtable_flush_after = 8;
              create column family B with column_type = Super and comparator = LongType
                and subcomparator = IntegerType and key_type = utf8 and value_type = Int32Type
                and column_value_types = {7: boolean, -300: utf8};
              create column family D with
                column_value_types = {age: LongType, 'a b''c': double, 0x00ff: bytes};
              create column family Two.C;
              create keyspace 'keyspace';
              create keyspace '0x12' with placement_strategy = SimpleStrategy;
              create keyspace '1e5';
              create column family 'keyspace'.'cluster' with comment = '{a:1}';
              create column family 'keyspace'.'column' with comment = '-5' and rows_cached = '07';
              create column family '1e5'.'123' with comment = 'true' and gc_grace = 1;
              create column family '1e5'.'where' with comment = '; -- /* \\\\';
              """);
      script = shell.answer("show schema");
      keyspaces = shell.answer("show keyspaces");
    }

    try (LocalNode node = LocalNode.start(temporary.resolve("two"));
        ShellRun shell = new ShellRun(node.port())) {
      // Its keyspaces want more copies than this one node has.
      String unused =
          shell.answer(script.replaceAll("(?m)(durable_writes = \\w+);$", "$1 and force = true;"));

      assertEquals(script, shell.answer("show schema"));
      assertEquals(keyspaces, shell.answer("show keyspaces"));
    }
    assertTrue(script.contains("comparator = 'TimeUUIDType'"), script);
    assertTrue(script.contains("memtable_operations = 0.007"), script);
    assertTrue(script.contains("value_type = 'Int32Type'"), script);
    assertTrue(script.contains("column_value_types = {7:BooleanType, '-300':UTF8Type}"), script);
  }
}
