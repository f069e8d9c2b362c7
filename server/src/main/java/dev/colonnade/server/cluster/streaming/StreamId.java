package dev.colonnade.server.cluster.streaming;

import java.util.HexFormat;

/** The random number that identifies a stream. */
record StreamId(long high, long low) {

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
