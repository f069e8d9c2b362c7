package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.cluster.gossip.NodeSignatures;
import dev.colonnade.server.cluster.gossip.NodeSignatures.SignedStatement;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.authority.OddCertificates;
import dev.colonnade.server.node.tls.CertificateWatch;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nodes sign with real certificates, and whose signatures they take for whose. */
final class NodeSignaturesTest {

  private static final byte[] CONTENT = "what is said".getBytes(StandardCharsets.UTF_8);
  private static final String SOME_ID = "00112233445566778899aabbccddeeff";
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir private static Path folder;

  private static Path certs;
  private static Path others;
  private static CertifiedNode nodeA;
  private static CertifiedNode nodeB;

  @BeforeAll
  static void makeCertificates() throws Exception {
    certs = folder.resolve("certs");
    others = folder.resolve("others");
    CertificateDirectory ours = new CertificateDirectory(certs, Instant.now());
    ours.createAuthorities("Blog", DAY.multipliedBy(100));
    List<String> hosts = List.of("127.0.0.1");
    nodeA = ours.createNode("a", hosts, Optional.empty(), DAY);
    nodeB = ours.createNode("b", hosts, Optional.empty(), DAY);
    OddCertificates.peer(
        certs, "another-cluster", Optional.of(new CertifiedNode("Another", SOME_ID).uri()));
    CertificateDirectory theirs = new CertificateDirectory(others, Instant.now());
    theirs.createAuthorities("Blog", DAY);
    CertifiedNode unused = theirs.createNode("a", hosts, Optional.of(nodeA.hostId()), DAY);
  }

  private static NodeTls tls(Path home) throws Exception {
    Path authorities = home.resolve("peers-ca.pem");
    return NodeTls.of(
        NodeSettings.DEFAULT
            .with(TlsSettings.PEER_CERTIFICATE, home.resolve("peer.pem").toString())
            .with(TlsSettings.PEER_KEY, home.resolve("peer.key").toString())
            .with(
                TlsSettings.PEER_AUTHORITIES,
                (Files.exists(authorities) ? authorities : certs.resolve("a/peers-ca.pem"))
                    .toString()),
        new SystemClock());
  }

  private static NodeSignatures of(Path home) throws Exception {
    return tls(home).signatures().orElseThrow();
  }

  private static long now() {
    return Instant.now().getEpochSecond();
  }

  private static SignedStatement said(NodeSignatures by, String nodeId, byte[] content) {
    NodeSignatures.SigningIdentity identity = by.identity();
    return new SignedStatement(
        nodeId, now(), identity.certificate(), content, identity.sign(CONTENT));
  }

  private static void assertRefused(String reason, Optional<String> refusal) {
    assertTrue(refusal.filter(text -> text.contains(reason)).isPresent(), refusal.toString());
  }

  @Test
  void aNodesSignatureIsItsOwnAndOfThatContent() throws Exception {
    NodeSignatures a = of(certs.resolve("a"));
    NodeSignatures b = of(certs.resolve("b"));
    assertEquals(Optional.empty(), b.refusal(said(a, nodeA.hostId(), CONTENT)));
    assertEquals(Optional.empty(), a.refusal(said(a, nodeA.hostId(), CONTENT)));
    assertRefused("not of what is told", b.refusal(said(a, nodeA.hostId(), new byte[1])));
    assertRefused("another node", b.refusal(said(a, nodeB.hostId(), CONTENT)));
    assertRefused("another node", b.refusal(said(a, "x", CONTENT)));
  }

  @Test
  void certificatesOfOthersAreNotTrusted() throws Exception {
    NodeSignatures b = of(certs.resolve("b"));
    assertRefused("not trusted", b.refusal(said(of(others.resolve("a")), nodeA.hostId(), CONTENT)));
    assertRefused(
        "another node", b.refusal(said(of(certs.resolve("another-cluster")), SOME_ID, CONTENT)));
    for (String damaged : List.of("", "!", "AAAA", b.identity().certificate().substring(8))) {
      assertRefused(
          "not trusted",
          b.refusal(new SignedStatement(nodeA.hostId(), now(), damaged, CONTENT, new byte[70])));
    }
  }

  @Test
  void aCertificateProvesNothingOfAStartAfterItsExpiry() throws Exception {
    NodeSignatures a = of(certs.resolve("a"));
    NodeSignatures.SigningIdentity identity = a.identity();
    assertRefused(
        "expired before",
        a.refusal(
            new SignedStatement(
                nodeA.hostId(),
                now() + DAY.multipliedBy(2).toSeconds(),
                identity.certificate(),
                CONTENT,
                identity.sign(CONTENT))));
  }

  @Test
  void aRenewedCertificateSignsWithoutARestart() throws Exception {
    Path home = folder.resolve("renewed");
    Files.createDirectories(home);
    copy(certs.resolve("a"), home);
    NodeTls tls = tls(home);
    NodeSignatures a = tls.signatures().orElseThrow();
    SignedStatement before = said(a, nodeA.hostId(), CONTENT);
    CertificateDirectory ours = new CertificateDirectory(certs, Instant.now());
    CertifiedNode same =
        ours.createNode(
            "a-again", List.of("127.0.0.1"), Optional.of(nodeA.hostId()), DAY.multipliedBy(2));
    assertEquals(nodeA, same);
    copy(certs.resolve("a-again"), home);
    new CertificateWatch(tls.ports(), DAY, new SystemClock(), new PrometheusRegistry()).look();
    SignedStatement after = said(a, nodeA.hostId(), CONTENT);
    assertNotEquals(before.certificate(), after.certificate());
    NodeSignatures b = of(certs.resolve("b"));
    assertEquals(Optional.empty(), b.refusal(before));
    assertEquals(Optional.empty(), b.refusal(after));
  }

  private static void copy(Path from, Path to) throws Exception {
    for (String name : List.of("peer.pem", "peer.key", "peers-ca.pem")) {
      Files.copy(from.resolve(name), to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
