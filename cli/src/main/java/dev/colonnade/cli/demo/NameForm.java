package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;

/** How the bytes of a name are written for people and read back, as its comparator sees them. */
enum NameForm {
  /** UTF-8. */
  TEXT {
    @Override
    String show(ByteString name) {
      return name.toStringUtf8();
    }
  },
  /** A signed number of 64 bits, the most significant byte first. */
  NUMBER {
    @Override
    String show(ByteString name) {
      if (name.size() != Long.BYTES) {
        return "(" + name.size() + " bytes, no number)";
      }
      return String.valueOf(name.asReadOnlyByteBuffer().getLong());
    }
  },
  /** A UUID of version 1, shown as the moment that it holds. */
  TIME {
    @Override
    String show(ByteString name) {
      return TimeUuids.shown(name);
    }
  };

  /** The name for people. */
  abstract String show(ByteString name);

  /** The form for the names that a comparator orders. */
  static NameForm of(String comparator) {
    return switch (comparator) {
      case "LongType" -> NUMBER;
      case "TimeUUIDType" -> TIME;
      default -> TEXT;
    };
  }
}
