package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs gossip: once per interval it raises this node's heartbeat, checks which nodes have fallen
 * silent, and exchanges what it knows with some peers.
 *
 * <p>Threads: rounds and messages run on {@link Stage#GOSSIP}, so that waiting for a disk never
 * makes a node look dead. Listeners are called on {@link Stage#CONTROL}. All methods but those that
 * say "from any thread" belong to CONTROL too, or to the thread that builds the node before {@link
 * #start}. When {@link #set} returns, listeners have been told of what it changed.
 */
public final class Gossiper {

  private static final Logger LOG = LoggerFactory.getLogger(Gossiper.class);

  /**
   * Rounds start up to this fraction of the interval late, so that nodes started together do not
   * stay in step.
   */
  private static final int JITTER_FRACTION = 10;

  /** How many different messages are logged, each once; beyond that, no new ones. */
  private static final int MAX_REPORTED = 1_000;

  private final Peer self;
  private final Messenger messenger;
  private final Clock clock;
  private final Scheduler scheduler;
  private final RandomSource random;
  private final GossipSettings settings;
  private final GossipCodec codec;
  private final MemberTracker tracker;
  private final GossipTargets choice;
  private final PauseDetector pauseDetector;
  private final ClockOffsets offsets = new ClockOffsets();
  private final List<MemberListener> listeners = new ArrayList<>();

  /** Guards all that is known. Held briefly, by GOSSIP and CONTROL, never while listeners run. */
  private final Object knowing = new Object();

  private final Queue<Runnable> notices = new ArrayDeque<>();
  private final Set<String> reported = new LinkedHashSet<>();
  private Scheduler.@Nullable Cancellable timer;
  private boolean stopped;
  private boolean notifying;
  private volatile Members members;
  private volatile long clockAheadMicros;
  private volatile Optional<HostIdConflict> conflict = Optional.empty();

  /**
   * Creates a node that announces nothing but its address yet, and is silent until {@link #start}.
   *
   * @param self as others reach it; also {@link Messenger#self}
   * @param messenger not started yet: this registers its handlers
   * @param random this component's own
   * @param generation greater than in any run before; see {@link #nextGeneration}
   */
  public Gossiper(
      Peer self,
      Messenger messenger,
      Clock clock,
      Scheduler scheduler,
      RandomSource random,
      GossipSettings settings,
      long generation) {
    this.self = self;
    this.messenger = messenger;
    this.clock = clock;
    this.scheduler = scheduler;
    this.random = random;
    this.settings = settings;
    this.codec =
        new GossipCodec(settings.clusterName(), settings.partitioner(), settings.maxMessageBytes());
    VersionedValue address =
        new VersionedValue(ApplicationState.ADDRESS.number(), 1, self.address().toString());
    this.tracker =
        new MemberTracker(
            self, EndpointState.of(self.id(), generation, 1, List.of(address)), settings, clock);
    this.choice = new GossipTargets(self.address(), settings.seeds(), random.fork("peers"));
    this.members = tracker.members();
    this.pauseDetector = new PauseDetector(clock);
    messenger.handle(Verb.GOSSIP_SYN, request -> onGossip(request, this::syn));
    messenger.handle(Verb.GOSSIP_ACK, request -> onGossip(request, this::ack));
    messenger.handle(Verb.GOSSIP_ACK2, request -> onGossip(request, this::news));
    messenger.handle(Verb.GOSSIP_SHUTDOWN, request -> onGossip(request, this::news));
  }

  /**
   * Returns the generation of a start. Store it durably before the node gossips.
   *
   * @param last of the start before, 0 for none
   */
  public static long nextGeneration(long last, Clock clock) {
    long now = clock.wallSeconds();
    if (last > now + MemberTracker.YEAR_SECONDS) {
      LOG.warn(
          "this node was last started when its clock was more than a year ahead (generation {});"
              + " nodes with correct clocks reject that, so it begins again at {}",
          last,
          now);
      return now;
    }
    return Math.max(last + 1, now);
  }

  /** Adds a listener. */
  public void listen(MemberListener listener) {
    listeners.add(listener);
  }

  /** Begins the rounds, the first within a fraction of the interval. */
  public void start() {
    timer = scheduler.every(settings.interval(), Stage.GOSSIP, this::roundAfterJitter);
    scheduler.submit(Stage.GOSSIP, this::roundAfterJitter);
  }

  /** Tells the nodes that are up that this node shuts down, and falls silent. */
  public void stop() {
    synchronized (knowing) {
      if (stopped) {
        return;
      }
      stopped = true;
      tracker.say(Map.of(ApplicationState.SHUTDOWN, "true"));
      byte[] news = codec.news(List.of(Delta.all(tracker.knowledge().self())));
      for (Peer peer : tracker.peers(true)) {
        messenger.sendOneWay(peer, Verb.GOSSIP_SHUTDOWN, news);
      }
      settle();
    }
    if (timer != null) {
      timer.cancel();
    }
    drainNotices();
  }

  /** Announces a value about this node, until another one replaces it. */
  public void set(ApplicationState key, String value) {
    set(Map.of(key, value));
  }

  /** Announces several values that others must only see together. */
  public void set(Map<ApplicationState, String> states) {
    states.forEach(
        (key, value) -> {
          if (key == ApplicationState.ADDRESS || key == ApplicationState.SHUTDOWN) {
            throw new IllegalArgumentException(key + " is set by the gossiper itself");
          }
          int bytes = value.getBytes(StandardCharsets.UTF_8).length;
          if (bytes > GossipCodec.MAX_VALUE_CHARS) {
            throw new IllegalArgumentException(
                key
                    + " of "
                    + bytes
                    + " bytes is too long to be gossiped; the limit is "
                    + GossipCodec.MAX_VALUE_CHARS);
          }
        });
    synchronized (knowing) {
      tracker.say(new TreeMap<>(states));
      settle();
    }
    drainNotices();
  }

  /**
   * As {@link #set(ApplicationState, String)}, from any thread: this node's listeners are told
   * later, on CONTROL; other nodes hear of it even while CONTROL is blocked.
   */
  public void say(ApplicationState key, String value) {
    synchronized (knowing) {
      tracker.say(Map.of(key, value));
      settle();
    }
    announce();
  }

  /** Changes the suspicion at which a silent node counts as down, from the next round on. */
  public void phiThreshold(double changed) {
    synchronized (knowing) {
      tracker.phiThreshold(changed);
    }
  }

  /**
   * Declares a node that is down to be gone for good. Others hear of it, and the node itself when
   * it comes back. Does nothing if the node is unknown or gone already.
   *
   * @param expiryMillis when all may forget it, by the wall clock
   * @throws IllegalStateException if it is up
   */
  public void remove(String nodeId, long expiryMillis) {
    synchronized (knowing) {
      tracker.remove(nodeId, expiryMillis);
      settle();
    }
    drainNotices();
  }

  /** As {@link #remove(String, long)}, also for a node that is known only from before the start. */
  public void remove(Peer dead, long expiryMillis) {
    synchronized (knowing) {
      tracker.remove(dead, expiryMillis);
      settle();
    }
    drainNotices();
  }

  /**
   * Continues in a greater generation, after another process used this node's host id and has shut
   * down: what it announced is overridden. Store the generation durably before.
   */
  public void reclaim(long generation) {
    synchronized (knowing) {
      tracker.reclaim(generation);
      conflict = Optional.empty();
      members = tracker.members();
    }
  }

  /** Returns all that is known now; from any thread. Suspicions in it are as of the last round. */
  public Members members() {
    return members;
  }

  /** Returns the conflict if another process uses this node's host id; from any thread. */
  public Optional<HostIdConflict> conflict() {
    return conflict;
  }

  /**
   * True after a pause long enough to have missed a ring change, until a peer has answered; from
   * any thread.
   */
  public boolean suspectsStaleRing() {
    return pauseDetector.suspectsStaleRing()
        && members.all().stream().filter(Member::alive).count() > 1;
  }

  /**
   * How far this node's clock is ahead of those of the nodes that are up, as of the last round;
   * negative if it is behind, 0 while none has been measured. From any thread.
   */
  public long clockAheadMicros() {
    return clockAheadMicros;
  }

  private void roundAfterJitter() {
    long jitter = settings.interval().toMillis() / JITTER_FRACTION;
    Duration delay = Duration.ofMillis(random.nextInt((int) Math.max(1, jitter)));
    try {
      scheduler.after(delay, Stage.GOSSIP, this::round);
    } catch (RejectedExecutionException tooManyTimers) {
      round();
    }
  }

  private void round() {
    synchronized (knowing) {
      if (stopped) {
        return;
      }
      pauseDetector.round();
      tracker.beat();
      tracker.check();
      tracker.expire();
      members = tracker.members();
      settle();
      List<Peer> up = tracker.peers(true);
      offsets.keepOnly(up.stream().map(Peer::id).collect(Collectors.toSet()));
      clockAheadMicros = -offsets.medianMicros();
      List<Peer> peers = choice.next(up, tracker.peers(false));
      if (!peers.isEmpty()) {
        byte[] syn = codec.syn(tracker.knowledge().digests(), clock.wallMicros());
        for (Peer peer : peers) {
          messenger.sendOneWay(peer, Verb.GOSSIP_SYN, syn);
        }
      }
    }
    announce();
  }

  /** Handles a message. */
  private interface Receiver {
    void receive(Peer from, byte[] body, long arrivedMicros) throws CorruptDataException;
  }

  private CompletableFuture<byte[]> onGossip(Request request, Receiver receiver) {
    // A full queue loses the message; the next round makes up for it.
    long arrivedMicros = clock.wallMicros();
    scheduler.submit(Stage.GOSSIP, () -> receive(request, receiver, arrivedMicros));
    return CompletableFuture.completedFuture(new byte[0]);
  }

  private void receive(Request request, Receiver receiver, long arrivedMicros) {
    synchronized (knowing) {
      if (stopped) {
        return;
      }
      try {
        receiver.receive(request.from(), request.body(), arrivedMicros);
      } catch (CorruptDataException e) {
        report("gossip of " + request.from() + " cannot be read: " + e.getMessage());
      }
      settle();
    }
    announce();
  }

  private void syn(Peer from, byte[] body, long arrivedMicros) throws CorruptDataException {
    GossipMessages.Syn syn = codec.syn(body);
    if (!settings.clusterName().equals(syn.clusterName())
        || !settings.partitioner().equals(syn.partitioner())) {
      refuse(from, syn.clusterName(), syn.partitioner());
      messenger.sendOneWay(from, Verb.GOSSIP_ACK, codec.refusal());
      return;
    }
    GossipMessages.Ack answer = tracker.answer(syn.digests());
    Optional<GossipMessages.ClockTimes> times = Optional.empty();
    if (syn.sentMicros().isPresent()) {
      times =
          Optional.of(
              new GossipMessages.ClockTimes(
                  syn.sentMicros().getAsLong(), arrivedMicros, clock.wallMicros()));
    }
    messenger.sendOneWay(
        from,
        Verb.GOSSIP_ACK,
        codec.ack(new GossipMessages.Ack(answer.requests(), answer.deltas(), times)));
  }

  private void ack(Peer from, byte[] body, long arrivedMicros) throws CorruptDataException {
    GossipMessages.AckReply answer = codec.ack(body);
    if (answer instanceof GossipMessages.GossipRefusal refusal) {
      refuse(from, refusal.clusterName(), refusal.partitioner());
    } else if (answer instanceof GossipMessages.Ack ack) {
      tracker.take(from.id(), ack.deltas());
      pauseDetector.answered();
      ack.times().ifPresent(times -> offsets.add(from.id(), times, arrivedMicros));
      List<Delta> asked = tracker.knowledge().answerRequests(ack.requests());
      if (!asked.isEmpty()) {
        messenger.sendOneWay(from, Verb.GOSSIP_ACK2, codec.news(asked));
      }
    }
  }

  private void news(Peer from, byte[] body, long arrivedMicros) throws CorruptDataException {
    tracker.take(from.id(), codec.news(body));
  }

  private void refuse(Peer from, String clusterName, String partitioner) {
    String message =
        "the node "
            + from
            + " belongs to cluster '"
            + clusterName
            + "' with "
            + partitioner
            + ", this one to '"
            + settings.clusterName()
            + "' with "
            + settings.partitioner()
            + "; they do not talk to each other. Correct the cluster's name, the partitioner or the"
            + " seeds of one of them";
    if (report(message)) {
      notices.add(() -> notifyListeners(listener -> listener.refused(message)));
    }
  }

  private boolean report(String message) {
    boolean fresh = reported.size() < MAX_REPORTED && reported.add(message);
    if (fresh) {
      LOG.warn("{}: {}", self, message);
    }
    return fresh;
  }

  /** Publishes new knowledge, and queues the events for listeners. */
  private void settle() {
    tracker.takeRefusals().forEach(this::report);
    List<MemberTracker.MemberEvent> events = tracker.takeEvents();
    if (!events.isEmpty()) {
      members = tracker.members();
      for (MemberTracker.MemberEvent event : events) {
        notices.add(() -> notifyListeners(listener -> deliver(listener, event)));
      }
      notices.add(() -> notifyListeners(MemberListener::onBatchEnd));
    }
    Optional<HostIdConflict> found = tracker.conflict();
    if (found.isPresent() && conflict.isEmpty()) {
      conflict = found;
      LOG.error("{}", found.get().message());
      notices.add(() -> notifyListeners(listener -> listener.conflict(found.get())));
    }
  }

  /** Tells listeners on CONTROL; if its queue is full, together with the next events. */
  private void announce() {
    boolean any;
    synchronized (knowing) {
      any = !notices.isEmpty();
    }
    if (any) {
      scheduler.submit(Stage.CONTROL, this::drainNotices);
    }
  }

  /** On CONTROL; in order, also if a listener announces something itself. */
  private void drainNotices() {
    if (notifying) {
      return;
    }
    notifying = true;
    try {
      Runnable notice = nextNotice();
      while (notice != null) {
        notice.run();
        notice = nextNotice();
      }
    } finally {
      notifying = false;
    }
  }

  private @Nullable Runnable nextNotice() {
    synchronized (knowing) {
      return notices.poll();
    }
  }

  /** A listener that throws does not keep the others from hearing. */
  private void notifyListeners(Consumer<MemberListener> news) {
    for (MemberListener listener : listeners) {
      try {
        news.accept(listener);
      } catch (RuntimeException | Error e) {
        Errors.report("a part of the node failed on news of the cluster", e);
      }
    }
  }

  private static void deliver(MemberListener listener, MemberTracker.MemberEvent event) {
    Member member = event.member();
    switch (event.happening()) {
      case JOINED -> listener.joined(member);
      case RESTARTED -> listener.restarted(member);
      case ALIVE -> listener.alive(member);
      case DEAD -> listener.dead(member);
      case CHANGED -> event.key().ifPresent(key -> listener.changed(member, key));
      case DEPARTED -> listener.departed(member);
      case REMOVED -> listener.removed(member);
    }
  }
}
