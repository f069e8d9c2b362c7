package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.TraceParent;
import java.util.List;

/**
 * A call that has ended, and whose caller samples its trace.
 *
 * @param method as in {@link CallMetrics#ended}
 * @param statusCode name of the gRPC status code, {@code OK} for success
 * @param keyspace that the request named, perhaps one that does not exist; empty for a call that is
 *     about none
 * @param family the same
 * @param nanos from the call's headers to its end
 * @param parent of which trace the call is a part, and of which of the caller's spans
 * @param events what happened, in the order of time
 * @param dropped how many events there were beyond those
 */
public record TracedCall(
    String method,
    String statusCode,
    String keyspace,
    String family,
    long nanos,
    TraceParent parent,
    List<CallTrace.Event> events,
    long dropped) {}
