package dev.colonnade.server.node.tls;

import dev.colonnade.server.base.env.Clock;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;

/**
 * The certificates of one port, as its files last had them: handshakes take what is here then, and
 * connections that are open go on, unless their certificate is revoked. Thread-safe.
 */
public final class PortCertificates {

  /** Refuses the contents of files, or the certificate of the other end. */
  interface Check {

    /** Accepts everything. */
    Check NONE = certificate -> {};

    /**
     * Checks a certificate that is valid.
     *
     * @throws CertificateException if it is not wanted here; the message says why
     */
    void check(X509Certificate certificate) throws CertificateException;
  }

  private final String port;
  private final PemFiles files;
  private final Check own;
  private final Clock clock;
  private final AdvancedTlsX509KeyManager identity = new AdvancedTlsX509KeyManager();
  private final Optional<AdvancedTlsX509TrustManager> trust;
  private final Revocations revocations;
  private final TlsConnections connections;
  private volatile PemFiles.Contents current;

  /**
   * Reads the files. Blocks.
   *
   * @param port who uses it, for logs and metrics
   * @param revoked the lists of certificates that other ends may have no more
   * @param own what the node's own certificate must be
   * @param theirs what that of the other end must be, beyond being valid
   * @throws CertificateFileException if they cannot be used
   */
  PortCertificates(
      String port,
      PemFiles files,
      Revocations.RevocationFile revoked,
      Check own,
      Check theirs,
      Clock clock)
      throws CertificateFileException {
    this.port = port;
    this.files = files;
    this.own = own;
    this.clock = clock;
    this.revocations = new Revocations(revoked);
    this.connections = new TlsConnections(port);
    this.trust = files.authorities().isPresent() ? Optional.of(trust(theirs)) : Optional.empty();
    this.current = read();
    boolean unused = revocations.look(listAuthorities());
    use(current);
  }

  private AdvancedTlsX509TrustManager trust(Check theirs) throws CertificateFileException {
    try {
      return AdvancedTlsX509TrustManager.newBuilder()
          // Other ends are known by what their certificates name, wherever they call from.
          .setVerification(AdvancedTlsX509TrustManager.Verification.CERTIFICATE_ONLY_VERIFICATION)
          .setSslSocketAndEnginePeerVerifier(new PeerCheck(theirs, revocations))
          .build();
    } catch (CertificateException e) {
      throw new CertificateFileException("cannot check certificates: " + e.getMessage(), e);
    }
  }

  private PemFiles.Contents read() throws CertificateFileException {
    PemFiles.Contents found = files.read(now());
    try {
      own.check(found.certificate());
    } catch (CertificateException e) {
      throw new CertificateFileException(files.certificate() + ": " + e.getMessage(), e);
    }
    return found;
  }

  private void use(PemFiles.Contents contents) throws CertificateFileException {
    try {
      if (trust.isPresent()) {
        trust.get().updateTrustCredentials(contents.authorities().toArray(X509Certificate[]::new));
      }
      identity.updateIdentityCredentials(
          contents.chain().toArray(X509Certificate[]::new), contents.key());
    } catch (GeneralSecurityException | IOException e) {
      throw new CertificateFileException("cannot use the certificates: " + e.getMessage(), e);
    }
    current = contents;
  }

  /**
   * Looks at the files, and takes what is in them if it has changed. Blocks; one call at a time.
   *
   * @return whether something changed
   * @throws CertificateFileException if they cannot be used; what was there before stays
   */
  boolean look() throws CertificateFileException {
    PemFiles.Contents found = read();
    if (found.equals(current)) {
      return false;
    }
    use(found);
    return true;
  }

  /**
   * Looks at the lists of revoked certificates, and cuts the connections that have one. Blocks; one
   * call at a time.
   *
   * @return whether something changed
   * @throws CertificateFileException if they cannot be used; those from before stay in force
   */
  boolean lookAtRevocations() throws CertificateFileException {
    boolean changed = revocations.look(listAuthorities());
    if (changed) {
      connections.cut(revocations::isRevoked);
    }
    return changed;
  }

  /** Who may sign lists: the authorities, and those between them and this node's certificate. */
  private List<X509Certificate> listAuthorities() {
    PemFiles.Contents contents = current;
    List<X509Certificate> all = new ArrayList<>(contents.authorities());
    all.addAll(contents.chain().subList(1, contents.chain().size()));
    return all;
  }

  /** The lists of revoked certificates. */
  Revocations revocations() {
    return revocations;
  }

  /** The connections to which new ones of this port are added. */
  public TlsConnections connections() {
    return connections;
  }

  /** Whether other nodes, or clients, refuse the node's own certificate. */
  boolean isOwnRevoked() {
    return revocations.isRevoked(current.certificate());
  }

  private Instant now() {
    return Instant.ofEpochSecond(clock.wallSeconds());
  }

  /** Who uses the port: {@code clients} or {@code nodes}. */
  public String port() {
    return port;
  }

  /** The node's own certificate. */
  X509Certificate certificate() {
    return current.certificate();
  }

  /** When the certificate, or one of those that it depends on, expires. */
  public Instant notAfter() {
    return current.notAfter();
  }

  /** The file of the certificate, for messages. */
  String file() {
    return files.certificate().toString();
  }

  X509ExtendedKeyManager identity() {
    return identity;
  }

  /** Recognises the other end; empty if it shows no certificate. */
  Optional<X509TrustManager> trust() {
    return trust.map(each -> each);
  }

  private record PeerCheck(Check check, Revocations revocations)
      implements AdvancedTlsX509TrustManager.SslSocketAndEnginePeerVerifier {

    @Override
    public void verifyPeerCertificate(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      verify(chain);
    }

    @Override
    public void verifyPeerCertificate(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      verify(chain);
    }

    private void verify(X509Certificate[] chain) throws CertificateException {
      for (X509Certificate each : chain) {
        if (revocations.isRevoked(each)) {
          throw new CertificateException("the certificate is revoked");
        }
      }
      check.check(chain[0]);
    }
  }
}
