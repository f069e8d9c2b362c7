package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.cases.TextCases;
import dev.colonnade.server.cases.TextCases.Case;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What two nodes tell each other in one exchange: {@code testdata/gossip.txt}. */
final class GossipExchangeTest {

  private static final long LATEST = 1_000;

  private final Map<String, EndpointStateMap> nodes = new TreeMap<>();
  private final Map<Long, String> ids = new HashMap<>();

  @Test
  void nodesTellEachOtherWhatTheCasesSay() throws IOException {
    TextCases.check("gossip.txt", this::answer);
  }

  private List<String> answer(Case one) {
    return switch (one.command()) {
      case "node" -> node(one);
      case "exchange" -> exchange(one.argument("from"), one.argument("to"));
      default -> throw new IllegalArgumentException("line " + one.line());
    };
  }

  /**
   * What a node knows, itself first. Lines are {@code ID GENERATION/HEARTBEAT [KEY@VERSION=VALUE]}.
   */
  private List<String> node(Case one) {
    List<EndpointState> known = one.input().stream().map(this::state).toList();
    EndpointStateMap node = new EndpointStateMap(known.get(0), 100);
    known.stream().skip(1).forEach(state -> node.merge(Delta.all(state), Long.MAX_VALUE));
    nodes.put(known.get(0).id(), node);
    return List.of();
  }

  private EndpointState state(String line) {
    String[] words = line.split(" ", -1);
    String[] clock = words[1].split("/", -1);
    List<VersionedValue> states = new ArrayList<>();
    for (int i = 2; i < words.length; i++) {
      String[] parts = words[i].split("[@=]", -1);
      states.add(
          new VersionedValue(
              ApplicationState.valueOf(parts[0]).number(), Long.parseLong(parts[1]), parts[2]));
    }
    ids.put(EndpointState.hashOf(words[0]), words[0]);
    return EndpointState.of(words[0], Long.parseLong(clock[0]), Long.parseLong(clock[1]), states);
  }

  private List<String> exchange(String from, String to) {
    EndpointStateMap left = Objects.requireNonNull(nodes.get(from));
    EndpointStateMap right = Objects.requireNonNull(nodes.get(to));
    List<String> said = new ArrayList<>();
    List<Digest> digests = left.digests();
    digests.forEach(digest -> said.add(from + " knows " + text(digest)));
    GossipMessages.Ack ack = right.answer(digests, LATEST);
    ack.requests().forEach(digest -> said.add(to + " asks for " + text(digest)));
    ack.deltas()
        .forEach(delta -> said.add(to + " tells " + text(delta) + word(left.merge(delta, LATEST))));
    for (Delta delta : left.answerRequests(ack.requests())) {
      said.add(from + " tells " + text(delta) + word(right.merge(delta, LATEST)));
    }
    return said;
  }

  private String text(Digest digest) {
    return ids.get(digest.hash()) + " " + digest.generation() + "/" + digest.version();
  }

  private String text(Delta delta) {
    return ids.get(delta.hash())
        + " "
        + delta.generation()
        + "/"
        + delta.heartbeat()
        + (delta.since() == 0 ? "" : " since " + delta.since())
        + delta.states().stream()
            .map(state -> " " + name(state) + "@" + state.version() + "=" + state.value())
            .collect(Collectors.joining())
        + " -> ";
  }

  private static String word(EndpointStateMap.MergeOutcome outcome) {
    if (outcome instanceof EndpointStateMap.Learned) {
      return "new node";
    } else if (outcome instanceof EndpointStateMap.Advanced) {
      return "news";
    } else if (outcome instanceof EndpointStateMap.Departed) {
      return "left for good";
    } else if (outcome instanceof EndpointStateMap.Refused) {
      return "refused";
    }
    return outcome instanceof EndpointStateMap.OfSelf ? "about itself" : "no news";
  }

  private static String name(VersionedValue value) {
    return String.valueOf(ApplicationState.of(value.key()));
  }
}
