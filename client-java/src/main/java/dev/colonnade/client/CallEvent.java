package dev.colonnade.client;

import java.time.Duration;
import java.util.Optional;

/**
 * An attempt of a call on one node, which has ended. A call whose first attempt fails may have
 * more, and so may a read that a node is late with.
 *
 * @param method as the contract calls it, such as {@code GetSlice}
 * @param keyspace that the call is about, if it names one
 * @param columnFamily that it is about; empty if it names none, or several
 * @param node where it was sent: {@code host:port}
 * @param attempt 1 for the first of a call
 * @param speculative whether it was made beside another one that had no answer yet
 * @param took from its beginning to its end
 * @param failure why it failed; empty if it did not. An attempt that was ended because another node
 *     had answered, or because the caller gave up, has the reason {@code CANCELLED}
 * @param cost what the node tells of it, if the {@link CallOptions} ask for that
 * @param traceparent the W3C's header that it was made with ({@link CallOptions#withTraceparent});
 *     empty for none
 */
public record CallEvent(
    String method,
    Optional<String> keyspace,
    Optional<String> columnFamily,
    String node,
    int attempt,
    boolean speculative,
    Duration took,
    Optional<ColonnadeException> failure,
    Optional<CallStatistics> cost,
    String traceparent) {}
