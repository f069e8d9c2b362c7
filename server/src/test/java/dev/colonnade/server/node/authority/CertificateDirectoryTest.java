package dev.colonnade.server.node.authority;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.authority.CertificateDirectory.RefusedException;
import dev.colonnade.server.node.tls.CertifiedNode;
import io.grpc.util.CertificateUtils;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CertificateDirectoryTest {

  private static final Duration DAY = Duration.ofDays(1);
  private static final String CLUSTER = "Blog, 'ours' / ü";

  @TempDir Path folder;
  private Path home;
  private CertificateDirectory certificates;

  @BeforeEach
  void createAuthorities() throws Exception {
    home = folder.resolve("certs");
    certificates = new CertificateDirectory(home, Instant.now());
    certificates.createAuthorities(CLUSTER, DAY.multipliedBy(10));
  }

  private X509Certificate read(String file) throws Exception {
    try (InputStream in = Files.newInputStream(home.resolve(file))) {
      return CertificateUtils.getX509Certificates(in)[0];
    }
  }

  private Instant end(String file) throws Exception {
    return read(file).getNotAfter().toInstant();
  }

  @Test
  void aNodesCertificateNamesItsClusterAndItsIdAndTheOneForClientsItsHosts() throws Exception {
    CertifiedNode node =
        certificates.createNode("n1", List.of("n1.example", "10.0.0.1"), Optional.empty(), DAY);
    assertEquals(CLUSTER, node.clusterName());
    assertEquals(Optional.of(node), CertifiedNode.in(read("n1/peer.pem")));
    assertEquals(Optional.empty(), CertifiedNode.in(read("n1/server.pem")));
    read("n1/peer.pem").verify(read("n1/peers-ca.pem").getPublicKey());
    read("n1/server.pem").verify(read("n1/clients-ca.pem").getPublicKey());
    List<String> hosts =
        read("n1/server.pem").getSubjectAlternativeNames().stream()
            .map(name -> String.valueOf(name.get(1)))
            .toList();
    assertEquals(List.of("n1.example", "10.0.0.1", "localhost", "127.0.0.1"), hosts);
    // Server only: with it nobody can open a connection to another node or as a client.
    assertEquals(List.of("1.3.6.1.5.5.7.3.1"), read("n1/server.pem").getExtendedKeyUsage());
  }

  @Test
  void aNodeWithDataKeepsItsId() throws Exception {
    String id = "00112233445566778899aabbccddeeff";
    assertEquals(id, certificates.createNode("n1", List.of("h"), Optional.of(id), DAY).hostId());
    assertThrows(
        RefusedException.class,
        () -> certificates.createNode("n2", List.of("h"), Optional.of("no id"), DAY));
  }

  @Test
  void onlyTheOwnerMayReadWhatIsWritten() throws Exception {
    CertifiedNode unused = certificates.createNode("n1", List.of("h"), Optional.empty(), DAY);
    certificates.createClient("alice", DAY);
    try (Stream<Path> all = Files.walk(home)) {
      for (Path each : all.toList()) {
        assertEquals(
            Files.isDirectory(each) ? "rwx------" : "rw-------",
            PosixFilePermissions.toString(Files.getPosixFilePermissions(each)),
            each.toString());
      }
    }
  }

  @Test
  void nothingIsOverwritten() throws Exception {
    certificates.createClient("alice", DAY);
    byte[] before = Files.readAllBytes(home.resolve("alice/client.pem"));
    for (var again :
        List.<org.junit.jupiter.api.function.Executable>of(
            () -> certificates.createClient("alice", DAY),
            () -> certificates.createNode("alice", List.of("h"), Optional.empty(), DAY),
            () -> certificates.createAuthorities("Other", DAY))) {
      assertThrows(RefusedException.class, again);
    }
    assertArrayEquals(before, Files.readAllBytes(home.resolve("alice/client.pem")));
  }

  @Test
  void aRenewedCertificateSaysTheSameWithAnotherKeyForLonger() throws Exception {
    CertifiedNode node = certificates.createNode("n1", List.of("h", "::1"), Optional.empty(), DAY);
    X509Certificate server = read("n1/server.pem");
    X509Certificate peer = read("n1/peer.pem");
    certificates.renew("n1", DAY.multipliedBy(5));
    assertEquals(Optional.of(node), CertifiedNode.in(read("n1/peer.pem")));
    assertEquals(
        List.copyOf(server.getSubjectAlternativeNames()),
        List.copyOf(read("n1/server.pem").getSubjectAlternativeNames()));
    assertEquals(peer.getExtendedKeyUsage(), read("n1/peer.pem").getExtendedKeyUsage());
    assertFalse(peer.getPublicKey().equals(read("n1/peer.pem").getPublicKey()));
    assertTrue(end("n1/peer.pem").isAfter(peer.getNotAfter().toInstant()));
  }

  @Test
  void whatTheAuthoritySignedStaysValidWhenItIsRenewed() throws Exception {
    certificates.createClient("alice", DAY);
    X509Certificate before = read("authority/clients-ca.pem");
    certificates.renew("authority", DAY.multipliedBy(100));
    assertTrue(end("authority/clients-ca.pem").isAfter(before.getNotAfter().toInstant()));
    read("alice/client.pem").verify(read("authority/clients-ca.pem").getPublicKey());
    // A certificate does not outlive its authority.
    certificates.renew("alice", DAY.multipliedBy(1_000));
    assertEquals(
        read("authority/clients-ca.pem").getNotAfter(), read("alice/client.pem").getNotAfter());
  }

  @Test
  void namesDoNotLeaveTheDirectory() {
    for (String name : List.of("../x", "", ".", "..", "a/b", "-x", "a\0b")) {
      assertThrows(RefusedException.class, () -> certificates.createClient(name, DAY), name);
    }
  }

  @Test
  void withoutTheAuthoritysKeyNothingIsSigned() throws Exception {
    Files.delete(home.resolve("authority/clients-ca.key"));
    assertThrows(RefusedException.class, () -> certificates.createClient("alice", DAY));
    assertFalse(Files.exists(home.resolve("alice")));
  }

  private List<String> revoked() throws Exception {
    return certificates.list().stream()
        .filter(each -> each.revoked().isPresent())
        .map(each -> each.file().toString())
        .toList();
  }

  @Test
  void whatIsRevokedIsListedAndEachNodeGetsTheLists() throws Exception {
    var unused = certificates.createNode("n1", List.of("h"), Optional.empty(), DAY);
    unused = certificates.createNode("n2", List.of("h"), Optional.empty(), DAY);
    certificates.createClient("alice", DAY);
    assertEquals(List.of(), revoked());
    assertFalse(Files.exists(home.resolve("n1/peers-crl.pem")));

    assertEquals(2, certificates.revoke("n2", DAY).size());
    assertEquals(List.of("n2/peer.pem", "n2/server.pem"), revoked());
    assertEquals(1, certificates.revoke("alice", DAY).size());
    assertEquals(List.of("alice/client.pem", "n2/peer.pem", "n2/server.pem"), revoked());
    byte[] list = Files.readAllBytes(home.resolve("authority/peers-crl.pem"));
    assertArrayEquals(list, Files.readAllBytes(home.resolve("n1/peers-crl.pem")));
    unused = certificates.createNode("n3", List.of("h"), Optional.empty(), DAY);
    assertArrayEquals(list, Files.readAllBytes(home.resolve("n3/peers-crl.pem")));
    assertFalse(Files.exists(home.resolve("alice/peers-crl.pem")), "a client needs none");

    // Again, which changes nothing.
    assertEquals(2, certificates.revoke("n2", DAY).size());
    assertEquals(3, revoked().size());
  }

  @Test
  void aCertificateThatWasRenewedCanBeRevokedFromACopyAndTheNewOneIsNot() throws Exception {
    var unused = certificates.createNode("n1", List.of("h"), Optional.empty(), DAY);
    Path copy = Files.copy(home.resolve("n1/peer.pem"), folder.resolve("stolen.pem"));
    certificates.renew("n1", DAY);
    assertEquals(
        read("n1/peers-ca.pem").getSubjectX500Principal(),
        read("n1/peer.pem").getIssuerX500Principal());
    CertificateDirectory.Revoked revoked = certificates.revoke(copy, DAY);
    assertTrue(revoked.names().startsWith("colonnade://"), revoked.names());
    assertEquals(List.of(), revoked());
    assertTrue(Files.exists(home.resolve("n1/peers-crl.pem")));
  }

  @Test
  void onlyWhatTheAuthoritiesHereSignedIsRevoked() throws Exception {
    CertificateDirectory others = new CertificateDirectory(folder.resolve("others"), Instant.now());
    others.createAuthorities(CLUSTER, DAY);
    var unused = others.createNode("n1", List.of("h"), Optional.empty(), DAY);
    Path foreign = folder.resolve("others/n1/peer.pem");
    assertThrows(RefusedException.class, () -> certificates.revoke(foreign, DAY));
    for (String name : List.of("n9", "authority", "../others/n1")) {
      assertThrows(RefusedException.class, () -> certificates.revoke(name, DAY), name);
    }
  }
}
