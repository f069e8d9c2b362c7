package dev.colonnade.server.node;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.LocationSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.DcRack;
import dev.colonnade.server.cluster.gossip.GossipSettings;
import dev.colonnade.server.cluster.gossip.Gossiper;
import dev.colonnade.server.cluster.gossip.LiveTopology;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.cluster.gossip.Members;
import dev.colonnade.server.cluster.gossip.NodeStatus;
import dev.colonnade.server.cluster.gossip.TokenCodec;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster as this node knows it by gossip: before {@link #start} what it remembers of it, then
 * what it hears. Reading is thread-safe; joining and leaving belong to CONTROL.
 */
final class LiveCluster implements ClusterView {

  private static final Logger LOG = LoggerFactory.getLogger(LiveCluster.class);

  private static final int UNHEARD_MAX = 20;

  private static final Duration CLOCK_CHECK_INTERVAL = Duration.ofSeconds(1);

  /** The longest health text, with room for some reasons; gossip carries it to all nodes. */
  private static final int HEALTH_CHARACTERS_MAX = 400;

  /** A topology, and the same with this node's own service restrictions applied. */
  private record OwnView(Topology heard, Impact impact, Topology topology) {}

  /**
   * This node's state on the ring when it starts to gossip.
   *
   * @param tokens used while it announces none
   * @param since when it took them; see {@link
   *     dev.colonnade.server.cluster.gossip.Member#tokensSince}
   * @param tells whether it announces them from its first message on
   * @param replaced the node that had them before
   */
  record InitialRingState(
      List<byte[]> tokens, long since, boolean tells, Optional<String> replaced) {

    private NodeStatus status() {
      return replaced.map(NodeStatus::normalInsteadOf).orElseGet(NodeStatus::normal);
    }
  }

  private final NodeParts parts;
  private final NodeIdentity identity;
  private final Gossiper gossiper;
  private final LiveTopology topology;
  private final ClockWatch clockWatch;
  private Scheduler.@Nullable Cancellable clockTimer;
  private volatile @Nullable OwnView view;

  /** This node's health as last announced. Of GOSSIP. */
  private String toldHealth = "";

  /**
   * Creates the view; nothing is sent until {@link #start}. To be called before the messenger
   * starts.
   *
   * @param self this node's state on the ring
   * @param peers what the node remembers of the others
   * @param generation of this start
   * @param schemaVersion announced from the first message on
   */
  LiveCluster(
      NodeParts parts,
      NodeIdentity identity,
      Messenger messenger,
      InitialRingState self,
      SystemPeers peers,
      long generation,
      String schemaVersion) {
    this.parts = parts;
    this.identity = identity;
    Environment environment = parts.machine().environment();
    NodeSettings settings = parts.settings().node();
    String host = settings.get(AddressSettings.PEER_ADDRESS);
    int port = settings.get(AddressSettings.PEER_PORT);
    this.gossiper =
        new Gossiper(
            messenger.self(),
            messenger,
            environment.clock(),
            environment.scheduler(),
            environment.random().fork("gossip"),
            GossipSettings.of(
                    identity.clusterName(),
                    identity.partitioner(),
                    Seeds.parse(settings.get(ClusterSettings.SEEDS), port))
                .withPhiThreshold(settings.get(ClusterSettings.PHI_THRESHOLD)),
            generation);
    this.clockWatch =
        new ClockWatch(
            parts.health(),
            gossiper::clockAheadMicros,
            settings.get(ClusterSettings.CLOCK_OFFSET_LIMIT));
    // Before listeners are added: this is no news.
    peers.gone().forEach(node -> gossiper.remove(node.peer(), node.expiryMillis()));
    DcRack here = parts.snitch().of(host, Optional.of(Snitches.own(settings)));
    this.topology =
        LiveTopology.of(
            gossiper,
            new RingNode(
                identity.id(),
                host,
                port,
                settings.get(AddressSettings.CLIENT_PORT),
                here.datacenter(),
                here.rack(),
                self.tokens()),
            parts.snitch(),
            peers.remembered());
    gossiper.set(announced(here, self, schemaVersion));
    topology.listen(made -> gossiper.set(ApplicationState.UNKNOWN_PEERS, text(topology.unheard())));
    topology.listen(made -> reportDoubts(topology.doubts()));
    reportDoubts(topology.doubts());
  }

  /** What the node announces from its first message on. */
  private Map<ApplicationState, String> announced(
      DcRack here, InitialRingState self, String schemaVersion) {
    Map<ApplicationState, String> states = new TreeMap<>();
    states.put(ApplicationState.DATACENTER, here.datacenter());
    states.put(ApplicationState.RACK, here.rack());
    states.put(
        ApplicationState.CLIENT_PORT,
        Integer.toString(parts.settings().node().get(AddressSettings.CLIENT_PORT)));
    states.put(ApplicationState.VERSION, parts.version());
    states.put(ApplicationState.SCHEMA, schemaVersion);
    if (self.tells()) {
      // A node that heard of the restart without tokens would take this node off the ring.
      states.put(ApplicationState.TOKENS, TokenCodec.print(self.tokens()));
      states.put(ApplicationState.TOKENS_SINCE, Long.toString(self.since()));
      states.put(ApplicationState.STATUS, self.status().text());
    }
    states.put(ApplicationState.UNKNOWN_PEERS, text(topology.unheard()));
    return states;
  }

  /** Announces where clients reach this node, which a free port settles only now. Any thread. */
  void servesClientsOn(int port) {
    gossiper.say(ApplicationState.CLIENT_PORT, Integer.toString(port));
  }

  /** Adds a listener for members; call before {@link #start}. */
  void listen(MemberListener listener) {
    gossiper.listen(listener);
  }

  private void reportDoubts(List<String> doubts) {
    if (doubts.isEmpty()) {
      parts.health().clear(Condition.RING);
    } else {
      parts.health().raise(Condition.RING, Impact.NOTICE, String.join("; ", doubts));
    }
  }

  /** The ids, cut to what gossip can carry; what matters is that there are some. */
  private static String text(List<String> ids) {
    return String.join(",", ids.subList(0, Math.min(UNHEARD_MAX, ids.size())));
  }

  /** Starts to gossip, after the messenger has started. */
  void start() {
    parts.health().listen(this::announceHealthSoon);
    gossiper.start();
    clockTimer =
        parts
            .machine()
            .environment()
            .scheduler()
            .every(CLOCK_CHECK_INTERVAL, Stage.GOSSIP, clockWatch::check);
    announceHealthSoon();
  }

  /**
   * Announces the health soon. From any thread. Does not use CONTROL, which a disk that hangs may
   * block.
   */
  private void announceHealthSoon() {
    Scheduler scheduler = parts.machine().environment().scheduler();
    if (scheduler.submit(Stage.GOSSIP, this::announceHealth)) {
      return;
    }
    try {
      scheduler.after(Duration.ZERO, Stage.GOSSIP, this::announceHealth);
    } catch (RejectedExecutionException full) {
      LOG.warn(
          "cannot schedule a timer: other nodes hear of this node's health at its next change",
          full);
    }
  }

  private void announceHealth() {
    String text = parts.health().report().gossiped(HEALTH_CHARACTERS_MAX);
    if (!text.equals(toldHealth)) {
      toldHealth = text;
      gossiper.say(ApplicationState.HEALTH, text);
    }
  }

  /** Announces this node's schema version. From any thread; two calls take effect in order. */
  void announceSchema(String version) {
    gossiper.say(ApplicationState.SCHEMA, version);
  }

  @Override
  public SortedMap<String, String> announcedSchemas() {
    SortedMap<String, String> versions = new TreeMap<>();
    for (Member member : gossiper.members().all()) {
      boolean departed = member.status().filter(NodeStatus::departed).isPresent();
      if (!departed && !member.id().equals(nodeId())) {
        member
            .state(ApplicationState.SCHEMA)
            .ifPresent(version -> versions.put(member.id(), version));
      }
    }
    return versions;
  }

  /** Announces this node's load. From any thread. */
  void announceLoad(long bytes) {
    announce(ApplicationState.LOAD, Long.toString(bytes));
  }

  private void announce(ApplicationState state, String value) {
    Runnable set = () -> gossiper.set(state, value);
    if (!parts.machine().environment().scheduler().submit(Stage.CONTROL, set)) {
      LOG.warn("the control stage is full: other nodes will hear of {} later", state);
    }
  }

  /** Announces that the node stops. */
  void leave() {
    if (clockTimer != null) {
      clockTimer.cancel();
    }
    gossiper.stop();
  }

  /** Whether a node of that id is known by gossip. From any thread. */
  boolean knows(String id) {
    return gossiper.members().byId(id).isPresent();
  }

  /** Whether a node of that id left, was removed or replaced, or is forgotten. From any thread. */
  boolean hasLeft(String id) {
    Optional<Member> member = members().byId(id);
    return topology.current().place(id).isEmpty()
        && (member.isEmpty()
            || member.get().status().filter(NodeStatus::departed).isPresent()
            || members().all().stream()
                .flatMap(other -> other.status().stream())
                .anyMatch(status -> status.replaced(id)));
  }

  ClockWatch clockWatch() {
    return clockWatch;
  }

  /** All known nodes. */
  Members members() {
    return gossiper.members();
  }

  /** The current topology and its changes. */
  LiveTopology liveTopology() {
    return topology;
  }

  Gossiper gossiper() {
    return gossiper;
  }

  @Override
  public String clusterName() {
    return identity.clusterName();
  }

  @Override
  public String nodeId() {
    return identity.id();
  }

  @Override
  public Partitioner partitioner() {
    return parts.partitioner();
  }

  @Override
  public String snitch() {
    return parts.settings().node().get(LocationSettings.SNITCH).shortName();
  }

  @Override
  public String serverVersion() {
    return parts.version();
  }

  @Override
  public Optional<String> unready() {
    Optional<String> refusal = parts.health().report().whyNotServing();
    if (refusal.isPresent()) {
      return refusal;
    }
    return suspectsStaleRing()
        ? Optional.of(
            "this node was paused and is refreshing its view of the ring: try again in a few"
                + " seconds, or use another node")
        : Optional.empty();
  }

  /** Whether this node must refresh its view of the ring before it coordinates requests. */
  boolean suspectsStaleRing() {
    return gossiper.suspectsStaleRing();
  }

  /** This node's own service restrictions apply at once, not when gossip has spread them. */
  @Override
  public Topology topology() {
    Topology heard = topology.current();
    Impact impact = parts.health().report().impact();
    OwnView last = view;
    if (last == null || last.heard() != heard || last.impact() != impact) {
      last = new OwnView(heard, impact, heard.withOwnImpact(impact));
      view = last;
    }
    return last.topology();
  }
}
