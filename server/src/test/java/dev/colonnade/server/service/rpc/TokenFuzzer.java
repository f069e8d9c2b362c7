package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.cluster.ring.InvalidTokenException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32C;

/** Any token that a client returns is a position or is refused, and encodes to the same bytes. */
public final class TokenFuzzer {

  private static final long IDENTITY = 0x0102030405060708L;
  private static final List<PathOrder> ORDERS =
      List.of(
          new PathOrder(ColumnComparators.BYTES, null),
          new PathOrder(ColumnComparators.LONG, null),
          new PathOrder(ColumnComparators.UTF8, ColumnComparators.LEXICAL_UUID));
  private static final List<Partitioner> PARTITIONERS =
      List.of(Partitioners.RANDOM, Partitioners.BYTE_ORDERED, Partitioners.ORDER_PRESERVING);

  private TokenFuzzer() {}

  /** One input: what kind of token in the first byte, then the token. */
  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length == 0) {
      return;
    }
    byte[] rest = Arrays.copyOfRange(data, 1, data.length);
    PathOrder order = ORDERS.get((data[0] >> 2 & 3) % ORDERS.size());
    switch (data[0] & 3) {
      case 0 -> page(new String(rest, StandardCharsets.ISO_8859_1), order);
      case 1 -> page(framed(rest), order);
      case 2 ->
          ring(
              new String(rest, StandardCharsets.UTF_8),
              PARTITIONERS.get((data[0] >> 2 & 3) % PARTITIONERS.size()));
      default -> ranges(framed(rest), order);
    }
  }

  private static void page(String token, PathOrder order) {
    SlicePosition position;
    try {
      position = PageTokens.toSlice(token, "page_token", IDENTITY, order);
    } catch (RequestRefusal refused) {
      return;
    }
    String again = PageTokens.ofSlice(IDENTITY, position);
    if (!PageTokens.ofSlice(IDENTITY, PageTokens.toSlice(again, "page_token", IDENTITY, order))
        .equals(again)) {
      throw new AssertionError("a position changes on its way");
    }
  }

  /** What tokens of multigets and scans are made of. */
  private static void ranges(String token, PathOrder order) {
    try {
      PageTokens.parse(
          token,
          "resume_token",
          IDENTITY,
          reader -> {
            long index = reader.number(1_000);
            return index + reader.bytes().length + reader.slice(order).hashCode();
          });
    } catch (RequestRefusal refused) {
      // What it is for.
    }
  }

  private static String framed(byte[] position) {
    ByteBuffer token = ByteBuffer.allocate(13 + position.length);
    token.put((byte) 1).putLong(IDENTITY).put(position);
    CRC32C crc = new CRC32C();
    crc.update(token.array(), 0, token.position());
    token.putInt((int) crc.getValue());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token.array());
  }

  private static void ring(String text, Partitioner partitioner) {
    byte[] token;
    try {
      token = partitioner.parseToken(text);
    } catch (InvalidTokenException refused) {
      return;
    }
    try {
      if (!Arrays.equals(partitioner.parseToken(partitioner.printToken(token)), token)) {
        throw new AssertionError("a token changes when it is printed");
      }
    } catch (InvalidTokenException own) {
      throw new AssertionError("it does not read what it printed", own);
    }
  }
}
