package dev.colonnade.server.service.accounts;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Slows down guessing, in two ways:
 *
 * <ul>
 *   <li>After a few wrong passwords for an account from one address, further ones from there wait
 *       for a time that doubles with each.
 *   <li>After more of them from many addresses, all addresses together have one attempt a second.
 *       Addresses from which a password of the account was right are exempt, so that strangers lock
 *       no owner out.
 * </ul>
 *
 * A right password forgets no failures: otherwise each login of an owner would give guesses to
 * others behind the same address. Thread-safe.
 */
final class FailedLogins {

  /** Wrong passwords that cost nothing: people mistype. */
  static final int FREE = 3;

  /** The same for all addresses together from which no password of the account was right. */
  static final int STRANGERS_FREE = 30;

  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** Failures are forgotten when none came for this long. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(10);

  /** How many entries each map has; then others are forgotten, the eldest failures first. */
  static final int REMEMBERED = 10_000;

  private record Key(String account, String address) {}

  private record Failures(int count, long lastNanos, long untilNanos) {}

  /** Forgets the eldest. */
  private static final class Bounded<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > REMEMBERED;
    }
  }

  // Guarded by this.
  private final Map<Key, Failures> failures = new Bounded<>();
  private final Map<String, Failures> ofStrangers = new Bounded<>();

  /** Every call looks here, so it needs no lock. */
  private final ConcurrentHashMap<Key, Boolean> owners = new ConcurrentHashMap<>();

  /** Whether no password was ever wrong: calls look here first, and need no lock then. */
  private volatile boolean none = true;

  /** How long an attempt must wait; zero if it may be made. */
  Duration wait(String account, String address, long nowNanos) {
    return none ? Duration.ZERO : waitAmongOthers(new Key(account, address), nowNanos);
  }

  private synchronized Duration waitAmongOthers(Key key, long nowNanos) {
    long wait = remaining(failures.get(key), nowNanos);
    if (!owners.containsKey(key)) {
      wait = Math.max(wait, remaining(ofStrangers.get(key.account), nowNanos));
    }
    return Duration.ofNanos(wait);
  }

  private static long remaining(@Nullable Failures known, long nowNanos) {
    return known == null ? 0 : Math.max(0, known.untilNanos - nowNanos);
  }

  /** A password was wrong. */
  synchronized void failed(String account, String address, long nowNanos) {
    none = false;
    Key key = new Key(account, address);
    int count = count(failures.remove(key), nowNanos);
    long waits = 0;
    if (count > FREE) {
      int doublings = Math.min(count - FREE - 1, 10);
      waits = Math.min(LONGEST.toNanos(), FIRST.toNanos() << doublings);
    }
    failures.put(key, new Failures(count, nowNanos, nowNanos + waits));
    if (!owners.containsKey(key)) {
      int all = count(ofStrangers.remove(account), nowNanos);
      long until = nowNanos + (all > STRANGERS_FREE ? FIRST.toNanos() : 0);
      ofStrangers.put(account, new Failures(all, nowNanos, until));
    }
  }

  private static int count(@Nullable Failures before, long nowNanos) {
    return before == null || nowNanos - before.lastNanos > FORGOTTEN.toNanos()
        ? 1
        : Math.min(before.count, Integer.MAX_VALUE - 1) + 1;
  }

  /** A password was right: from now on the address is one of the account's owner. */
  void succeeded(String account, String address) {
    Key key = new Key(account, address);
    if (owners.containsKey(key)) {
      return;
    }
    owners.put(key, true);
    Iterator<Key> any = owners.keySet().iterator();
    while (owners.size() > REMEMBERED && any.hasNext()) {
      any.next();
      any.remove();
    }
  }
}
