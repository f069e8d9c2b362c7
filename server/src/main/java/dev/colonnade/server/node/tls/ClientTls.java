package dev.colonnade.server.node.tls;

import dev.colonnade.server.base.config.TlsSettings.ClientCertificates;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import javax.net.ssl.SSLException;

/**
 * Encryption for clients.
 *
 * @param grpc of their port
 * @param http of the port for operators, where a certificate is never required: probes have none
 * @param connections to which those of both ports are added
 */
public record ClientTls(SslContext grpc, SslContext http, TlsConnections connections) {

  static ClientTls of(PortCertificates certificates, ClientCertificates asked)
      throws CertificateFileException {
    ClientAuth auth =
        switch (asked) {
          case NONE -> ClientAuth.NONE;
          case OPTIONAL -> ClientAuth.OPTIONAL;
          case REQUIRED -> ClientAuth.REQUIRE;
        };
    try {
      SslContextBuilder grpc =
          GrpcSslContexts.configure(SslContextBuilder.forServer(certificates.identity()))
              .clientAuth(auth)
              .protocols(NodeTls.PROTOCOL)
              .sessionTimeout(FullHandshakes.TICKET_SECONDS);
      certificates.trust().ifPresent(grpc::trustManager);
      SslContextBuilder http =
          SslContextBuilder.forServer(certificates.identity())
              .protocols(NodeTls.PROTOCOL)
              .sessionTimeout(FullHandshakes.TICKET_SECONDS);
      if (asked != ClientCertificates.NONE) {
        certificates.trust().ifPresent(http.clientAuth(ClientAuth.OPTIONAL)::trustManager);
      }
      return new ClientTls(
          new FullHandshakes(grpc.build()),
          new FullHandshakes(http.build()),
          certificates.connections());
    } catch (SSLException e) {
      throw new CertificateFileException("TLS cannot be set up: " + e.getMessage(), e);
    }
  }
}
