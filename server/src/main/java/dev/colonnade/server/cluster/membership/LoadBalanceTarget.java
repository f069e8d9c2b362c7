package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the token at which a node relieves the others most: in the range of the node that announces
 * the most data.
 */
final class LoadBalanceTarget {

  private final RingOperation operation;
  private final Partitioner partitioner;

  LoadBalanceTarget(RingOperation operation, Partitioner partitioner) {
    this.operation = operation;
    this.partitioner = partitioner;
  }

  /**
   * The token in the middle of the most loaded node's largest range, on a ring without this node.
   */
  byte[] middle(Ring others) {
    RingNode fullest =
        others.nodes().stream()
            .filter(node -> operation.topology().isAlive(node.id()))
            .max(Comparator.comparingLong(this::load).thenComparing(RingNode::id))
            .orElse(others.nodes().get(0));
    List<TokenRange> owned =
        others.ranges().stream()
            .filter(range -> others.primaryFor(range.end()).id().equals(fullest.id()))
            .toList();
    TokenRange range =
        owned.stream()
            .max(Comparator.comparing(LoadBalanceTarget::width))
            .orElse(others.ranges().get(0));
    return partitioner.midpoint(range.start(), range.end());
  }

  /** The width as a number, where tokens have one length; enough to compare ranges of one node. */
  private static BigInteger width(TokenRange range) {
    int bytes = Math.max(range.start().length, range.end().length);
    BigInteger width = number(range.end(), bytes).subtract(number(range.start(), bytes));
    return range.wraps() ? width.add(BigInteger.ONE.shiftLeft(8 * bytes)) : width;
  }

  private static BigInteger number(byte[] token, int bytes) {
    return new BigInteger(1, Arrays.copyOf(token, bytes));
  }

  private long load(RingNode node) {
    String text =
        operation
            .context()
            .gossiper()
            .members()
            .byId(node.id())
            .flatMap(member -> member.state(ApplicationState.LOAD))
            .orElse("0");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException notANumber) {
      return 0;
    }
  }
}
