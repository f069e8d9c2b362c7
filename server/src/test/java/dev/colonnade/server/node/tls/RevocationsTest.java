package dev.colonnade.server.node.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.sim.SimClock;
import io.grpc.util.CertificateUtils;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lists of revoked certificates follow their file, and never become shorter by an accident. */
final class RevocationsTest {

  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path folder;
  private final SimClock clock = new SimClock();
  private final Health health = new Health();
  private Path list;
  private X509Certificate stolen;
  private X509Certificate other;

  private CertificateDirectory directory(String name) {
    return new CertificateDirectory(folder.resolve(name), Instant.ofEpochSecond(seconds()));
  }

  private long seconds() {
    Clock wall = clock;
    return wall.wallSeconds();
  }

  @BeforeEach
  void create() throws Exception {
    for (String cluster : List.of("certs", "others")) {
      directory(cluster).createAuthorities("Blog", DAY.multipliedBy(100));
      for (String node : List.of("a", "b", "c")) {
        var unused =
            directory(cluster)
                .createNode(node, List.of("127.0.0.1"), Optional.empty(), DAY.multipliedBy(50));
      }
    }
    list = folder.resolve("certs/a/peers-crl.pem");
    stolen = certificate("certs/b");
    other = certificate("certs/c");
  }

  private X509Certificate certificate(String home) throws Exception {
    try (InputStream in = Files.newInputStream(folder.resolve(home).resolve("peer.pem"))) {
      return CertificateUtils.getX509Certificates(in)[0];
    }
  }

  private NodeTls tls() throws CertificateFileException {
    return NodeTls.of(
        NodeSettings.DEFAULT.with(TlsSettings.DIRECTORY, folder.resolve("certs/a").toString()),
        clock);
  }

  private CertificateWatch watch(NodeTls tls) {
    return new CertificateWatch(tls.ports(), DAY, clock, health, new PrometheusRegistry());
  }

  private static Revocations ofNodes(NodeTls tls) {
    return tls.ports().get(1).revocations();
  }

  private void assertDoubted(String part) {
    List<Health.Problem> problems = health.report().problems();
    assertEquals(
        List.of(Condition.REVOCATIONS), problems.stream().map(Health.Problem::condition).toList());
    assertEquals(Impact.NOTICE, problems.get(0).impact());
    assertEquals("nodes", problems.get(0).subject());
    assertTrue(problems.get(0).reason().contains(part), problems::toString);
  }

  @Test
  void aListThatAppearsLaterIsTakenWithoutARestart() throws Exception {
    NodeTls tls = tls();
    CertificateWatch watch = watch(tls);
    watch.lookAtRevocations();
    assertFalse(ofNodes(tls).isRevoked(stolen));
    var unused = directory("certs").revoke("b", DAY);
    watch.lookAtRevocations();
    assertTrue(ofNodes(tls).isRevoked(stolen));
    assertFalse(ofNodes(tls).isRevoked(other));
    clock.advance(Duration.ofSeconds(1));
    unused = directory("certs").revoke("c", DAY);
    watch.lookAtRevocations();
    assertTrue(ofNodes(tls).isRevoked(stolen));
    assertTrue(ofNodes(tls).isRevoked(other));
    assertEquals(List.of(), health.report().problems());
    assertTrue(ofNodes(tls()).isRevoked(stolen), "also at a start");
  }

  @Test
  void aListThatCannotBeUsedChangesNothingUntilAGoodOneComes() throws Exception {
    var unused = directory("certs").revoke("b", DAY);
    byte[] good = Files.readAllBytes(list);
    unused = directory("others").revoke("c", DAY);
    byte[] ofOthers = Files.readAllBytes(folder.resolve("others/a/peers-crl.pem"));
    NodeTls tls = tls();
    CertificateWatch watch = watch(tls);
    for (byte[] bad :
        List.of(
            new byte[0],
            "nonsense".getBytes(StandardCharsets.US_ASCII),
            Arrays.copyOf(good, good.length / 2),
            new byte[(1 << 20) + 1],
            Files.readAllBytes(folder.resolve("certs/a/peer.pem")),
            ofOthers)) {
      Files.write(list, bad);
      watch.lookAtRevocations();
      assertTrue(ofNodes(tls).isRevoked(stolen));
      assertDoubted("the last good one holds");
      assertThrows(CertificateFileException.class, this::tls, "not at a start");
      Files.write(list, good);
      watch.lookAtRevocations();
      assertEquals(List.of(), health.report().problems());
    }
    Files.delete(list);
    watch.lookAtRevocations();
    assertTrue(ofNodes(tls).isRevoked(stolen));
    assertDoubted("the last good one holds");
  }

  @Test
  void anOlderListIsNotTaken() throws Exception {
    var unused = directory("certs").revoke("c", DAY);
    byte[] older = Files.readAllBytes(list);
    clock.advance(Duration.ofSeconds(1));
    unused = directory("certs").revoke("b", DAY);
    NodeTls tls = tls();
    CertificateWatch watch = watch(tls);
    Files.write(list, older);
    watch.lookAtRevocations();
    assertTrue(ofNodes(tls).isRevoked(stolen));
    assertDoubted("the last good one holds");
  }

  @Test
  void anExpiredListStaysInForceAndIsReported() throws Exception {
    var unused = directory("certs").revoke("b", DAY);
    NodeTls tls = tls();
    CertificateWatch watch = watch(tls);
    watch.lookAtRevocations();
    assertEquals(List.of(), health.report().problems());
    clock.advance(DAY.plusSeconds(1));
    watch.lookAtRevocations();
    assertDoubted("has expired, and stays in force");
    assertTrue(ofNodes(tls).isRevoked(stolen));
    assertTrue(ofNodes(tls()).isRevoked(stolen), "also at a start");
    directory("certs").renew("authority", DAY.multipliedBy(100));
    watch.lookAtRevocations();
    assertEquals(List.of(), health.report().problems(), "the renewed list is in force");
    assertTrue(ofNodes(tls).isRevoked(stolen));
  }

  @Test
  void aNodeReportsThatItsOwnCertificateIsRevoked() throws Exception {
    var unused = directory("certs").revoke("a", DAY);
    watch(tls()).lookAtRevocations();
    assertTrue(
        health.report().problems().stream()
            .anyMatch(problem -> problem.reason().contains("own certificate is revoked")),
        () -> health.report().problems().toString());
  }

  @Test
  void aListThatASettingNamesMustBeThere() {
    NodeSettings named =
        NodeSettings.DEFAULT
            .with(TlsSettings.DIRECTORY, folder.resolve("certs/a").toString())
            .with(TlsSettings.PEER_REVOCATIONS, folder.resolve("none.pem").toString());
    assertTrue(
        String.valueOf(
                assertThrows(CertificateFileException.class, () -> NodeTls.of(named, clock))
                    .getMessage())
            .contains("none.pem"));
  }
}
