package dev.colonnade.server.base.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.CommitLogOptions.Sync;
import dev.colonnade.server.base.config.LocationSettings.Snitch;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StorageConfTest {

  private static StorageConf parse(String xml) throws StorageConfException {
    return StorageConf.parse(
        "test.xml", xml.getBytes(UTF_8), NodeSettings.DEFAULT, ComparatorResolver.builtIns());
  }

  private static StorageConfException refused(String xml) {
    return assertThrows(StorageConfException.class, () -> parse(xml));
  }

  private static String example(String name) throws IOException {
    String path = "/dev/colonnade/server/examples/" + name;
    try (InputStream in = StorageConfTest.class.getResourceAsStream(path)) {
      return new String(Objects.requireNonNull(in, path).readAllBytes(), UTF_8);
    }
  }

  private static List<String> families(KeyspaceDefinition keyspace) {
    return keyspace.families().stream()
        .map(
            family ->
                family.name() + " " + family.value(FamilyField.COMPARE_WITH).orElse("default"))
        .toList();
  }

  @Test
  void bloggyAppyLoadsFromALoneKeyspace() throws Exception {
    StorageConf conf = parse(example("bloggyappy.xml"));
    KeyspaceDefinition keyspace = conf.keyspaces().get(0);
    assertEquals("BloggyAppy", keyspace.name());
    assertEquals(
        List.of(
            "Authors BytesType",
            "BlogEntries BytesType",
            "TaggedPosts TimeUUIDType",
            "Comments TimeUUIDType"),
        families(keyspace));
    assertEquals("Super", keyspace.families().get(3).value(FamilyField.COLUMN_TYPE).orElseThrow());
    assertEquals(NodeSettings.DEFAULT, conf.settings());
  }

  @Test
  void twissandraLoadsFromAListOfKeyspaces() throws Exception {
    assertEquals(
        List.of(
            "User UTF8Type",
            "Username BytesType",
            "Friends BytesType",
            "Followers BytesType",
            "Tweet UTF8Type",
            "Userline LongType",
            "Timeline LongType"),
        families(parse(example("twissandra.xml")).keyspaces().get(0)));
  }

  @Test
  void aKeyspaceThatClosesItselfIsRefusedWhereItsEndStands() {
    StorageConfException refusal =
        refused(
            """
            <Keyspaces>
                <Keyspace Name="Twissandra"/>
                    <ColumnFamily CompareWith="UTF8Type"  Name="User"/>
                </Keyspace>
            </Keyspaces>
            """);
    assertEquals(4, refusal.line());
    assertTrue(
        refusal.reason().contains("<Keyspace> in line 2 closes itself"), refusal.getMessage());
    assertTrue(
        String.valueOf(refusal.getMessage()).startsWith("test.xml:4:"), refusal.getMessage());
  }

  @Test
  void curlyQuotesAreNamed() {
    StorageConfException refusal =
        refused("<Keyspace Name=\"K\">\n<ColumnFamily CompareWith=“BytesType” Name=\"A\"/>\n");
    assertEquals(2, refusal.line());
    assertTrue(refusal.reason().contains("typographic quotation mark"), refusal.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<!DOCTYPE Storage [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
            + "<Storage><ClusterName>&x;</ClusterName></Storage>",
        "<!DOCTYPE Storage SYSTEM \"http://localhost:1/x.dtd\"><Storage/>",
        "<!DOCTYPE s [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\"><!ENTITY c \"&b;&b;\">]>"
            + "<Storage><ClusterName>&c;</ClusterName></Storage>",
        "<!-- --><!DOCTYPE Storage [<!ENTITY x \"y\">]><Storage/>",
        "<Storage><ClusterName>&x;</ClusterName></Storage>",
        "<Storage><!DOCTYPE s></Storage>",
        "",
        "not xml",
        "<Storage>",
      })
  void documentTypesEntitiesAndBrokenFilesAreRefused(String xml) {
    refused(xml);
  }

  @Test
  void charactersThatXmlItselfEscapesAreRead() throws StorageConfException {
    assertEquals(
        "a<b&c",
        parse("<Storage><ClusterName>a&lt;b&amp;<![CDATA[c]]></ClusterName></Storage>")
            .settings()
            .get(ClusterSettings.NAME));
  }

  @Test
  void everySettingOfTheOldFileArrives() throws Exception {
    StorageConf conf =
        parse(
            """
            <Storage>
              <ClusterName>Blue</ClusterName>
              <AutoBootstrap>true</AutoBootstrap>
              <HintedHandoffEnabled>false</HintedHandoffEnabled>
              <HintedHandoffIntervalInSeconds>1</HintedHandoffIntervalInSeconds>
              <IndexInterval>64</IndexInterval>
              <Keyspaces>
                <Keyspace Name="Keyspace1">
                  <ColumnFamily Name="Standard1" KeysCached="10%" RowsCached="1000"/>
                  <ColumnFamily Name="Super1" ColumnType="Super" CompareSubcolumnsWith="LongType"
                      RowCacheSavePeriodInSeconds="1"><Comment>old</Comment></ColumnFamily>
                  <ReplicaPlacementStrategy>org.apache.cassandra.locator.RackAwareStrategy</ReplicaPlacementStrategy>
                  <ReplicationFactor>3</ReplicationFactor>
                  <EndPointSnitch>org.apache.cassandra.locator.EndPointSnitch</EndPointSnitch>
                </Keyspace>
              </Keyspaces>
              <Authenticator>org.apache.cassandra.auth.AllowAllAuthenticator</Authenticator>
              <Partitioner>org.apache.cassandra.dht.OrderPreservingPartitioner</Partitioner>
              <InitialToken></InitialToken>
              <SavedCachesDirectory>/c</SavedCachesDirectory>
              <CommitLogDirectory>/log</CommitLogDirectory>
              <DataFileDirectories>
                <DataFileDirectory>/d1</DataFileDirectory>
                <DataFileDirectory>/d2</DataFileDirectory>
              </DataFileDirectories>
              <Seeds><Seed>10.0.0.1</Seed><Seed>10.0.0.2</Seed></Seeds>
              <RpcTimeoutInMillis>5000</RpcTimeoutInMillis>
              <PhiConvictThreshold>8</PhiConvictThreshold>
              <CommitLogRotationThresholdInMB>32</CommitLogRotationThresholdInMB>
              <ListenAddress>10.0.0.3</ListenAddress>
              <StoragePort>7100</StoragePort>
              <ThriftAddress>0.0.0.0</ThriftAddress>
              <ThriftPort>9170</ThriftPort>
              <ThriftFramedTransport>false</ThriftFramedTransport>
              <DiskAccessMode>auto</DiskAccessMode>
              <RowWarningThresholdInMB>512</RowWarningThresholdInMB>
              <SlicedBufferSizeInKB>64</SlicedBufferSizeInKB>
              <FlushDataBufferSizeInMB>32</FlushDataBufferSizeInMB>
              <FlushIndexBufferSizeInMB>8</FlushIndexBufferSizeInMB>
              <ColumnIndexSizeInKB>32</ColumnIndexSizeInKB>
              <MemtableThroughputInMB>64</MemtableThroughputInMB>
              <BinaryMemtableThroughputInMB>256</BinaryMemtableThroughputInMB>
              <MemtableOperationsInMillions>0.3</MemtableOperationsInMillions>
              <MemtableFlushAfterMinutes>30</MemtableFlushAfterMinutes>
              <ConcurrentReads>4</ConcurrentReads>
              <ConcurrentWrites>16</ConcurrentWrites>
              <CommitLogSync>batch</CommitLogSync>
              <CommitLogSyncBatchWindowInMS>1.5</CommitLogSyncBatchWindowInMS>
              <GCGraceSeconds>3600</GCGraceSeconds>
              <DoConsistencyChecksBoolean>false</DoConsistencyChecksBoolean>
              <SnapshotBeforeCompaction>false</SnapshotBeforeCompaction>
              <JobTrackerHost>x</JobTrackerHost>
              <JobJarFileLocation>y</JobJarFileLocation>
            </Storage>
            """);
    assertEquals(
        NodeSettings.DEFAULT
            .with(ClusterSettings.NAME, "Blue")
            .with(
                ClusterSettings.PARTITIONER, "org.apache.cassandra.dht.OrderPreservingPartitioner")
            .with(ClusterSettings.SEEDS, List.of("10.0.0.1", "10.0.0.2"))
            .with(ClusterSettings.AUTO_BOOTSTRAP, true)
            .with(ClusterSettings.PHI_THRESHOLD, 8.0)
            .with(LocationSettings.SNITCH, Snitch.RACK_INFERRING)
            .with(ReplicationSettings.HINTED_HANDOFF, false)
            .with(ReplicationSettings.HINT_INTERVAL, Duration.ofSeconds(1))
            .with(ReplicationSettings.READ_REPAIR, false)
            .with(AddressSettings.PEER_ADDRESS, "10.0.0.3")
            .with(AddressSettings.CLIENT_ADDRESS, "0.0.0.0")
            .with(AddressSettings.CLIENT_PORT, 9170)
            .with(AddressSettings.PEER_PORT, 7100)
            .with(DirectorySettings.DATA, "/d1")
            .with(DirectorySettings.COMMIT_LOG, "/log")
            .with(CommitLogOptions.SYNC, Sync.BATCH)
            .with(CommitLogOptions.SEGMENT_BYTES, 32L << 20)
            .with(RequestSettings.RPC_TIMEOUT, Duration.ofSeconds(5))
            .with(RequestSettings.READ_THREADS, 4),
        conf.settings());
    KeyspaceDefinition keyspace = conf.keyspaces().get(0);
    assertEquals(3, keyspace.replicationFactor());
    for (String expected :
        List.of(
            "MEMTABLE_THROUGHPUT=64",
            "MEMTABLE_MAX_OPERATIONS=300000",
            "MEMTABLE_FLUSH_AFTER=1800",
            "GC_GRACE=3600",
            "KEYS_CACHED=10%",
            "ROWS_CACHED=1000")) {
      String fields = keyspace.families().get(0).fields().toString();
      assertTrue(fields.contains(expected), fields);
    }
    assertEquals("old", keyspace.families().get(1).value(FamilyField.COMMENT).orElseThrow());
    assertEquals(
        List.of(
            "IndexInterval",
            "Authenticator",
            "SavedCachesDirectory",
            "DataFileDirectory",
            "ThriftFramedTransport",
            "DiskAccessMode",
            "RowWarningThresholdInMB",
            "SlicedBufferSizeInKB",
            "FlushDataBufferSizeInMB",
            "FlushIndexBufferSizeInMB",
            "ColumnIndexSizeInKB",
            "BinaryMemtableThroughputInMB",
            "ConcurrentWrites",
            "SnapshotBeforeCompaction",
            "JobTrackerHost",
            "JobJarFileLocation",
            "CommitLogSyncBatchWindowInMS",
            "ColumnFamily@KeysCached",
            "ColumnFamily@RowCacheSavePeriodInSeconds"),
        conf.ignored().stream().map(StorageConf.IgnoredElement::name).toList());
  }

  @Test
  void whatIsAbsentKeepsItsDefault() throws StorageConfException {
    StorageConf conf = parse("<Storage/>");
    assertEquals(NodeSettings.DEFAULT, conf.settings());
    assertEquals(List.of(), conf.keyspaces());
    assertEquals(
        "10.1.1.1",
        parse("<Storage><ListenAddress>10.1.1.1</ListenAddress></Storage>")
            .settings()
            .get(AddressSettings.CLIENT_ADDRESS));
  }

  @Test
  void placementOfTheWholeFileCountsForEveryKeyspace() throws StorageConfException {
    StorageConf conf =
        parse(
            """
            <Storage>
              <Keyspaces><Keyspace Name="A"/><Keyspace Name="B"/></Keyspaces>
              <ReplicaPlacementStrategy>RackUnawareStrategy</ReplicaPlacementStrategy>
              <ReplicationFactor>2</ReplicationFactor>
              <EndPointSnitch>org.apache.cassandra.locator.EndPointSnitch</EndPointSnitch>
              <MemtableSizeInMB>32</MemtableSizeInMB>
              <ControlPort>7001</ControlPort>
            </Storage>
            """);
    for (KeyspaceDefinition keyspace : conf.keyspaces()) {
      assertEquals(2, keyspace.replicationFactor());
      assertEquals("RackUnawareStrategy", keyspace.strategy());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<Storage><Typo>1</Typo></Storage> | 10 | Typo",
        "<Storage><Typo/></Storage> | 10 | Typo",
        "<Storage a='1'/> | 1 | attribute a",
        "<Storage><ThriftPort>0</ThriftPort></Storage> | 10 | from 1 to 65535",
        "<Storage><ThriftPort>x</ThriftPort></Storage> | 10 | whole number",
        "<Storage><HintedHandoffIntervalInSeconds>0</HintedHandoffIntervalInSeconds></Storage>"
            + " | 10 | from 1 to 86400",
        "<Storage><AutoBootstrap>yes</AutoBootstrap></Storage> | 10 | true or false",
        "<Storage><ConcurrentReads>1</ConcurrentReads></Storage> | 10 | from 2",
        "<Storage><PhiConvictThreshold>4</PhiConvictThreshold></Storage> | 10 | 5 to 16",
        "<Storage><ListenAddress>0.0.0.0</ListenAddress></Storage> | 10 | wildcard",
        "<Storage><CommitLogSync>never</CommitLogSync></Storage> | 10 | periodic or batch",
        "<Storage><CommitLogSyncBatchWindowInMS>1</CommitLogSyncBatchWindowInMS></Storage>"
            + " | 10 | other kind",
        "<Storage><Authenticator>x.SimpleAuthenticator</Authenticator></Storage> | 10 | protect",
        "<Keyspace Name='K'><EndPointSnitch>x.SimpleSnitch</EndPointSnitch></Keyspace> | 20 | one"
            + " of",
        "<Storage><SnapshotBeforeCompaction>true</SnapshotBeforeCompaction></Storage>"
            + " | 10 | snapshots",
        "<Storage><ThriftPort>1</ThriftPort><ThriftPort>2</ThriftPort></Storage> | 36 | twice",
        "<Keyspace/> | 1 | attribute Name",
        "<Keyspace Name='a-b'/> | 1 | letters",
        "<Keyspace Name='SYSTEM'/> | 1 | reserved",
        "<Keyspace Name='K' X='1'/> | 1 | attribute X",
        "<Keyspace Name='K'><ColumnFamily Name='F' Order='1'/></Keyspace> | 20 | Order",
        "<Keyspace Name='K'><ColumnFamily Name='F' CompareWith='X'/></Keyspace> | 20 | X",
        "<Keyspace Name='K'><ColumnFamily Name='F' ColumnSort='Time'/></Keyspace>"
            + " | 20 | TimeUUIDType",
        "<Keyspace Name='K'><ColumnFamily Name='F' CompareSubcolumnsWith='LongType'/></Keyspace>"
            + " | 20 | Standard",
        "<Keyspace Name='K'><ReplicationFactor>0</ReplicationFactor></Keyspace> | 20 | from 1",
        "<Keyspaces><Keyspace Name='K'/><Keyspace Name='K'/></Keyspaces> | 32 | two keyspaces",
        "<Storage><Tables><Table Name='K'/></Tables></Storage> | 10 | write <Keyspaces>",
        "<Storage><EndPointSnitch>org.apache.cassandra.locator.PropertyFileEndPointSnitch"
            + "</EndPointSnitch></Storage> | 10 | write PropertyFileSnitch",
        "<Keyspace Name='K'><ReplicaPlacementStrategy>DatacenterShardStrategy"
            + "</ReplicaPlacementStrategy></Keyspace> | 20 | create keyspace K with"
            + " placement_strategy = 'NetworkTopologyStrategy'",
        "<Other/> | 1 | root",
      })
  void whatIsWrongIsRefusedWithItsPlace(String xml, int column, String reason) {
    StorageConfException refusal = refused(xml);
    assertEquals(1, refusal.line());
    assertEquals(column, refusal.column(), refusal.getMessage());
    assertTrue(refusal.reason().contains(reason), refusal.getMessage());
  }

  @Test
  void placesCountLinesWhateverEndsThem() {
    StorageConfException refusal =
        refused("<Storage>\r\n  <ClusterName>x</ClusterName>\r\n   <Typo\r\n a='1'/></Storage>");
    assertEquals(3, refusal.line());
    assertEquals(4, refusal.column());
  }
}
