package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.failure.FailureDetector;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Combines what is known of nodes with which of them are alive, and records the resulting events
 * for listeners. One thread at a time.
 */
final class MemberTracker {

  /** Kinds of events: listeners are told of one event of a node at a time. */
  enum EventKind {
    JOINED,
    RESTARTED,
    ALIVE,
    DEAD,
    CHANGED,
    DEPARTED,
    REMOVED
  }

  /**
   * An event.
   *
   * @param key of CHANGED
   */
  record MemberEvent(EventKind happening, Member member, Optional<ApplicationState> key) {}

  /** A generation is a time in seconds; one further ahead is an error or a forgery. */
  static final long YEAR_SECONDS = 365L * 24 * 60 * 60;

  private final EndpointStateMap endpoints;
  private final FailureDetector<String> detector;
  private final Clock clock;
  private final GossipSettings settings;
  private final Peer self;
  private final Map<String, Peer> peers = new HashMap<>();
  private final Map<String, Long> lastHeardNanos = new HashMap<>();
  private final Map<String, Long> departedSinceNanos = new TreeMap<>();
  private final List<MemberEvent> events = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();
  private Optional<HostIdConflict> conflict = Optional.empty();

  MemberTracker(Peer self, EndpointState state, GossipSettings settings, Clock clock) {
    this.self = self;
    this.settings = settings;
    this.clock = clock;
    this.endpoints = new EndpointStateMap(state, settings.maxMembers());
    this.detector = new FailureDetector<>(settings.phiThreshold(), settings.interval());
    peers.put(self.id(), self);
  }

  /** Changes the suspicion at which a silent node counts as down. */
  void phiThreshold(double changed) {
    detector.threshold(changed);
  }

  EndpointStateMap knowledge() {
    return endpoints;
  }

  Optional<HostIdConflict> conflict() {
    return conflict;
  }

  /** Returns the events since the last call, in order. */
  List<MemberEvent> takeEvents() {
    List<MemberEvent> taken = List.copyOf(events);
    events.clear();
    return taken;
  }

  /** Returns the refused news since the last call. */
  List<String> takeRefusals() {
    List<String> taken = List.copyOf(refusals);
    refusals.clear();
    return taken;
  }

  void beat() {
    endpoints.self(endpoints.self().beat());
  }

  void say(Map<ApplicationState, String> states) {
    EndpointState mine = endpoints.self().beat();
    List<VersionedValue> said = new ArrayList<>();
    states.forEach(
        (key, value) -> {
          if (!mine.state(key).equals(Optional.of(value))) {
            said.add(new VersionedValue(key.number(), mine.version(), value));
          }
        });
    if (!said.isEmpty()) {
      endpoints.self(mine.merged(mine.heartbeat(), said));
      changed(endpoints.self(), said);
    }
  }

  /** Merges what a node announced, about itself and about others. */
  void take(String fromId, List<Delta> deltas) {
    long now = clock.monotonicNanos();
    long latestGeneration = latestGeneration();
    for (Delta delta : deltas) {
      if (removesLivingNode(delta)) {
        continue;
      }
      EndpointStateMap.MergeOutcome outcome = endpoints.merge(delta, latestGeneration);
      if (outcome instanceof EndpointStateMap.Advanced advanced) {
        advanced(advanced, now);
      } else if (outcome instanceof EndpointStateMap.Learned learned) {
        learned(learned.now(), fromId, now);
      } else if (outcome instanceof EndpointStateMap.Departed departed) {
        departed(departed.now(), now);
      } else if (outcome instanceof EndpointStateMap.OfSelf other) {
        conflict(other.other());
      } else if (outcome instanceof EndpointStateMap.Refused refused) {
        refusals.add("node " + refused.id() + " is refused: " + refused.reason());
      }
    }
  }

  /**
   * Whether the news is that another node, which this one finds up, was removed. It is passed over
   * and comes again: once that node has heard of its removal itself and has stopped, it is down.
   */
  private boolean removesLivingNode(Delta news) {
    return news.isRemoval()
        && endpoints
            .about(news)
            .filter(node -> !node.id().equals(self.id()) && isAlive(node.id()))
            .isPresent();
  }

  /** Greater ones are not believed. */
  private long latestGeneration() {
    return clock.wallSeconds() + YEAR_SECONDS;
  }

