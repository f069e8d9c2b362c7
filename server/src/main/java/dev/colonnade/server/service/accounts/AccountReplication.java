package dev.colonnade.server.service.accounts;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.service.consistency.Replicas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the accounts of all nodes one. A change is sent to every node that is up, which is why it
 * holds everywhere when its caller is answered. A node that missed it learns of it by comparing
 * digests: every {@link #PERIOD} each node asks {@value #ASKED} others, chosen at random, for what
 * they know and it does not.
 *
 * <p>Thread-safe; never blocks.
 */
public final class AccountReplication {

  private static final Logger LOG = LoggerFactory.getLogger(AccountReplication.class);

  /** How often a node compares its accounts with those of others. */
  public static final Duration PERIOD = Duration.ofSeconds(5);

  /** How many others it asks each time. */
  static final int ASKED = 3;

  /** How long a node that is up may take to apply a change. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** About how many bytes one answer holds. */
  private static final long PAGE_BYTES = 256 << 10;

  private static final byte[] NOTHING = {};

  private final Accounts accounts;
  private final ClusterView cluster;
  private final PeerClient peers;
  private final Clock clock;
  private final Scheduler scheduler;

  /** Guarded by itself. */
  private final RandomSource random;

  /** Connects the accounts of this node with those of others. */
  public AccountReplication(
      Accounts accounts,
      ClusterView cluster,
      PeerClient peers,
      Clock clock,
      Scheduler scheduler,
      RandomSource random) {
    this.accounts = accounts;
    this.cluster = cluster;
    this.peers = peers;
    this.clock = clock;
    this.scheduler = scheduler;
    this.random = random;
    accounts.spreadBy(this::push);
  }

  /** Registers the handlers of other nodes' requests; call before the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.ACCOUNT_PUSH, this::take);
    messenger.handle(Verb.ACCOUNT_PULL, this::tell);
  }

  /** Starts comparing accounts periodically, until the scheduler stops. */
  public Scheduler.Cancellable start() {
    return scheduler.every(PERIOD, Stage.CONTROL, () -> Futures.ignore(compare()));
  }

  /**
   * Asks others now for what this node does not know.
   *
   * @return completes when all of them have answered, or could not be reached; never fails
   */
  public CompletableFuture<Void> compare() {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (Peer peer : some(others())) {
      CompletableFuture<Void> pulled = pull(peer, "", accounts.digests());
      asked.add(
          pulled.handle(
              (done, failure) -> {
                if (failure != null) {
                  LOG.debug(
                      "the accounts of {} could not be compared: {}",
                      peer,
                      Errors.unwrap(failure).getMessage());
                }
                return null;
              }));
    }
    return CompletableFuture.allOf(asked.toArray(new CompletableFuture<?>[0]));
  }

  private List<Peer> others() {
    List<Peer> others = new ArrayList<>();
    for (Topology.Place place : cluster.topology().places()) {
      if (place.alive() && !place.node().id().equals(cluster.nodeId())) {
        others.add(Replicas.peer(place.node()));
      }
    }
    return others;
  }

  private List<Peer> some(List<Peer> others) {
    synchronized (random) {
      while (others.size() > ASKED) {
        others.remove(random.nextInt(others.size()));
      }
    }
    return others;
  }

  private CompletableFuture<Void> pull(Peer peer, String after, long[] digests) {
    return peers
        .request(peer, Verb.ACCOUNT_PULL, AccountCodec.encodePull(digests, after), deadline())
        .thenCompose(
            body -> {
              AccountFacts.Page page;
              try {
                page = AccountCodec.decodePage(body);
              } catch (CorruptDataException e) {
                return CompletableFuture.failedFuture(e);
              }
              if (!page.reached().isEmpty() && page.reached().compareTo(after) <= 0) {
                return CompletableFuture.failedFuture(
                    new PeerFailure(
                        PeerFailure.Code.PROTOCOL, "its pages of accounts do not continue"));
              }
              // The same digests for all pages: they say where the two differed at the beginning.
              CompletableFuture<Void> merged = accounts.merge(page.facts());
              return page.reached().isEmpty()
                  ? merged
                  : merged.thenCompose(done -> pull(peer, page.reached(), digests));
            });
  }

  private long deadline() {
    return clock.monotonicNanos() + LIMIT.toNanos();
  }

  /**
   * Sends a change to all nodes that are up; completes with the ids of those that did not take it.
   */
  private CompletableFuture<List<String>> push(List<AccountFact> facts) {
    byte[] body = AccountCodec.encodePush(facts);
    Map<String, CompletableFuture<byte[]>> answers = new LinkedHashMap<>();
    for (Peer peer : others()) {
      answers.put(peer.id(), peers.request(peer, Verb.ACCOUNT_PUSH, body, deadline()));
    }
    CompletableFuture<List<String>> told = new CompletableFuture<>();
    Then.whenDone(
        CompletableFuture.allOf(answers.values().toArray(new CompletableFuture<?>[0])),
        told,
        (done, failure) -> told.complete(missing(answers)));
    return told;
  }

  private static List<String> missing(Map<String, CompletableFuture<byte[]>> answers) {
    List<String> missing = new ArrayList<>();
    answers.forEach(
        (node, answer) -> {
          if (answer.isCompletedExceptionally()) {
            missing.add(node);
          }
        });
    return missing;
  }

  private CompletableFuture<byte[]> take(Request request) {
    List<AccountFact> facts;
    try {
      facts = AccountCodec.decodePush(request.body());
    } catch (CorruptDataException e) {
      return unreadable(e);
    }
    return accounts.merge(facts).thenApply(done -> NOTHING);
  }

  private CompletableFuture<byte[]> tell(Request request) {
    try {
      AccountCodec.Pull asked = AccountCodec.decodePull(request.body());
      return CompletableFuture.completedFuture(
          AccountCodec.encodePage(accounts.differing(asked.digests(), asked.after(), PAGE_BYTES)));
    } catch (CorruptDataException e) {
      return unreadable(e);
    }
  }

  private static CompletableFuture<byte[]> unreadable(CorruptDataException e) {
    return CompletableFuture.failedFuture(
        new PeerFailure(PeerFailure.Code.PROTOCOL, "accounts that cannot be read: " + e, e));
  }
}
