package dev.colonnade.server.service.schemasync;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.PeerFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The first steps of truncations that other nodes asked for, kept while a second step may follow. A
 * node applies a truncation only for the node that it proposed a number to, and only with a number
 * that can have come of the proposals: a number far in the future would make all later writes look
 * older than the truncation.
 *
 * <p>Thread-safe; never blocks for long. Nothing of it outlives a restart: a second step that
 * arrives after one is refused, and the truncation is made when schemas are compared.
 */
final class TruncationProposals {

  /** First steps that are kept at a time, of all nodes and families. */
  static final int KEPT_MAX = 10_000;

  /** How long a second step may take whose requester waits for longer. */
  static final Duration LIFE_MAX = Duration.ofMinutes(10);

  /** How far ahead of this node's clock that of another one may be. */
  static final Duration AHEAD_MAX = Duration.ofDays(1);

  private record Asked(String nodeId, FamilyId family) {}

  /** The least number that was named, and when the last second step is due. */
  private record Proposal(long number, long endNanos) {}

  private final Clock clock;
  private final Map<Asked, Proposal> proposals = new HashMap<>();

  TruncationProposals(Clock clock) {
    this.clock = clock;
  }

  /**
   * Remembers that a node was told a number.
   *
   * @param deadlineNanos when the node stops waiting, by the monotonic clock; MAX_VALUE for never
   * @throws PeerFailure OVERLOADED if too many are kept
   */
  synchronized void proposed(String nodeId, FamilyId family, long number, long deadlineNanos) {
    long now = clock.monotonicNanos();
    long left =
        deadlineNanos == Long.MAX_VALUE
            ? LIFE_MAX.toNanos()
            : Math.min(LIFE_MAX.toNanos(), deadlineNanos - now);
    Asked asked = new Asked(nodeId, family);
    if (proposals.size() >= KEPT_MAX && !proposals.containsKey(asked)) {
      proposals.values().removeIf(each -> isOver(each, now));
      if (proposals.size() >= KEPT_MAX) {
        throw new PeerFailure(
            PeerFailure.Code.OVERLOADED,
            "this node waits for the second steps of "
                + KEPT_MAX
                + " truncations; try again later");
      }
    }
    // A node may truncate a family twice at once: then both second steps must be taken.
    proposals.merge(
        asked,
        new Proposal(number, now + left),
        (before, latest) ->
            isOver(before, now)
                ? latest
                : new Proposal(
                    Math.min(before.number(), latest.number()),
                    before.endNanos() - latest.endNanos() > 0
                        ? before.endNanos()
                        : latest.endNanos()));
  }

  /**
   * Checks that a second step follows a first one of the same node.
   *
   * @throws PeerFailure REFUSED if it does not
   */
  synchronized void check(String nodeId, FamilyId family, long number) {
    Proposal proposal = proposals.get(new Asked(nodeId, family));
    if (proposal == null || isOver(proposal, clock.monotonicNanos())) {
      throw refused(
          "this node was not asked for the number of this truncation, or too long ago; truncate"
              + " again");
    }
    long latest = Math.max(proposal.number(), clock.wallMicros() + AHEAD_MAX.toNanos() / 1_000);
    if (number < proposal.number() || number > latest) {
      throw refused(
          "the number of the truncation is "
              + number
              + ", and must be from "
              + proposal.number()
              + " to "
              + latest
              + ": compare the clocks of the nodes");
    }
  }

  private static PeerFailure refused(String why) {
    return new PeerFailure(PeerFailure.Code.REFUSED, why);
  }

  private static boolean isOver(Proposal proposal, long nowNanos) {
    return nowNanos - proposal.endNanos() > 0;
  }
}
