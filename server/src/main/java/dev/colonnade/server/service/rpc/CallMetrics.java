package dev.colonnade.server.service.rpc;

/**
 * Records every finished call. Called on the event loop: must be thread-safe, quick, and never
 * throw.
 */
@FunctionalInterface
public interface CallMetrics {

  /** Records nothing. */
  CallMetrics NONE = (method, statusCode, keyspace, family, nanos) -> {};

  /**
   * Records a finished call.
   *
   * @param method full name, as {@code colonnade.v1.ColumnStoreService/Get}
   * @param statusCode name of the gRPC status code, {@code OK} for success
   * @param keyspace that the request named, perhaps one that does not exist; empty for a call that
   *     is about none
   * @param family the same
   * @param nanos from the call's headers to its end
   */
  void ended(String method, String statusCode, String keyspace, String family, long nanos);

  /**
   * Records a call on data with one answer that took at least {@link RpcSettings#slowRequest},
   * after {@link #ended}.
   */
  default void slow(SlowRequest request) {}

  /** Records a call whose caller samples its trace, after {@link #ended}. */
  default void traced(TracedCall call) {}
}
