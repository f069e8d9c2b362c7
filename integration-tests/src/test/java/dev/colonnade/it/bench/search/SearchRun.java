package dev.colonnade.it.bench.search;

import dev.colonnade.cli.local.bench.CpuTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Measures stores by threads that wait for each of their calls. For one thread. */
final class SearchRun {

  /** Queries of each kind, which threads make again and again. */
  private static final int QUERIES = 1_000;

  private static final int LIMIT = 10;

  private final MailSource source;
  private final int mails;
  private final int threads;
  private final List<Long> pids;
  private volatile boolean stopped;

  /**
   * Creates a run.
   *
   * @param mails how many are indexed and searched
   * @param pids the processes of the nodes; empty if what is measured runs in this one
   */
  SearchRun(MailSource source, int mails, int threads, List<Long> pids) {
    this.source = source;
    this.mails = mails;
    this.threads = threads;
    this.pids = List.copyOf(pids);
  }

  /** What a thread does again and again: false ends it. */
  private interface Turn {
    boolean next(Histogram latencies) throws IOException;
  }

  /** Has threads stop soon, also those of a run that another thread waits for. */
  void stop() {
    stopped = true;
  }

  /** Indexes mails that no query asks for, for a while. */
  void warmUpIndexing(MailStore store, Duration time) throws InterruptedException {
    AtomicInteger next = new AtomicInteger(mails);
    long end = System.nanoTime() + time.toNanos();
    List<Histogram> unused =
        together(
            latencies -> {
              store.index(source.mail(next.getAndIncrement()));
              return System.nanoTime() - end < 0;
            });
  }

  /** Indexes all mails. */
  SearchFigures.Documents index(MailStore store) throws IOException, InterruptedException {
    AtomicInteger next = new AtomicInteger();
    Duration nodesBefore = CpuTime.of(pids);
    Duration clientBefore = CpuTime.ofThisProcess();
    long begin = System.nanoTime();
    List<Histogram> unused =
        together(
            latencies -> {
              int number = next.getAndIncrement();
              if (number >= mails) {
                return false;
              }
              store.index(source.mail(number));
              return true;
            });
    Duration wall = Duration.ofNanos(System.nanoTime() - begin);
    Duration client = CpuTime.ofThisProcess().minus(clientBefore);
    long settling = System.nanoTime();
    store.settle();
    if (pids.isEmpty()) {
      // What a commit takes is this process's own work.
      wall = wall.plusNanos(System.nanoTime() - settling);
      client = CpuTime.ofThisProcess().minus(clientBefore);
    }
    return new SearchFigures.Documents(
        store.name(),
        mails,
        wall,
        CpuTime.of(pids).minus(nodesBefore),
        client,
        store.bytesOnDisk());
  }

  private List<MailSource.Query> queries(QueryKind kind) {
    return IntStream.range(0, QUERIES).mapToObj(i -> source.query(kind, i, mails)).toList();
  }

  /** Makes queries of a kind for a while, and counts only what ends within it. */
  SearchFigures.Queries search(MailStore store, QueryKind kind, Duration time)
      throws InterruptedException {
    List<MailSource.Query> queries = queries(kind);
    AtomicInteger next = new AtomicInteger();
    AtomicInteger hits = new AtomicInteger();
    Duration nodesBefore = CpuTime.of(pids);
    Duration clientBefore = CpuTime.ofThisProcess();
    long begin = System.nanoTime();
    List<Histogram> each =
        together(
            latencies -> {
              MailSource.Query query = queries.get(next.getAndIncrement() % QUERIES);
              long asked = System.nanoTime();
              int found = store.newest(query, LIMIT).size();
              long answered = System.nanoTime();
              hits.addAndGet(found);
              latencies.recordValue(answered - asked);
              return answered - begin < time.toNanos();
            });
    Histogram all = new Histogram(3);
    each.forEach(all::add);
    return new SearchFigures.Queries(
        kind,
        store.name(),
        all,
        Duration.ofNanos(System.nanoTime() - begin),
        CpuTime.of(pids).minus(nodesBefore),
        CpuTime.ofThisProcess().minus(clientBefore),
        hits.get());
  }

  /**
   * Asks two stores the first queries of each kind.
   *
   * @return where they differ
   */
  List<String> differences(MailStore one, MailStore other, int ofEachKind) throws IOException {
    List<String> different = new ArrayList<>();
    for (QueryKind kind : QueryKind.values()) {
      for (MailSource.Query query : queries(kind).subList(0, ofEachKind)) {
        List<Long> found = one.newest(query, LIMIT);
        List<Long> expected = other.newest(query, LIMIT);
        if (!found.equals(expected)) {
          different.add(
              query
                  + ": "
                  + one.name()
                  + " finds "
                  + found
                  + ", "
                  + other.name()
                  + " finds "
                  + expected);
        }
      }
    }
    return different;
  }

  private List<Histogram> together(Turn turn) throws InterruptedException {
    List<Thread> running = new ArrayList<>();
    List<Histogram> latencies = new ArrayList<>();
    AtomicReference<@Nullable Throwable> broken = new AtomicReference<>(null);
    for (int i = 0; i < threads; i++) {
      Histogram mine = new Histogram(3);
      latencies.add(mine);
      running.add(new Thread(() -> repeat(turn, mine, broken), "search-" + i));
    }
    running.forEach(Thread::start);
    for (Thread thread : running) {
      thread.join();
    }
    if (stopped) {
      throw new InterruptedException("the process was told to end");
    }
    Throwable failure = broken.get();
    if (failure != null) {
      throw new IllegalStateException("a call failed", failure);
    }
    return latencies;
  }

  private void repeat(Turn turn, Histogram mine, AtomicReference<@Nullable Throwable> broken) {
    try {
      boolean more = true;
      while (more && !stopped && broken.get() == null) {
        more = turn.next(mine);
      }
    } catch (IOException | RuntimeException e) {
      broken.compareAndSet(null, e);
    }
  }
}
