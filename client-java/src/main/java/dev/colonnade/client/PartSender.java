package dev.colonnade.client;

import dev.colonnade.admin.v1.DescribeLoadResponse;
import dev.colonnade.admin.v1.LoadCommitted;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.TokenRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends the parts of a load, some at a time, each to all of its replicas at once. What a replica
 * does not take is sent to it again after a pause; one that takes nothing is tried once for each
 * further part. A load that no replica would take, whatever is done, ends at once.
 */
final class PartSender {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final int PAUSE_DOUBLINGS_MAX = 5;
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Colonnade client;
  private final BulkLoader.BulkLoadTarget target;
  private final BulkLoadOptions options;
  private final Ring ring;
  private final LoadState state;
  private final LevelRule level;
  private final LoadProgress progress;

  /** Replicas that have taken nothing in all attempts for some part. */
  private final Set<Endpoint> givenUp = ConcurrentHashMap.newKeySet();

  /** A part has failed, and the load with it: no further part is begun. */
  private volatile boolean failed;

  PartSender(
      Colonnade client,
      BulkLoader.BulkLoadTarget target,
      BulkLoadOptions options,
      Ring ring,
      LoadState state) {
    this.client = client;
    this.target = target;
    this.options = options;
    this.ring = ring;
    this.state = state;
    this.level = new LevelRule(options.consistency(), client.datacenter());
    this.progress = new LoadProgress(options.progress());
    for (RingNode node : ring.nodes()) {
      if (node.liveness() == RingNode.Liveness.DOWN) {
        givenUp.add(node.endpoint());
      }
    }
  }

  /** Sends all parts, and has what replicas lack repaired; returns that. */
  List<BulkLoadResult.MissingPart> send(Path sorted, List<LoadFile.Part> parts) {
    progress.begin(
        parts.stream().mapToLong(part -> part.bytes() * rangeOf(part).endpoints().size()).sum());
    ExecutorService workers =
        Executors.newFixedThreadPool(
            options.parallel(),
            work -> {
              Thread thread = new Thread(work, "colonnade-bulk-load");
              thread.setDaemon(true);
              return thread;
            });
    try (FileChannel file = LoadFile.open(sorted)) {
      List<Future<List<RepairScheduler.Lack>>> sent = new ArrayList<>();
      for (LoadFile.Part part : parts) {
        sent.add(workers.submit(() -> sendUnlessFailed(part, file)));
      }
      List<RepairScheduler.Lack> lacks = new ArrayList<>();
      for (Future<List<RepairScheduler.Lack>> each : sent) {
        lacks.addAll(await(each));
      }
      return new RepairScheduler(client, target).schedule(lacks);
    } catch (IOException e) {
      throw new UncheckedIOException("sorted columns cannot be read: " + e.getMessage(), e);
    } finally {
      List<Runnable> unused = workers.shutdownNow();
    }
  }

