package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.streaming.StreamProgress;
import dev.colonnade.server.cluster.streaming.Streams;
import dev.colonnade.server.cluster.streaming.Transfer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the ranges of one change, a few streams at a time. A failed stream is tried again; if a
 * range cannot be moved at all, the change fails. Repeating a transfer does no harm. For CONTROL.
 */
final class Transfers {

  private static final Logger LOG = LoggerFactory.getLogger(Transfers.class);

  private static final int AT_A_TIME = 3;

  /**
   * One stream.
   *
   * @param other the node to fetch from, or to send to
   */
  record RowTransfer(
      FamilyId family, String name, List<TokenRange> ranges, RingNode other, boolean fetch) {}

  private final Streams streams;
  private final Scheduler scheduler;
  private final MembershipSettings settings;
  private final Predicate<RingNode> isAlive;
  private final Consumer<MembershipProgress> progress;
  private final Deque<RowTransfer> waiting = new ArrayDeque<>();
  private final Map<RowTransfer, Integer> attempts = new LinkedHashMap<>();
  private final List<Transfer> running = new ArrayList<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final int total;
  private int finished;

  private Transfers(
      List<RowTransfer> jobs,
      Streams streams,
      Scheduler scheduler,
      MembershipSettings settings,
      Predicate<RingNode> isAlive,
      Consumer<MembershipProgress> progress) {
    this.streams = streams;
    this.scheduler = scheduler;
    this.settings = settings;
    this.isAlive = isAlive;
    this.progress = progress;
    this.total = jobs.size();
    waiting.addAll(jobs);
  }

  /** Moves all ranges; cancelling the future ends the streams under way. */
  static CompletableFuture<Void> run(
      List<RowTransfer> jobs,
      Streams streams,
      Scheduler scheduler,
      MembershipSettings settings,
      Predicate<RingNode> isAlive,
      Consumer<MembershipProgress> progress) {
    Transfers transfers = new Transfers(jobs, streams, scheduler, settings, isAlive, progress);
    Then.whenDone(transfers.done, (moved, failure) -> transfers.onControl(transfers::cleanUp));
    transfers.next();
    return transfers.done;
  }

  private void cleanUp() {
    waiting.clear();
    List.copyOf(running).forEach(transfer -> transfer.cancel("the change has ended"));
  }

  private void next() {
    if (done.isDone()) {
      return;
    }
    if (finished == total) {
      done.complete(null);
      return;
    }
    while (running.size() < AT_A_TIME && !waiting.isEmpty()) {
      begin(waiting.remove());
    }
  }

  private void begin(RowTransfer job) {
    attempts.merge(job, 1, Integer::sum);
    RingNode other = job.other();
    if (!isAlive.test(other)) {
      failed(
          job,
          new MembershipException(
              "node "
                  + other.id()
                  + " at "
                  + other.address()
                  + " is down; it may be the only one with some writes, or must receive some"));
      return;
    }
    Peer peer = new Peer(other.id(), new PeerAddress(other.address(), other.peerPort()));
    Consumer<StreamProgress> listener = stream -> progressed(job, stream);
    Transfer transfer =
        job.fetch()
            ? streams.request(peer, job.family(), job.ranges(), "membership", listener)
            : streams.send(peer, job.family(), job.ranges(), "membership", listener);
    running.add(transfer);
    Then.whenDone(
        transfer.done(),
        (moved, failure) ->
            onControl(
                () -> {
                  running.remove(transfer);
                  if (failure == null) {
                    finished++;
                    report(job.name() + " with " + other.address());
                    next();
                  } else {
                    failed(job, failure);
                  }
                }));
  }

  private void failed(RowTransfer job, Throwable failure) {
    if (done.isDone()) {
      return;
    }
    int made = attempts.getOrDefault(job, 0);
    if (made >= settings.attemptsMax()) {
      done.completeExceptionally(
          new MembershipException(
              "the rows of "
                  + job.name()
                  + " could not be moved in "
                  + made
                  + " attempts: "
                  + failure.getMessage(),
              failure));
      return;
    }
    LOG.warn("moving the rows of {} again: {}", job.name(), failure.getMessage());
    Runnable again =
        () -> {
          waiting.add(job);
          next();
        };
    scheduler.after(settings.retryDelay(), Stage.CONTROL, () -> orFail(again));
    next();
  }

  private void progressed(RowTransfer job, StreamProgress stream) {
    report(
        stream.rows()
            + " rows, "
            + stream.bytes()
            + " bytes of "
            + job.name()
            + " with "
            + job.other().address());
  }

  private void report(String detail) {
    progress.accept(new MembershipProgress("moving rows", finished, total, detail));
  }

  private void onControl(Runnable task) {
    if (!scheduler.submit(Stage.CONTROL, () -> orFail(task))) {
      done.completeExceptionally(new MembershipException("the node is stopping or overloaded"));
    }
  }

  /** A bug must not leave a change waiting for ever. */
  private void orFail(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      done.completeExceptionally(e);
      throw e;
    }
  }
}
