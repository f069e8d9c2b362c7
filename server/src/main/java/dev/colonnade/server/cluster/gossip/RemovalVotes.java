package dev.colonnade.server.cluster.gossip;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The value of {@link ApplicationState#REMOVAL_VOTES}: a removal, and who has agreed to it.
 *
 * @param signatures of the removal by the ids of those who signed it
 */
public record RemovalVotes(Removal removal, SortedMap<String, byte[]> signatures) {

  /** Copies the signatures. */
  public RemovalVotes {
    signatures = Collections.unmodifiableSortedMap(new TreeMap<>(signatures));
  }

  /** The value on the wire: three numbers, then an id and a signature in Base64 for each vote. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(removal.generation())
        .append(' ')
        .append(removal.decidedMillis())
        .append(' ')
        .append(removal.expiryMillis());
    signatures.forEach(
        (id, signature) ->
            text.append(' ').append(id).append('=').append(StateSignature.encode(signature)));
    return text.toString();
  }

  /** Reads the votes for that node's removal; empty for any other text, and if one votes twice. */
  static Optional<RemovalVotes> parse(String nodeId, String text) {
    String[] words = text.split(" ", -1);
    if (words.length < 3) {
      return Optional.empty();
    }
    Map<String, byte[]> signatures = new TreeMap<>();
    for (int i = 3; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      Optional<byte[]> signature =
          StateSignature.decode(words[i].substring(equals + 1), StateSignature.SIGNATURE_MAX);
      if (equals < 1
          || signature.isEmpty()
          || signatures.put(words[i].substring(0, equals), signature.get()) != null) {
        return Optional.empty();
      }
    }
    try {
      return Optional.of(
          new RemovalVotes(
              new Removal(
                  nodeId,
                  Long.parseLong(words[0]),
                  Long.parseLong(words[1]),
                  Long.parseLong(words[2])),
              new TreeMap<>(signatures)));
    } catch (NumberFormatException notNumbers) {
      return Optional.empty();
    }
  }
}
