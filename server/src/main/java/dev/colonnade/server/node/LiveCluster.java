package dev.colonnade.server.node;

import dev.colonnade.server.config.AddressSettings;
import dev.colonnade.server.coordinator.ClusterView;
import dev.colonnade.server.env.Environment;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.gossip.ApplicationState;
import dev.colonnade.server.gossip.DcRack;
import dev.colonnade.server.gossip.EndpointSnitch;
import dev.colonnade.server.gossip.GossipSettings;
import dev.colonnade.server.gossip.Gossiper;
import dev.colonnade.server.gossip.HostIdCheck;
import dev.colonnade.server.gossip.LiveTopology;
import dev.colonnade.server.gossip.MemberListener;
import dev.colonnade.server.gossip.Members;
import dev.colonnade.server.gossip.NodeStatus;
import dev.colonnade.server.gossip.TokenCodec;
import dev.colonnade.server.health.Condition;
import dev.colonnade.server.health.Impact;
import dev.colonnade.server.manifest.NodeIdentity;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster as this node last heard of it by gossip. Asking is thread-safe; joining and leaving
 * belong to CONTROL.
 */
final class LiveCluster implements ClusterView {

  private static final Logger LOG = LoggerFactory.getLogger(LiveCluster.class);

  private static final int UNHEARD_MAX = 20;

  /** Room for some reasons, in a state that travels to all nodes. */
  private static final int HEALTH_CHARACTERS_MAX = 400;

  /** What there is once the node gossips. */
  private record Gossip(Gossiper gossiper, LiveTopology topology, HostIdCheck check) {}

  /** A topology, and the same with what this node withdraws of its own service. */
  private record OwnView(Topology heard, Impact impact, Topology topology) {}

  /**
   * Where this node stands when it begins to gossip.
   *
   * @param tokens as long as it tells of none
   * @param since when it took them; see {@link dev.colonnade.server.gossip.Member#tokensSince}
   * @param tells whether it tells the others of them from the first word on
   * @param replaced the node that had them before
   */
  record InitialRingState(
      List<byte[]> tokens, long since, boolean tells, Optional<String> replaced) {

    private NodeStatus status() {
      return replaced.map(NodeStatus::normalInsteadOf).orElseGet(NodeStatus::normal);
    }
  }

  private final NodeRuntime.RuntimeParts parts;
  private final NodeIdentity identity;
  private final Messenger messenger;
  private final List<MemberListener> listeners = new ArrayList<>();
  private volatile @Nullable Gossip gossip;
  private volatile @Nullable OwnView view;

  /** What others were last told of this node's health. Of GOSSIP. */
  private String toldHealth = "";

  LiveCluster(NodeRuntime.RuntimeParts parts, NodeIdentity identity, Messenger messenger) {
    this.parts = parts;
    this.identity = identity;
    this.messenger = messenger;
  }

  /** Adds one who hears of members; before {@link #prepare}. */
  void listen(MemberListener listener) {
    listeners.add(listener);
  }

  /**
   * Prepares to tell and to hear; silent until {@link #start}.
   *
   * @param standing where it stands
   * @param stop hears why this node cannot go on
   * @param remembered who was on the ring when it was last seen
   * @param gone who had left it for good by then
   */
  void prepare(
      InitialRingState standing,
      Consumer<String> stop,
      List<RingNode> remembered,
      List<SystemPeers.DepartedNode> gone,
      long generation,
      String schemaVersion) {
    Environment environment = parts.environment();
    Gossiper gossiper =
        new Gossiper(
            messenger.self(),
            messenger,
            environment.clock(),
            environment.scheduler(),
            environment.random().fork("gossip"),
            GossipSettings.of(
                    identity.clusterName(),
                    identity.partitioner(),
                    Seeds.parse(parts.cluster().seeds(), parts.addresses().peerPort()))
                .withPhiThreshold(parts.cluster().phiThreshold()),
            generation);
    // Before anybody listens: it is no news.
    gone.forEach(node -> gossiper.remove(node.peer(), node.expiryMillis()));
    AddressSettings addresses = parts.addresses();
    EndpointSnitch snitch = parts.snitch();
    DcRack here = snitch.of(addresses.peerAddress(), Optional.of(Snitches.own(parts.cluster())));
    RingNode self =
        new RingNode(
            identity.id(),
            addresses.peerAddress(),
            addresses.peerPort(),
            addresses.clientPort(),
            here.datacenter(),
            here.rack(),
            standing.tokens());
    LiveTopology topology = LiveTopology.of(gossiper, self, snitch, remembered);
    listeners.forEach(gossiper::listen);
    Map<ApplicationState, String> states = new TreeMap<>();
    states.put(ApplicationState.DATACENTER, here.datacenter());
    states.put(ApplicationState.RACK, here.rack());
    states.put(ApplicationState.CLIENT_PORT, Integer.toString(addresses.clientPort()));
    states.put(ApplicationState.VERSION, parts.version());
    states.put(ApplicationState.SCHEMA, schemaVersion);
    if (standing.tells()) {
      // At once: whoever heard of a restart without it would take the node off the ring.
      states.put(ApplicationState.TOKENS, TokenCodec.print(standing.tokens()));
      states.put(ApplicationState.TOKENS_SINCE, Long.toString(standing.since()));
      states.put(ApplicationState.STATUS, standing.status().text());
    }
    states.put(ApplicationState.UNKNOWN_PEERS, text(topology.unheard()));
    gossiper.set(states);
    topology.listen(made -> gossiper.set(ApplicationState.UNKNOWN_PEERS, text(topology.unheard())));
    topology.listen(made -> tellDoubts(topology.doubts()));
    tellDoubts(topology.doubts());
    HostIdCheck check =
        new HostIdCheck(messenger, gossiper::members, environment.clock(), generation, stop);
    gossip = new Gossip(gossiper, topology, check);
  }

