package dev.colonnade.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a client behaves. Immutable. */
public final class ClientOptions {

  private static final ClientOptions DEFAULTS =
      new ClientOptions(CallOptions.defaults(), 3, true, null);

  private final CallOptions calls;
  private final int resumeAttempts;
  private final boolean sessions;
  private final @Nullable CallListener listener;

  private ClientOptions(
      CallOptions calls, int resumeAttempts, boolean sessions, @Nullable CallListener listener) {
    this.calls = calls;
    this.resumeAttempts = resumeAttempts;
    this.sessions = sessions;
    this.listener = listener;
  }

  /** The defaults of {@link CallOptions}, three attempts, sessions, no listener. */
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

  /** Whether small calls share a stream to the node, see {@link #withSessions}. */
  public boolean sessions() {
    return sessions;
  }

  /** The listener for every call, if any. */
  public Optional<CallListener> listener() {
    return Optional.ofNullable(listener);
  }

  /** The same with other options for calls. */
  public ClientOptions withCalls(CallOptions other) {
    return new ClientOptions(other, resumeAttempts, sessions, listener);
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
    return new ClientOptions(calls, other, sessions, listener);
  }

  /**
   * The same with or without sessions. With them, small calls share one stream to the node, several
   * in a message, which costs both sides a fraction of a call of its own each: reads of one row or
   * several, counts, and writes, as long as their requests have at most 16 KiB. Calls mean the same
   * and fail in the same way. Longer calls, streams and administration are not affected, and a node
   * that has no sessions gets every call by itself.
   *
   * <p>When the stream ends, the calls that it had not answered fail with {@link
   * UnavailableException}, and of a write it is unknown whether it was applied. Behind a proxy that
   * cuts long streams, that happens to all calls in progress each time: switch sessions off there.
   */
  public ClientOptions withSessions(boolean other) {
    return new ClientOptions(calls, resumeAttempts, other, listener);
  }

  /** The same with a listener, which receives every call of the client. */
  public ClientOptions withListener(CallListener other) {
    return new ClientOptions(calls, resumeAttempts, sessions, other);
  }
}
