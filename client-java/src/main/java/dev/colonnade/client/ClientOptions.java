package dev.colonnade.client;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How a client behaves. Immutable. */
public final class ClientOptions {

  private static final Duration LEAST_KEEP_ALIVE = Duration.ofSeconds(10);

  private static final int MOST_CONNECTIONS_PER_NODE = 64;

  private static final ClientOptions DEFAULTS = new ClientOptions(new Draft());

  /** The options while they are being changed. */
  private static final class Draft {
    CallOptions calls = CallOptions.defaults();
    int resumeAttempts = 3;
    boolean sessions = true;
    int connectionsPerNode = 4;
    int retries = 3;
    @Nullable Speculation speculation = Speculation.defaults();
    boolean discovery = true;
    @Nullable String datacenter;
    Duration keepAlive = Duration.ofSeconds(20);
    @Nullable Tls tls;
    @Nullable TokenSource tokens;
    @Nullable String user;
    @Nullable PasswordSource password;
    @Nullable CallListener listener;

    Draft() {}

    Draft(ClientOptions from) {
      calls = from.calls;
      resumeAttempts = from.resumeAttempts;
      sessions = from.sessions;
      connectionsPerNode = from.connectionsPerNode;
      retries = from.retries;
      speculation = from.speculation;
      discovery = from.discovery;
      datacenter = from.datacenter;
      keepAlive = from.keepAlive;
      tls = from.tls;
      tokens = from.tokens;
      user = from.user;
      password = from.password;
      listener = from.listener;
    }
  }

  private final CallOptions calls;
  private final int resumeAttempts;
  private final boolean sessions;
  private final int connectionsPerNode;
  private final int retries;
  private final @Nullable Speculation speculation;
  private final boolean discovery;
  private final @Nullable String datacenter;
  private final Duration keepAlive;
  private final @Nullable Tls tls;
  private final @Nullable TokenSource tokens;
  private final @Nullable String user;
  private final @Nullable PasswordSource password;
  private final @Nullable CallListener listener;

  private ClientOptions(Draft draft) {
    this.calls = draft.calls;
    this.resumeAttempts = draft.resumeAttempts;
    this.sessions = draft.sessions;
    this.connectionsPerNode = draft.connectionsPerNode;
    this.retries = draft.retries;
    this.speculation = draft.speculation;
    this.discovery = draft.discovery;
    this.datacenter = draft.datacenter;
    this.keepAlive = draft.keepAlive;
    this.tls = draft.tls;
    this.tokens = draft.tokens;
    this.user = draft.user;
    this.password = draft.password;
    this.listener = draft.listener;
  }

