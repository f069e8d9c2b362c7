package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.service.accounts.Accounts;
import dev.colonnade.server.service.accounts.AuditLog;
import dev.colonnade.server.service.accounts.Authenticator;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Accounts in memory, with passwords that cost next to nothing. */
final class TestAccess {

  private TestAccess() {}

  /** Everyone may do everything. */
  static ClientAccess open(Clock clock, Scheduler scheduler) {
    return of(clock, scheduler, false);
  }

  /** Callers must say who they are. */
  static ClientAccess required(Clock clock, Scheduler scheduler) {
    return of(clock, scheduler, true);
  }

  private static ClientAccess of(Clock clock, Scheduler scheduler, boolean required) {
    Accounts accounts =
        new Accounts(facts -> CompletableFuture.completedFuture(null), clock, List.of());
    AtomicInteger next = new AtomicInteger();
    AuditLog audit = new AuditLog(false, clock::monotonicNanos);
    return new ClientAccess(
        accounts,
        new Authenticator(
            accounts,
            new Authenticator.Options(true, true, 10, Duration.ofHours(1), Optional.empty()),
            clock,
            scheduler,
            target -> {
              for (int i = 0; i < target.length; i++) {
                target[i] = (byte) next.getAndIncrement();
              }
            },
            audit),
        audit,
        required);
  }
}
