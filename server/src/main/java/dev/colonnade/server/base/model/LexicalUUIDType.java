package dev.colonnade.server.base.model;

/**
 * UUIDs of any version, as two signed halves. That is the order of {@link java.util.UUID}, and not
 * the order of the bytes: 8000… sorts first.
 */
final class LexicalUUIDType implements ColumnComparator {

  private static final int LENGTH = 16;

  @Override
  public String typeName() {
    return "LexicalUUIDType";
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    if (left.length != LENGTH || right.length != LENGTH) {
      return Integer.compare(left.length, right.length);
    }
    int byHigh = Long.compare(NameNumbers.at(left, 0), NameNumbers.at(right, 0));
    return byHigh != 0 ? byHigh : Long.compare(NameNumbers.at(left, 8), NameNumbers.at(right, 8));
  }

  @Override
  public void validate(byte[] name) throws InvalidNameException {
    NameText.requireLength(typeName(), name, LENGTH);
  }

  @Override
  public String display(byte[] name) {
    return NameText.displayUuid(name);
  }

  @Override
  public byte[] parse(String text) throws InvalidNameException {
    return NameText.uuid(typeName(), text);
  }
}
