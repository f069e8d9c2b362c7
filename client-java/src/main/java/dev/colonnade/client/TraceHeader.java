package dev.colonnade.client;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;

/** The W3C's header with which a gRPC call says of which trace it is a part. */
final class TraceHeader {

  /** The name of the header. */
  static final Metadata.Key<String> KEY =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  /** More than the W3C's form of any version that is known needs. */
  private static final int CHARACTERS_MAX = 128;

  private TraceHeader() {}

  /** The header if it can be sent as one; else empty. */
  static String checked(String header) {
    boolean plain = header.chars().allMatch(c -> c >= ' ' && c <= '~');
    return plain && header.length() <= CHARACTERS_MAX ? header : "";
  }

  /**
   * A channel whose calls have the header.
   *
   * @param traceparent empty: the channel as it is
   */
  static Channel on(Channel channel, String traceparent) {
    if (traceparent.isEmpty()) {
      return channel;
    }
    Metadata headers = new Metadata();
    headers.put(KEY, traceparent);
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }
}
