package dev.colonnade.client;

/**
 * Turns keys, names or values into bytes and back. Implementations are stateless and thread-safe;
 * {@link Serializers} has the usual ones.
 */
public interface Serializer<T> {

  /**
   * The bytes of a value, in an array that the caller may keep.
   *
   * @throws IllegalArgumentException if the value has no such bytes
   */
  byte[] toBytes(T value);

  /**
   * The value of bytes, which are the callee's to keep.
   *
   * @throws IllegalArgumentException if the bytes are not those of a value
   */
  T fromBytes(byte[] bytes);
}