  GossipMessages.Ack answer(List<Digest> digests) {
    return endpoints.answer(digests, latestGeneration());
  }

  private void learned(EndpointState node, String fromId, long now) {
    address(node);
    lastHeardNanos.put(node.id(), now);
    happened(EventKind.JOINED, node);
    // News of a node at second hand do not show that it is up: its heartbeat must grow.
    if (node.id().equals(fromId)) {
      heard(node, now, 1);
    }
  }

  private void advanced(EndpointStateMap.Advanced news, long now) {
    EndpointState node = news.now();
    boolean restarted = news.before().generation() != node.generation();
    if (!news.changed().isEmpty()) {
      address(node);
    }
    if (restarted) {
      happened(EventKind.RESTARTED, node);
    } else {
      changed(node, news.changed());
    }
    long heartbeats = restarted ? 1 : node.heartbeat() - news.before().heartbeat();
    if (heartbeats > 0) {
      heard(node, now, heartbeats);
    }
  }

  private void changed(EndpointState node, List<VersionedValue> states) {
    for (VersionedValue state : states) {
      ApplicationState key = ApplicationState.of(state.key());
      if (key != null) {
        events.add(new MemberEvent(EventKind.CHANGED, member(node), Optional.of(key)));
      }
    }
  }

  private void heard(EndpointState node, long now, long heartbeats) {
    if (node.departed()) {
      return;
    }
    if (node.shutDown()) {
      convict(node);
      return;
    }
    lastHeardNanos.put(node.id(), now);
    if (detector.heard(node.id(), now, heartbeats)) {
      happened(EventKind.ALIVE, node);
    }
  }

  private void convict(EndpointState node) {
    if (detector.isUp(node.id())) {
      detector.convict(node.id());
      happened(EventKind.DEAD, node);
    }
  }

  private void departed(EndpointState node, long now) {
    address(node);
    departedSinceNanos.putIfAbsent(node.id(), now);
    convict(node);
    detector.forget(node.id());
    happened(EventKind.DEPARTED, node);
  }

  private void conflict(EndpointState other) {
    if (conflict.isPresent()) {
      return;
    }
    String address = other.state(ApplicationState.ADDRESS).orElse("an unknown address");
    boolean removed = other.departed();
    String message =
        removed
            ? "this node ("
                + self
                + ") is no longer part of the cluster: it left or was removed while it was down."
                + " Stop it; to use the machine again, start it with an empty data directory"
            : "another process at "
                + address
                + " uses this node's host id "
                + self.id()
                + " (this one listens at "
                + self.address()
                + "; generations "
                + other.generation()
                + " there, "
                + endpoints.self().generation()
                + " here). Two nodes must not share a copied data directory: stop one of them, and"
                + " start it with an empty one if it is to be a separate node";
    conflict = Optional.of(new HostIdConflict(removed, other.generation(), address, message));
  }

  /** Marks nodes as down that have been silent for too long. To be called once per round. */
  void check() {
    for (String id : detector.check(clock.monotonicNanos())) {
      EndpointState node = endpoints.get(id);
      if (node != null) {
        happened(EventKind.DEAD, node);
      }
    }
  }

  /** Forgets nodes that have been gone for long enough, and silent nodes without a status. */
  void expire() {
    long now = clock.monotonicNanos();
    endpoints.endQuarantines(now);
    List<EndpointState> expired = new ArrayList<>();
    for (EndpointState node : endpoints.all()) {
      if (!node.id().equals(self.id()) && isOver(node, now)) {
        expired.add(node);
      }
    }
    for (EndpointState node : expired) {
      Member last = member(node);
      endpoints.forget(node.id(), now + settings.quarantine().toNanos());
      detector.forget(node.id());
      lastHeardNanos.remove(node.id());
      departedSinceNanos.remove(node.id());
      peers.remove(node.id());
      events.add(new MemberEvent(EventKind.REMOVED, last, Optional.empty()));
    }
  }

