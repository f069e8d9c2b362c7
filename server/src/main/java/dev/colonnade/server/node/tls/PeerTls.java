package dev.colonnade.server.node.tls;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Encryption between nodes, where both ends show certificates. A handshake succeeds only with a
 * node of the same cluster; which node it is, {@link #nodeIn} says.
 *
 * @param accepting for connections that other nodes open
 * @param dialing for those that this node opens
 * @param connections to which those of either direction are added
 * @param self this node, as its own certificate names it
 */
public record PeerTls(
    SslContext accepting, SslContext dialing, TlsConnections connections, CertifiedNode self) {

  static PeerTls of(PortCertificates certificates, CertifiedNode self)
      throws CertificateFileException {
    X509TrustManager trust =
        certificates
            .trust()
            .orElseThrow(() -> new CertificateFileException("other nodes need an authority"));
    try {
      return new PeerTls(
          new FullHandshakes(
              GrpcSslContexts.configure(SslContextBuilder.forServer(certificates.identity()))
                  .trustManager(trust)
                  .clientAuth(ClientAuth.REQUIRE)
                  .protocols(NodeTls.PROTOCOL)
                  .sessionTimeout(FullHandshakes.TICKET_SECONDS)
                  .build()),
          GrpcSslContexts.configure(
                  SslContextBuilder.forClient().keyManager(certificates.identity()))
              .trustManager(trust)
              .protocols(NodeTls.PROTOCOL)
              .build(),
          certificates.connections(),
          self);
    } catch (SSLException e) {
      throw new CertificateFileException("TLS cannot be set up: " + e.getMessage(), e);
    }
  }

  /** The node whose certificate the other end of a connection showed; empty if it showed none. */
  public static Optional<CertifiedNode> nodeIn(@Nullable SSLSession session) {
    if (session == null) {
      return Optional.empty();
    }
    try {
      Certificate[] chain = session.getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate certificate
          ? CertifiedNode.in(certificate)
          : Optional.empty();
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
  }

  /** Accepts certificates that name a node of that cluster. */
  static PortCertificates.Check ofCluster(String clusterName) {
    return certificate -> {
      Optional<CertifiedNode> node = CertifiedNode.in(certificate);
      if (node.isEmpty() || !node.get().clusterName().equals(clusterName)) {
        throw new CertificateException("the certificate names no node of this cluster");
      }
    };
  }
}
