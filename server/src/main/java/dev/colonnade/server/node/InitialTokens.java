package dev.colonnade.server.node;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.cluster.gossip.TokenCodec;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.InvalidTokenException;
import dev.colonnade.server.cluster.ring.Partitioner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides by the settings which tokens a new node takes and whether it bootstraps. */
final class InitialTokens {

  private final NodeSettings settings;
  private final Partitioner partitioner;
  private final Optional<String> replaced;
  private final List<PeerAddress> otherSeeds;
  private final boolean isSeed;

  InitialTokens(NodeParts parts, PeerAddress self) {
    this.settings = parts.settings().node();
    this.partitioner = parts.partitioner();
    this.replaced = parts.replacedNode();
    List<PeerAddress> seeds =
        Seeds.parse(settings.get(ClusterSettings.SEEDS), settings.get(AddressSettings.PEER_PORT));
    this.otherSeeds = seeds.stream().filter(seed -> !seed.equals(self)).distinct().toList();
    this.isSeed = otherSeeds.size() < seeds.size();
  }

  /** The seeds other than this node. */
  List<PeerAddress> otherSeeds() {
    return otherSeeds;
  }

  /** Whether the node bootstraps. A seed does not: it must be there before the others. */
  boolean fetchesData() {
    return replaced.isPresent()
        || (settings.get(ClusterSettings.AUTO_BOOTSTRAP)
            && !isSeed
            && !settings.get(ClusterSettings.SEEDS).isEmpty());
  }

  /** The tokens that the operator configured; none if the node chooses. */
  List<byte[]> wanted() {
    String text = settings.get(ClusterSettings.INITIAL_TOKEN);
    if (text.isEmpty()) {
      return List.of();
    }
    List<String> texts =
        settings.get(ClusterSettings.TOKENS) == 1 ? List.of(text) : List.of(text.split(",", -1));
    if (texts.size() != settings.get(ClusterSettings.TOKENS)) {
      throw new IllegalArgumentException(
          "the initial token lists "
              + texts.size()
              + " tokens, but this node takes "
              + settings.get(ClusterSettings.TOKENS)
              + ": list that many, separated by commas, or none");
    }
    try {
      List<byte[]> tokens = new ArrayList<>();
      for (String one : texts) {
        tokens.add(partitioner.parseToken(one.strip()));
      }
      Optional<String> refusal = TokenCodec.refusal(tokens);
      if (refusal.isPresent()) {
        throw new IllegalArgumentException("the initial token: " + refusal.get());
      }
      return tokens;
    } catch (InvalidTokenException e) {
      throw new IllegalArgumentException(
          "the initial token is not one of " + partitioner.name() + ": " + e.getMessage(), e);
    }
  }

  /** The tokens of a node that does not bootstrap. */
  List<byte[]> chosen(RandomSource random) {
    List<byte[]> wanted = wanted();
    return wanted.isEmpty() ? atRandom(random) : wanted;
  }

  /**
   * The tokens of a node that bootstraps: the configured ones, or several random ones. If the node
   * is to take a single token and none is configured, the list is empty, and the node finds the
   * best place itself.
   */
  List<byte[]> chosenForData(RandomSource random) {
    List<byte[]> wanted = wanted();
    return wanted.isEmpty() && settings.get(ClusterSettings.TOKENS) > 1 ? atRandom(random) : wanted;
  }

  private List<byte[]> atRandom(RandomSource random) {
    List<byte[]> tokens = new ArrayList<>();
    for (int i = 0; i < settings.get(ClusterSettings.TOKENS); i++) {
      tokens.add(partitioner.randomToken(random));
    }
    return tokens;
  }
}
