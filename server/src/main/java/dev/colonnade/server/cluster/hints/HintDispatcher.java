package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when hints are delivered: which dispatches run, and which wait for their turn.
 *
 * <ul>
 *   <li>A node has at most one dispatch at a time.
 *   <li>A bounded number of dispatches run at a time; the others wait.
 *   <li>For a node that is away, an expiry scan runs instead, so that hints of a node that never
 *       returns do not stay for ever.
 * </ul>
 *
 * <p>Used on the stage of hints only.
 */
final class HintDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(HintDispatcher.class);

  private final DispatchContext parts;
  private final HintStore store;
  private final Map<String, HintDispatch> running = new LinkedHashMap<>();
  private final Set<String> waiting = new LinkedHashSet<>();
  private final Set<String> retrying = new LinkedHashSet<>();
  private boolean paused;
  private boolean stopped;

  HintDispatcher(DispatchContext parts, HintStore store) {
    this.parts = parts;
    this.store = store;
  }

  /**
   * Starts a dispatch to every node that has hints and can take them. For other nodes, starts an
   * expiry scan, so that hints of a node that never returns do not stay for ever.
   */
  void considerAll() {
    for (HintsForNode target : store.all()) {
      String id = target.targetId();
      if (canTake(id)) {
        consider(id);
      } else if (!stopped && target.hasClosed() && !running.containsKey(id)) {
        HintDispatch clearing = HintDispatch.expiryScan(parts, target, this::ended);
        running.put(id, clearing);
        clearing.start();
      }
    }
  }

  private boolean canTake(String targetId) {
    return parts.context().isGone(targetId) || parts.context().reach(targetId).isPresent();
  }

  /** Starts a dispatch to the node if it has hints and can take them. */
  void consider(String targetId) {
    HintsForNode target = store.find(targetId);
    if (target == null || paused || stopped) {
      return;
    }
    HintDispatch current = running.get(targetId);
    if (current != null) {
      current.seen();
      return;
    }
    if (!canTake(targetId) || !target.hasSegments()) {
      return;
    }
    if (running.size() >= parts.settings().deliveriesMax()) {
      waiting.add(targetId);
      return;
    }
    waiting.remove(targetId);
    HintDispatch dispatch = new HintDispatch(parts, target, this::ended);
    running.put(targetId, dispatch);
    dispatch.start();
  }

  private void ended(HintsForNode target, String failure, boolean isFurther) {
    running.remove(target.targetId());
    look(target.targetId(), failure, isFurther);
    try {
      store.forgetIfEmpty(target);
    } catch (IOException | RuntimeException | Error e) {
      Errors.report("the empty directory of hints for " + target.targetId() + " is still there", e);
    }
    if (!failure.isEmpty() && !stopped) {
      retryLater(target.targetId());
    }
    List<String> next = new ArrayList<>(waiting);
    next.forEach(this::consider);
  }

  /** A node that is down gets its hints later; one that is up and gets none is a problem. */
  private void look(String targetId, String failure, boolean isFurther) {
    if (failure.isEmpty() || isFurther || parts.context().reach(targetId).isEmpty()) {
      parts.failures().over(targetId);
    } else if (!paused && !stopped) {
      parts
          .failures()
          .failed(
              targetId,
              "hints for this node cannot be delivered though it is up; see the log for the cause,"
                  + " and repair that node if they get too old");
    }
  }

  private void retryLater(String targetId) {
    if (!retrying.add(targetId)) {
      return;
    }
    try {
      parts
          .scheduler()
          .after(
              parts.settings().retryDelay(),
              Stage.HINTS,
              () -> {
                retrying.remove(targetId);
                consider(targetId);
              });
    } catch (RejectedExecutionException full) {
      retrying.remove(targetId);
      LOG.warn("cannot schedule another delivery of hints to {}", targetId, full);
    }
  }

  /** Ends the node's dispatch, if one runs. */
  void cancel(String targetId, String why) {
    waiting.remove(targetId);
    HintDispatch dispatch = running.get(targetId);
    if (dispatch != null) {
      dispatch.cancel(why);
    }
  }

  void pause() {
    paused = true;
    cancelAll("deliveries are paused");
  }

  void resume() {
    paused = false;
    considerAll();
  }

  void stop() {
    stopped = true;
    cancelAll("the node is stopping");
  }

  private void cancelAll(String why) {
    waiting.clear();
    List<HintDispatch> all = new ArrayList<>(running.values());
    all.forEach(dispatch -> dispatch.cancel(why));
  }
}
