package dev.colonnade.server.cluster.gossip;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of all nodes, itself included, and the rules that merge the knowledge of two
 * nodes. Merging is commutative and idempotent, so messages may be lost, duplicated or late:
 *
 * <ul>
 *   <li>The greater of two generations wins, with all its states. A generation that lies
 *       implausibly far in the future loses to any plausible one, so that a node whose clock was
 *       wrong can come back once it is right.
 *   <li>Within a generation the greater heartbeat wins, and of each state the greater version.
 *   <li>That a node left or was removed wins over any generation in which it had not.
 *   <li>Gaps are not guessed: news that build on a version unknown here are ignored, and arrive
 *       again.
 *   <li>A node accepts no news about itself from others.
 * </ul>
 *
 * <p>Has no clock of its own, and does not know which nodes are alive.
 */
final class EndpointStateMap {

  /** The outcome of a merge. */
  sealed interface MergeOutcome permits NotNews, Learned, Advanced, Departed, OfSelf, Refused {}

  /** The news was known, or cannot be used. */
  record NotNews() implements MergeOutcome {}

  /** The node was unknown before. */
  record Learned(EndpointState now) implements MergeOutcome {}

  /**
   * A newer generation or heartbeat.
   *
   * @param changed the states with new values
   */
  record Advanced(EndpointState before, EndpointState now, List<VersionedValue> changed)
      implements MergeOutcome {}

  /** The node is gone for good, which was unknown. */
  record Departed(EndpointState now) implements MergeOutcome {}

  /** News of this node that it did not make itself. */
  record OfSelf(EndpointState other) implements MergeOutcome {}

  /** The news cannot be true, or there is no room for it. */
  record Refused(String id, String reason) implements MergeOutcome {}

  private static final NotNews IGNORED = new NotNews();

  private final SortedMap<String, EndpointState> endpoints = new TreeMap<>();
  private final Map<Long, EndpointState> byHash = new HashMap<>();
  private final Map<Long, Long> quarantinedUntilNanos = new HashMap<>();
  private final String selfId;
  private final int maxEndpoints;

  EndpointStateMap(EndpointState self, int maxEndpoints) {
    this.selfId = self.id();
    this.maxEndpoints = maxEndpoints;
    put(self);
  }

  private void put(EndpointState state) {
    endpoints.put(state.id(), state);
    byHash.put(state.hash(), state);
  }

  EndpointState self() {
    return Objects.requireNonNull(endpoints.get(selfId));
  }

  /** Sets this node's own state. */
  void self(EndpointState changed) {
    put(changed);
  }

  @Nullable EndpointState get(String id) {
    return endpoints.get(id);
  }

  /** All nodes by id. */
  Collection<EndpointState> all() {
    return Collections.unmodifiableCollection(endpoints.values());
  }

  List<Digest> digests() {
    List<Digest> digests = new ArrayList<>(endpoints.size());
    for (EndpointState state : endpoints.values()) {
      digests.add(Digest.of(state));
    }
    return digests;
  }

  /** Forgets a node, and accepts no news of it until that time. */
  void forget(String id, long quarantinedUntil) {
    EndpointState forgotten = endpoints.remove(id);
    if (forgotten != null) {
      byHash.remove(forgotten.hash());
      quarantinedUntilNanos.put(forgotten.hash(), quarantinedUntil);
    }
  }

  void endQuarantines(long nowNanos) {
    quarantinedUntilNanos.values().removeIf(until -> nowNanos - until >= 0);
  }

  /**
   * Returns the answer to digests.
   *
   * @param latestGeneration greater ones are not believed
   */
  GossipMessages.Ack answer(List<Digest> digests, long latestGeneration) {
    List<Digest> requests = new ArrayList<>();
    List<Delta> deltas = new ArrayList<>();
    Set<Long> named = new HashSet<>(digests.size() * 2);
    for (Digest digest : digests) {
      named.add(digest.hash());
      EndpointState state = endpointOf(digest.hash());
      if (state != null) {
        compare(state, digest, latestGeneration, requests, deltas);
      } else if (!quarantinedUntilNanos.containsKey(digest.hash())) {
        requests.add(Digest.everythingOf(digest.hash()));
      }
    }
    for (EndpointState state : endpoints.values()) {
      if (!named.contains(state.hash())) {
        deltas.add(Delta.all(state));
      }
    }
    return new GossipMessages.Ack(requests, deltas);
  }

  /** Orders generations: negative for those that are too far in the future to be believed. */
  private static long rank(long generation, long latestGeneration) {
    return generation > latestGeneration ? generation - Long.MAX_VALUE : generation;
  }

  private static boolean isLater(long one, long other, long latestGeneration) {
    return rank(one, latestGeneration) > rank(other, latestGeneration);
  }

  private static boolean isNews(Digest theirs, EndpointState mine, long latestGeneration) {
    return isLater(theirs.generation(), mine.generation(), latestGeneration)
        || (theirs.generation() == mine.generation() && theirs.version() > mine.version());
  }

