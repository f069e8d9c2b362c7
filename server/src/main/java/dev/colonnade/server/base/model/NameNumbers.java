package dev.colonnade.server.base.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads numbers out of names without allocating. */
final class NameNumbers {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private NameNumbers() {}

  /** The eight bytes from {@code offset} on. */
  static long at(byte[] bytes, int offset) {
    return (long) LONGS.get(bytes, offset);
  }
}
