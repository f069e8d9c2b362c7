package dev.colonnade.server.service.accounts;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slows down guessing: after a few wrong passwords for an account from one address, further ones
 * from there are refused unseen for a time that doubles with each. Others who use the account from
 * other addresses notice nothing, so that nobody's account can be locked by a stranger.
 * Thread-safe.
 */
final class FailedLogins {

  /** Wrong passwords that cost nothing: people mistype. */
  static final int FREE = 3;

  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** Failures are forgotten when none came for this long. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(10);

  /** How many pairs of account and address are remembered; the eldest are forgotten first. */
  static final int REMEMBERED = 10_000;

  private record Key(String account, String address) {}

  private record Failures(int count, long lastNanos, long untilNanos) {}

  private final Map<Key, Failures> failures =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Failures> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** How long an attempt must wait; zero if it may be made. */
  synchronized Duration wait(String account, String address, long nowNanos) {
    Failures known = failures.get(new Key(account, address));
    return known == null || known.untilNanos - nowNanos <= 0
        ? Duration.ZERO
        : Duration.ofNanos(known.untilNanos - nowNanos);
  }

  /** A password was wrong. */
  synchronized void failed(String account, String address, long nowNanos) {
    Key key = new Key(account, address);
    Failures known = failures.remove(key);
    int count =
        known == null || nowNanos - known.lastNanos > FORGOTTEN.toNanos() ? 1 : known.count + 1;
    long waits = 0;
    if (count > FREE) {
      int doublings = Math.min(count - FREE - 1, 10);
      waits = Math.min(LONGEST.toNanos(), FIRST.toNanos() << doublings);
    }
    failures.put(key, new Failures(count, nowNanos, nowNanos + waits));
  }

  /** A password was right. */
  synchronized void succeeded(String account, String address) {
    failures.remove(new Key(account, address));
  }
}