  private static List<RepairScheduler.Lack> await(Future<List<RepairScheduler.Lack>> sent) {
    try {
      return sent.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw cancelled(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException("a part of a load could not be sent", e.getCause());
    }
  }

  private static CancellationException cancelled(InterruptedException e) {
    CancellationException cancelled = new CancellationException("the thread was interrupted");
    cancelled.initCause(e);
    return cancelled;
  }

  private RingRange rangeOf(LoadFile.Part part) {
    return ring.ranges().get(part.range());
  }

  private List<RepairScheduler.Lack> sendUnlessFailed(LoadFile.Part part, FileChannel file)
      throws IOException {
    if (failed) {
      return List.of();
    }
    boolean done = false;
    try {
      List<RepairScheduler.Lack> lacks = send(part, file);
      done = true;
      return lacks;
    } finally {
      if (!done) {
        failed = true;
      }
    }
  }

  private List<RepairScheduler.Lack> send(LoadFile.Part part, FileChannel file) throws IOException {
    RingRange range = rangeOf(part);
    Set<Endpoint> taken = new LinkedHashSet<>();
    Map<Endpoint, String> lacking = new LinkedHashMap<>();
    for (Endpoint replica : range.endpoints()) {
      if (state.isTaken(LoadState.name(range, part, replica))) {
        taken.add(replica);
        progress.add(part.bytes());
      } else {
        lacking.put(replica, "");
      }
    }
    for (int attempt = 1; !lacking.isEmpty() && attempt <= options.attempts(); attempt++) {
      List<Endpoint> asked = new ArrayList<>(lacking.keySet());
      if (attempt > 1) {
        asked.removeAll(givenUp);
        if (asked.isEmpty()) {
          break;
        }
        pause(attempt);
      }
      for (Endpoint replica : attempt(part, range, asked, file, lacking)) {
        lacking.remove(replica);
        taken.add(replica);
      }
    }
    givenUp.addAll(lacking.keySet());
    if (!level.isMet(range.endpoints(), taken)) {
      throw tooFew(part, range, taken.size(), lacking);
    }
    return lacking.entrySet().stream()
        .map(
            each ->
                new RepairScheduler.Lack(
                    new BulkLoadResult.MissingPart(
                        each.getKey(),
                        range.startToken(),
                        range.endToken(),
                        part.rows(),
                        each.getValue(),
                        Optional.empty()),
                    List.copyOf(taken)))
        .toList();
  }

  /** Sends a part to some replicas; returns those that have taken it, and notes why others not. */
  private List<Endpoint> attempt(
      LoadFile.Part part,
      RingRange range,
      List<Endpoint> asked,
      FileChannel file,
      Map<Endpoint, String> lacking)
      throws IOException {
    Map<Endpoint, ReplicaLoad> loads = new LinkedHashMap<>();
    for (Endpoint replica : asked) {
      NodeConnection connection = client.pool().connectionTo(replica);
      if (connection == null) {
        lacking.put(replica, "the client has no connection to it");
      } else {
        loads.put(
            replica,
            ReplicaLoad.begin(
                TraceHeader.on(
                    connection.channel(), TraceHeader.checked(options.traceparent().get())),
                header(range),
                part,
                new LoadFile.Chunks(file, part),
                progress::add));
      }
    }
    List<Endpoint> taken = new ArrayList<>();
    try {
      for (Map.Entry<Endpoint, ReplicaLoad> each : loads.entrySet()) {
        try {
          LoadCommitted committed = await(each.getValue(), loads.values());
          taken.add(each.getKey());
          // At once: if another replica fails the load, this one need not take the part again.
          state.take(LoadState.name(range, part, each.getKey()));
          report(committed);
        } catch (ColonnadeException e) {
          if (isFatal(e)) {
            throw e;
          }
          lacking.put(each.getKey(), String.valueOf(e.getMessage()));
        }
      }
    } finally {
      loads.values().forEach(ReplicaLoad::cancel);
    }
    return taken;
  }

  private LoadCommitted await(ReplicaLoad load, Iterable<ReplicaLoad> all) {
    while (true) {
      try {
        return load.outcome().get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException stillSending) {
        all.forEach(each -> each.checkStall(options.stallTimeout()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw cancelled(e);
      } catch (ExecutionException e) {
        Throwable cause = e.getCause();
        throw Errors.translate(cause == null ? e : cause, Applied.UNKNOWN);
      }
    }
  }

  private LoadHeader header(RingRange range) {
    DescribeLoadResponse described = target.described();
    return LoadHeader.newBuilder()
        .setKeyspace(target.keyspace())
        .setColumnFamily(target.family())
        .setFamilyId(described.getFamilyId())
        .setTruncation(described.getTruncation())
        .setSchemaVersion(described.getSchemaVersion())
        .addRanges(
            TokenRange.newBuilder().setStartToken(range.startToken()).setEndToken(range.endToken()))
        .setTimestamp(state.timestampMicros())
        .setNowSeconds(state.timestampMicros() / 1_000_000)
        .setPurpose("client-java")
        .setIncludeStats(options.statistics().isPresent())
        .build();
  }

  private void report(LoadCommitted committed) {
    if (committed.hasStats()) {
      options.statistics().ifPresent(told -> told.accept(CallStatistics.of(committed.getStats())));
    }
  }

  /** Whether sending again, here or elsewhere, would change nothing. */
  private static boolean isFatal(ColonnadeException failure) {
    return failure instanceof InvalidRequestException
        || failure instanceof NotFoundException
        || failure.reason().equals("FAMILY_CHANGED");
  }

  private static void pause(int attempt) {
    try {
      TimeUnit.MILLISECONDS.sleep(
          FIRST_PAUSE.toMillis() << Math.min(attempt - 2, PAUSE_DOUBLINGS_MAX));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw cancelled(e);
    }
  }

  private UnavailableException tooFew(
      LoadFile.Part part, RingRange range, int taken, Map<Endpoint, String> lacking) {
    StringBuilder why = new StringBuilder();
    lacking.forEach(
        (replica, reason) -> why.append("; ").append(replica.target()).append(": ").append(reason));
    return new UnavailableException(
        new ColonnadeException.Failure(
            part.rows()
                + " rows of the range from "
                + range.startToken()
                + " to "
                + range.endToken()
                + " were taken by "
                + taken
                + " of "
                + range.endpoints().size()
                + " replicas, which is less than "
                + options.consistency()
                + why,
            "NOT_ENOUGH_REPLICAS",
            Applied.UNKNOWN,
            Map.of("consistency_level", options.consistency().name()),
            null));
  }
}
