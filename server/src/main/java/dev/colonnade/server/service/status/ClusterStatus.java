package dev.colonnade.server.service.status;

import dev.colonnade.server.base.async.BoundedParallel;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.service.consistency.Replicas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the other nodes, for those who look at the status page of this one, and this
 * node's figures for others.
 *
 * <ul>
 *   <li>Others are asked only when somebody looks, all in one round, whose answers are shared by
 *       everybody who looks. There is one round at a time; rounds are begun no more often than
 *       {@link #PERIOD}, and so that at most {@value #NODES_PER_SECOND} nodes are asked in a
 *       second.
 *   <li>A node has {@link #LIMIT} to answer. One that does not, or is down, is shown with its last
 *       figures and their age.
 *   <li>What was heard is forgotten {@link #KEPT} after the last look.
 *   <li>This node collects its own figures at most once in {@link #FRESH}, however many ask.
 * </ul>
 *
 * <p>Thread-safe; never blocks, and holds its lock over nothing that waits.
 */
public final class ClusterStatus {

  /** The most other nodes that are asked. */
  public static final int NODES_MAX = 255;

  /** A little less than pages wait between looks, so that each look of a page begins a round. */
  static final Duration PERIOD = Duration.ofMillis(1_500);

  static final int NODES_PER_SECOND = 10;

  /** Figures are in memory; a node that needs longer is in trouble. */
  static final Duration LIMIT = Duration.ofSeconds(2);

  static final Duration KEPT = Duration.ofMinutes(1);

  static final Duration FRESH = Duration.ofMillis(500);

  private static final int ASKED_AT_A_TIME = 16;

  /** The families of all other nodes together: what a page can carry every few seconds. */
  private static final int FAMILIES_OF_ALL = 1_000;

  private static final int FAMILIES_MAX = 50;
  private static final int FAMILIES_MIN = 5;

  private final Supplier<Topology> topology;
  private final PeerClient peers;
  private final Clock clock;
  private final Scheduler scheduler;

  private volatile @Nullable Supplier<NodeFigures> source;

  // Guarded by this.
  private Map<String, Heard> heard = new HashMap<>();
  private boolean asking;
  private boolean forgetting;
  private long lookedNanos;
  private @Nullable Long askedNanos;

  /** Guards {@link #own}, which is collected under it. */
  private final Object collecting = new Object();

  private @Nullable Collected own;

  private record Collected(NodeFigures figures, long nanos) {}

  /** What is known of a node: its last figures, and why it did not answer the last time. */
  private record Heard(@Nullable NodeFigures figures, long nanos, @Nullable String failure) {}

  /**
   * Another node, as it was heard.
   *
   * @param figures the last ones; empty if there are none
   * @param age of the figures, since they arrived here; zero if there are none
   * @param failure why the node has no newer figures; empty if it answered when it was asked last,
   *     or was not asked yet
   */
  public record OfNode(
      String nodeId, Optional<NodeFigures> figures, Duration age, Optional<String> failure) {}

  /**
   * The other nodes.
   *
   * @param period the time between two rounds of questions
   * @param leftOut how many nodes were not asked because there are too many
   */
  public record View(Duration period, List<OfNode> nodes, int leftOut) {
    /** Copies the list. */
    public View {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * Connects it; it answers once it {@link #tells}.
   *
   * @param topology the ring as this node sees it now
   */
  public ClusterStatus(
      Supplier<Topology> topology, PeerClient peers, Clock clock, Scheduler scheduler) {
    this.topology = topology;
    this.peers = peers;
    this.clock = clock;
    this.scheduler = scheduler;
  }

  /** Registers the handler of other nodes' requests; call before the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.FIGURES, this::answer);
  }

  /**
   * Begins to answer other nodes.
   *
   * @param figures collects those of this node; called on stages, one call at a time; must not
   *     block
   */
  public void tells(Supplier<NodeFigures> figures) {
    source = figures;
  }

  /** What was heard of the others, at once; begins to ask them again if it is time to. */
  public View look() {
    Topology ring = topology.get();
    List<Topology.Place> others =
        ring.places().stream()
            .filter(place -> !place.node().id().equals(ring.self().id()))
            .toList();
    List<Topology.Place> asked = others.subList(0, Math.min(NODES_MAX, others.size()));
    Duration period = period(asked.size());
    long now = clock.monotonicNanos();
    boolean mayAsk;
    List<OfNode> nodes = new ArrayList<>(asked.size());
    synchronized (this) {
      lookedNanos = now;
      Long last = askedNanos;
      mayAsk = !asking && (last == null || now - last >= period.toNanos());
      if (mayAsk) {
        asking = true;
        askedNanos = now;
      }
      asked.forEach(place -> nodes.add(asHeard(place.node().id(), now)));
    }
    if (mayAsk) {
      ask(asked);
      forgetLater();
    }
    return new View(period, nodes, others.size() - asked.size());
  }

  private static Duration period(int nodes) {
    Duration paced = Duration.ofSeconds(1).multipliedBy(nodes).dividedBy(NODES_PER_SECOND);
    return paced.compareTo(PERIOD) > 0 ? paced : PERIOD;
  }

  /** Called under the lock. */
  private OfNode asHeard(String nodeId, long nowNanos) {
    Heard known = heard.get(nodeId);
    if (known == null) {
      return new OfNode(nodeId, Optional.empty(), Duration.ZERO, Optional.empty());
    }
    return new OfNode(
        nodeId,
        Optional.ofNullable(known.figures()),
        known.figures() == null ? Duration.ZERO : Duration.ofNanos(nowNanos - known.nanos()),
        Optional.ofNullable(known.failure()));
  }

  private void ask(List<Topology.Place> places) {
    Set<String> ids = places.stream().map(place -> place.node().id()).collect(Collectors.toSet());
    int families =
        Math.max(FAMILIES_MIN, Math.min(FAMILIES_MAX, FAMILIES_OF_ALL / Math.max(1, ids.size())));
    byte[] body = NodeFiguresCodec.encodeRequest(families);
    synchronized (this) {
      heard.keySet().retainAll(ids);
    }
    Then.whenDone(
        Then.called(() -> BoundedParallel.map(places, ASKED_AT_A_TIME, each -> ask(each, body))),
        (answers, failure) -> {
          synchronized (this) {
            asking = false;
          }
        });
  }

  /** Asks a node and remembers what it says; never fails. */
  private CompletableFuture<Boolean> ask(Topology.Place place, byte[] body) {
    RingNode node = place.node();
    if (!place.alive()) {
      remember(node.id(), null, "it is down");
      return CompletableFuture.completedFuture(false);
    }
    long deadline = clock.monotonicNanos() + LIMIT.toNanos();
    return Then.called(() -> peers.request(Replicas.peer(node), Verb.FIGURES, body, deadline))
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                remember(node.id(), null, reason(Errors.unwrap(failure)));
                return false;
              }
              try {
                remember(node.id(), NodeFiguresCodec.decode(answer), null);
                return true;
              } catch (CorruptDataException unreadable) {
                remember(node.id(), null, "its answer cannot be read: " + unreadable.getMessage());
                return false;
              }
            });
  }

  private static String reason(Throwable failure) {
    if (failure instanceof PeerFailure peer && peer.code() == PeerFailure.Code.TIMED_OUT) {
      return "no answer in " + LIMIT.toSeconds() + " s";
    }
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }

  private synchronized void remember(
      String nodeId, @Nullable NodeFigures figures, @Nullable String failure) {
    Heard last = heard.get(nodeId);
    if (figures == null && last != null) {
      heard.put(nodeId, new Heard(last.figures(), last.nanos(), failure));
    } else {
      heard.put(nodeId, new Heard(figures, clock.monotonicNanos(), failure));
    }
  }

  /** Forgets what was heard once the page is no longer looked at. */
  private void forgetLater() {
    synchronized (this) {
      if (forgetting) {
        return;
      }
      forgetting = true;
    }
    boolean planned = false;
    try {
      scheduler.after(KEPT, Stage.TIMER, this::forget);
      planned = true;
    } finally {
      if (!planned) {
        notForgetting();
      }
    }
  }

  private synchronized void notForgetting() {
    forgetting = false;
  }

  private void forget() {
    synchronized (this) {
      forgetting = false;
      if (clock.monotonicNanos() - lookedNanos >= KEPT.toNanos()) {
        heard = new HashMap<>();
        return;
      }
    }
    forgetLater();
  }

  private CompletableFuture<byte[]> answer(Request request) {
    int families;
    try {
      families = NodeFiguresCodec.decodeRequest(request.body());
    } catch (CorruptDataException e) {
      return refused(PeerFailure.Code.PROTOCOL, "a request for figures that cannot be read: " + e);
    }
    Supplier<NodeFigures> figures = source;
    if (figures == null) {
      return refused(PeerFailure.Code.NOT_READY, "the node is starting");
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    boolean queued =
        scheduler.submit(
            Stage.LARGE,
            () ->
                Then.onBehalfOf(
                    answer,
                    () -> answer.complete(NodeFiguresCodec.encode(fresh(figures), families))));
    return queued
        ? answer
        : refused(PeerFailure.Code.OVERLOADED, "too much work waits to tell figures");
  }

  private NodeFigures fresh(Supplier<NodeFigures> figures) {
    synchronized (collecting) {
      long now = clock.monotonicNanos();
      Collected last = own;
      if (last == null || now - last.nanos() >= FRESH.toNanos()) {
        last = new Collected(figures.get(), now);
        own = last;
      }
      return last.figures();
    }
  }

  private static CompletableFuture<byte[]> refused(PeerFailure.Code code, String why) {
    return CompletableFuture.failedFuture(new PeerFailure(code, why));
  }
}
