package dev.colonnade.server.node.authority;

import dev.colonnade.server.node.tls.CertifiedNode;
import io.grpc.util.CertificateUtils;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory with two authorities, one for clients and one for nodes among themselves, and with a
 * directory for each node and each client, which holds all that it needs and nothing else. Nothing
 * is overwritten, except by renewing. For one thread; everything blocks.
 */
public final class CertificateDirectory {

  /** A reason why nothing was done, for the operator. */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /**
   * A certificate that there is.
   *
   * @param file where it is
   * @param names whom it names
   * @param revoked when it was revoked; empty if it was not
   */
  public record Listed(Path file, Instant notAfter, String names, Optional<Instant> revoked) {}

  /**
   * A certificate that is revoked.
   *
   * @param number of it, in hexadecimal digits
   * @param names whom it names
   * @param list the file that says so
   */
  public record Revoked(String number, String names, Path list) {}

  private static final String AUTHORITY = "authority";
  private static final String CLIENTS_CA = "clients-ca";
  private static final String PEERS_CA = "peers-ca";
  private static final String SERVER = "server";
  private static final String PEER = "peer";
  private static final String CLIENT = "client";
  private static final String CERTIFICATE = ".pem";
  private static final String LIST = "-crl.pem";
  private static final String KEY = ".key";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
  private static final Pattern HOST_ID = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9:._-]{1,253}");
  private static final List<String> THIS_MACHINE = List.of("localhost", "127.0.0.1");

  private final Path directory;
  private final Instant now;

  /**
   * Uses a directory, which need not exist yet.
   *
   * @param now when certificates begin to be valid
   */
  public CertificateDirectory(Path directory, Instant now) {
    this.directory = directory;
    this.now = now;
  }

  /**
   * Makes the authorities.
   *
   * @param clusterName the cluster whose nodes they sign for
   */
  public void createAuthorities(String clusterName, Duration validity)
      throws IOException, RefusedException {
    Path home = directory.resolve(AUTHORITY);
    if (Files.exists(home)) {
      throw new RefusedException(
          home + " exists already, and what it signed would not be trusted any more");
    }
    if (clusterName.isBlank()) {
      throw new RefusedException("a cluster has a name");
    }
    SecretFiles.directory(directory);
    SecretFiles.directory(home);
    create(
        home,
        CLIENTS_CA,
        LocalAuthority.create("Colonnade clients", clusterName, now, validity).self());
    create(
        home,
        PEERS_CA,
        LocalAuthority.create("Colonnade nodes", clusterName, now, validity).self());
  }

  /**
   * Makes the certificates of a node.
   *
   * @param name of its directory
   * @param hosts names and addresses by which clients call it
   * @param hostId of a node that has one already
   * @return the node that the certificates name
   */
  public CertifiedNode createNode(
      String name, List<String> hosts, Optional<String> hostId, Duration validity)
      throws IOException, RefusedException {
    if (hostId.isPresent() && !HOST_ID.matcher(hostId.get()).matches()) {
      throw new RefusedException(
          "a host id has 32 hexadecimal digits in lower case, as `colonnade info` shows it");
    }
    for (String host : hosts) {
      if (!HOST.matcher(host).matches()) {
        throw new RefusedException("'" + host + "' is no name or address of a host");
      }
    }
    LocalAuthority peers = authority(PEERS_CA);
    CertifiedNode node =
        new CertifiedNode(
            peers.organisation(), hostId.orElseGet(CertificateDirectory::randomHostId));
    LinkedHashSet<String> called = new LinkedHashSet<>(hosts);
    called.addAll(THIS_MACHINE);
    Path home = newHome(name);
    create(
        home,
        SERVER,
        authority(CLIENTS_CA)
            .issue(
                new LocalAuthority.Subject(name, List.copyOf(called), Optional.empty()),
                LocalAuthority.Use.SERVER,
                now,
                validity));
    create(
        home,
        PEER,
        peers.issue(
            new LocalAuthority.Subject(name, hosts, Optional.of(node.uri())),
            LocalAuthority.Use.PEER,
            now,
            validity));
    copyTrust(home, CLIENTS_CA);
    copyTrust(home, PEERS_CA);
    copyList(home, CLIENTS_CA);
    copyList(home, PEERS_CA);
    return node;
  }

  /**
   * Makes the certificate of a client.
   *
   * @param name of its directory, and whom the certificate names
   */
  public void createClient(String name, Duration validity) throws IOException, RefusedException {
    LocalAuthority authority = authority(CLIENTS_CA);
    Path home = newHome(name);
    create(
        home,
        CLIENT,
        authority.issue(
            new LocalAuthority.Subject(name, List.of(), Optional.empty()),
            LocalAuthority.Use.CLIENT,
            now,
            validity));
    copyTrust(home, CLIENTS_CA);
  }

  /**
   * Replaces the certificates of a node or a client by new ones with new keys, which say the same.
   * Of the authorities the keys stay, so that what they signed stays valid.
   *
   * @param name the directory of the node or the client, or {@code authority}
   */
  public void renew(String name, Duration validity) throws IOException, RefusedException {
    Path home = home(name);
    boolean found = false;
    if (name.equals(AUTHORITY)) {
      for (String authority : List.of(CLIENTS_CA, PEERS_CA)) {
        IssuedCertificate renewed = authority(authority).renewed(now, validity).self();
        SecretFiles.replace(home.resolve(authority + CERTIFICATE), pem(renewed.certificate()));
        if (list(authority).isPresent()) {
          publish(authority, Optional.empty(), validity);
        }
        found = true;
      }
    }
    for (String kind : List.of(SERVER, PEER, CLIENT)) {
      if (Files.exists(home.resolve(kind + CERTIFICATE))) {
        String authority = kind.equals(PEER) ? PEERS_CA : CLIENTS_CA;
        IssuedCertificate renewed =
            authority(authority)
                .renew(certificate(home.resolve(kind + CERTIFICATE)), now, validity);
        SecretFiles.replace(home.resolve(kind + KEY), renewed.keyPem());
        SecretFiles.replace(home.resolve(kind + CERTIFICATE), pem(renewed.certificate()));
        SecretFiles.replace(
            home.resolve(authority + CERTIFICATE), pem(authority(authority).self().certificate()));
        copyList(home, authority);
        found = true;
      }
    }
    if (!found) {
      throw new RefusedException(home + " has no certificates of a node or a client");
    }
  }

  /**
   * Revokes the certificates of a node or a client that are in its directory now. The lists that
   * say so are in the directory of the authorities, and in that of each node.
   *
   * @param validity of the lists
   */
  public List<Revoked> revoke(String name, Duration validity) throws IOException, RefusedException {
    Path home = home(name);
    List<Revoked> revoked = new ArrayList<>();
    for (String kind : List.of(PEER, SERVER, CLIENT)) {
      Path file = home.resolve(kind + CERTIFICATE);
      if (!name.equals(AUTHORITY) && Files.exists(file)) {
        revoked.add(revoke(certificate(file), validity));
      }
    }
    if (revoked.isEmpty()) {
      throw new RefusedException(home + " has no certificates of a node or a client");
    }
    return revoked;
  }

  /**
   * Revokes the certificate in any file, as one that was renewed and is no longer in a directory.
   */
  public Revoked revoke(Path file, Duration validity) throws IOException, RefusedException {
    return revoke(certificate(file), validity);
  }

  private Revoked revoke(X509Certificate certificate, Duration validity)
      throws IOException, RefusedException {
    for (String name : List.of(PEERS_CA, CLIENTS_CA)) {
      if (isSignedBy(certificate, authority(name).self().certificate())) {
        publish(name, Optional.of(certificate), validity);
        return new Revoked(
            certificate.getSerialNumber().toString(16),
            names(certificate),
            directory.resolve(AUTHORITY).resolve(listOf(name)));
      }
    }
    throw new RefusedException("the authorities here have not signed that certificate");
  }

  private static boolean isSignedBy(X509Certificate certificate, X509Certificate authority) {
    try {
      certificate.verify(authority.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Signs the list of an authority anew, and gives it to each node and client. */
  private void publish(String authority, Optional<X509Certificate> also, Duration validity)
      throws IOException, RefusedException {
    Optional<X509CRL> former = list(authority);
    Optional<BigInteger> added =
        also.filter(
                certificate ->
                    former.isEmpty() || former.get().getRevokedCertificate(certificate) == null)
            .map(X509Certificate::getSerialNumber);
    X509CRL list = authority(authority).revoke(former, added, now, validity);
    String text;
    try {
      text = IssuedCertificate.pem("X509 CRL", list.getEncoded());
    } catch (CRLException e) {
      throw new IllegalStateException("a list of revoked certificates cannot be written", e);
    }
    SecretFiles.replace(directory.resolve(AUTHORITY).resolve(listOf(authority)), text);
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(directory, Files::isDirectory)) {
      for (Path home : homes) {
        if (Files.exists(home.resolve(PEER + CERTIFICATE))) {
          copyList(home, authority);
        }
      }
    }
  }

  private static String listOf(String authority) {
    return authority.substring(0, authority.length() - "-ca".length()) + LIST;
  }

  private Optional<X509CRL> list(String authority) throws IOException, RefusedException {
    Path file = directory.resolve(AUTHORITY).resolve(listOf(authority));
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of((X509CRL) CertificateFactory.getInstance("X.509").generateCRL(in));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (CRLException | CertificateException e) {
      throw refused(file + " has no list of revoked certificates", e);
    }
  }

  private void copyList(Path home, String authority) throws IOException {
    Path list = directory.resolve(AUTHORITY).resolve(listOf(authority));
    if (Files.exists(list)) {
      SecretFiles.replace(
          home.resolve(listOf(authority)), Files.readString(list, StandardCharsets.US_ASCII));
    }
  }

  /** All certificates in the directory, by their files. */
  public List<Listed> list() throws IOException, RefusedException {
    if (!Files.isDirectory(directory)) {
      throw new RefusedException("there is no directory " + directory);
    }
    List<Path> files;
    try (Stream<Path> found = Files.walk(directory, 2)) {
      files =
          found
              .filter(file -> file.toString().endsWith(CERTIFICATE) && Files.isRegularFile(file))
              .filter(file -> !file.toString().endsWith(LIST))
              .sorted()
              .toList();
    }
    List<X509CRL> lists = new ArrayList<>();
    list(PEERS_CA).ifPresent(lists::add);
    list(CLIENTS_CA).ifPresent(lists::add);
    List<Listed> listed = new ArrayList<>();
    for (Path file : files) {
      X509Certificate certificate = certificate(file);
      listed.add(
          new Listed(
              directory.relativize(file),
              certificate.getNotAfter().toInstant(),
              names(certificate),
              lists.stream()
                  .flatMap(list -> Stream.ofNullable(list.getRevokedCertificate(certificate)))
                  .map(entry -> entry.getRevocationDate().toInstant())
                  .findFirst()));
    }
    return listed;
  }

  private static String names(X509Certificate certificate) {
    return CertifiedNode.in(certificate)
        .map(CertifiedNode::uri)
        .orElse(certificate.getSubjectX500Principal().getName());
  }

  private Path home(String name) throws RefusedException {
    if (!NAME.matcher(name).matches()) {
      throw new RefusedException(
          "a name has 1 to 63 letters, digits, '.', '_' and '-', and begins with a letter or a"
              + " digit; got '"
              + name
              + "'");
    }
    return directory.resolve(name);
  }

  private Path newHome(String name) throws IOException, RefusedException {
    Path home = home(name);
    if (Files.exists(home)) {
      throw new RefusedException(
          home + " exists already: choose another name, or renew its certificates");
    }
    SecretFiles.directory(home);
    return home;
  }

  private static String randomHostId() {
    byte[] id = new byte[16];
    new SecureRandom().nextBytes(id);
    return HexFormat.of().formatHex(id);
  }

  private static String pem(X509Certificate certificate) {
    try {
      return IssuedCertificate.pem("CERTIFICATE", certificate.getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a certificate cannot be written", e);
    }
  }

  private static void create(Path home, String name, IssuedCertificate issued) throws IOException {
    SecretFiles.create(home.resolve(name + KEY), issued.keyPem());
    SecretFiles.create(home.resolve(name + CERTIFICATE), pem(issued.certificate()));
  }

  private void copyTrust(Path home, String authority) throws IOException, RefusedException {
    SecretFiles.create(
        home.resolve(authority + CERTIFICATE), pem(authority(authority).self().certificate()));
  }

  LocalAuthority authority(String name) throws IOException, RefusedException {
    Path home = directory.resolve(AUTHORITY);
    X509Certificate certificate = certificate(home.resolve(name + CERTIFICATE));
    Path keyFile = home.resolve(name + KEY);
    try (InputStream in = Files.newInputStream(keyFile)) {
      PrivateKey key = CertificateUtils.getPrivateKey(in);
      return new LocalAuthority(new IssuedCertificate(certificate, key));
    } catch (NoSuchFileException e) {
      throw refused("there is no " + keyFile + ": only its owner can sign", e);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw refused(keyFile + " has no private key", e);
    }
  }

  private static X509Certificate certificate(Path file) throws IOException, RefusedException {
    try (InputStream in = Files.newInputStream(file)) {
      X509Certificate[] found = CertificateUtils.getX509Certificates(in);
      if (found.length > 0) {
        return found[0];
      }
    } catch (NoSuchFileException e) {
      throw refused(
          "there is no " + file + ": `colonnade certs authority` makes the authorities", e);
    } catch (GeneralSecurityException e) {
      throw refused(file + " has no certificate", e);
    }
    throw new RefusedException(file + " has no certificate");
  }

  private static RefusedException refused(String message, Exception cause) {
    RefusedException refused = new RefusedException(message);
    refused.initCause(cause);
    return refused;
  }
}
