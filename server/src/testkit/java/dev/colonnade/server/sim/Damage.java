package dev.colonnade.server.sim;

import java.util.stream.LongStream;

/**
 * Which damages of a file a sweep tries: all of them, or an even share that a build has time for.
 */
public final class Damage {

  private static final String SETTING = "colonnade.sweep.share";

  private Damage() {}

  /**
   * The bits to flip, one at a time.
   *
   * @param share one of how many, unless the property {@code colonnade.sweep.share} says otherwise
   */
  public static LongStream bits(int bytes, long share) {
    // A step that has no factor in common with 8 meets every bit of a byte somewhere.
    long step = Long.getLong(SETTING, share);
    return LongStream.range(0, 8L * bytes).filter(bit -> bit % step == 0);
  }

  /** The lengths to cut a file to, all shorter than it is. */
  public static LongStream lengths(int bytes, long share) {
    long step = Long.getLong(SETTING, share);
    return LongStream.range(0, bytes).filter(length -> length % step == 0 || length == bytes - 1);
  }
}
