package dev.colonnade.server.rpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts, without decoding it, how many objects a message will consist of: an empty element of a
 * list takes two bytes on the wire and fifty on the heap, so its length says nothing about what a
 * message costs. Immutable; thread-safe.
 *
 * <p>It walks over the encoding (see "Encoding" in the documentation of protocol buffers) as far as
 * that makes sense. What does not is left to the decoder, which refuses it before it has made more
 * of it than was counted.
 */
final class MessageWeigher {

  /** The decoder goes no deeper. */
  private static final int DEPTH_MAX = 100;

  private static final int TAG_BITS = 3;
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED_32 = 5;
  private static final int VARINT_BYTES_MAX = 10;

  /** What a field's occurrence adds to a message. */
  private enum Field {
    /** A number in a field of its own: nothing. */
    SCALAR,
    /** An object. */
    OBJECT,
    /** Numbers of which each may take one byte. */
    PACKED,
    /** An object with fields of its own. */
    MESSAGE
  }

  /** By field number; null for a number that the message does not know. */
  private final @Nullable Field[] fields;

  private final @Nullable MessageWeigher[] nested;

  private MessageWeigher(int highestNumber) {
    this.fields = new Field[highestNumber + 1];
    this.nested = new MessageWeigher[highestNumber + 1];
  }

  /** For messages of that type. */
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

  /** How many objects the message in these bytes will consist of, besides itself. */
  long objects(byte[] bytes) {
    return objects(new Walk(bytes), bytes.length, 0);
  }

  private long objects(Walk walk, int end, int depth) {
    long objects = 0;
    while (walk.at < end) {
      long tag = walk.varint(end);
      int number = (int) Math.min(Integer.MAX_VALUE, tag >>> TAG_BITS);
      Field field = number > 0 && number < fields.length ? fields[number] : null;
      if (field != Field.SCALAR) {
        // What is not known is kept, too.
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
          // Groups: nothing here has any, and the decoder keeps of them what it can read.
          return objects + (end - walk.at);
        }
      }
    }
    return objects;
  }

  /** A place in the bytes. */
  private static final class Walk {
    private final byte[] bytes;
    private int at;

    Walk(byte[] bytes) {
      this.bytes = bytes;
    }

    /** Goes to the end when it is cut off there, or too long. */
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
