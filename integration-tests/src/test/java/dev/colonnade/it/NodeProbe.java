package dev.colonnade.it;

import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.GetStatsRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Inspects a node from outside: its counters, and its heap after a collection. */
public record NodeProbe(LocalNode node) {

  private static final long PATIENCE_SECONDS = 120;

  /** Bytes of the heap that a full collection leaves. */
  public long heapAfterCollectionBytes() throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(node.pid()),
                "GC.run")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!jcmd.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || jcmd.exitValue() != 0) {
      throw new IOException("jcmd GC.run did not work for process " + node.pid());
    }
    return node.node().getInfo(GetInfoRequest.getDefaultInstance()).getHeapUsedBytes();
  }

  ColumnFamilyStats stats(String keyspace, String family) {
    return node
        .node()
        .getStats(GetStatsRequest.getDefaultInstance())
        .getColumnFamiliesList()
        .stream()
        .filter(stats -> stats.getKeyspace().equals(keyspace) && stats.getName().equals(family))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no figures for " + keyspace + "." + family));
  }

  void flush(String keyspace) {
    node.node().flush(FlushRequest.newBuilder().setKeyspace(keyspace).build());
  }

  /** Merges all data files of every family into one each and returns when that is done. */
  void compact(String keyspace) {
    node.node()
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .compact(CompactRequest.newBuilder().setKeyspace(keyspace).build())
        .forEachRemaining(progress -> {});
  }
}
