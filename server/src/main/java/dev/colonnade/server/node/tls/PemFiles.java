package dev.colonnade.server.node.tls;

import io.grpc.util.CertificateUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The files of one port.
 *
 * @param certificate the node's certificate, followed by those of its authorities but the last
 * @param key its private key in PKCS#8, not encrypted
 * @param authorities those whose certificates the other end may have; empty if it shows none
 */
public record PemFiles(Path certificate, Path key, Optional<Path> authorities) {

  /** A file is read whole; a larger one is something else. */
  private static final int BYTES_MAX = 1 << 20;

  private static final byte[] SIGNED = {1, 2, 3, 4, 5, 6, 7, 8};

  /**
   * What the files hold.
   *
   * @param chain the node's certificate first
   * @param authorities empty if there is no such file
   */
  record Contents(List<X509Certificate> chain, PrivateKey key, List<X509Certificate> authorities) {

    X509Certificate certificate() {
      return chain.get(0);
    }

    /** When the first certificate of the chain expires. */
    Instant notAfter() {
      return chain.stream()
          .map(each -> each.getNotAfter().toInstant())
          .min(Instant::compareTo)
          .orElseThrow();
    }
  }

  /**
   * Reads and checks the files. Blocks.
   *
   * @param now the certificate must be valid then
   */
  Contents read(Instant now) throws CertificateFileException {
    List<X509Certificate> chain = certificates(certificate);
    PrivateKey secret = privateKey();
    checkPair(chain.get(0).getPublicKey(), secret);
    checkTime(chain, now);
    return new Contents(
        chain, secret, authorities.isPresent() ? certificates(authorities.get()) : List.of());
  }

  /** Reads a file whole; one that is too large is refused. */
  static byte[] bytes(Path file) throws CertificateFileException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(BYTES_MAX + 1);
      if (bytes.length > BYTES_MAX) {
        throw new CertificateFileException(file + " is too large for a file of certificates");
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw new CertificateFileException("there is no file " + file, e);
    } catch (IOException e) {
      throw new CertificateFileException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static List<X509Certificate> certificates(Path file) throws CertificateFileException {
    byte[] bytes = bytes(file);
    try {
      X509Certificate[] found =
          CertificateUtils.getX509Certificates(new ByteArrayInputStream(bytes));
      if (found.length > 0) {
        return List.of(found);
      }
    } catch (GeneralSecurityException e) {
      throw new CertificateFileException(file + " has no certificates in PEM", e);
    }
    throw new CertificateFileException(file + " has no certificates in PEM");
  }

  private PrivateKey privateKey() throws CertificateFileException {
    byte[] bytes = bytes(key);
    checkSecret();
    try {
      return CertificateUtils.getPrivateKey(new ByteArrayInputStream(bytes));
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      // Without the cause: it may quote the key.
      throw new CertificateFileException(
          key + " has no private key of the kind RSA or EC in PKCS#8 (BEGIN PRIVATE KEY)");
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  private void checkSecret() throws CertificateFileException {
    try {
      if (Files.getPosixFilePermissions(key).contains(PosixFilePermission.OTHERS_READ)) {
        throw new CertificateFileException(
            "every user of this machine can read the private key "
                + key
                + ": take that right away (chmod 600)");
      }
    } catch (UnsupportedOperationException | IOException e) {
      // The file was read just now; this file system has no such rights.
      return;
    }
  }

  private void checkPair(PublicKey open, PrivateKey secret) throws CertificateFileException {
    String algorithm = secret.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA";
    try {
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(secret);
      signing.update(SIGNED);
      byte[] signature = signing.sign();
      Signature verifying = Signature.getInstance(algorithm);
      verifying.initVerify(open);
      verifying.update(SIGNED);
      if (verifying.verify(signature)) {
        return;
      }
    } catch (GeneralSecurityException e) {
      throw new CertificateFileException(notAPair(), e);
    }
    throw new CertificateFileException(notAPair());
  }

  private String notAPair() {
    return key + " is not the private key of the certificate in " + certificate;
  }

  private void checkTime(List<X509Certificate> chain, Instant now) throws CertificateFileException {
    for (X509Certificate each : chain) {
      if (each.getNotAfter().toInstant().isBefore(now)) {
        throw new CertificateFileException(
            "the certificate in "
                + certificate
                + " expired at "
                + each.getNotAfter().toInstant()
                + "; renew it (colonnade certs renew)");
      }
      if (each.getNotBefore().toInstant().isAfter(now)) {
        throw new CertificateFileException(
            "the certificate in "
                + certificate
                + " is valid from "
                + each.getNotBefore().toInstant()
                + " on only; is this machine's clock right?");
      }
    }
  }
}
