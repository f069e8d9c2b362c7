package dev.colonnade.server.base.health;

import java.util.HashMap;
import java.util.Map;

/**
 * Raises a condition for work that fails again and again, and clears it when that work succeeds.
 * What fails once or twice may be bad luck; what has failed {@link #REPEATED} times in a row will
 * most likely fail until an operator looks.
 *
 * <p>Thread-safe.
 */
public final class RepeatedFailures {

  /** How often in a row work has failed when the condition gets its full impact. */
  public static final int REPEATED = 3;

  private final Health health;
  private final Condition condition;
  private final Impact atFirst;
  private final Impact repeated;
  private final Map<String, Integer> inARow = new HashMap<>();

  /**
   * Begins without failures.
   *
   * @param atFirst the impact of the first failures; {@link Impact#NONE} if they raise nothing
   * @param repeated the impact from the third failure in a row on
   */
  public RepeatedFailures(Health health, Condition condition, Impact atFirst, Impact repeated) {
    this.health = health;
    this.condition = condition;
    this.atFirst = atFirst;
    this.repeated = repeated;
  }

  /**
   * The work failed.
   *
   * @param subject which of several
   * @param reason for people: what fails, and what to do
   */
  public synchronized void failed(String subject, String reason) {
    int times = Math.min(REPEATED, inARow.merge(subject, 1, Integer::sum));
    Impact impact = times < REPEATED ? atFirst : repeated;
    if (impact != Impact.NONE) {
      health.raise(condition, subject, impact, reason);
    }
  }

  /** The work succeeded, or there is none any more. */
  public synchronized void over(String subject) {
    if (inARow.remove(subject) != null) {
      health.clear(condition, subject);
    }
  }
}
