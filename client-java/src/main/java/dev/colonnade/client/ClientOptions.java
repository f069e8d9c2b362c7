package dev.colonnade.client;

/**
 * How a client behaves.
 *
 * @param calls what calls have that are given no options of their own
 * @param resumeAttempts how many times in a row a {@link Cursor} goes on after a broken connection,
 *     before it fails; 0 or more
 */
public record ClientOptions(CallOptions calls, int resumeAttempts) {

  private static final int DEFAULT_RESUME_ATTEMPTS = 3;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if the number is negative
   */
  public ClientOptions {
    if (resumeAttempts < 0) {
      throw new IllegalArgumentException("resumeAttempts is 0 or more; got " + resumeAttempts);
    }
  }

  /** The defaults of {@link CallOptions}, and three attempts. */
  public static ClientOptions defaults() {
    return new ClientOptions(CallOptions.defaults(), DEFAULT_RESUME_ATTEMPTS);
  }

  /** The same with other options for calls. */
  public ClientOptions withCalls(CallOptions other) {
    return new ClientOptions(other, resumeAttempts);
  }

  /** The same with another number of attempts. */
  public ClientOptions withResumeAttempts(int other) {
    return new ClientOptions(calls, other);
  }
}
