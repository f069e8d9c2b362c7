package dev.colonnade.server.service.rpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the objects of a message without decoding it. An empty element of a list takes two bytes
 * on the wire and fifty on the heap, so the length of a message says little about its cost.
 * Immutable; thread-safe.
 *
 * <p>It walks over the encoding (see "Encoding" in the documentation of protocol buffers) as far as
 * the encoding is valid. The decoder refuses the rest, before it has created more objects than were
 * counted.
 */
final class MessageWeigher {

  /** The decoder's depth limit. */
  private static final int DEPTH_MAX = 100;

  private static final int TAG_BITS = 3;
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED_32 = 5;
  private static final int VARINT_BYTES_MAX = 10;

  /** What an occurrence of a field adds to a message. */
  private enum Field {
    /** A single number: nothing. */
    SCALAR,
    /** An object. */
    OBJECT,
    /** Packed numbers, each of at least one byte. */
    PACKED,
    /** An object with fields of its own. */
    MESSAGE
  }

  /** By field number; null for an unknown number. */
  private final @Nullable Field[] fields;

  private final @Nullable MessageWeigher[] nested;

  private MessageWeigher(int highestNumber) {
    this.fields = new Field[highestNumber + 1];
    this.nested = new MessageWeigher[highestNumber + 1];
  }

  /** Creates the weigher of a message type. */
  static MessageWeigher of(Descriptor type) {
    return of(type, new HashMap<>());
  }

  private static MessageWeigher of(Descriptor type, Map<String, MessageWeigher> known) {
    MessageWeigher weigher = known.get(type.getFullName());
    if (weigher != null) {
      return weigher;
    }
    int highest = type.getFields().stream().mapToInt(FieldDescriptor::getNumber).max().orElse(0);
    weigher = new MessageWeigher(highest);
    known.put(type.getFullName(), weigher);
    for (FieldDescriptor field : type.getFields()) {
      weigher.fields[field.getNumber()] = kind(field);
      if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        weigher.nested[field.getNumber()] = of(field.getMessageType(), known);
      }
    }
    return weigher;
  }

  private static Field kind(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case MESSAGE -> Field.MESSAGE;
      case STRING, BYTE_STRING -> Field.OBJECT;
      default -> field.isRepeated() ? Field.PACKED : Field.SCALAR;
    };
  }

  /** Counts the objects of the encoded message, besides itself. */
  long objects(byte[] bytes) {
    return objects(new WeighingPosition(bytes), bytes.length, 0);
  }

  private long objects(WeighingPosition walk, int end, int depth) {
    long objects = 0;
    while (walk.at < end) {
      long tag = walk.varint(end);
      int number = (int) Math.min(Integer.MAX_VALUE, tag >>> TAG_BITS);
      Field field = number > 0 && number < fields.length ? fields[number] : null;
      if (field != Field.SCALAR) {
        // Unknown fields are kept, too.
        objects++;
      }
      switch ((int) tag & ((1 << TAG_BITS) - 1)) {
        case VARINT -> walk.varint(end);
        case FIXED_64 -> walk.skip(Long.BYTES, end);
        case FIXED_32 -> walk.skip(Integer.BYTES, end);
        case LENGTH_DELIMITED -> {
          int length = (int) Math.min(walk.varint(end), (long) end - walk.at);
          if (length < 0) {
            return objects;
          }
          int next = walk.at + length;
          if (field == Field.PACKED) {
            objects += length;
          } else if (field == Field.MESSAGE && depth < DEPTH_MAX) {
            MessageWeigher inner = nested[number];
            if (inner != null) {
              objects += inner.objects(walk, next, depth + 1);
            }
          }
          walk.at = next;
        }
        default -> {
          // Groups: no message here has any, and the decoder keeps of them what it can read.
          return objects + (end - walk.at);
        }
      }
    }
    return objects;
  }

  /** A position in the bytes. */
  private static final class WeighingPosition {
    private final byte[] bytes;
    private int at;

    WeighingPosition(byte[] bytes) {
      this.bytes = bytes;
    }

    /** Moves to the end if the number is cut off or too long. */
    long varint(int end) {
      long value = 0;
      for (int i = 0; i < VARINT_BYTES_MAX && at < end; i++) {
        byte next = bytes[at++];
        value |= (next & 0x7fL) << (7 * i);
        if (next >= 0) {
          return value;
        }
      }
      at = end;
      return 0;
    }

    void skip(int count, int end) {
      at = (int) Math.min(end, (long) at + count);
    }
  }
}
