package dev.colonnade.server.cluster.gossip;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Encodes tokens as text: hexadecimal digits of their stored form, separated by commas. */
public final class TokenCodec {

  private static final int MAX_TOKENS = 10_000;

  /**
   * The longest text of a node's tokens, which gossip carries: 1,024 tokens, as random ones of
   * OrderPreservingPartitioner are, have 65 characters each.
   */
  static final int CHARACTERS_MAX = 72 << 10;

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

  /** Says why a node cannot have these tokens; empty if it can. */
  public static Optional<String> refusal(List<byte[]> tokens) {
    long characters = tokens.size();
    for (byte[] token : tokens) {
      characters += 2L * token.length;
    }
    return characters <= CHARACTERS_MAX
        ? Optional.empty()
        : Optional.of(
            "the tokens of a node have at most "
                + CHARACTERS_MAX / 2
                + " bytes together, because each node tells all others of its tokens; these have "
                + (characters - tokens.size()) / 2);
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
