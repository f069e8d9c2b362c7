package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import java.util.HexFormat;

/** The random number that identifies a stream. */
record StreamId(long high, long low) {

  void write(ByteWriter out) {
    out.writeLong(high);
    out.writeLong(low);
  }

  static StreamId read(ByteReader in) throws CorruptDataException {
    return new StreamId(in.readLong(), in.readLong());
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