  private void tellDoubts(List<String> doubts) {
    if (doubts.isEmpty()) {
      parts.health().clear(Condition.RING);
    } else {
      parts.health().raise(Condition.RING, Impact.NOTICE, String.join("; ", doubts));
    }
  }

  /** As far as it can be gossiped; that there are some is what counts. */
  private static String text(List<String> ids) {
    return String.join(",", ids.subList(0, Math.min(UNHEARD_MAX, ids.size())));
  }

  /** Begins to gossip; the messenger has started. */
  void start() {
    parts.health().listen(this::announceHealthSoon);
    gossiper().start();
    announceHealthSoon();
  }

  /** From any thread. Not by CONTROL, which a disk that hangs may hold. */
  private void announceHealthSoon() {
    Scheduler scheduler = parts.environment().scheduler();
    if (scheduler.submit(Stage.GOSSIP, this::announceHealth)) {
      return;
    }
    try {
      var unused = scheduler.after(Duration.ZERO, Stage.GOSSIP, this::announceHealth);
    } catch (RejectedExecutionException full) {
      LOG.warn("no timer: others hear of this node's health with its next change", full);
    }
  }

  private void announceHealth() {
    String text = parts.health().report().gossiped(HEALTH_CHARACTERS_MAX);
    if (!text.equals(toldHealth)) {
      toldHealth = text;
      gossiper().say(ApplicationState.HEALTH, text);
    }
  }

  /** Tells the others which schema this node has. From any thread. */
  void announceSchema(String version) {
    announce(ApplicationState.SCHEMA, version);
  }

  /** Tells the others how much data this node has. From any thread. */
  void announceLoad(long bytes) {
    announce(ApplicationState.LOAD, Long.toString(bytes));
  }

  private void announce(ApplicationState state, String value) {
    Gossip running = gossip;
    if (running == null) {
      return;
    }
    Runnable set = () -> running.gossiper().set(state, value);
    if (!parts.environment().scheduler().submit(Stage.CONTROL, set)) {
      LOG.warn("the control stage is full: others hear of {} later", state);
    }
  }

  /** Tells the others that the node stops. */
  void leave() {
    Gossip running = gossip;
    if (running != null) {
      running.gossiper().stop();
    }
  }

  /** All nodes that were heard of. */
  Members members() {
    return running().gossiper().members();
  }

  /** Who owns what, as it changes; there is none before {@link #prepare}. */
  LiveTopology liveTopology() {
    return running().topology();
  }

  /** There is none before {@link #prepare}. */
  Gossiper gossiper() {
    return running().gossiper();
  }

  /** Whether this node may go by its id; there is none before {@link #prepare}. */
  HostIdCheck identityCheck() {
    return running().check();
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
    return parts.cluster().snitch().shortName();
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
            "this node stood still for a while, and asks the others first how the ring has changed"
                + " meanwhile: try again in a few seconds, or at another node")
        : Optional.empty();
  }

  /** Whether this node has to hear of the ring again before it coordinates. */
  boolean suspectsStaleRing() {
    return running().gossiper().suspectsStaleRing();
  }

  /** What this node withdraws of its own service counts at once, not when gossip has come round. */
  @Override
  public Topology topology() {
    Topology heard = running().topology().current();
    Impact impact = parts.health().report().impact();
    OwnView last = view;
    if (last == null || last.heard() != heard || last.impact() != impact) {
      last = new OwnView(heard, impact, heard.withOwnImpact(impact));
      view = last;
    }
    return last.topology();
  }

  private Gossip running() {
    Gossip running = gossip;
    if (running == null) {
      throw new IllegalStateException("the node has not taken its place in the ring yet");
    }
    return running;
  }
}
