package dev.colonnade.server.base.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** Text. The decoder is strict, as in Cassandra 0.6; 0.7 let surrogates and over-long forms in. */
final class UTF8Type implements ColumnComparator {

  @Override
  public String typeName() {
    return "UTF8Type";
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    return Arrays.compareUnsigned(left, right);
  }

  @Override
  public void validate(byte[] name) throws InvalidNameException {
    int malformed = Utf8.firstMalformed(name);
    if (malformed >= 0) {
      throw new InvalidNameException(
          String.format(
              Locale.ROOT,
              "UTF8Type names are well-formed UTF-8; the sequence at byte %d (0x%02x) is not",
              malformed,
              name[malformed] & 0xff));
    }
  }

  @Override
  public String display(byte[] name) {
    return new String(name, StandardCharsets.UTF_8);
  }

  @Override
  public byte[] parse(String text) throws InvalidNameException {
    return NameText.utf8(typeName(), text);
  }
}
