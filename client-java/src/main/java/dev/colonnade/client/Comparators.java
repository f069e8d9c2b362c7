package dev.colonnade.client;

/** Names of the comparators that every node has. A plug-in's is its class name. */
public final class Comparators {

  /** Any bytes, unsigned. */
  public static final String BYTES = "BytesType";

  /** Seven-bit text. */
  public static final String ASCII = "AsciiType";

  /** Text by code points. */
  public static final String UTF8 = "UTF8Type";

  /** Eight bytes, as signed numbers. */
  public static final String LONG = "LongType";

  /** UUIDs of any version. */
  public static final String LEXICAL_UUID = "LexicalUUIDType";

  /** UUIDs of version 1, by time. */
  public static final String TIME_UUID = "TimeUUIDType";

  /** Whole numbers of any length. */
  public static final String INTEGER = "IntegerType";

  private Comparators() {}
}
