package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether another process uses this node's host id. A node that was in the ring before
 * asks other nodes about its id before it announces anything. If one of them knows the id at
 * another address, or if the node itself was at another one before, it asks there.
 *
 * <p>Two processes with one host id mean a copied data directory; the one that started later shuts
 * down.
 *
 * <p>Thread-safe; never blocks.
 */
public final class HostIdCheck {

  /** A node that is up answers within milliseconds; a start must not be delayed for long. */
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(HostIdCheck.class);

  private final Messenger messenger;
  private final Supplier<Members> members;
  private final Clock clock;
  private final long startGeneration;
  private final Consumer<String> shutdown;
  private volatile boolean starting = true;

  /** The outcome of a conflict with another process that has the same host id. */
  public enum Resolution {
    /** This process started later, and shuts down. */
    THIS_SHUTS_DOWN,
    /** The other process started later, and was told to shut down. */
    OTHER_SHUTS_DOWN,
    /** There was no answer from its address. */
    NO_ANSWER
  }

  /** What a node knows of an id. */
  enum IdKnowledge {
    /** It has not heard of it. */
    UNKNOWN,
    /** It has that id itself. */
    OWN,
    /** Another node has it, or had it before it was replaced. */
    OTHER,
    /** The node with that id has left, or was removed. */
    DEPARTED
  }

  /**
   * Asks what became of the asking node's id.
   *
   * @param address of the asking node, as {@code host:port}
   * @param starting whether it has not gossiped yet
   */
  record IdentityQuery(String id, String address, long generation, boolean starting) {}

  /**
   * What another node knows of this node's id.
   *
   * @param from where it answered
   * @param starting whether that node has the id itself and has not gossiped yet
   * @param generation of the process with the id; 0 if it is not known
   * @param address of the process with the id, as {@code host:port}; empty if it is not known
   * @param successor the id of the node that replaced this one; empty for none
   */
  record IdentityAnswer(
      PeerAddress from,
      IdKnowledge knowledge,
      boolean starting,
      long generation,
      String address,
      String successor) {

    boolean isOwn() {
      return knowledge == IdKnowledge.OWN;
    }

    boolean isKnown() {
      return knowledge != IdKnowledge.UNKNOWN;
    }
  }

  /**
   * Prepares the check. Registers a verb, and so belongs before the messenger's start.
   *
   * @param members as they are known now
   * @param startGeneration of this start
   * @param shutdown is told why this node has to shut down, when a process that started earlier
   *     says so
   */
  public HostIdCheck(
      Messenger messenger,
      Supplier<Members> members,
      Clock clock,
      long startGeneration,
      Consumer<String> shutdown) {
    this.messenger = messenger;
    this.members = members;
    this.clock = clock;
    this.startGeneration = startGeneration;
    this.shutdown = shutdown;
    messenger.handle(Verb.IDENTITY, this::answer);
  }

  /**
   * Asks before the node gossips.
   *
   * @param peers addresses of nodes that may know this one; one that does is enough
   * @param formerAddress where this node listened before
   * @return why the node must not start; empty if it may
   */
  public CompletableFuture<Optional<String>> beforeStart(
      List<PeerAddress> peers, Optional<String> formerAddress) {
    Set<PeerAddress> first = new LinkedHashSet<>(peers);
    first.remove(messenger.self().address());
    Set<PeerAddress> direct = new LinkedHashSet<>();
    formerAddress.flatMap(AddressText::parse).ifPresent(direct::add);
    direct.remove(messenger.self().address());
    CompletableFuture<List<IdentityAnswer>> ofPeers = request(first, true);
    CompletableFuture<List<IdentityAnswer>> ofFormer = request(direct, false);
    return ofPeers
        .thenCombine(ofFormer, (known, own) -> Stream.concat(known.stream(), own.stream()))
        .thenCompose(
            answers -> {
              List<IdentityAnswer> all = answers.toList();
              Optional<String> refusal = refusal(all);
              Set<PeerAddress> more = elsewhere(all);
              more.removeAll(direct);
              return refusal.isPresent() || more.isEmpty()
                  ? CompletableFuture.completedFuture(refusal)
                  : request(more, false).thenApply(this::refusal);
            })
        .whenComplete((refusal, failure) -> starting = false);
  }

  private Set<PeerAddress> elsewhere(List<IdentityAnswer> answers) {
    Set<PeerAddress> addresses = new LinkedHashSet<>();
    for (IdentityAnswer answer : answers) {
      if (answer.isKnown() && !answer.isOwn()) {
        AddressText.parse(answer.address()).ifPresent(addresses::add);
      }
    }
    addresses.remove(messenger.self().address());
    return addresses;
  }

  private Optional<String> refusal(List<IdentityAnswer> answers) {
    for (IdentityAnswer answer : answers) {
      if (answer.isOwn() && (!answer.starting() || isEarlier(answer))) {
        return Optional.of(takenMessage(answer.from().toString()));
      }
      if (answer.knowledge() == IdKnowledge.DEPARTED) {
        return Optional.of(
            "this node ("
                + messenger.self()
                + ") is no longer part of the cluster: it left or was removed while it was down. To"
                + " use the machine again, start it with an empty data directory");
      }
      if (!answer.successor().isEmpty()) {
        return Optional.of(replacedMessage(answer.successor()));
      }
    }
    return Optional.empty();
  }

