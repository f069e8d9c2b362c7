package dev.colonnade.testkit;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Random;

/**
 * Faults of the nodes of a test, one after the other, chosen by a seed: the same seed gives the
 * same faults on the same nodes in the same order. A step ends the fault of the step before, so
 * that at most one node has one; of three nodes with three replicas, QUORUM calls go on through all
 * of them. For one thread.
 *
 * <pre>{@code
 * FaultSchedule faults = nodes.schedule(seed);
 * for (int i = 0; i < 20; i++) {
 *   System.out.println(faults.next());
 *   … calls …
 * }
 * faults.end();
 * }</pre>
 */
public final class FaultSchedule {

  /** What a step can do. */
  public enum Kind {
    /** The node is killed, and started again at the next step. */
    KILL,
    /** The node stands still. */
    PAUSE,
    /** The node and the others do not reach each other. */
    PARTITION,
    /** The node's disk takes no more bytes. */
    FULL_DISK,
    /** Each operation of the node's disk takes 20 ms longer. */
    SLOW_DISK,
    /** One of ten messages between the nodes is lost. */
    LOSS,
    /** Messages take up to 50 ms, and overtake each other. */
    DELAY
  }

  /**
   * A fault that begins.
   *
   * @param node the index of the node that has it; of LOSS and DELAY, which all have, it says
   *     nothing
   */
  public record Fault(long seed, int step, Kind kind, int node) {}

  private static final double LOST = 0.1;
  private static final Duration LONGEST = Duration.ofMillis(50);
  private static final Duration SLOWER = Duration.ofMillis(20);

  private final TestNodes nodes;
  private final long seed;
  private final Iterator<Fault> faults;

  FaultSchedule(TestNodes nodes, long seed) {
    this.nodes = nodes;
    this.seed = seed;
    this.faults = drawn(seed, nodes.size());
  }

  /**
   * Ends the last fault and begins another one. Blocks while a node that was killed starts.
   *
   * @return what begins, for the test's output
   */
  public Fault next() {
    Fault fault = faults.next();
    end();
    long seedOfStep = seed + fault.step;
    switch (fault.kind) {
      case KILL -> nodes.kill(fault.node);
      case PAUSE -> nodes.pause(fault.node);
      case PARTITION -> nodes.network().partition(fault.node);
      case FULL_DISK -> nodes.disk(fault.node).fill();
      case SLOW_DISK -> nodes.disk(fault.node).slow(SLOWER);
      case LOSS -> nodes.network().lose(LOST, seedOfStep);
      case DELAY -> nodes.network().delay(Duration.ZERO, LONGEST, seedOfStep);
    }
    return fault;
  }

  private static final List<Kind> KINDS = List.of(Kind.values());

  /** The faults that a seed gives to so many nodes, without end. */
  static Iterator<Fault> drawn(long seed, int count) {
    Random chance = new Random(seed);
    return new Iterator<>() {
      private int steps;

      @Override
      public boolean hasNext() {
        return true;
      }

      @Override
      public Fault next() {
        Kind kind = KINDS.get(chance.nextInt(KINDS.size()));
        return new Fault(seed, ++steps, kind, chance.nextInt(count));
      }
    };
  }

  /** Ends the last fault: all nodes run and reach each other, and their disks are sound. */
  public void end() {
    nodes.heal();
    for (int i = 0; i < nodes.size(); i++) {
      nodes.restart(i);
    }
    nodes.awaitUp(nodes.size());
  }
}
