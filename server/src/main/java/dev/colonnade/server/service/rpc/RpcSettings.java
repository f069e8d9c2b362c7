package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.config.ConnectionSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.RequestSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The limits of the gRPC services. Each protects the node's memory or its time from one request or
 * one client.
 *
 * @param timeout how long a call may take when the caller set no deadline; a stream has this long
 *     for each chunk. May be changed while calls are served
 * @param answerMargin how long before the caller's deadline a call must have its answer, so that
 *     the caller gets a reason instead of its own timeout: a quarter of a second covers the delays
 *     of a timer, a turn and the way back on a loaded machine. Never more than a tenth of the
 *     caller's time
 * @param slowRequest a call on data with one answer that takes this long is reported as slow; zero:
 *     none is
 * @param reflection whether the node describes its services to those who call them
 */
public record RpcSettings(
    Requests requests,
    Pages pages,
    StreamLimits streams,
    Sessions sessions,
    ConnectionLimits connections,
    AtomicReference<Duration> timeout,
    Duration answerMargin,
    Duration slowRequest,
    boolean reflection) {

  /** The defaults, each explained at its field. */
  public static RpcSettings defaults() {
    return new RpcSettings(
        new Requests(
            Math.toIntExact(RequestSettings.MAX_VALUE_BYTES.defaultValue()),
            10_000,
            10_000,
            100_000,
            100_000,
            630_720_000,
            16),
        new Pages(1 << 20, 2 << 20, 256 << 10, 1 << 20, 32 << 10),
        new StreamLimits(64, 8 << 20, 10_000),
        new Sessions(1_024, 4 << 20, 32 << 10, 32 << 10, Duration.ofMinutes(5)),
        new ConnectionLimits(
            16 << 20,
            16 << 10,
            50_000,
            10,
            ConnectionSettings.READER_TIMEOUT.defaultValue(),
            Duration.ofSeconds(10)),
        new AtomicReference<>(RequestSettings.RPC_TIMEOUT.defaultValue()),
        Duration.ofMillis(250),
        RequestSettings.SLOW_REQUEST_THRESHOLD.defaultValue(),
        ConnectionSettings.REFLECTION.defaultValue());
  }

  /** The limits that an operator's settings mean. */
  public static RpcSettings of(NodeSettings settings) {
    return defaults()
        .withCallTimeout(settings.get(RequestSettings.RPC_TIMEOUT))
        .withMaxValueBytes(settings.get(RequestSettings.MAX_VALUE_BYTES))
        .withSlowRequest(settings.get(RequestSettings.SLOW_REQUEST_THRESHOLD))
        .withReaderTimeout(settings.get(ConnectionSettings.READER_TIMEOUT))
        .withReflection(settings.get(ConnectionSettings.REFLECTION));
  }

  /** These settings with another time for calls without a deadline. */
  public RpcSettings withCallTimeout(Duration other) {
    return new RpcSettings(
        requests,
        pages,
        streams,
        sessions,
        connections,
        new AtomicReference<>(other),
        answerMargin,
        slowRequest,
        reflection);
  }

  /** How long a call may take that begins now, when the caller set no deadline. */
  public Duration callTimeout() {
    return Objects.requireNonNull(timeout.get());
  }

  /** These settings with another time from which on a call is slow. */
  public RpcSettings withSlowRequest(Duration other) {
    return new RpcSettings(
        requests, pages, streams, sessions, connections, timeout, answerMargin, other, reflection);
  }

  /** These settings with another bound of values, in bytes. */
  public RpcSettings withMaxValueBytes(long other) {
    return with(
        new Requests(
            Math.toIntExact(other),
            requests.maxKeys,
            requests.maxRows,
            requests.maxMutations,
            requests.maxNames,
            requests.maxTtlSeconds,
            requests.concurrentReads));
  }

  /** These settings with another timeout for clients that do not read their answers. */
  public RpcSettings withReaderTimeout(Duration other) {
    return with(
        new ConnectionLimits(
            connections.maxMessageBytes,
            connections.maxMetadataBytes,
            connections.maxOpenCalls,
            connections.minKeepAliveSeconds,
            other,
            connections.grace));
  }

  /** These settings with or without a description of the services. */
  public RpcSettings withReflection(boolean other) {
    return new RpcSettings(
        requests, pages, streams, sessions, connections, timeout, answerMargin, slowRequest, other);
  }

  /** These settings with other request limits. */
  public RpcSettings with(Requests other) {
    return new RpcSettings(
        other,
        pages,
        streams,
        sessions,
        connections,
        timeout,
        answerMargin,
        slowRequest,
        reflection);
  }

  /** These settings with other stream limits. */
  public RpcSettings with(StreamLimits other) {
    return new RpcSettings(
        requests,
        pages,
        other,
        sessions,
        connections,
        timeout,
        answerMargin,
        slowRequest,
        reflection);
  }

  /** These settings with other limits of sessions. */
  public RpcSettings with(Sessions other) {
    return new RpcSettings(
        requests,
        pages,
        streams,
        other,
        connections,
        timeout,
        answerMargin,
        slowRequest,
        reflection);
  }

  /** These settings with other connection limits. */
  public RpcSettings with(ConnectionLimits other) {
    return new RpcSettings(
        requests, pages, streams, sessions, other, timeout, answerMargin, slowRequest, reflection);
  }

  /**
   * What one request may carry.
   *
   * @param maxValueBytes longest value that a client may write; what other nodes send is not held
   *     to it
   * @param maxKeys most keys in a multiget, a count of many keys or a touch; a repeated one counts
   *     once
   * @param maxRows most rows in a batch; parts of one row count once
   * @param maxMutations most mutations in a batch; each column of a super column counts
   * @param maxNames most names in a predicate
   * @param maxTtlSeconds longest time to live, 20 years: a greater one is nearly always
   *     milliseconds by mistake
   * @param concurrentReads how many keys of one request are read at a time
   */
  public record Requests(
      int maxValueBytes,
      int maxKeys,
      int maxRows,
      int maxMutations,
      int maxNames,
      int maxTtlSeconds,
      int concurrentReads) {}

  /**
   * Where answers are cut, in encoded bytes.
   *
   * @param defaultPageBytes of a unary answer if the request does not say
   * @param maxPageBytes most that a unary request may ask for
   * @param defaultChunkBytes of a stream's message
   * @param maxChunkBytes most that a stream's request may ask for
   * @param inlineBytes a request or an answer up to this length is processed on the event loop that
   *     brought it, which takes some hundred microseconds at most; longer ones are queued on a
   *     stage
   */
  public record Pages(
      int defaultPageBytes,
      int maxPageBytes,
      int defaultChunkBytes,
      int maxChunkBytes,
      int inlineBytes) {}

  /**
   * What one StreamMutate may hold in memory.
   *
   * @param maxBatchesInFlight batches read and not yet answered
   * @param maxBytesInFlight bytes of such batches; another batch is read while the sum is below it
   * @param maxSequenceGaps ranges of sequence numbers remembered; numbers that follow one another
   *     are one range
   */
  public record StreamLimits(int maxBatchesInFlight, int maxBytesInFlight, int maxSequenceGaps) {}

  /**
   * What one session may hold in memory.
   *
   * @param maxCalls calls begun and not completely answered: enough for as many blocking callers
   *     behind one client; a message more may be read beyond it
   * @param maxBytes bytes of the messages of such calls; another message is read while the sum is
   *     below it
   * @param maxMessageBytes longest message: what is decoded on the event loop without a delay that
   *     other calls would notice. A larger call is made with its unary method
   * @param pieceBytes a longer answer is sent in pieces of this length, so that it delays the
   *     answers behind it by one piece
   * @param idle a session without a call for this long is ended as if the node went away, so that
   *     the connection of an idle client can be closed: clients open another one in milliseconds
   */
  public record Sessions(
      int maxCalls, int maxBytes, int maxMessageBytes, int pieceBytes, Duration idle) {}

  /**
   * What a connection may do.
   *
   * @param maxMessageBytes longest request
   * @param maxMetadataBytes longest request headers
   * @param maxOpenCalls calls open at a time on all connections together
   * @param minKeepAliveSeconds a client that pings more often is disconnected
   * @param readerTimeout an answer or a stream ends if its client takes nothing of it for this long
   * @param grace how long open calls may continue when the server stops
   */
  public record ConnectionLimits(
      int maxMessageBytes,
      int maxMetadataBytes,
      int maxOpenCalls,
      int minKeepAliveSeconds,
      Duration readerTimeout,
      Duration grace) {}
}
