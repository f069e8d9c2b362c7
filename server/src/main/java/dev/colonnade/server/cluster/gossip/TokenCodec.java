package dev.colonnade.server.cluster.gossip;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Encodes tokens as text: hexadecimal digits of their stored form, separated by commas. */
public final class TokenCodec {

  private static final int MAX_TOKENS = 10_000;

  private TokenCodec() {}

  /** Formats tokens. */
  public static String print(List<byte[]> tokens) {
    StringBuilder text = new StringBuilder();
    for (byte[] token : tokens) {
      if (!text.isEmpty()) {
        text.append(',');
      }
      text.append(HexFormat.of().formatHex(token));
    }
    return text.toString();
  }

  /** Parses tokens, at least one and none of them empty; empty if the text has another form. */
  public static Optional<List<byte[]>> parse(String text) {
    List<byte[]> tokens = new ArrayList<>();
    int from = 0;
    while (from <= text.length()) {
      int comma = text.indexOf(',', from);
      int to = comma < 0 ? text.length() : comma;
      if (to == from || tokens.size() == MAX_TOKENS) {
        return Optional.empty();
      }
      try {
        tokens.add(HexFormat.of().parseHex(text, from, to));
      } catch (IllegalArgumentException notHex) {
        return Optional.empty();
      }
      from = to + 1;
    }
    return Optional.of(List.copyOf(tokens));
  }
}
