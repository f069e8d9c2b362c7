package dev.colonnade.it.history;

import com.google.protobuf.ByteString;

/** Values of any length that begin with the timestamp of their change and go on as it demands. */
final class Tagged {
  private Tagged() {}

  /** The value of a change. */
  static ByteString value(long timestamp, int length) {
    StringBuilder text = new StringBuilder(Long.toString(timestamp)).append('.');
    char filler = (char) ('a' + timestamp % 26);
    while (text.length() < length) {
      text.append(filler);
    }
    return ByteString.copyFromUtf8(text.toString());
  }

  /** What the history knows such a value by; a damaged one has a name that nobody wrote. */
  static String name(ByteString value) {
    String text = value.toStringUtf8();
    int dot = text.indexOf('.');
    if (dot > 0 && text.substring(0, dot).matches("\\d+")) {
      long timestamp = Long.parseLong(text.substring(0, dot));
      if (value.equals(value(timestamp, text.length()))) {
        return name(timestamp);
      }
    }
    return "damaged: " + text.substring(0, Math.min(40, text.length())) + " of " + value.size();
  }

  static String name(long timestamp) {
    return "v" + timestamp;
  }
}
