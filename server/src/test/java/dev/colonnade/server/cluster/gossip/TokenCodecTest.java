package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.node.platform.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every set of tokens that a node may take can be told to the others. */
final class TokenCodecTest {

  private static final int TOKENS_MAX = 1_024;

  @Test
  void theMostRandomTokensOfEachPartitionerFitAState() {
    for (Partitioner partitioner : Partitioners.all()) {
      List<byte[]> tokens = new ArrayList<>();
      SeededRandom random = new SeededRandom(28);
      while (tokens.size() < TOKENS_MAX) {
        tokens.add(partitioner.randomToken(random));
      }
      assertEquals(Optional.empty(), TokenCodec.refusal(tokens), partitioner.name());
      requireFits(tokens);
    }
  }

  @Test
  void theLongestTokenThatIsNotRefusedFitsAStateAndAByteMoreIsRefused() {
    int longest = (TokenCodec.CHARACTERS_MAX - 1) / 2;
    List<byte[]> fits = List.of(new byte[longest]);
    assertEquals(Optional.empty(), TokenCodec.refusal(fits));
    requireFits(fits);
    String refusal = TokenCodec.refusal(List.of(new byte[longest + 1])).orElseThrow();
    assertTrue(refusal.contains("36864 bytes"), refusal);
  }

  private static void requireFits(List<byte[]> tokens) {
    assertTrue(TokenCodec.print(tokens).length() <= GossipCodec.MAX_VALUE_CHARS);
    assertTrue(NodeStatus.moving(tokens).text().length() <= GossipCodec.MAX_VALUE_CHARS);
    assertEquals(tokens.size(), TokenCodec.parse(TokenCodec.print(tokens)).orElseThrow().size());
  }
}
