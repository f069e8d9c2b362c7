package dev.colonnade.server.env;

import java.util.function.Supplier;

/**
 * A part of the node that has to move on for as long as it has work. A watchdog asks it again and
 * again what it is at; work that shows the same number of steps each time stands still.
 *
 * <p>Only what this node has to do itself is work: who waits for a client or for another node is
 * not at work.
 */
public interface Watched {

  /**
   * Names everything that is at work now. Called by any thread, about once a second; waits for
   * nothing, and takes no lock that is held during work.
   */
  void report(Observer observer);

  /** Is told of work, by {@link #report} alone. */
  interface Observer {

    /**
     * Work that goes on without a break.
     *
     * @param part of the node, as {@code stage read}; short, and the same at each time
     * @param item which one of several of that part, such as a thread; empty if there is one only
     * @param steps any number that changes whenever the work moves
     * @param where it is, as a stack of calls; asked only if it stands still
     */
    void atWork(String part, String item, long steps, Supplier<String> where);

    /**
     * Work of many steps, each of which waits for its turn on a stage that others use as well, so
     * that more patience is due. Parameters as for {@link #atWork}.
     */
    void inTurns(String part, String item, long steps, Supplier<String> where);
  }
}
