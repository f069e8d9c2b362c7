package dev.colonnade.server.node.authority;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Certificates that the authority for nodes signed, and that no node of the cluster has. */
public final class OddCertificates {

  private OddCertificates() {}

  /**
   * Makes {@code peer.pem} and {@code peer.key} in a new directory.
   *
   * @param certificates the directory of all certificates
   * @param uri what the certificate names; empty for nothing
   */
  public static void peer(Path certificates, String name, Optional<String> uri) throws Exception {
    Instant now = Instant.now();
    IssuedCertificate issued =
        new CertificateDirectory(certificates, now)
            .authority("peers-ca")
            .issue(
                new LocalAuthority.Subject(name, List.of("127.0.0.1"), uri),
                LocalAuthority.Use.PEER,
                now,
                Duration.ofDays(1));
    Path home = Files.createDirectory(certificates.resolve(name));
    SecretFiles.create(
        home.resolve("peer.pem"),
        IssuedCertificate.pem("CERTIFICATE", issued.certificate().getEncoded()));
    SecretFiles.create(home.resolve("peer.key"), issued.keyPem());
  }
}
