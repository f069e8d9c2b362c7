package dev.colonnade.server.base.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Fixed-width numbers in byte arrays, as single memory accesses. */
final class FixedWidth {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private FixedWidth() {}

  static int getInt(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  static long getLong(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  static void putInt(byte[] bytes, int at, int value) {
    INT.set(bytes, at, value);
  }

  static void putLong(byte[] bytes, int at, long value) {
    LONG.set(bytes, at, value);
  }
}
