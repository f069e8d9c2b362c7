package dev.colonnade.client;

import com.google.protobuf.ByteString;

/** Converts between serialized bytes and messages. */
final class Bytes {

  private Bytes() {}

  static <T> ByteString of(Serializer<T> serializer, T value) {
    return ByteString.copyFrom(serializer.toBytes(value));
  }

  static <T> T read(Serializer<T> serializer, ByteString bytes) {
    return serializer.fromBytes(bytes.toByteArray());
  }
}
