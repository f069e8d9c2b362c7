package dev.colonnade.server.node;

import dev.colonnade.server.service.admin.LocalOperations;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** Memory figures from the JVM; mapped key indexes are not among its buffers. */
final class JvmMemory implements LocalOperations.Memory {

  private final List<BufferPoolMXBean> pools =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);

  @Override
  public long heapUsedBytes() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Override
  public long offheapUsedBytes() {
    long bytes = 0;
    for (BufferPoolMXBean pool : pools) {
      bytes += Math.max(0, pool.getMemoryUsed());
    }
    return bytes;
  }
}
