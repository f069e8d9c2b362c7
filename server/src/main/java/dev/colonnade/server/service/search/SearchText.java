package dev.colonnade.server.service.search;

import java.util.List;

/**
 * A query as a caller gives it; a document must have everything that is set.
 *
 * @param allOf it has each term of this text; empty for nothing
 * @param anyOf it has a term of this text; empty for nothing
 * @param phrase it has the terms of this text one after the other; empty for nothing
 * @param prefix it has a term that begins with this; empty for nothing
 * @param participants it was exchanged with each of these
 */
public record SearchText(
    String allOf, String anyOf, String phrase, String prefix, List<byte[]> participants) {

  /** Whether nothing is set. */
  public boolean isEmpty() {
    return allOf.isEmpty()
        && anyOf.isEmpty()
        && phrase.isEmpty()
        && prefix.isEmpty()
        && participants.isEmpty();
  }
}