  private ClientOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new ClientOptions(draft);
  }

  /**
   * The defaults of {@link CallOptions}, three attempts to resume, three retries, second reads with
   * the defaults of {@link Speculation}, sessions, up to four connections to a node, nodes found by
   * themselves, no preferred data centre, connections that are not encrypted and tried every 20
   * seconds, no token, no user, no listener.
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

  /** How many connections to a node there may be, see {@link #withConnectionsPerNode}. */
  public int connectionsPerNode() {
    return connectionsPerNode;
  }

  /** How many times one call on data is made again, see {@link #withRetries}. */
  public int retries() {
    return retries;
  }

  /** When reads go to a second node, if they do; see {@link #withSpeculation}. */
  public Optional<Speculation> speculation() {
    return Optional.ofNullable(speculation);
  }

  /** Whether the nodes of the ring are found and watched, see {@link #withDiscovery}. */
  public boolean discovery() {
    return discovery;
  }

  /** The data centre whose nodes are preferred, if any. */
  public Optional<String> datacenter() {
    return Optional.ofNullable(datacenter);
  }

  /** How long a connection may be silent before it is tried, see {@link #withKeepAlive}. */
  public Duration keepAlive() {
    return keepAlive;
  }

  /** How connections are encrypted, if they are. */
  public Optional<Tls> tls() {
    return Optional.ofNullable(tls);
  }

  /** Where the token of calls comes from, if they have one. */
  public Optional<TokenSource> tokens() {
    return Optional.ofNullable(tokens);
  }

  /** The name of the user that calls are made as, if one was given. */
  public Optional<String> user() {
    return Optional.ofNullable(user);
  }

  /** Where that user's password comes from, if it was given. */
  public Optional<PasswordSource> password() {
    return Optional.ofNullable(password);
  }

  /** The listener for every call, if any. */
  public Optional<CallListener> listener() {
    return Optional.ofNullable(listener);
  }

  /** The same with other options for calls. */
  public ClientOptions withCalls(CallOptions other) {
    return with(draft -> draft.calls = other);
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
    return with(draft -> draft.resumeAttempts = other);
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
    return with(draft -> draft.sessions = other);
  }

  /**
   * The same with another number of connections to a node. A client uses one, which carries its
   * session and a thousand further calls and streams; only when those are open at the same time it
   * makes another one, and with the last of them full, calls wait until others end.
   *
   * @throws IllegalArgumentException if it is not from 1 to 64
   */
  public ClientOptions withConnectionsPerNode(int other) {
    if (other < 1 || other > MOST_CONNECTIONS_PER_NODE) {
      throw new IllegalArgumentException(
          "connectionsPerNode is 1 to " + MOST_CONNECTIONS_PER_NODE + "; got " + other);
    }
    return with(draft -> draft.connectionsPerNode = other);
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
    return with(draft -> draft.retries = other);
  }

  /**
   * The same with other delays of second reads. With several nodes, a read without an answer is
   * made on another node, too, once the first has taken longer than it nearly always does; the
   * first answer counts and the other call is cancelled. So a node that stands still for a moment
   * delays reads only by that much. Ten reads that are answered earn one that may be made twice: a
   * cluster that is slow as a whole gets at most that many more. Pages after the first are reads of
   * their own; streams, writes and administration go to one node.
   */
  public ClientOptions withSpeculation(Speculation other) {
    return with(draft -> draft.speculation = other);
  }

  /** The same without second reads: each waits for its first node, up to its deadline. */
  public ClientOptions withoutSpeculation() {
    return with(draft -> draft.speculation = null);
  }

  /**
   * The same with or without discovery. With it, a client of several contact points learns from one
   * of them which nodes there are, hears of every change, and spreads its calls over them. Without
   * it, it uses the contact points alone: for clients that reach the nodes by addresses other than
   * those that the nodes tell each other.
   */
  public ClientOptions withDiscovery(boolean other) {
    return with(draft -> draft.discovery = other);
  }

  /** The same with a data centre whose nodes get the calls while one of them answers. */
  public ClientOptions withDatacenter(String other) {
    return with(draft -> draft.datacenter = other);
  }

  /**
   * The same with another limit of silence. A connection on which nothing has come for that long is
   * tried, and is broken if there is no answer within 5 s: a machine that vanishes says nothing.
   *
   * @throws IllegalArgumentException if it is less than 10 s: nodes end connections that are tried
   *     more often
   */
  public ClientOptions withKeepAlive(Duration other) {
    if (other.compareTo(LEAST_KEEP_ALIVE) < 0) {
      throw new IllegalArgumentException(
          "connections are tried every 10 s at most, or nodes end them; got " + other);
    }
    return with(draft -> draft.keepAlive = other);
  }

  /**
   * The same with connections that are encrypted, for nodes that have certificates
   * (docs/security.md).
   */
  public ClientOptions withTls(Tls other) {
    return with(draft -> draft.tls = other);
  }

  /** The same with connections that are not encrypted. */
  public ClientOptions withoutTls() {
    return with(draft -> draft.tls = null);
  }

  /**
   * The same with a token in each call, for connections that are encrypted: one that {@code
   * AccountService.Login} gave, or of an issuer that the nodes have a plug-in for
   * (docs/accounts.md). Not together with a user.
   */
  public ClientOptions withTokens(TokenSource other) {
    return with(draft -> draft.tokens = other);
  }

  /**
   * The same with a user's name and password in each call, for nodes that ask who calls
   * (docs/accounts.md). They are sent over connections that are encrypted, and to nodes on this
   * machine; other calls fail before anything is sent. Not together with a token.
   *
   * @param name of the user
   */
  public ClientOptions withUser(String name, PasswordSource passwords) {
    return with(
        draft -> {
          draft.user = name;
          draft.password = passwords;
        });
  }

  /** The same without a user: calls are made as whoever the certificate or the token says. */
  public ClientOptions withoutUser() {
    return with(
        draft -> {
          draft.user = null;
          draft.password = null;
        });
  }

  /** The same with the name only; the password is another setting. */
  ClientOptions withUserName(String name) {
    return with(draft -> draft.user = name);
  }

  /** The same with the password only; the name is another setting. */
  ClientOptions withPassword(PasswordSource passwords) {
    return with(draft -> draft.password = passwords);
  }

  /** The same with a listener, which receives every call of the client. */
  public ClientOptions withListener(CallListener other) {
    return with(draft -> draft.listener = other);
  }
}
