package dev.colonnade.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a client behaves. Immutable. */
public final class ClientOptions {

  private static final ClientOptions DEFAULTS = new ClientOptions(CallOptions.defaults(), 3, null);

  private final CallOptions calls;
  private final int resumeAttempts;
  private final @Nullable CallListener listener;

  private ClientOptions(CallOptions calls, int resumeAttempts, @Nullable CallListener listener) {
    this.calls = calls;
    this.resumeAttempts = resumeAttempts;
    this.listener = listener;
  }

  /** The defaults of {@link CallOptions}, three attempts, no listener. */
  public static ClientOptions defaults() {
    return DEFAULTS;
  }

  /** The options of calls without options of their own. */
  public CallOptions calls() {
    return calls;
  }

  /** How many times in a row a {@link Cursor} continues after a broken connection. */
  public int resumeAttempts() {
    return resumeAttempts;
  }

  /** The listener for every call, if any. */
  public Optional<CallListener> listener() {
    return Optional.ofNullable(listener);
  }

  /** The same with other options for calls. */
  public ClientOptions withCalls(CallOptions other) {
    return new ClientOptions(other, resumeAttempts, listener);
  }

  /**
   * The same with another number of attempts.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public ClientOptions withResumeAttempts(int other) {
    if (other < 0) {
      throw new IllegalArgumentException("resumeAttempts is 0 or more; got " + other);
    }
    return new ClientOptions(calls, other, listener);
  }

  /** The same with a listener, which receives every call of the client. */
  public ClientOptions withListener(CallListener other) {
    return new ClientOptions(calls, resumeAttempts, other);
  }
}
