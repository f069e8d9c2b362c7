package dev.colonnade.server.cluster.ring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The owners of all token ranges by one placement, on a ring as it is and as it will be: an entry
 * for each range between neighbouring tokens of either, found by a binary search.
 *
 * <p>An entry is computed when it is first requested, which takes a few steps of a walk along the
 * ring (about a microsecond), so that no request has to wait for a table of hundreds of thousands
 * of entries. Equal owners are one object.
 *
 * <p>Thread-safe.
 */
public final class PlacementTable {
  private final RangeEnds ends;
  private final ReplicaPlacement placement;

  /** Indexed by the number of the range; null if nothing is kept. */
  private final @Nullable AtomicReferenceArray<Owners> entries;

  private final ConcurrentMap<List<List<String>>, Owners> byNodes = new ConcurrentHashMap<>();
  private final ConcurrentMap<List<String>, List<String>> memberLists = new ConcurrentHashMap<>();

  /**
   * Creates a table without entries.
   *
   * @param keeps false to compute each answer again
   */
  PlacementTable(RangeEnds ends, ReplicaPlacement placement, boolean keeps) {
    this.ends = ends;
    this.placement = placement;
    this.entries = keeps ? new AtomicReferenceArray<>(ends.count()) : null;
  }

  /** Returns the nodes that hold the rows with this token. */
  public Owners owners(byte[] token) {
    return entry(ends.rangeOf(token));
  }

  /**
   * Returns the last token up to which the same nodes hold everything from {@code token} on, now
   * and when all changes under way are done.
   *
   * @param rangesMax looks at no more ranges than this; what lies behind them may have the same
   *     owners
   * @return null if that is the end of the ring
   */
  public byte @Nullable [] endOfSameOwners(byte[] token, int rangesMax) {
    int first = ends.rangeOf(token);
    if (first == 0 && ends.isBehindLast(token)) {
      return null;
    }
    Owners owners = entry(first);
    int end = first;
    int last = (int) Math.min(ends.count() - 1L, first + (rangesMax - 1L));
    while (end < last && entry(end + 1).hasMembersOf(owners)) {
      end++;
    }
    if (end < ends.count() - 1) {
      return ends.end(end);
    }
    // Tokens after the last one belong to the range that wraps around.
    return entry(0).hasMembersOf(owners) ? null : ends.end(end);
  }

  private Owners entry(int range) {
    AtomicReferenceArray<Owners> kept = entries;
    if (kept == null) {
      return owners(range);
    }
    Owners known = kept.get(range);
    if (known == null) {
      known = owners(range);
      kept.set(range, known);
    }
    return known;
  }

  private Owners owners(int range) {
    byte[] token = ends.end(range);
    List<RingNode> replicas = placement.replicas(ends.now(), token);
    List<RingNode> pending =
        ends.isChanging()
            ? without(placement.replicas(ends.later(), token), replicas)
            : List.<RingNode>of();
    List<String> replicaIds = ids(replicas);
    List<String> pendingIds = ids(pending);
    return byNodes.computeIfAbsent(
        List.of(replicaIds, pendingIds),
        none -> new Owners(replicas, pending, members(replicaIds, pendingIds)));
  }

  private List<String> members(List<String> replicas, List<String> pending) {
    List<String> members = new ArrayList<>(replicas);
    Collections.sort(members);
    List<String> coming = new ArrayList<>(pending);
    Collections.sort(coming);
    // An id is never empty, so this separates the pending owners from the current ones.
    members.add("");
    members.addAll(coming);
    List<String> fresh = List.copyOf(members);
    List<String> known = memberLists.putIfAbsent(fresh, fresh);
    return known == null ? fresh : known;
  }

  private static List<RingNode> without(List<RingNode> later, List<RingNode> now) {
    List<String> owners = ids(now);
    List<RingNode> pending = new ArrayList<>();
    for (RingNode node : later) {
      if (!owners.contains(node.id())) {
        pending.add(node);
      }
    }
    return List.copyOf(pending);
  }

  private static List<String> ids(List<RingNode> nodes) {
    List<String> ids = new ArrayList<>(nodes.size());
    for (RingNode node : nodes) {
      ids.add(node.id());
    }
    return ids;
  }

  /**
   * The ranges between neighbouring tokens of a ring as it is and as it will be. Range 0 ends at
   * the lowest token, and wraps around.
   */
  static final class RangeEnds {
    private final Ring now;
    private final Ring later;
    private final byte[][] tokens;

    RangeEnds(Ring now, Ring later) {
      this.now = now;
      this.later = later;
      this.tokens = now == later ? now.tokens() : joined(now.tokens(), later.tokens());
    }

    private static byte[][] joined(byte[][] some, byte[][] others) {
      byte[][] all = Arrays.copyOf(some, some.length + others.length);
      System.arraycopy(others, 0, all, some.length, others.length);
      Arrays.sort(all, Arrays::compareUnsigned);
      int distinct = 0;
      for (byte[] token : all) {
        if (distinct == 0 || !Arrays.equals(token, all[distinct - 1])) {
          all[distinct++] = token;
        }
      }
      return Arrays.copyOf(all, distinct);
    }

    Ring now() {
      return now;
    }

    Ring later() {
      return later;
    }

    boolean isChanging() {
      return now != later;
    }

    int count() {
      return tokens.length;
    }

    byte[] end(int range) {
      return tokens[range];
    }

    boolean isBehindLast(byte[] token) {
      return Arrays.compareUnsigned(token, tokens[tokens.length - 1]) > 0;
    }

    int rangeOf(byte[] token) {
      int low = 0;
      int high = tokens.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (Arrays.compareUnsigned(tokens[middle], token) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low == tokens.length ? 0 : low;
    }
  }
}
