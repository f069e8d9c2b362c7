package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the hints of one node, once: batch by batch, in order, until nothing is left, the node
 * is away, or something fails. Used on the stage of hints only.
 *
 * <ul>
 *   <li>One message at a time is under way.
 *   <li>A message that the target refuses is split, until the refused hint is alone.
 *   <li>The position is recorded now and then, so after a crash some hints are delivered twice.
 *   <li>An expiry scan, for a node that is away, sends nothing and only drops hints that must not
 *       be delivered any more.
 * </ul>
 */
final class HintDispatch {
  private static final Logger LOG = LoggerFactory.getLogger(HintDispatch.class);

  /** The position is recorded after this many bytes; a crash may have them delivered again. */
  private static final long RECORD_BYTES = 1 << 20;

  private final DispatchContext parts;
  private final HintsForNode target;
  private final DispatchEnd ended;
  private final Set<Long> unreadable = new LinkedHashSet<>();
  private CompletableFuture<?> underWay = CompletableFuture.completedFuture(null);

  /** The size of the next message, in hints: halved after a refusal, doubled after a success. */
  private int hintsMax;

  private boolean isOver;

  /**
   * An expiry scan sends nothing: it drops hints that must not be delivered any more, up to the
   * first that is still valid.
   */
  private boolean isExpiryScan;

  private long delivered;
  private long handedOver;
  private long old;
  private long gone;
  private long truncated;

  /** Told once, when a dispatch is over. */
  interface DispatchEnd {
    /**
     * Decides what to do next.
     *
     * @param failure why something is left; empty if nothing is
     * @param isFurther whether fewer hints are left than before
     */
    void ended(HintsForNode target, String failure, boolean isFurther);
  }

  HintDispatch(DispatchContext parts, HintsForNode target, DispatchEnd ended) {
    this.parts = parts;
    this.target = target;
    this.ended = ended;
    this.hintsMax = parts.settings().batchHints();
  }

  /**
   * Creates a scan for a node that is away, which drops hints that are too old or void and delivers
   * nothing.
   */
  static HintDispatch expiryScan(DispatchContext parts, HintsForNode target, DispatchEnd ended) {
    HintDispatch dispatch = new HintDispatch(parts, target, ended);
    dispatch.isExpiryScan = true;
    return dispatch;
  }

  void start() {
    if (!isExpiryScan) {
      target.deliveryBegan();
      LOG.info("delivering hints to node {}", target.targetId());
    }
    contained(this::next);
  }

