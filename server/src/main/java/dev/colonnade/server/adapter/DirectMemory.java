package dev.colonnade.server.adapter;

import io.grpc.netty.shaded.io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** Memory outside of the heap that buffers of the network and of files take. Thread-safe. */
public final class DirectMemory {

  private DirectMemory() {}

  /** What the process may take; by default as much as the heap. */
  public static long limitBytes() {
    return PlatformDependent.estimateMaxDirectMemory();
  }

  /** What it takes now, free parts of pooled buffers included. */
  public static long usedBytes() {
    // Netty counts for itself what it does not get from Java.
    long bytes =
        PlatformDependent.useDirectBufferNoCleaner()
            ? Math.max(0, PlatformDependent.usedDirectMemory())
            : 0;
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct")) {
        bytes += Math.max(0, pool.getMemoryUsed());
      }
    }
    return bytes;
  }
}
