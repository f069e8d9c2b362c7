package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.cases.TextCases;
import dev.colonnade.server.cases.TextCases.Case;
import dev.colonnade.server.cluster.ring.Topology.Place;
import dev.colonnade.server.cluster.ring.Topology.RingState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Who owns what, now and after the changes under way: {@code testdata/ring.txt}. */
final class RingPlanTest {

  private Topology topology = Topology.alone(node("a", "dc1", "r1", List.of(token("0"))));

  @Test
  void rowsAreOwnedAsTheCasesSay() throws IOException {
    TextCases.check("ring.txt", this::answer);
  }

  private List<String> answer(Case one) {
    return switch (one.command()) {
      case "ring" -> ring(one);
      case "owners" -> owners(one);
      default -> throw new IllegalArgumentException("line " + one.line());
    };
  }

  /** Lines are {@code ID DATACENTER/RACK TOKEN[,TOKEN] [joining|leaving|moving TOKEN] [down]}. */
  private List<String> ring(Case one) {
    List<Place> places = new ArrayList<>();
    for (String line : one.input()) {
      String[] words = line.split(" ", -1);
      String[] rack = words[1].split("/", -1);
      RingNode node = node(words[0], rack[0], rack[1], tokens(words[2]));
      RingState state = RingState.NORMAL;
      List<byte[]> newTokens = List.of();
      boolean alive = true;
      for (int i = 3; i < words.length; i++) {
        if (words[i].equals("down")) {
          alive = false;
        } else if (words[i].equals("moving")) {
          state = RingState.MOVING;
          newTokens = tokens(words[++i]);
        } else {
          state = RingState.valueOf(words[i].toUpperCase(Locale.ROOT));
        }
      }
      places.add(new Place(node, state, newTokens, alive));
    }
    topology = Topology.of(places.get(0).node(), places);
    return List.of(
        "now: " + ids(topology.ring().nodes()), "later: " + ids(topology.future().nodes()));
  }

  /** The owners of the row with each token, and those that get its writes already. */
  private List<String> owners(Case one) {
    ReplicaPlacement placement = placement(one);
    List<String> answer = new ArrayList<>();
    for (String token : one.argument("tokens").split(",", -1)) {
      List<RingNode> pending = topology.pending(placement, token(token));
      answer.add(
          token
              + ": "
              + ids(topology.replicas(placement, token(token)))
              + (pending.isEmpty() ? "" : ", pending " + ids(pending)));
    }
    return answer;
  }

  private ReplicaPlacement placement(Case one) {
    String factors = one.argument("factor");
    return switch (one.argument("strategy")) {
      case "simple" -> new SimpleStrategy(Integer.parseInt(factors));
      case "old-network-topology" -> new OldNetworkTopologyStrategy(Integer.parseInt(factors));
      case "network-topology" -> {
        TreeMap<String, Integer> datacenters = new TreeMap<>();
        for (String factor : factors.split(",", -1)) {
          String[] parts = factor.split(":", -1);
          datacenters.put(parts[0], Integer.parseInt(parts[1]));
        }
        yield ReplicaPlacement.of(
            new Keyspace(
                "k", PlacementStrategy.NETWORK_TOPOLOGY, 3, datacenters, true, new TreeMap<>()),
            topology.self());
      }
      default -> throw new IllegalArgumentException("line " + one.line());
    };
  }

  private static RingNode node(String id, String datacenter, String rack, List<byte[]> tokens) {
    return new RingNode(id, "10.0.0." + (int) id.charAt(0), 7000, 9160, datacenter, rack, tokens);
  }

  private static List<byte[]> tokens(String text) {
    List<byte[]> tokens = new ArrayList<>();
    for (String token : text.split(",", -1)) {
      tokens.add(token(token));
    }
    return tokens;
  }

  private static byte[] token(String number) {
    return new byte[] {(byte) Integer.parseInt(number)};
  }

  private static String ids(List<RingNode> nodes) {
    return nodes.stream().map(RingNode::id).collect(Collectors.joining(" "));
  }
}