  private void compare(
      EndpointState mine,
      Digest theirs,
      long latestGeneration,
      List<Digest> requests,
      List<Delta> deltas) {
    if (mine.id().equals(selfId) && isNews(theirs, mine, latestGeneration)) {
      // Another process uses this node's host id: requests everything that it announces, to learn
      // its address.
      requests.add(Digest.everythingOf(theirs.hash()));
      return;
    }
    if (mine.generation() == theirs.generation()) {
      if (mine.version() < theirs.version()) {
        requests.add(new Digest(mine.hash(), mine.generation(), mine.version()));
      } else if (mine.version() > theirs.version()) {
        deltas.add(Delta.since(mine, theirs.version()));
      }
      return;
    }
    boolean mineIsLater = isLater(mine.generation(), theirs.generation(), latestGeneration);
    if (mineIsLater || mine.departed()) {
      deltas.add(Delta.all(mine));
    }
    if (!mineIsLater) {
      requests.add(Digest.everythingOf(mine.hash()));
    }
  }

  /** Returns what was requested, as far as it is known. */
  List<Delta> answerRequests(List<Digest> requests) {
    List<Delta> deltas = new ArrayList<>(requests.size());
    for (Digest request : requests) {
      EndpointState state = endpointOf(request.hash());
      if (state == null) {
        continue;
      }
      if (request.generation() != state.generation()) {
        deltas.add(Delta.all(state));
      } else if (request.version() < state.version()) {
        deltas.add(Delta.since(state, request.version()));
      }
    }
    return deltas;
  }

  private @Nullable EndpointState endpointOf(long hash) {
    return byHash.get(hash);
  }

  /** Returns what is known of the node that the news is about. */
  Optional<EndpointState> about(Delta news) {
    return Optional.ofNullable(endpointOf(news.hash()));
  }

  /**
   * Merges news.
   *
   * @param latestGeneration greater ones are not believed
   */
  MergeOutcome merge(Delta news, long latestGeneration) {
    EndpointState known = endpointOf(news.hash());
    String id = news.id().orElse(known == null ? "" : known.id());
    if (id.isEmpty() || quarantinedUntilNanos.containsKey(news.hash())) {
      return IGNORED;
    }
    if (known != null && !known.id().equals(id)) {
      return new Refused(
          id, "its id has the same hash as that of " + known.id() + ": give it another id");
    }
    if (id.equals(selfId)) {
      return ofSelf(news, latestGeneration);
    }
    boolean builds = known != null && known.generation() == news.generation();
    if (news.since() != 0) {
      return known != null && builds ? advance(known, news) : IGNORED;
    }
    EndpointState told = news.endpoint(id);
    if (known != null && builds && told.departed() == known.departed()) {
      return advance(known, news);
    }
    if (known != null && !supersedes(told, known, latestGeneration)) {
      return IGNORED;
    }
    if (news.generation() > latestGeneration) {
      return new Refused(
          id,
          "its generation "
              + news.generation()
              + " lies more than a year ahead of this node's clock, which says at most "
              + latestGeneration
              + ": correct the clock of that node, or of this one, and start that node again");
    }
    return replace(known, told);
  }

  private static boolean supersedes(
      EndpointState told, EndpointState known, long latestGeneration) {
    boolean gone = told.departed();
    return gone == known.departed()
        ? isLater(told.generation(), known.generation(), latestGeneration)
        : gone;
  }

  private MergeOutcome replace(@Nullable EndpointState known, EndpointState told) {
    if (known == null && endpoints.size() >= maxEndpoints) {
      return new Refused(
          told.id(),
          "this node remembers " + maxEndpoints + " others, which is its limit: raise the limit");
    }
    put(told);
    if (told.departed()) {
      return new Departed(told);
    }
    return known == null ? new Learned(told) : new Advanced(known, told, told.states());
  }

  private MergeOutcome advance(EndpointState known, Delta news) {
    if (known.version() < news.since() || known.version() >= news.version()) {
      return IGNORED;
    }
    List<VersionedValue> changed = new ArrayList<>();
    for (VersionedValue state : news.states()) {
      if (state.version() > known.version()) {
        changed.add(state);
      }
    }
    EndpointState now = known.merged(news.heartbeat(), changed);
    if (known.departed() && !now.departed()) {
      return IGNORED;
    }
    put(now);
    return now.departed() && !known.departed()
        ? new Departed(now)
        : new Advanced(known, now, changed);
  }

  /**
   * Others repeat what this node announced; anything else was announced by another process in its
   * name.
   */
  private MergeOutcome ofSelf(Delta news, long latestGeneration) {
    EndpointState self = self();
    EndpointState told = news.endpoint(selfId);
    boolean foreign =
        (told.departed() && !self.departed())
            || isLater(news.generation(), self.generation(), latestGeneration)
            || (news.generation() == self.generation() && !repeats(self, news));
    return foreign ? new OfSelf(told) : IGNORED;
  }

  private static boolean repeats(EndpointState self, Delta news) {
    if (news.version() > self.version()) {
      return false;
    }
    for (VersionedValue told : news.states()) {
      if (told.key() == ApplicationState.ADDRESS.number()
          && !self.state(ApplicationState.ADDRESS).equals(Optional.of(told.value()))) {
        return false;
      }
    }
    return true;
  }
}
