package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Loads row after row. */
final class TouchTurns extends Turns<Boolean, Integer> {

  private final StorageEngine engine;
  private final TouchRead touch;
  private final long nowSeconds;
  private int at;
  private int loaded;

  TouchTurns(StorageEngine engine, Clock clock, TouchRead touch, long nowSeconds) {
    super(clock, Consistency.ONE, touch.deadlineNanos());
    this.engine = engine;
    this.touch = touch;
    this.nowSeconds = nowSeconds;
  }

  @Override
  CompletableFuture<Boolean> turn() {
    return at == touch.keys().size()
        ? CompletableFuture.completedFuture(false)
        : engine.touch(touch.family().id(), touch.keys().get(at), touch.loadData(), nowSeconds);
  }

  @Override
  @Nullable Integer take(Boolean found) {
    if (at == touch.keys().size()) {
      return loaded;
    }
    at++;
    loaded += found ? 1 : 0;
    return at == touch.keys().size() ? loaded : null;
  }
}
