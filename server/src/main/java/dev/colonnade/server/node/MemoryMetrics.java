package dev.colonnade.server.node;

import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.MetricSet;
import dev.colonnade.server.storage.sstable.FilterMemory;
import java.util.List;
import java.util.Locale;

/** Registers metrics of the memory account, a series for each pool and each use. */
final class MemoryMetrics {

  private MemoryMetrics() {}

  static void add(MetricSet metrics, NodeMemory memory, FilterMemory filters) {
    metrics.gauge(
        "colonnade_filter_bytes",
        "Heap of the Bloom filters of all data files",
        Labels.NONE,
        filters::heldBytes);
    metrics.gauge(
        "colonnade_files_without_filter",
        "Data files whose Bloom filters did not fit on the heap",
        Labels.NONE,
        filters::filesWithout);
    pool(metrics, "heap", memory.heap());
    pool(metrics, "direct", memory.direct());
    pool(metrics, "administration", memory.administration());
    List<MemoryPool> pools = List.of(memory.heap(), memory.direct(), memory.administration());
    for (MemoryUse use : MemoryUse.values()) {
      Labels labels = Labels.of("use", use.name().toLowerCase(Locale.ROOT));
      metrics.gauge(
          "colonnade_memory_use_bytes",
          "Bytes held for requests, answers and messages in progress, by use",
          labels,
          () -> pools.stream().mapToLong(pool -> pool.usedBytes(use)).sum());
      metrics.gauge(
          "colonnade_memory_refusals",
          "Requests, answers and messages that were refused memory, by use",
          labels,
          () -> pools.stream().mapToLong(pool -> pool.refusals(use)).sum());
    }
  }

  private static void pool(MetricSet metrics, String name, MemoryPool pool) {
    Labels labels = Labels.of("pool", name);
    metrics.gauge(
        "colonnade_memory_pool_bytes",
        "Bytes held of a pool that all calls and messages in progress share",
        labels,
        pool::usedBytes);
    metrics.gauge(
        "colonnade_memory_pool_limit_bytes", "The limit of the pool", labels, pool::capacityBytes);
  }
}
