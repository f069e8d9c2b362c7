package dev.colonnade.server.base.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.ComparatorResolver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Every element that is read changes something, or is listed with why it does not. That what it
 * changes is read is {@code SettingsAreReadTest}'s.
 */
final class ElementsTakeEffectTest {

  private static final String KEYSPACE =
      "<Keyspaces><Keyspace Name='K'><ColumnFamily Name='F'/></Keyspace></Keyspaces>";

  /** Elements with a value that is not their default, and with what they need beside them. */
  private static Map<String, String> samples() {
    Map<String, String> samples = new TreeMap<>();
    samples.put("ClusterName", "Blue");
    samples.put("Partitioner", "org.apache.cassandra.dht.OrderPreservingPartitioner");
    samples.put("InitialToken", "7");
    samples.put("Seeds", "<Seed>10.0.0.1</Seed>");
    samples.put("PhiConvictThreshold", "9");
    samples.put("AutoBootstrap", "true");
    samples.put("HintedHandoffEnabled", "false");
    samples.put("HintedHandoffIntervalInSeconds", "7");
    samples.put("DoConsistencyChecksBoolean", "false");
    samples.put("ListenAddress", "10.0.0.3");
    samples.put("ThriftAddress", "10.0.0.4");
    samples.put("ThriftPort", "9170");
    samples.put("StoragePort", "7100");
    samples.put("CommitLogDirectory", "/log");
    samples.put("DataFileDirectories", "<DataFileDirectory>/d</DataFileDirectory>");
    samples.put("RpcTimeoutInMillis", "5000");
    samples.put("MaxClientConnections", "77");
    samples.put("ReaderTimeoutInSeconds", "77");
    samples.put("StallLimitInSeconds", "77");
    samples.put("ConcurrentReads", "4");
    samples.put("CommitLogRotationThresholdInMB", "32");
    samples.put("MemtableThroughputInMB", "3");
    samples.put("MemtableSizeInMB", "3");
    samples.put("MemtableOperationsInMillions", "0.7");
    samples.put("MemtableObjectCountInMillions", "0.7");
    samples.put("MemtableFlushAfterMinutes", "7");
    samples.put("GCGraceSeconds", "77");
    samples.put("KeysCachedFraction", "0.3");
    samples.put("EndPointSnitch", "RackInferringSnitch");
    samples.put("Authenticator", "org.apache.cassandra.auth.AllowAllAuthenticator");
    samples.put("SnapshotBeforeCompaction", "false");
    samples.put("Keyspaces", "<Keyspace Name='L'/>");
    samples.put("ReplicaPlacementStrategy", "RackAwareStrategy");
    samples.put("ReplicationFactor", "3");
    samples.put("CommitLogSync", "batch");
    samples.put("CommitLogSyncPeriodInMS", "7");
    samples.put("CommitLogSyncBatchWindowInMS", "7");
    return samples;
  }

  private static StorageConf read(String xml) throws StorageConfException {
    return StorageConf.parse(
        "conf.xml",
        xml.getBytes(StandardCharsets.UTF_8),
        NodeSettings.DEFAULT,
        ComparatorResolver.builtIns());
  }

  @Test
  void everyKnownElementChangesSomethingOrIsListed() throws Exception {
    assertEquals(new TreeSet<>(KnownElements.NAMES), samples().keySet());
    for (Map.Entry<String, String> sample : samples().entrySet()) {
      String name = sample.getKey();
      String beside =
          (name.equals("Keyspaces") ? "" : KEYSPACE)
              + (name.equals("CommitLogSyncBatchWindowInMS")
                  ? "<CommitLogSync>batch</CommitLogSync>"
                  : "");
      StorageConf without = read("<Storage>" + beside + "</Storage>");
      StorageConf with =
          read(
              "<Storage>"
                  + beside
                  + "<"
                  + name
                  + ">"
                  + sample.getValue()
                  + "</"
                  + name
                  + "></Storage>");
      assertNotEquals(without, with, "<" + name + "> is taken, and nothing comes of it");
    }
  }

  @Test
  void whatHasNoEffectIsListedWithTheReason() throws Exception {
    List<String> silent = new ArrayList<>();
    for (String name : IgnoredElements.names()) {
      List<StorageConf.IgnoredElement> listed =
          read("<Storage><" + name + ">7</" + name + "></Storage>").ignored();
      if (listed.size() != 1
          || !listed.get(0).name().equals(name)
          || listed.get(0).reason().isBlank()) {
        silent.add(name);
      }
    }
    assertEquals(List.of(), silent);
    assertTrue(IgnoredElements.names().contains("ConcurrentWrites"));
  }

  @Test
  void aMemtableAboveTheSharedBoundIsListedAndOneBelowIsNot() throws Exception {
    long most = NodeSettings.DEFAULT.storage().memtableBytesMax() >> 20;
    assertEquals(List.of(), read(memtable(most)).ignored());
    StorageConf.IgnoredElement listed = read(memtable(most + 1)).ignored().get(0);
    assertEquals("MemtableThroughputInMB", listed.name());
    assertTrue(listed.reason().contains("beyond " + most + " MiB"), listed.reason());
  }

  private static String memtable(long mebibytes) {
    return "<Storage><MemtableThroughputInMB>" + mebibytes + "</MemtableThroughputInMB></Storage>";
  }
}
