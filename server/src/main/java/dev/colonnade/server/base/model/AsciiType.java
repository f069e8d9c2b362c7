package dev.colonnade.server.base.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** Seven-bit text. */
final class AsciiType implements ColumnComparator {

  @Override
  public String typeName() {
    return "AsciiType";
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    return Arrays.compareUnsigned(left, right);
  }

  @Override
  public void validate(byte[] name) throws InvalidNameException {
    for (int i = 0; i < name.length; i++) {
      if (name[i] < 0) {
        throw new InvalidNameException(
            String.format(
                Locale.ROOT,
                "AsciiType names have bytes from 0x00 to 0x7f only; byte %d is 0x%02x",
                i,
                name[i] & 0xff));
      }
    }
  }

  @Override
  public String display(byte[] name) {
    return new String(name, StandardCharsets.US_ASCII);
  }

  @Override
  public byte[] parse(String text) throws InvalidNameException {
    byte[] name = NameText.utf8(typeName(), text);
    validate(name);
    return name;
  }
}
