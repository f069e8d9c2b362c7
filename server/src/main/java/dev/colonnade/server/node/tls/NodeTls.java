package dev.colonnade.server.node.tls;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.config.TlsSettings.ClientCertificates;
import dev.colonnade.server.base.env.Clock;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The encryption of a node's ports, as its settings want it. Thread-safe. */
public final class NodeTls {

  /** The only version: it has no weak cipher suites, and every current client speaks it. */
  static final String PROTOCOL = "TLSv1.3";

  private static final List<Setting<String>> CLIENT_FILES =
      List.of(
          TlsSettings.CLIENT_CERTIFICATE, TlsSettings.CLIENT_KEY, TlsSettings.CLIENT_AUTHORITIES);
  private static final List<Setting<String>> PEER_FILES =
      List.of(TlsSettings.PEER_CERTIFICATE, TlsSettings.PEER_KEY, TlsSettings.PEER_AUTHORITIES);

  private static final Revocations.RevocationFile NO_LISTS =
      new Revocations.RevocationFile(Optional.empty(), false);

  private final Optional<PortCertificates> clientCertificates;
  private final Optional<PortCertificates> peerCertificates;
  private final Optional<ClientTls> clients;
  private final Optional<PeerTls> peers;

  private NodeTls(
      Optional<PortCertificates> clientCertificates,
      Optional<PortCertificates> peerCertificates,
      Optional<ClientTls> clients,
      Optional<PeerTls> peers) {
    this.clientCertificates = clientCertificates;
    this.peerCertificates = peerCertificates;
    this.clients = clients;
    this.peers = peers;
  }

  /**
   * Reads the files that the settings name. Blocks.
   *
   * @throws CertificateFileException if a setting is missing beside another, or a file cannot be
   *     used
   */
  public static NodeTls of(NodeSettings settings, Clock clock) throws CertificateFileException {
    Optional<PortCertificates> clientCertificates = Optional.empty();
    Optional<ClientTls> clients = Optional.empty();
    ClientCertificates asked = settings.get(TlsSettings.CLIENT_CERTIFICATES);
    if (isFor(settings, CLIENT_FILES)) {
      PemFiles files =
          new PemFiles(
              file(settings, TlsSettings.CLIENT_CERTIFICATE, "server.pem"),
              file(settings, TlsSettings.CLIENT_KEY, "server.key"),
              asked == ClientCertificates.NONE
                  ? Optional.empty()
                  : Optional.of(file(settings, TlsSettings.CLIENT_AUTHORITIES, "clients-ca.pem")));
      PortCertificates certificates =
          new PortCertificates(
              "clients",
              files,
              asked == ClientCertificates.NONE
                  ? NO_LISTS
                  : revoked(settings, TlsSettings.CLIENT_REVOCATIONS, "clients-crl.pem"),
              PortCertificates.Check.NONE,
              PortCertificates.Check.NONE,
              clock);
      clientCertificates = Optional.of(certificates);
      clients = Optional.of(ClientTls.of(certificates, asked));
    } else if (asked != ClientCertificates.NONE) {
      throw new CertificateFileException(
          option(TlsSettings.CLIENT_CERTIFICATES)
              + " needs encryption: give "
              + option(TlsSettings.DIRECTORY)
              + " or "
              + option(TlsSettings.CLIENT_CERTIFICATE));
    }
    if (!isFor(settings, PEER_FILES)) {
      return new NodeTls(clientCertificates, Optional.empty(), clients, Optional.empty());
    }
    PemFiles files =
        new PemFiles(
            file(settings, TlsSettings.PEER_CERTIFICATE, "peer.pem"),
            file(settings, TlsSettings.PEER_KEY, "peer.key"),
            Optional.of(file(settings, TlsSettings.PEER_AUTHORITIES, "peers-ca.pem")));
    CertifiedNode self = self(files, clock);
    PortCertificates certificates =
        new PortCertificates(
            "nodes",
            files,
            revoked(settings, TlsSettings.PEER_REVOCATIONS, "peers-crl.pem"),
            certificate -> requireSame(self, CertifiedNode.in(certificate)),
            PeerTls.ofCluster(self.clusterName()),
            clock);
    return new NodeTls(
        clientCertificates,
        Optional.of(certificates),
        clients,
        Optional.of(PeerTls.of(certificates, self)));
  }

  private static CertifiedNode self(PemFiles files, Clock clock) throws CertificateFileException {
    return CertifiedNode.in(files.read(Instant.ofEpochSecond(clock.wallSeconds())).certificate())
        .orElseThrow(
            () ->
                new CertificateFileException(
                    files.certificate()
                        + " names no node: a certificate for other nodes has one name of the form"
                        + " colonnade://CLUSTER/HOST-ID (colonnade certs node makes it)"));
  }

  private static void requireSame(CertifiedNode self, Optional<CertifiedNode> named)
      throws CertificateException {
    if (!named.equals(Optional.of(self))) {
      throw new CertificateException(
          "it does not name this node, which is " + self.uri() + " for as long as it runs");
    }
  }

  /** Whether a port is encrypted: one of its files, or the directory, is given. */
  private static boolean isFor(NodeSettings settings, List<Setting<String>> files) {
    return Stream.concat(Stream.of(TlsSettings.DIRECTORY), files.stream())
        .anyMatch(each -> !settings.get(each).isEmpty());
  }

  private static Path file(NodeSettings settings, Setting<String> setting, String usualName)
      throws CertificateFileException {
    String given = settings.get(setting);
    String directory = settings.get(TlsSettings.DIRECTORY);
    if (given.isEmpty() && directory.isEmpty()) {
      throw new CertificateFileException(
          option(setting) + " is missing: certificate, key and authorities are used together");
    }
    return given.isEmpty() ? Path.of(directory, usualName) : Path.of(given);
  }

  /** A list whose file is named must be there; in the directory one may appear later. */
  private static Revocations.RevocationFile revoked(
      NodeSettings settings, Setting<String> setting, String usualName) {
    String given = settings.get(setting);
    String directory = settings.get(TlsSettings.DIRECTORY);
    if (!given.isEmpty()) {
      return new Revocations.RevocationFile(Optional.of(Path.of(given)), true);
    }
    return directory.isEmpty()
        ? NO_LISTS
        : new Revocations.RevocationFile(Optional.of(Path.of(directory, usualName)), false);
  }

  private static String option(Setting<?> setting) {
    return setting.option().name();
  }

  /** Encryption for clients, if it is on. */
  public Optional<ClientTls> clients() {
    return clients;
  }

  /** Encryption between nodes, if it is on. */
  public Optional<PeerTls> peers() {
    return peers;
  }

  /** The certificates of the ports that are encrypted. */
  public List<PortCertificates> ports() {
    return Stream.of(clientCertificates, peerCertificates).flatMap(Optional::stream).toList();
  }
}
