package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The current topology, rebuilt whenever gossip changes something that it depends on. {@link
 * #current} may be read from any thread; the rest belongs to CONTROL.
 */
public final class LiveTopology implements MemberListener {

  private static final Logger LOG = LoggerFactory.getLogger(LiveTopology.class);
  private static final int MAX_REPORTED = 1_000;

  /** The states that a topology depends on. */
  private static final Set<ApplicationState> INGREDIENTS =
      EnumSet.of(
          ApplicationState.STATUS,
          ApplicationState.HEALTH,
          ApplicationState.REMOVING,
          ApplicationState.TOKENS,
          ApplicationState.TOKENS_SINCE,
          ApplicationState.DATACENTER,
          ApplicationState.RACK,
          ApplicationState.CLIENT_PORT,
          ApplicationState.ADDRESS);

  private final Gossiper gossiper;
  private final RingNode self;
  private final EndpointSnitch snitch;
  private List<RingNode> remembered;
  private final List<Consumer<Topology>> listeners = new ArrayList<>();
  private final Set<String> reported = new LinkedHashSet<>();
  private volatile Topology current;
  private volatile List<String> doubts;
  private boolean stale;

  private LiveTopology(
      Gossiper gossiper, RingNode self, EndpointSnitch snitch, List<RingNode> remembered) {
    this.remembered = List.copyOf(remembered);
    this.gossiper = gossiper;
    this.self = self;
    this.snitch = snitch;
    List<String> found = new ArrayList<>();
    this.current =
        TopologyBuilder.of(gossiper.members(), self, snitch, this.remembered, found::add);
    this.doubts = List.copyOf(found);
    found.forEach(this::report);
  }

  /**
   * Follows a gossiper, from before its start.
   *
   * @param self this node until it announces its place on the ring
   * @param snitch decides where all nodes are
   * @param remembered the nodes that were on the ring before this node's start. They stay on it, as
   *     nodes that are down, until gossip tells of their place: a node that forgot the ring would
   *     take a part of it for the whole, and find quorums of its own
   */
  public static LiveTopology of(
      Gossiper gossiper, RingNode self, EndpointSnitch snitch, List<RingNode> remembered) {
    LiveTopology topology = new LiveTopology(gossiper, self, snitch, remembered);
    gossiper.listen(topology);
    return topology;
  }

  /** Returns the current topology. */
  public Topology current() {
    return current;
  }

  /**
   * Describes contradictions and unreadable values in what nodes announce of their places, such as
   * a token that two nodes claim. From any thread.
   */
  public List<String> doubts() {
    return doubts;
  }

  /** Nodes on the ring whose place has not been announced since this node's start. For CONTROL. */
  public List<String> unheard() {
    Members members = gossiper.members();
    return remembered.stream()
        .map(RingNode::id)
        .filter(id -> current.place(id).isPresent() && !TopologyBuilder.isHeard(members, id))
        .toList();
  }

  /** Adds a listener for each new topology, on CONTROL. */
  public void listen(Consumer<Topology> listener) {
    listeners.add(listener);
  }

  @Override
  public void joined(Member member) {
    stale = true;
  }

  @Override
  public void restarted(Member member) {
    stale = true;
  }

  @Override
  public void alive(Member member) {
    stale = true;
  }

  @Override
  public void dead(Member member) {
    stale = true;
  }

  @Override
  public void departed(Member member) {
    stale = true;
  }

  @Override
  public void removed(Member member) {
    stale = true;
  }

  @Override
  public void changed(Member member, ApplicationState key) {
    stale |= INGREDIENTS.contains(key);
  }

  @Override
  public void onBatchEnd() {
    if (stale) {
      stale = false;
      Members members = gossiper.members();
      // Forgotten for good: a node that was heard, leaves, and is forgotten, must not be remembered
      // again.
      remembered =
          remembered.stream().filter(node -> !TopologyBuilder.isHeard(members, node.id())).toList();
      List<String> found = new ArrayList<>();
      Topology made =
          TopologyBuilder.of(members, self, snitch, remembered, found::add).following(current);
      current = made;
      doubts = List.copyOf(found);
      found.forEach(this::report);
      for (Consumer<Topology> listener : listeners) {
        try {
          listener.accept(made);
        } catch (RuntimeException | Error e) {
          Errors.report("a part of the node failed on a new ring", e);
        }
      }
    }
  }

  private void report(String message) {
    if (reported.size() < MAX_REPORTED && reported.add(message)) {
      LOG.warn("{}: {}", self.id(), message);
    }
  }
}
