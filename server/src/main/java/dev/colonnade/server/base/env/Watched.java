package dev.colonnade.server.base.env;

import java.util.function.Supplier;

/**
 * A part of the node that must make progress while it has work. A watchdog asks it repeatedly for
 * its current work; work that reports the same number of steps each time is stalled.
 *
 * <p>Only work of this node counts: waiting for a client or for another node is not work.
 */
public interface Watched {

  /**
   * Reports everything that is being worked on now. Called by any thread, about once a second;
   * waits for nothing, and takes no lock that is held during work.
   */
  void report(Observer observer);

  /** Receives reports of work, within {@link #report} only. */
  interface Observer {

    /**
     * Work that runs without a break.
     *
     * @param part of the node, as {@code stage read}; short, and the same each time
     * @param item one of several of that part, such as a thread; empty if there is one only
     * @param steps any number that changes whenever the work progresses
     * @param where it is, as a stack trace; requested only if it is stalled
     */
    void atWork(String part, String item, long steps, Supplier<String> where);

    /**
     * Work of many steps, each of which waits for its turn on a shared stage, so that it is given
     * more time. Parameters as for {@link #atWork}.
     */
    void inTurns(String part, String item, long steps, Supplier<String> where);
  }
}
