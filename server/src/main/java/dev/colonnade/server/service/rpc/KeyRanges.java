package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.ring.InvalidTokenException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.service.read.RowRange;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.TokenBounds;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Translates a key range, given by keys or by tokens, to ranges of rows in scan order. */
final class KeyRanges {

  private static final RowKey RING_START = RowKey.firstOf(new byte[0]);

  private final RequestRules rules;

  KeyRanges(RequestRules rules) {
    this.rules = rules;
  }

  /** Returns the ranges: two for a wrapping token range, none if the range is empty. */
  List<RowRange> ranges(boolean present, KeyRange range) {
    if (!present) {
      throw RequestRefusal.invalid(
          "range", "a range is required; an empty keys range is the whole ring");
    }
    if (range.hasCount() && range.getCount() <= 0) {
      throw RequestRefusal.invalid(
          "range.count",
          "a number of rows is 1 or more, or absent for all; it is " + range.getCount());
    }
    return switch (range.getBoundsCase()) {
      case KEYS -> byKeys(range.getKeys());
      case TOKENS -> byTokens(range.getTokens());
      case BOUNDS_NOT_SET ->
          throw RequestRefusal.invalid(
              "range", "bounds are required: keys or tokens; empty keys are the whole ring");
    };
  }

  /** How many rows to list at most. */
  static long rowLimit(KeyRange range) {
    return range.hasCount() ? range.getCount() : Long.MAX_VALUE;
  }

  private List<RowRange> byKeys(KeyBounds bounds) {
    RowKey start =
        bounds.getStartKey().isEmpty()
            ? RING_START
            : rules.keyBound("range.keys.start_key", bounds.getStartKey());
    if (bounds.getEndKey().isEmpty()) {
      return List.of(new RowRange(start, Optional.empty()));
    }
    RowKey last = rules.keyBound("range.keys.end_key", bounds.getEndKey());
    if (Arrays.compareUnsigned(start.token(), last.token()) > 0) {
      throw RequestRefusal.invalid(
          "range.keys.start_key",
          "the start key's token comes after the end key's, and a range of keys does not wrap;"
              + " under a partitioner that hashes keys leave end_key empty");
    }
    RowKey end = new RowKey(last.token(), withZero(last.key()));
    return start.compareTo(end) < 0 ? List.of(new RowRange(start, Optional.of(end))) : List.of();
  }

  private List<RowRange> byTokens(TokenBounds bounds) {
    Partitioner partitioner = rules.partitioner();
    byte[] after = token("range.tokens.start_token", bounds.getStartToken());
    byte[] last = token("range.tokens.end_token", bounds.getEndToken());
    RowKey start = behind(after);
    RowKey end = behind(last);
    if (!wraps(partitioner, bounds)) {
      return start.compareTo(end) < 0 ? List.of(new RowRange(start, Optional.of(end))) : List.of();
    }
    return List.of(
        new RowRange(start, Optional.empty()), new RowRange(RING_START, Optional.of(end)));
  }

  /**
   * Compares the texts, because tokens beyond those that keys can have are moved to the ends, where
   * they would be equal.
   */
  private static boolean wraps(Partitioner partitioner, TokenBounds bounds) {
    try {
      return partitioner.compareTokenTexts(bounds.getStartToken(), bounds.getEndToken()) >= 0;
    } catch (InvalidTokenException e) {
      throw RequestRefusal.invalid("range.tokens.start_token", EchoedText.messageOf(e));
    }
  }

  /** Parses a token field. */
  byte[] token(String field, String text) {
    try {
      return rules.partitioner().parseToken(text);
    } catch (InvalidTokenException e) {
      throw RequestRefusal.invalid(field, EchoedText.messageOf(e));
    }
  }

  /**
   * The key right after all rows of a token: no token sorts between it and itself with a zero byte
   * appended.
   */
  private static RowKey behind(byte[] token) {
    return RowKey.firstOf(withZero(token));
  }

  private static byte[] withZero(byte[] bytes) {
    return Arrays.copyOf(bytes, bytes.length + 1);
  }
}
