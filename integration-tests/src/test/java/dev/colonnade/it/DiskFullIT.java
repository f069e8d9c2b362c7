package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.InsertRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole node on a real file system that runs full, and one that may have few files open: writes
 * are refused with a reason, reads continue, and writes continue when there is room again, without
 * a restart. Nothing that was acknowledged is lost.
 */
final class DiskFullIT {

  private static final String KEYSPACE = "Small";
  private static final int VALUE_BYTES = 20_000;
  private static final int FILES = 120;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String STORAGE_CONF =
      """
      <Storage>
        <Keyspaces>
          <Keyspace Name="Small">
            <ColumnFamily Name="Rows" CompareWith="BytesType"/>
          </Keyspace>
        </Keyspaces>
        <CommitLogRotationThresholdInMB>1</CommitLogRotationThresholdInMB>
        <MemtableThroughputInMB>1</MemtableThroughputInMB>
      </Storage>
      """;

  @TempDir Path folder;

  @Test
  void aFullDiskRefusesWritesAndTakesThemAgainWhenThereIsRoom() throws Exception {
    try (SmallDisk disk = SmallDisk.at(folder.resolve("disk"), 48)) {
      LocalNode node = LocalNode.process(settings(disk.path("data")));
      try {
        insert(node, 0);
        Path filler = disk.fillBut(10L << 20);
        StatusRuntimeException refusal = null;
        int taken = 1;
        while (refusal == null) {
          assertTrue(taken < 5_000, "the disk never ran full");
          refusal = refusal(node, taken);
          taken += refusal == null ? 1 : 0;
        }
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, refusal.getStatus().getCode());
        assertTrue(
            String.valueOf(refusal.getMessage()).contains("kept in reserve"), refusal.getMessage());
        verify(node, taken);
        compactAndIgnoreRefusal(node);
        verify(node, taken);
        assertTrue(disk.usableBytes() > 0, "the reserve is kept");
        Files.delete(filler);
        int next = taken;
        LocalNode serving = node;
        Await.until(
            () -> refusal(serving, next) == null, LIMIT, () -> "no write is taken any more");
        taken++;
        verify(node, taken);
        node.kill();
        node = node.again();
        verify(node, taken);
      } finally {
        node.kill();
      }
    }
  }

  /** Each file takes four while it is read, and 120 of them more than the process may have. */
  @Test
  void moreDataFilesThanDescriptorsAreReadAndProbesAndNewClientsAreAnswered() throws Exception {
    LocalNode node =
        LocalNode.process(settings(folder.resolve("data")).withDescriptors(descriptors()));
    try {
      createFamilyThatIsNeverMerged(node);
      for (int i = 0; i < FILES; i++) {
        insert(node, "Many", i);
        assertNull(flushRefusal(node), "flush " + i);
      }
      verify(node, "Many", FILES);
      assertEquals(200, probe(node));
      node.kill();
      node = node.again();
      verify(node, "Many", FILES);
      assertEquals(200, probe(node), "after a start under the same limit");
    } finally {
      node.kill();
    }
  }

  private static int descriptors() {
    return 160 + 4 * Runtime.getRuntime().availableProcessors();
  }

  private static int probe(LocalNode node) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://" + node.address() + ":" + node.ports().http() + "/readyz"))
            .timeout(Duration.ofSeconds(10))
            .build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static void createFamilyThatIsNeverMerged(LocalNode node) {
    node.schema()
        .createColumnFamily(
            CreateColumnFamilyRequest.newBuilder()
                .setColumnFamily(
                    ColumnFamilyDef.newBuilder()
                        .setKeyspace(KEYSPACE)
                        .setName("Many")
                        .setMinCompactionThreshold(0)
                        .setMaxCompactionThreshold(0))
                .build());
  }

  private LocalNode.Settings settings(Path data) throws IOException {
    Path conf = Files.writeString(folder.resolve("storage-conf.xml"), STORAGE_CONF);
    return LocalNode.Settings.in(data)
        .withStorageConf(conf)
        .withCommitLogSync("batch")
        .withJvmArguments("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  }

  private static @Nullable StatusRuntimeException flushRefusal(LocalNode node) {
    try {
      node.node().flush(FlushRequest.newBuilder().setKeyspace(KEYSPACE).build());
      return null;
    } catch (StatusRuntimeException e) {
      return e;
    }
  }

  private static void compactAndIgnoreRefusal(LocalNode node) {
    try {
      node.node()
          .compact(CompactRequest.newBuilder().setKeyspace(KEYSPACE).build())
          .forEachRemaining(progress -> {});
    } catch (StatusRuntimeException e) {
      assertEquals(Status.Code.RESOURCE_EXHAUSTED, e.getStatus().getCode(), e.getMessage());
    }
  }

  private static @Nullable StatusRuntimeException refusal(LocalNode node, int number) {
    try {
      insert(node, number);
      return null;
    } catch (StatusRuntimeException e) {
      return e;
    }
  }

  private static void insert(LocalNode node, int number) {
    insert(node, "Rows", number);
  }

  private static void insert(LocalNode node, String family, int number) {
    node.data()
        .insert(
            InsertRequest.newBuilder()
                .setKeyspace(KEYSPACE)
                .setKey(key(number))
                .setColumnParent(ColumnParent.newBuilder().setColumnFamily(family))
                .setColumn(
                    Column.newBuilder()
                        .setName(ByteString.copyFromUtf8("c"))
                        .setValue(value(number)))
                .build());
  }

  private static void verify(LocalNode node, int rows) {
    verify(node, "Rows", rows);
  }

  private static void verify(LocalNode node, String family, int rows) {
    for (int number = 0; number < rows; number++) {
      ByteString found =
          node.data()
              .get(
                  GetRequest.newBuilder()
                      .setKeyspace(KEYSPACE)
                      .setKey(key(number))
                      .setColumnPath(
                          ColumnPath.newBuilder()
                              .setColumnFamily(family)
                              .setColumn(ByteString.copyFromUtf8("c")))
                      .build())
              .getColumnOrSuperColumn()
              .getColumn()
              .getValue();
      assertEquals(value(number), found, "row " + number + " of " + rows);
    }
  }

  private static ByteString key(int number) {
    return ByteString.copyFromUtf8("row" + number);
  }

  /** Random, so that compression does not make the disk larger. */
  private static ByteString value(int number) {
    byte[] bytes = new byte[VALUE_BYTES];
    new Random(number).nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }
}