  private boolean isOver(EndpointState node, long now) {
    Long since = departedSinceNanos.get(node.id());
    if (since != null) {
      long nowMillis = TimeUnit.MICROSECONDS.toMillis(clock.wallMicros());
      return now - since > settings.departedFor().toNanos()
          || node.status().filter(status -> status.expiryMillis() < nowMillis).isPresent();
    }
    return node.state(ApplicationState.STATUS).orElse("").isEmpty()
        && !detector.isUp(node.id())
        && now - lastHeardNanos.getOrDefault(node.id(), now) > settings.quarantine().toNanos();
  }

  /**
   * Declares a node that is down to be gone for good, in a generation after its last one. If two
   * nodes do so, the later expiry wins, because it is the version too.
   */
  void remove(String id, long expiryMillis) {
    EndpointState node = endpoints.get(id);
    if (node == null || node.departed()) {
      return;
    }
    remove(node, expiryMillis);
  }

  /** The same, also for a node that none of the running nodes has heard of since its start. */
  void remove(Peer dead, long expiryMillis) {
    if (endpoints.get(dead.id()) != null) {
      remove(dead.id(), expiryMillis);
      return;
    }
    VersionedValue address =
        new VersionedValue(ApplicationState.ADDRESS.number(), 1, dead.address().toString());
    remove(EndpointState.of(dead.id(), 0, 1, List.of(address)), expiryMillis);
  }

  private void remove(EndpointState node, long expiryMillis) {
    String id = node.id();
    if (isAlive(id)) {
      throw new IllegalStateException(
          "node "
              + id
              + " is up: only a node that is down can be removed; one that is up leaves by"
              + " decommission");
    }
    long version = Math.max(1, expiryMillis);
    List<VersionedValue> states = new ArrayList<>();
    for (VersionedValue state : node.states()) {
      if (state.key() != ApplicationState.STATUS.number()) {
        states.add(new VersionedValue(state.key(), version, state.value()));
      }
    }
    String status = NodeStatus.removed(expiryMillis).text();
    states.add(new VersionedValue(ApplicationState.STATUS.number(), version, status));
    EndpointState gone = EndpointState.of(id, node.generation() + 1, version, states);
    if (endpoints.merge(Delta.all(gone), Long.MAX_VALUE)
        instanceof EndpointStateMap.Departed departed) {
      departed(departed.now(), clock.monotonicNanos());
    }
  }

  /** Continues in a greater generation, after another process used one in this node's name. */
  void reclaim(long generation) {
    EndpointState mine = endpoints.self();
    conflict = Optional.empty();
    if (generation > mine.generation() || mine.generation() > latestGeneration()) {
      endpoints.self(EndpointState.of(mine.id(), generation, mine.version() + 1, mine.states()));
    }
  }

  boolean isAlive(String id) {
    return id.equals(self.id()) || detector.isUp(id);
  }

  /**
   * Returns the peers that are up, or those that are not; without those that are gone, sorted by
   * id.
   */
  List<Peer> peers(boolean up) {
    List<Peer> found = new ArrayList<>();
    for (EndpointState node : endpoints.all()) {
      Peer peer = peers.get(node.id());
      if (peer != null
          && !node.id().equals(self.id())
          && isAlive(node.id()) == up
          && !departedSinceNanos.containsKey(node.id())) {
        found.add(peer);
      }
    }
    return found;
  }

  Members members() {
    List<Member> members = new ArrayList<>();
    for (EndpointState node : endpoints.all()) {
      if (peers.containsKey(node.id())) {
        members.add(member(node));
      }
    }
    return new Members(self.id(), members);
  }

  private Member member(EndpointState node) {
    long now = clock.monotonicNanos();
    boolean own = node.id().equals(self.id());
    return new Member(
        node,
        peers.getOrDefault(node.id(), self),
        isAlive(node.id()),
        own ? 0 : detector.phi(node.id(), now),
        own ? now : lastHeardNanos.getOrDefault(node.id(), now));
  }

  private void happened(EventKind happening, EndpointState node) {
    events.add(new MemberEvent(happening, member(node), Optional.empty()));
  }

  private void address(EndpointState node) {
    Optional<PeerAddress> address =
        node.state(ApplicationState.ADDRESS).flatMap(AddressText::parse);
    if (address.isPresent()) {
      peers.put(node.id(), new Peer(node.id(), address.get()));
    } else {
      refusals.add("node " + node.id() + " does not announce its address, and cannot be asked");
    }
  }
}
