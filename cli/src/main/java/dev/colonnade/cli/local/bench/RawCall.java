package dev.colonnade.cli.local.bench;

import io.grpc.MethodDescriptor;

/** A call that is ready to be sent. */
public final class RawCall {

  private final MethodDescriptor<byte[], byte[]> method;
  private final byte[] request;

  /**
   * A call.
   *
   * @param request encoded; not to be changed from now on
   */
  public RawCall(MethodDescriptor<byte[], byte[]> method, byte[] request) {
    this.method = method;
    this.request = request;
  }

  MethodDescriptor<byte[], byte[]> method() {
    return method;
  }

  byte[] request() {
    return request;
  }
}
