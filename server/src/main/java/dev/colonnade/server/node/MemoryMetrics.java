package dev.colonnade.server.node;

import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.storage.sstable.FilterMemory;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/** Registers metrics of the memory account, a series for each pool and each use. */
final class MemoryMetrics {

  private final Readings readings;
  private final Map<String, MemoryPool> pools = new TreeMap<>();

  private MemoryMetrics(Readings readings, NodeMemory memory) {
    this.readings = readings;
    pools.put("heap", memory.heap());
    pools.put("direct", memory.direct());
    pools.put("administration", memory.administration());
  }

  static void add(Readings readings, NodeMemory memory, FilterMemory filters) {
    readings.gauge(
        "colonnade_filter_bytes",
        "Heap of the Bloom filters of all data files",
        filters::heldBytes);
    readings.gauge(
        "colonnade_files_without_filter",
        "Data files whose Bloom filters did not fit on the heap",
        filters::filesWithout);
    new MemoryMetrics(readings, memory).add();
  }

  private void add() {
    pool(
        "colonnade_memory_pool_bytes",
        "Bytes held of a pool that all calls and messages in progress share",
        MemoryPool::usedBytes);
    pool("colonnade_memory_pool_limit_bytes", "The limit of the pool", MemoryPool::capacityBytes);
    readings.gauges(
        "colonnade_memory_use_bytes",
        "Bytes held for requests, answers and messages in progress, by use",
        points -> uses(points, MemoryPool::usedBytes),
        "use");
    readings.counters(
        "colonnade_memory_refusals",
        "Requests, answers and messages that were refused memory, by use",
        points -> uses(points, MemoryPool::refusals),
        "use");
  }

  private void pool(String name, String help, ToDoubleFunction<MemoryPool> figure) {
    readings.gauges(
        name,
        help,
        points -> pools.forEach((label, pool) -> points.add(figure.applyAsDouble(pool), label)),
        "pool");
  }

  private void uses(Readings.Points points, ToDoubleBiFunction<MemoryPool, MemoryUse> figure) {
    for (MemoryUse use : MemoryUse.values()) {
      double sum =
          pools.values().stream().mapToDouble(pool -> figure.applyAsDouble(pool, use)).sum();
      points.add(sum, use.name().toLowerCase(Locale.ROOT));
    }
  }
}
