package dev.colonnade.cli.shell.terminal;

import org.jspecify.annotations.Nullable;

/**
 * Lets Ctrl-C interrupt the thread that waits for a node, and nothing else: a signal that comes too
 * late leaves no mark. Thread-safe.
 */
final class Interruption {

  private @Nullable Thread running;

  /** Work that can be interrupted. */
  interface Work<E extends Exception> {
    void run() throws E;
  }

  /** Runs work on the calling thread, which signals interrupt while it lasts. */
  <E extends Exception> void during(Work<E> work) throws E {
    begin();
    try {
      work.run();
    } finally {
      end();
    }
  }

  /** Ctrl-C was pressed. */
  synchronized void signal() {
    if (running != null) {
      running.interrupt();
    }
  }

  private synchronized void begin() {
    running = Thread.currentThread();
  }

  /** Behind this, the thread is not interrupted, even if the signal came at the last moment. */
  private synchronized void end() {
    running = null;
    boolean unused = Thread.interrupted();
  }
}
