package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StoreTrace;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Loads rows one after the other; the answer has a bit for each key that has a row. In a trace it
 * is one read.
 */
public final class PagedTouch extends PagedRead<Boolean, BitSet> {

  private final StorageEngine engine;
  private final TouchRead touch;
  private final @Nullable StoreTrace trace;
  private int at;
  private final BitSet found;

  public PagedTouch(StorageEngine engine, Clock clock, TouchRead touch) {
    super(clock, Consistency.ONE, touch.deadlineNanos());
    this.engine = engine;
    this.touch = touch;
    CallTrace of = touch.trace();
    this.trace = of == null ? null : of.store();
    this.found = new BitSet(touch.keys().size());
  }

  @Override
  public CompletableFuture<Boolean> turn() {
    return at == touch.keys().size()
        ? CompletableFuture.completedFuture(false)
        : engine.touch(touch.family().id(), touch.keys().get(at), touch.loadData());
  }

  @Override
  public @Nullable BitSet take(Boolean isThere) {
    if (at < touch.keys().size()) {
      found.set(at++, isThere);
    }
    if (at < touch.keys().size()) {
      return null;
    }
    if (trace != null) {
      trace.reached(
          StoreTrace.StoreStep.READ, "rows touched " + at + ", found " + found.cardinality());
    }
    return found;
  }
}
