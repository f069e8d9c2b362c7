package dev.colonnade.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a client behaves. Immutable. */
public final class ClientOptions {

  private static final ClientOptions DEFAULTS =
      new ClientOptions(CallOptions.defaults(), 3, true, 3, true, null, null);

  private final CallOptions calls;
  private final int resumeAttempts;
  private final boolean sessions;
  private final int retries;
  private final boolean discovery;
  private final @Nullable String datacenter;
  private final @Nullable CallListener listener;

  private ClientOptions(
      CallOptions calls,
      int resumeAttempts,
      boolean sessions,
      int retries,
      boolean discovery,
      @Nullable String datacenter,
      @Nullable CallListener listener) {
    this.calls = calls;
    this.resumeAttempts = resumeAttempts;
    this.sessions = sessions;
    this.retries = retries;
    this.discovery = discovery;
    this.datacenter = datacenter;
    this.listener = listener;
  }

  /**
   * The defaults of {@link CallOptions}, three attempts to resume, three retries, sessions, nodes
   * found by themselves, no preferred data centre, no listener.
   */
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

  /** How many times one call on data is made again, see {@link #withRetries}. */
  public int retries() {
    return retries;
  }

  /** Whether the nodes of the ring are found and watched, see {@link #withDiscovery}. */
  public boolean discovery() {
    return discovery;
  }

  /** The data centre whose nodes are preferred, if any. */
  public Optional<String> datacenter() {
    return Optional.ofNullable(datacenter);
  }

  /** The listener for every call, if any. */
  public Optional<CallListener> listener() {
    return Optional.ofNullable(listener);
  }

  /** The same with other options for calls. */
  public ClientOptions withCalls(CallOptions other) {
    return new ClientOptions(
        other, resumeAttempts, sessions, retries, discovery, datacenter, listener);
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
    return new ClientOptions(calls, other, sessions, retries, discovery, datacenter, listener);
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
    return new ClientOptions(
        calls, resumeAttempts, other, retries, discovery, datacenter, listener);
  }

  /**
   * The same with another number of retries. With several nodes, a read or write that fails on one
   * of them is made again on another, at once, if the connection broke, the node does not serve or
   * has too much to do, or sees too few replicas; a write carries its timestamps, so that applying
   * it twice changes nothing. Every attempt has what is left of the call's deadline. When many
   * calls fail for long, fewer are made again. Schema changes, truncations and administration are
   * never made again by the client.
   *
   * @param other 0 for none
   * @throws IllegalArgumentException if it is negative
   */
  public ClientOptions withRetries(int other) {
    if (other < 0) {
      throw new IllegalArgumentException("retries is 0 or more; got " + other);
    }
    return new ClientOptions(
        calls, resumeAttempts, sessions, other, discovery, datacenter, listener);
  }

  /**
   * The same with or without discovery. With it, a client of several contact points learns from one
   * of them which nodes there are, hears of every change, and spreads its calls over them. Without
   * it, it uses the contact points alone: for clients that reach the nodes by addresses other than
   * those that the nodes tell each other.
   */
  public ClientOptions withDiscovery(boolean other) {
    return new ClientOptions(calls, resumeAttempts, sessions, retries, other, datacenter, listener);
  }

  /** The same with a data centre whose nodes get the calls while one of them answers. */
  public ClientOptions withDatacenter(String other) {
    return new ClientOptions(calls, resumeAttempts, sessions, retries, discovery, other, listener);
  }

  /** The same with a listener, which receives every call of the client. */
  public ClientOptions withListener(CallListener other) {
    return new ClientOptions(
        calls, resumeAttempts, sessions, retries, discovery, datacenter, other);
  }
}
