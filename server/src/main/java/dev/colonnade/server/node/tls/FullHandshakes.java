package dev.colonnade.server.node.tls;

import io.grpc.netty.shaded.io.netty.handler.ssl.DelegatingSslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.internal.tcnative.SSL;
import javax.net.ssl.SSLEngine;

/**
 * Encryption of a port that gives its callers no session tickets. A ticket stands for a certificate
 * that was checked when it was given, and is good for two days: a caller whose certificate has
 * expired since, or whose authority is trusted no more, would still get in with it. Thread-safe.
 */
final class FullHandshakes extends DelegatingSslContext {

  /** For TLS of the Java platform, which has no such switch: tickets end after this. */
  static final int TICKET_SECONDS = 1;

  FullHandshakes(SslContext port) {
    super(port);
  }

  @Override
  protected void initEngine(SSLEngine engine) {
    if (engine instanceof ReferenceCountedOpenSslEngine open) {
      SSL.setOptions(open.sslPointer(), SSL.SSL_OP_NO_TICKET);
    }
  }
}
