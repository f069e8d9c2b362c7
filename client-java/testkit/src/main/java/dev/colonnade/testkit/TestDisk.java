package dev.colonnade.testkit;

import dev.colonnade.server.base.env.NoSpaceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The disk of a node of a test, which can be full, slow, broken, or stand still. It has one of
 * these faults at a time, from the next operation on and until the next fault or {@link #heal}; the
 * node keeps its files. What the node does about it is what it does about a real disk. Thread-safe.
 *
 * <p>Index files that are mapped into memory are not in it.
 */
public final class TestDisk {

  private enum Fault {
    NONE,
    FULL,
    SLOW,
    BROKEN,
    HELD
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Fault fault = Fault.NONE;
  private long pauseNanos;

  TestDisk() {}

  /** No byte more fits. What is there can be read and deleted. */
  public void fill() {
    become(Fault.FULL, 0);
  }

  /**
   * Each operation takes longer by this.
   *
   * @param pause for instance 50 ms; a write at the log waits that long once or twice
   * @throws IllegalArgumentException if it is not positive
   */
  public void slow(Duration pause) {
    if (pause.isNegative() || pause.isZero()) {
      throw new IllegalArgumentException("a slow disk takes some time; got " + pause);
    }
    become(Fault.SLOW, pause.toNanos());
  }

  /** Each operation fails, as on a disk that has gone. */
  public void fail() {
    become(Fault.BROKEN, 0);
  }

  /** Operations wait until the next fault or {@link #heal}. */
  public void hold() {
    become(Fault.HELD, 0);
  }

  /** The disk works again. A node that has given up its disk takes a restart all the same. */
  public void heal() {
    become(Fault.NONE, 0);
  }

  /** Operations that wait go on, as they must before a node stops. */
  void release() {
    lock.lock();
    try {
      if (fault == Fault.HELD) {
        become(Fault.NONE, 0);
      }
    } finally {
      lock.unlock();
    }
  }

  private void become(Fault next, long nanos) {
    lock.lock();
    try {
      fault = next;
      pauseNanos = nanos;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean isFull() {
    lock.lock();
    try {
      return fault == Fault.FULL;
    } finally {
      lock.unlock();
    }
  }

  /** Whether reads may take what is in memory, where they would not meet the fault. */
  boolean isSound() {
    lock.lock();
    try {
      return fault == Fault.NONE || fault == Fault.FULL;
    } finally {
      lock.unlock();
    }
  }

  /** Before an operation that needs no room. */
  void before(String path) throws IOException {
    meet(path, false);
  }

  /** Before an operation that needs room. */
  void beforeGrowth(String path) throws IOException {
    meet(path, true);
  }

  private void meet(String path, boolean grows) throws IOException {
    lock.lock();
    try {
      long left = pauseNanos;
      while (fault == Fault.HELD || (fault == Fault.SLOW && left > 0)) {
        if (fault == Fault.HELD) {
          changed.await();
          left = pauseNanos;
        } else {
          left = changed.awaitNanos(left);
        }
      }
      if (fault == Fault.FULL && grows) {
        throw new NoSpaceException("the test filled the disk: " + path);
      }
      if (fault == Fault.BROKEN) {
        throw new IOException("the test broke the disk: " + path);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException(path).initCause(e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    lock.lock();
    try {
      return fault == Fault.SLOW
          ? "slow by " + TimeUnit.NANOSECONDS.toMillis(pauseNanos) + " ms"
          : fault.name();
    } finally {
      lock.unlock();
    }
  }
}
