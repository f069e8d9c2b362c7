package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of Cassandra, read and written again for this store. */
@Timeout(60)
final class ConfConvertCommandTest {

  private static final String YAML =
      """
      # A file of 0.7.
      cluster_name: 'Blog & Co'
      auto_bootstrap: false
      hinted_handoff_enabled: true
      max_hint_window_in_ms: 3600000
      authenticator: org.apache.cassandra.auth.AllowAllAuthenticator
      authority: org.apache.cassandra.auth.AllowAllAuthority
      partitioner: org.apache.cassandra.dht.RandomPartitioner
      data_file_directories:
          - DATA/data
      commitlog_directory: DATA/log
      saved_caches_directory: /var/lib/cassandra/saved_caches
      commitlog_rotation_threshold_in_mb: 64
      commitlog_sync: periodic
      commitlog_sync_period_in_ms: 5000
      seeds:
          - 127.0.0.1
      disk_access_mode: auto
      concurrent_reads: 16
      concurrent_writes: 32
      memtable_flush_writers: 1
      sliced_buffer_size_in_kb: 64
      storage_port: 7001
      listen_address: 127.0.0.1
      rpc_address: localhost
      rpc_port: 9161
      rpc_keepalive: true
      initial_token:
      column_index_size_in_kb: 64
      compaction_throughput_mb_per_sec: 16
      rpc_timeout_in_ms: 8000
      endpoint_snitch: org.apache.cassandra.locator.SimpleSnitch
      dynamic_snitch: true
      index_interval: 128
      keyspaces:
        - name: Keyspace1
          replica_placement_strategy: org.apache.cassandra.locator.SimpleStrategy
          replication_factor: 1
          column_families:
            - name: Standard1
              compare_with: BytesType
              keys_cached: 0.25
              rows_cached: 1000
              gc_grace_seconds: 60
              memtable_operations_in_millions: 0.3
              comment: it's a family
              column_metadata:
                - name: state
                  validator_class: UTF8Type
            - name: Super1
              column_type: Super
              compare_with: LongType
              compare_subcolumns_with: UTF8Type
              read_repair_chance: 0.5
      """;

  @TempDir private Path folder;

  private final Invocation colonnade = new Invocation();

  private String file(String name, String content) throws Exception {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  @Test
  void aNodeStartsWithTheSettingsAndTakesTheSchemaOfAYaml() throws Exception {
    String yaml = file("cassandra.yaml", YAML.replace("DATA", folder.toString()));
    Path settings = folder.resolve("storage-conf.xml");
    Path schema = folder.resolve("schema.txt");

    assertEquals(
        0,
        colonnade.run(
            "conf", "convert", yaml, "--to", settings.toString(), "--schema", schema.toString()),
        colonnade::err);

    assertEquals(0, colonnade.run("conf", "check", settings.toString()), colonnade::err);
    assertTrue(!colonnade.out().contains("no effect"), colonnade.out());
    assertEquals(
        0,
        colonnade.run(
            "conf", "show", "--changed", "-o", "json", "--storage-conf", settings.toString()),
        colonnade::err);
    for (String value :
        new String[] {"Blog & Co", "8000", "9161", "7001", "16777216", "/log", "\"64\"", "5000"}) {
      assertTrue(colonnade.out().contains(value), value + " in " + colonnade.out());
    }
    String xml = Files.readString(settings);
    assertTrue(xml.contains("line 5: max_hint_window_in_ms has no effect: hints are kept"), xml);
    assertTrue(xml.contains("line 12: saved_caches_directory has no effect"), xml);
    assertTrue(xml.contains("Standard1.column_metadata has no effect"), xml);
    try (Node node =
        Node.start(
            NodeOptions.defaults()
                .withDataDirectory(folder.resolve("node"))
                .withStorageConf(settings)
                .withFreePorts())) {
      String port = "" + node.clientPort();
      assertEquals(0, colonnade.run("shell", "-p", port, "-f", schema.toString()), colonnade::err);
      assertEquals(
          0,
          colonnade.run("shell", "-p", port, "-e", "show schema; show cluster name"),
          colonnade::err);
      for (String part :
          new String[] {
            "Blog & Co", "Keyspace1", "25", "1000", "s a family", "Super1", "LongType", "0.5"
          }) {
        assertTrue(colonnade.out().contains(part), part + " in " + colonnade.out());
      }
    }
  }

  @Test
  void whatIsConvertedAgainIsTheSame() throws Exception {
    String old =
        file(
            "old.xml",
            "<Storage><ClusterName>A</ClusterName><IndexInterval>128</IndexInterval>"
                + "<Seeds><Seed>127.0.0.1</Seed><Seed>127.0.0.2</Seed></Seeds>"
                + "<Keyspaces><Keyspace Name=\"K\"><ColumnFamily Name=\"F\"/></Keyspace>"
                + "</Keyspaces></Storage>");

    assertEquals(0, colonnade.run("conf", "convert", old), colonnade::err);
    assertTrue(colonnade.err().contains("a keyspace: name a file"), colonnade.err());
    assertTrue(colonnade.out().contains("IndexInterval has no effect"), colonnade.out());
    String once = colonnade.out();
    assertEquals(0, colonnade.run("conf", "convert", file("once.xml", once)), colonnade::err);
    assertEquals(elements(once), elements(colonnade.out()));
    Path schema = folder.resolve("old.txt");
    assertEquals(
        0, colonnade.run("conf", "convert", old, "--schema", schema.toString()), colonnade::err);
    String statements = Files.readString(schema);
    assertTrue(statements.contains("strategy_class = 'SimpleStrategy'"), statements);
  }

  private static String elements(String xml) {
    return xml.replaceAll("(?m)^ *<!--.*-->\n", "");
  }

  @Test
  void aFileThatExistsIsNotOverwritten() throws Exception {
    String yaml = file("cassandra.yaml", "cluster_name: A\n");
    String taken = file("taken.xml", "mine");

    assertEquals(2, colonnade.run("conf", "convert", yaml, "--to", taken));
    assertTrue(colonnade.err().contains("is not overwritten"), colonnade.err());
    assertEquals("mine", Files.readString(Path.of(taken)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cluster_nane: A                     | :1: cluster_nane is no setting
          cluster_name: [A                    | is not YAML
          seeds: 127.0.0.1                    | :1: seeds is a list
          storage_port: 70000                 | StoragePort
          authority: SimpleAuthority          | :1: authority: this server has no
          keyspaces: [{name: K, size: 3}]     | :1: a keyspace has no size
          keyspaces: [{replication_factor: 1}] | :1: a name is missing
          - a                                 | expected lines with a name
          cluster_name: &a [*a]               | is not YAML
          snapshot_before_compaction: true    | colonnade snapshot take
          """)
  void whatIsWrongIsNamedWithItsLine(String yaml, String message) throws Exception {
    assertEquals(2, colonnade.run("conf", "convert", file("cassandra.yaml", yaml + "\n")));
    assertTrue(colonnade.err().contains(message), colonnade.err());
    assertEquals("", colonnade.out());
    assertEquals(1, colonnade.err().lines().count(), colonnade.err());
  }
}
