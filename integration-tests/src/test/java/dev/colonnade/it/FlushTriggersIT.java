package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.MemtableLimits;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.InsertRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each of the three triggers flushes a memtable by itself, and the counters say which it was. */
final class FlushTriggersIT {

  private static final String KEYSPACE = "Triggers";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int NEVER_MB = 64;
  private static final long NEVER_OPERATIONS = 1_000_000;
  private static final long NEVER_MINUTES = 600;

  @TempDir static Path folder;

  private static LocalNode node;
  private static NodeProbe probe;

  @BeforeAll
  static void start() throws Exception {
    node =
        LocalNode.process(
            LocalNode.Settings.in(folder.resolve("data")).withJvmArguments("-Xmx512m"));
    probe = new NodeProbe(node);
    MemtableLimits never =
        MemtableLimits.newBuilder()
            .setThroughputMb(NEVER_MB)
            .setMaxOperations(NEVER_OPERATIONS)
            .setFlushAfter(Durations.fromMinutes(NEVER_MINUTES))
            .build();
    node.schema()
        .createKeyspace(
            CreateKeyspaceRequest.newBuilder()
                .setKeyspace(
                    KeyspaceDef.newBuilder()
                        .setName(KEYSPACE)
                        .addColumnFamilies(family("Size", never.toBuilder().setThroughputMb(1)))
                        .addColumnFamilies(
                            family("Operations", never.toBuilder().setMaxOperations(100)))
                        .addColumnFamilies(
                            family(
                                "Age", never.toBuilder().setFlushAfter(Durations.fromSeconds(1))))
                        .addColumnFamilies(family("Demand", never.toBuilder())))
                .build());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void aMemtableThatIsLargeIsFlushed() {
    insert("Size", 40, 64 << 10);
    awaitOnly("Size", ColumnFamilyStats::getFlushesBySize);
  }

  @Test
  void aMemtableOfManyOperationsIsFlushed() {
    insert("Operations", 150, 1);
    awaitOnly("Operations", ColumnFamilyStats::getFlushesByOperations);
  }

  @Test
  void aMemtableThatIsOldIsFlushed() {
    insert("Age", 1, 1);
    awaitOnly("Age", ColumnFamilyStats::getFlushesByAge);
  }

  @Test
  void aMemtableIsFlushedOnDemand() {
    insert("Demand", 1, 1);
    probe.flush(KEYSPACE);
    ColumnFamilyStats stats = probe.stats(KEYSPACE, "Demand");
    assertEquals(1, stats.getFlushesOnDemand());
    assertEquals(1, stats.getSstables());
  }

  /** Waits for a flush, and finds no other reason than the wanted one (but for a demand). */
  private static void awaitOnly(String family, ToLongFunction<ColumnFamilyStats> reason) {
    Await.until(
        () -> reason.applyAsLong(probe.stats(KEYSPACE, family)) > 0,
        LIMIT,
        () -> "no such flush: " + probe.stats(KEYSPACE, family));
    ColumnFamilyStats stats = probe.stats(KEYSPACE, family);
    assertEquals(
        reason.applyAsLong(stats),
        stats.getFlushesBySize() + stats.getFlushesByOperations() + stats.getFlushesByAge(),
        () -> "another reason: " + stats);
  }

  private static void insert(String family, int columns, int valueBytes) {
    ByteString value = ByteString.copyFrom(new byte[valueBytes]);
    for (int i = 0; i < columns; i++) {
      node.data()
          .insert(
              InsertRequest.newBuilder()
                  .setKeyspace(KEYSPACE)
                  .setKey(ByteString.copyFromUtf8("row"))
                  .setColumnParent(ColumnParent.newBuilder().setColumnFamily(family))
                  .setColumn(Column.newBuilder().setName(WideRow.name(i)).setValue(value))
                  .build());
    }
  }

  private static ColumnFamilyDef family(String name, MemtableLimits.Builder limits) {
    return ColumnFamilyDef.newBuilder()
        .setKeyspace(KEYSPACE)
        .setName(name)
        .setMemtable(limits)
        .build();
  }
}
