package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.ring.Topology.RingState;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TopologyBuilderTest {

  private final SortedMap<String, Member> members = new TreeMap<>();
  private final List<String> reports = new ArrayList<>();

  static RingNode node(String id) {
    return new RingNode(id, "10.0.0.1", 7000, 9160, "dc", "r", List.of(new byte[] {1}));
  }

  private void member(String id, long tokensSince, String status, String tokens) {
    member(id, 1, tokensSince, status, tokens);
  }

  private void member(String id, long generation, long tokensSince, String status, String tokens) {
    List<VersionedValue> states = new ArrayList<>();
    states.add(new VersionedValue(ApplicationState.STATUS.number(), 1, status));
    if (!tokens.isEmpty()) {
      states.add(new VersionedValue(ApplicationState.TOKENS.number(), 2, tokens));
    }
    states.add(new VersionedValue(ApplicationState.CLIENT_PORT.number(), 3, "9160"));
    states.add(new VersionedValue(ApplicationState.TOKENS_SINCE.number(), 3, "" + tokensSince));
    EndpointState state = EndpointState.of(id, generation, 4, states);
    Peer peer = new Peer(id, new PeerAddress("10.1.2." + (id.charAt(0) - 'a' + 1), 7000));
    members.put(id, new Member(state, peer, true, 0, 0));
  }

  private Topology topology() {
    return new Members("a", List.copyOf(members.values()))
        .topology(node("a"), EndpointSnitch.octets(), reports::add);
  }

  private static String tokens(Topology topology, String id) {
    return TokenCodec.print(topology.place(id).orElseThrow().node().tokens());
  }

  @Test
  void statesBecomePlaces() {
    member("a", 1, "normal", "10,20");
    member("b", 1, "joining", "30");
    member("c", 1, "leaving", "40");
    member("d", 1, "moving:60,61", "50");
    member("e", 1, "left:99", "70");
    member("f", 1, "removed:99", "80");
    Topology topology = topology();
    assertEquals(
        List.of(RingState.NORMAL, RingState.JOINING, RingState.LEAVING, RingState.MOVING),
        topology.places().stream().map(Topology.Place::state).toList());
    assertEquals("10,20", tokens(topology, "a"));
    assertEquals("60,61", TokenCodec.print(topology.place("d").orElseThrow().newTokens()));
    RingNode b = topology.place("b").orElseThrow().node();
    assertEquals("10.1.2.2", b.address());
    assertEquals("1", b.datacenter());
    assertEquals("2", b.rack());
    assertEquals(9160, b.clientPort());
    assertEquals(List.of(), reports);
  }

  @Test
  void whatCannotBeReadIsLeftOutAndSaid() {
    member("a", 1, "normal", "10");
    member("b", 1, "dancing", "20");
    member("c", 1, "normal", "");
    member("d", 1, "normal", "xyz");
    member("e", 1, "moving:", "30");
    assertEquals(1, topology().places().size());
    assertEquals(4, reports.size(), "" + reports);
  }

  @Test
  void aTokenKeepsItsOwnerHoweverOftenNodesStartAgain() {
    for (long start = 1; start <= 4; start++) {
      member("a", start % 2 == 0 ? 10 : start, 200, "normal", "10");
      member("b", start % 2 == 0 ? start : 10, 100, "normal", "10,20");
      assertEquals("10,20", tokens(topology(), "b"));
      assertTrue(topology().place("a").isEmpty());
    }
    // An earlier release does not say since when.
    member("a", 1, 0, "normal", "10");
    member("b", 2, 0, "normal", "10,20");
    assertEquals("10", tokens(topology(), "a"));
    assertEquals("20", tokens(topology(), "b"));
  }

  @Test
  void theNodeThatTookItFirstKeepsAToken() {
    member("a", 200, "normal", "10");
    member("b", 100, "normal", "10,20");
    member("c", 300, "normal", "20,30");
    Topology topology = topology();
    assertEquals("10,20", tokens(topology, "b"));
    assertEquals("30", tokens(topology, "c"));
    assertTrue(topology.place("a").isEmpty());
    assertEquals(2, reports.size(), "" + reports);
    assertEquals("a", topology.self().id());
  }

  @Test
  void whoComesYieldsToWhoIsThere() {
    member("a", 200, "normal", "10");
    member("b", 100, "joining", "10");
    member("c", 100, "moving:10,40", "30");
    member("d", 99, "joining", "40");
    Topology topology = topology();
    assertTrue(topology.place("b").isEmpty());
    assertEquals(RingState.NORMAL, topology.place("c").orElseThrow().state());
    assertEquals("40", tokens(topology, "d"));
    assertEquals("10", tokens(topology, "a"));
    assertEquals(3, reports.size(), "" + reports);
  }

  @Test
  void aReplacedNodeServesUntilItsHeirDoes() {
    member("a", 1, "normal", "10");
    member("b", 1, "normal", "20");
    member("h", 9, "replacing:b", "20");
    Topology during = topology();
    assertEquals(RingState.LEAVING, during.place("b").orElseThrow().state());
    assertEquals(RingState.JOINING, during.place("h").orElseThrow().state());
    assertEquals(2, during.ring().nodes().size());
    assertEquals(2, during.future().nodes().size());
    member("h", 9, "normal:b", "20");
    Topology after = topology();
    assertTrue(after.place("b").isEmpty());
    assertEquals("20", tokens(after, "h"));
    assertEquals(List.of(), reports);
  }

  @Test
  void statusesReadAsTheyWereWritten() {
    byte[] token = HexFormat.of().parseHex("00ff10");
    for (NodeStatus status :
        List.of(
            NodeStatus.normal(),
            NodeStatus.normalInsteadOf("b"),
            NodeStatus.joining(),
            NodeStatus.leaving(),
            NodeStatus.moving(List.of(token, token)),
            NodeStatus.replacing("a:b"),
            NodeStatus.left(7),
            NodeStatus.removed(-7))) {
      NodeStatus read = NodeStatus.parse(status.text()).orElseThrow();
      assertEquals(status.text(), read.text());
      assertEquals(status.kind(), read.kind());
    }
    for (String text :
        List.of("", "normal:", "joining:x", "moving:0", "moving:00,", "left:", "left:x", "gone")) {
      assertTrue(NodeStatus.parse(text).isEmpty(), text);
    }
  }
}