  /** Why this node has to shut down when {@link #resolution} says so. */
  public String takenMessage(String other) {
    return "another process, at "
        + other
        + ", uses this node's host id "
        + messenger.self().id()
        + ": one of them runs on a copy of the other's data directory, and two nodes must not share"
        + " an identity. To make this one a separate node, start it with an empty data directory;"
        + " to continue in the other's place, stop the other one first";
  }

  private boolean isEarlier(IdentityAnswer other) {
    return isEarlier(other.generation(), other.from().toString());
  }

  private boolean isEarlier(long otherGeneration, String otherAddress) {
    return otherGeneration != startGeneration
        ? otherGeneration < startGeneration
        : otherAddress.compareTo(messenger.self().address().toString()) < 0;
  }

  /** Finds out which of this process and the one at that address shuts down. */
  public CompletableFuture<Resolution> resolution(String address) {
    Optional<PeerAddress> other = AddressText.parse(address);
    return request(other.map(Set::of).orElse(Set.of()), false)
        .thenApply(
            answers -> {
              for (IdentityAnswer answer : answers) {
                if (answer.isOwn()) {
                  return isEarlier(answer)
                      ? Resolution.THIS_SHUTS_DOWN
                      : Resolution.OTHER_SHUTS_DOWN;
                }
              }
              return Resolution.NO_ANSWER;
            });
  }

  /** Why this node has to shut down when another one has replaced it. */
  public String replacedMessage(String successorId) {
    return "node "
        + successorId
        + " has taken the place of this node ("
        + messenger.self()
        + ") while it was down, and has its rows. To use the machine again, start it with an empty"
        + " data directory";
  }

  /**
   * Returns the answers that come in time; if one is enough, ends with the first that knows the id.
   */
  private CompletableFuture<List<IdentityAnswer>> request(
      Collection<PeerAddress> whom, boolean oneIsEnough) {
    CompletableFuture<List<IdentityAnswer>> all = new CompletableFuture<>();
    List<IdentityAnswer> answers = new ArrayList<>();
    AtomicInteger open = new AtomicInteger(whom.size());
    if (whom.isEmpty()) {
      all.complete(List.of());
    }
    for (PeerAddress address : whom) {
      Then.whenDone(
          messenger.request(
              Peer.at(address),
              Verb.IDENTITY,
              query(),
              clock.monotonicNanos() + ANSWER_LIMIT.toNanos()),
          (body, failure) -> {
            boolean isLast = open.decrementAndGet() == 0;
            List<IdentityAnswer> soFar;
            boolean isEnough = false;
            synchronized (answers) {
              if (failure == null) {
                Optional<IdentityAnswer> answer = read(address, body);
                answer.ifPresent(answers::add);
                isEnough = oneIsEnough && answer.filter(IdentityAnswer::isKnown).isPresent();
              }
              soFar = List.copyOf(answers);
            }
            if (isLast || isEnough) {
              all.complete(soFar);
            }
          });
    }
    return all;
  }

  private byte[] query() {
    return IdentityCodec.encode(
        new IdentityQuery(
            messenger.self().id(),
            messenger.self().address().toString(),
            startGeneration,
            starting));
  }

  private static Optional<IdentityAnswer> read(PeerAddress from, byte[] body) {
    try {
      return Optional.of(IdentityCodec.decodeAnswer(from, body));
    } catch (CorruptDataException e) {
      LOG.warn("the answer of {} on this node's host id cannot be read: {}", from, e.getMessage());
      return Optional.empty();
    }
  }

  private CompletableFuture<byte[]> answer(Request request) {
    IdentityQuery query;
    try {
      query = IdentityCodec.decodeQuery(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.PROTOCOL, "a query about a host id: " + e.getMessage(), e));
    }
    boolean isOwn = query.id().equals(messenger.self().id());
    if (isOwn && !query.starting() && !starting && isEarlier(query.generation(), query.address())) {
      shutdown.accept(takenMessage(query.address()));
    }
    return CompletableFuture.completedFuture(
        IdentityCodec.encode(isOwn ? ofSelf() : ofOther(query.id())));
  }

  private IdentityAnswer ofSelf() {
    PeerAddress self = messenger.self().address();
    return new IdentityAnswer(
        self, IdKnowledge.OWN, starting, startGeneration, self.toString(), "");
  }

  private IdentityAnswer ofOther(String id) {
    PeerAddress self = messenger.self().address();
    Members known = members.get();
    String successor = "";
    for (Member member : known.all()) {
      if (member.status().filter(status -> status.replaced(id)).isPresent()) {
        successor = member.id();
      }
    }
    Optional<Member> member = known.byId(id);
    if (member.isEmpty()) {
      IdKnowledge knowledge = successor.isEmpty() ? IdKnowledge.UNKNOWN : IdKnowledge.OTHER;
      return new IdentityAnswer(self, knowledge, false, 0, "", successor);
    }
    boolean departed = member.get().status().filter(NodeStatus::departed).isPresent();
    return new IdentityAnswer(
        self,
        departed ? IdKnowledge.DEPARTED : IdKnowledge.OTHER,
        false,
        member.get().generation(),
        member.get().peer().address().toString(),
        successor);
  }
}
