package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.config.TlsSettings.ClientCertificates;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.tls.CertificateWatch;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import dev.colonnade.server.service.rpc.CertificateNames;
import io.grpc.util.CertificateUtils;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who a caller over HTTP is by its certificate, and for how long. */
@Timeout(60)
final class HttpCertificateTest {

  private static final Duration DAY = Duration.ofDays(1);

  @TempDir private Path folder;

  @Test
  void aCertificateSaysWhoCallsUntilItsAuthorityIsWithdrawn() throws Exception {
    Path certs = folder.resolve("certs");
    CertificateDirectory directory = authorities(certs);
    CertifiedNode unused =
        directory.createNode("n1", List.of("127.0.0.1"), Optional.empty(), DAY.multipliedBy(50));
    directory.createClient("alice", DAY);
    CertificateDirectory unusedToo = authorities(folder.resolve("others"));
    NodeTls tls =
        NodeTls.of(
            NodeSettings.DEFAULT
                .with(TlsSettings.DIRECTORY, certs.resolve("n1").toString())
                .with(TlsSettings.CLIENT_CERTIFICATES, ClientCertificates.OPTIONAL),
            new SystemClock());
    Queue<List<String>> callers = new ConcurrentLinkedQueue<>();
    PageAccess access =
        request -> {
          callers.add(CertificateNames.of(request.session().orElseThrow()));
          return CompletableFuture.completedFuture(Optional.empty());
        };
    try (OpsHttpServer http =
        OpsHttpServer.start(
            new InetSocketAddress("127.0.0.1", 0),
            Optional::empty,
            () -> new OpsHttpServer.Readiness(true, Optional.empty()),
            new PrometheusRegistry(),
            List.of(),
            access,
            tls.clients())) {
      // The same for all connections, so that it remembers what the node gave it.
      SSLContext alice = alice(certs);
      assertTrue(get(alice, http.address().getPort()).startsWith("HTTP/1.1 200"));
      assertEquals("alice", callers.remove().get(0));

      Path replaced =
          Files.copy(
              folder.resolve("others/authority/clients-ca.pem"),
              certs.resolve("n1/clients-ca.pem"),
              StandardCopyOption.REPLACE_EXISTING);
      new CertificateWatch(
              tls.ports(), DAY, new SystemClock(), new Health(), new PrometheusRegistry())
          .look();

      String outcome;
      try {
        outcome = get(alice, http.address().getPort());
      } catch (IOException refused) {
        outcome = refused.toString();
      }
      // Refused, or heard as nobody, which depends on whether the client still shows it.
      for (List<String> names : callers) {
        assertEquals(List.of(), names, replaced + " was replaced, and: " + outcome);
      }
    }
  }

  private static CertificateDirectory authorities(Path directory) throws Exception {
    CertificateDirectory made = new CertificateDirectory(directory, Instant.now());
    made.createAuthorities("Test Cluster", DAY.multipliedBy(100));
    return made;
  }

  private static X509Certificate[] certificates(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateUtils.getX509Certificates(in);
    }
  }

  private static SSLContext alice(Path certs) throws Exception {
    PrivateKey key;
    try (InputStream in = Files.newInputStream(certs.resolve("alice/client.key"))) {
      key = CertificateUtils.getPrivateKey(in);
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("alice", key, new char[0], certificates(certs.resolve("alice/client.pem")));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", certificates(certs.resolve("alice/clients-ca.pem"))[0]);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static String get(SSLContext context, int port) throws IOException {
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write(
              "GET /metrics HTTP/1.1\r\nHost: n1\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
