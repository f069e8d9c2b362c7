package dev.colonnade.server.node.tls;

import dev.colonnade.server.base.async.Futures;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open connections that one port's certificates protect, in both directions: those with a
 * certificate that is revoked are cut. Thread-safe.
 */
public final class TlsConnections {

  private static final Logger LOG = LoggerFactory.getLogger(TlsConnections.class);

  private final String port;
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();
  private final LongAdder cut = new LongAdder();

  TlsConnections(String port) {
    this.port = port;
  }

  /** Adds a connection, before or after its handshake, until it is closed. */
  public void add(Channel connection) {
    open.add(connection);
    Futures.ignore(connection.closeFuture().addListener(closed -> open.remove(connection)));
  }

  /**
   * Cuts the connections with such a certificate, without waiting for what is under way on them.
   * One that is in its handshake is looked at when that has ended.
   */
  void cut(Predicate<X509Certificate> isRevoked) {
    for (Channel connection : open) {
      SslHandler tls = connection.pipeline().get(SslHandler.class);
      if (tls != null) {
        Futures.ignore(
            tls.handshakeFuture()
                .addListener(
                    done -> {
                      if (done.isSuccess() && hasOne(tls, isRevoked)) {
                        cut(connection);
                      }
                    }));
      }
    }
  }

  private void cut(Channel connection) {
    cut.increment();
    LOG.warn(
        "cut the connection of {} with {}: its certificate is revoked",
        port,
        connection.remoteAddress());
    // Not the protocol's orderly end, which lets calls that are under way finish.
    connection.unsafe().close(connection.unsafe().voidPromise());
  }

  private static boolean hasOne(SslHandler tls, Predicate<X509Certificate> isRevoked) {
    try {
      for (Certificate each : tls.engine().getSession().getPeerCertificates()) {
        if (each instanceof X509Certificate certificate && isRevoked.test(certificate)) {
          return true;
        }
      }
      return false;
    } catch (SSLPeerUnverifiedException e) {
      // The other end showed no certificate.
      return false;
    }
  }

  /** How many connections were cut since the start. */
  long cutSoFar() {
    return cut.sum();
  }
}