  /** Runs a step; whatever it throws ends this dispatch, so that another one can begin. */
  private void contained(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      Errors.report("hints for node " + target.targetId() + " cannot be delivered now", e);
      end("an error in the program: " + e);
    }
  }

  /** The node can take hints now, if it could not when this began. */
  void seen() {
    if (isExpiryScan) {
      isExpiryScan = false;
      target.deliveryBegan();
    }
  }

  /** Ends the dispatch early; a message under way may still arrive. */
  void cancel(String why) {
    if (!isOver) {
      end(why);
      underWay.cancel(false);
    }
  }

  private void next() {
    if (isOver) {
      return;
    }
    boolean isGone = parts.context().isGone(target.targetId());
    Optional<Peer> peer = parts.context().reach(target.targetId());
    if (!isExpiryScan && !isGone && peer.isEmpty()) {
      end("the node is down");
      return;
    }
    try {
      Optional<ClosedSegment> segment = target.next(unreadable);
      if (segment.isEmpty() && target.hasOpen() && !isExpiryScan) {
        target.roll();
        segment = target.next(unreadable);
      }
      if (segment.isEmpty()) {
        end(unreadable.isEmpty() ? "" : "segments could not be read: " + unreadable);
      } else {
        deliverFrom(segment.get(), peer.orElse(null));
      }
    } catch (IOException e) {
      LOG.warn("hints for node {} cannot be delivered now", target.targetId(), e);
      end(String.valueOf(e.getMessage()));
    }
  }

  private void deliverFrom(ClosedSegment segment, @Nullable Peer peer) throws IOException {
    HintBatch batch;
    try {
      batch = target.read(segment, parts.settings().batchBytes(), hintsMax);
    } catch (CorruptFileException damaged) {
      target.setAside(segment, damaged);
      soon(Duration.ZERO, this::next);
      return;
    } catch (IOException e) {
      LOG.warn(
          "a segment of hints for node {} cannot be read; the next delivery will try it again",
          target.targetId(),
          e);
      unreadable.add(segment.number());
      soon(Duration.ZERO, this::next);
      return;
    }
    RoutedHints sorted =
        RoutedHints.of(batch, target.targetId(), parts.context(), parts.clock().wallSeconds());
    if (isExpiryScan && !sorted.isNothing()) {
      end("the node is down");
      return;
    }
    CompletableFuture<?> sent = send(sorted, peer);
    underWay = sent;
    Then.whenDone(
        sent,
        (done, failure) -> soon(Duration.ZERO, () -> answered(segment, batch, sorted, failure)));
  }

  private CompletableFuture<?> send(RoutedHints sorted, @Nullable Peer peer) {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    if (!sorted.toTarget().isEmpty()) {
      answers.add(
          peer == null
              // The node was gone when this began, and is not any more.
              ? CompletableFuture.failedFuture(
                  new PeerFailure(PeerFailure.Code.NOT_SENT, "the node is down"))
              : sendTo(peer, sorted.toTarget()));
    }
    for (Mutation mutation : sorted.toOwners()) {
      answers.add(parts.context().handOver(mutation));
    }
    return answers.size() == 1
        ? answers.get(0)
        : CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }

  private CompletableFuture<?> sendTo(Peer peer, List<byte[]> hints) {
    long deadline = parts.clock().monotonicNanos() + parts.settings().requestTimeout().toNanos();
    return parts.sender().send(peer, HintMessage.encode(hints), deadline);
  }

  private void answered(
      ClosedSegment segment, HintBatch batch, RoutedHints sorted, @Nullable Throwable failure) {
    if (isOver) {
      return;
    }
    boolean refused = failure != null && isRefusal(failure);
    if (refused && batch.hints().size() > 1) {
      // One of them is refused: halving finds it, and the others are not sent one by one.
      hintsMax = batch.hints().size() / 2;
      next();
      return;
    }
    if (failure != null && !refused) {
      end(String.valueOf(Errors.unwrap(failure).getMessage()));
      return;
    }
    hintsMax = Math.min(parts.settings().batchHints(), hintsMax * 2);
    if (refused) {
      parts.counters().droppedRefused.increment();
      LOG.warn("node {} refuses a hint; it is dropped", target.targetId(), failure);
    } else {
      count(sorted);
    }
    try {
      target.advance(segment, batch);
      if (target.unrecordedBytes() >= RECORD_BYTES) {
        target.record();
      }
    } catch (IOException e) {
      LOG.warn("could not record how far hints were delivered to {}", target.targetId(), e);
      end(String.valueOf(e.getMessage()));
      return;
    }
    long now = parts.clock().monotonicNanos();
    soon(parts.throttle().take(sorted.bytes(), now), this::next);
  }

  private void count(RoutedHints sorted) {
    HintCounters counters = parts.counters();
    delivered += sorted.toTarget().size();
    handedOver += sorted.toOwners().size();
    old += sorted.old();
    gone += sorted.gone();
    truncated += sorted.truncated();
    counters.delivered.add(sorted.toTarget().size());
    counters.handedOver.add(sorted.toOwners().size());
    counters.droppedOld.add(sorted.old());
    counters.droppedGone.add(sorted.gone());
    counters.droppedTruncated.add(sorted.truncated());
  }

  private static boolean isRefusal(Throwable failure) {
    return Errors.unwrap(failure) instanceof PeerFailure peer
        && peer.code() == PeerFailure.Code.REFUSED;
  }

  private void soon(Duration delay, Runnable step) {
    try {
      parts.scheduler().after(delay, Stage.HINTS, () -> contained(step));
    } catch (RejectedExecutionException full) {
      // Nothing is lost: the redelivery scan finds what this dispatch leaves behind.
      LOG.warn("cannot schedule the delivery of hints to {}", target.targetId(), full);
      if (!parts.scheduler().submit(Stage.HINTS, () -> end("too many timers"))) {
        LOG.error("the delivery of hints to {} is suspended until a restart", target.targetId());
      }
    }
  }

  private void end(String failure) {
    if (isOver) {
      return;
    }
    isOver = true;
    try {
      target.record();
    } catch (IOException | RuntimeException | Error e) {
      Errors.report("could not record how far hints were delivered to " + target.targetId(), e);
    }
    try {
      target.deliveryEnded(failure);
      if (!isExpiryScan || old + gone + truncated > 0) {
        report(failure);
      }
    } finally {
      boolean isFurther = delivered + handedOver + old + gone + truncated > 0;
      ended.ended(target, failure, isFurther);
    }
  }

  private void report(String failure) {
    LOG.info(
        "{} hints delivered to node {}, {} passed on to other owners{}{}",
        delivered,
        target.targetId(),
        handedOver,
        dropped(),
        failure.isEmpty() ? "; none are left" : "; the rest waits: " + failure);
  }

  private String dropped() {
    return old + gone + truncated == 0
        ? ""
        : "; dropped: "
            + old
            + " as old as the gc grace of their family (repair that node), "
            + gone
            + " of dropped families, "
            + truncated
            + " from before a truncation";
  }
}
