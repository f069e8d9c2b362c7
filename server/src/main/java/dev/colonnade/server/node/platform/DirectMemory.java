package dev.colonnade.server.node.platform;

import io.grpc.netty.shaded.io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** Off-heap memory of network and file buffers. Thread-safe. */
public final class DirectMemory {

  private DirectMemory() {}

  /** The limit for the process; by default as much as the heap. */
  public static long limitBytes() {
    return PlatformDependent.estimateMaxDirectMemory();
  }

  /** The bytes in use, free parts of pooled buffers included. */
  public static long usedBytes() {
    // Netty itself counts memory that it does not get from Java.
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
