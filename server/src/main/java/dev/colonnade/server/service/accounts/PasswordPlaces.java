package dev.colonnade.server.service.accounts;

import dev.colonnade.server.base.async.Claim;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places of passwords that wait to be compared. One address has a few of them, and all
 * addresses from which no password was right yet share a part, so that strangers with many
 * addresses leave places to those who were let in before. Thread-safe.
 */
final class PasswordPlaces {

  /** Places of one address. */
  static final int ADDRESS_MAX = 16;

  /** Places of all addresses together from which no password was right yet. */
  static final int STRANGERS_MAX = 48;

  /** Addresses from which a password was right; those that were used longest ago are forgotten. */
  static final int REMEMBERED = 10_000;

  // Guarded by this.
  private final Map<String, Integer> waiting = new HashMap<>();
  private int strangers;
  private final Map<String, Boolean> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * Takes a place for a password that came from an address.
   *
   * @return to be closed when the password was compared; null if there is no place
   */
  synchronized @Nullable Claim enter(String address) {
    boolean stranger = known.get(address) == null;
    int ofAddress = waiting.getOrDefault(address, 0);
    if (ofAddress >= ADDRESS_MAX || (stranger && strangers >= STRANGERS_MAX)) {
      return null;
    }
    waiting.put(address, ofAddress + 1);
    strangers += stranger ? 1 : 0;
    return Claim.of(() -> leave(address, stranger));
  }

  private synchronized void leave(String address, boolean stranger) {
    waiting.computeIfPresent(address, (key, count) -> count > 1 ? count - 1 : null);
    strangers -= stranger ? 1 : 0;
  }

  /** A password that came from an address was right. */
  synchronized void succeeded(String address) {
    known.put(address, true);
  }
}
