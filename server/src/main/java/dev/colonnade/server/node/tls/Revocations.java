package dev.colonnade.server.node.tls;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CRL;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;

/**
 * The certificates that their authorities have revoked, by the lists in one file (X.509 CRL). A
 * file that cannot be used changes nothing: the lists that were taken last stay in force. So do
 * lists that have expired, since a forgotten file must neither let a stolen key in again nor keep
 * all others out. Thread-safe.
 */
final class Revocations {

  private final RevocationFile file;
  private volatile List<X509CRL> lists = List.of();

  /** What was last read; a file that has not changed is not read again. For one thread. */
  private byte[] bytes = new byte[0];

  private List<X509Certificate> issuers = List.of();

  /**
   * Where the lists are.
   *
   * @param path of the file; empty for none: then nothing is revoked
   * @param required whether the file must be there from the start
   */
  record RevocationFile(Optional<Path> path, boolean required) {}

  Revocations(RevocationFile file) {
    this.file = file;
  }

  /**
   * Reads the file, and takes its lists if they have changed. Blocks; one call at a time.
   *
   * @param authorities that may sign the lists
   * @return whether something changed
   * @throws CertificateFileException if it cannot be used; the lists from before stay
   */
  boolean look(List<X509Certificate> authorities) throws CertificateFileException {
    if (file.path().isEmpty()) {
      return false;
    }
    Path path = file.path().get();
    if (!file.required() && lists.isEmpty() && Files.notExists(path)) {
      return false;
    }
    byte[] found = PemFiles.bytes(path);
    if (Arrays.equals(found, bytes) && authorities.equals(issuers)) {
      return false;
    }
    List<X509CRL> read = parse(found, path);
    for (X509CRL list : read) {
      requireSigned(list, authorities, path);
    }
    for (X509CRL former : lists) {
      requireNotOlder(former, read, authorities, path);
    }
    bytes = found;
    issuers = List.copyOf(authorities);
    boolean changed = !read.equals(lists);
    lists = read;
    return changed;
  }

  private static List<X509CRL> parse(byte[] bytes, Path path) throws CertificateFileException {
    List<X509CRL> read = new ArrayList<>();
    try {
      for (CRL each :
          CertificateFactory.getInstance("X.509").generateCRLs(new ByteArrayInputStream(bytes))) {
        read.add((X509CRL) each);
      }
    } catch (CertificateException | CRLException e) {
      throw new CertificateFileException(path + " has no list of revoked certificates", e);
    }
    if (read.isEmpty()) {
      throw new CertificateFileException(path + " has no list of revoked certificates");
    }
    return List.copyOf(read);
  }

  private static void requireSigned(X509CRL list, List<X509Certificate> authorities, Path path)
      throws CertificateFileException {
    for (X509Certificate authority : authorities) {
      if (authority.getSubjectX500Principal().equals(list.getIssuerX500Principal())
          && isSigned(list, authority)) {
        return;
      }
    }
    throw new CertificateFileException(
        "no authority of this port has signed the list of "
            + list.getIssuerX500Principal().getName()
            + " in "
            + path);
  }

  private static boolean isSigned(X509CRL list, X509Certificate authority) {
    try {
      list.verify(authority.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** An older list would let in again what was revoked since. */
  private static void requireNotOlder(
      X509CRL former, List<X509CRL> read, List<X509Certificate> authorities, Path path)
      throws CertificateFileException {
    X500Principal issuer = former.getIssuerX500Principal();
    boolean trusted = authorities.stream().anyMatch(authority -> isSigned(former, authority));
    Instant inForce = former.getThisUpdate().toInstant();
    Instant newest =
        read.stream()
            .filter(list -> list.getIssuerX500Principal().equals(issuer))
            .map(list -> list.getThisUpdate().toInstant())
            .max(Instant::compareTo)
            .orElse(Instant.MIN);
    if (trusted && newest.isBefore(inForce)) {
      throw new CertificateFileException(
          path
              + " has no list of "
              + issuer.getName()
              + " as new as the one in force, which is of "
              + inForce);
    }
  }

  /** Whether its authority has revoked a certificate. */
  boolean isRevoked(X509Certificate certificate) {
    for (X509CRL list : lists) {
      if (list.getRevokedCertificate(certificate) != null) {
        return true;
      }
    }
    return false;
  }

  /** When the first list expires; empty without lists that do. */
  Optional<Instant> notAfter() {
    return lists.stream()
        .map(X509CRL::getNextUpdate)
        .filter(Objects::nonNull)
        .map(Date::toInstant)
        .min(Instant::compareTo);
  }

  /** How many certificates are revoked. */
  int size() {
    int size = 0;
    for (X509CRL list : lists) {
      size += list.getRevokedCertificates() == null ? 0 : list.getRevokedCertificates().size();
    }
    return size;
  }

  /** The file, for messages; empty for none. */
  String path() {
    return file.path().map(Path::toString).orElse("");
  }
}
