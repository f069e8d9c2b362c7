package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.config.TlsSettings.ClientCertificates;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.tls.CertificateFileException;
import dev.colonnade.server.node.tls.CertificateWatch;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.StreamObserver;
import io.grpc.util.CertificateUtils;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Encryption for clients over real sockets: who is let in, and certificates that change. */
@Timeout(60)
final class ClientTlsTest {

  private static final Duration DAY = Duration.ofDays(1);

  @TempDir private Path folder;

  private final List<AutoCloseable> running = new ArrayList<>();
  private Path certs;
  private CertificateDirectory directory;

  @BeforeEach
  void makeCertificates() throws Exception {
    certs = folder.resolve("certs");
    directory = new CertificateDirectory(certs, Instant.now());
    directory.createAuthorities("Test Cluster", DAY.multipliedBy(100));
    CertifiedNode unused =
        directory.createNode("n1", List.of("127.0.0.1"), Optional.empty(), DAY.multipliedBy(50));
    directory.createClient("alice", DAY);
    CertificateDirectory others = new CertificateDirectory(folder.resolve("others"), Instant.now());
    others.createAuthorities("Test Cluster", DAY);
    others.createClient("alice", DAY);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : running) {
      each.close();
    }
  }

  private NodeTls tls(ClientCertificates asked) throws CertificateFileException {
    return NodeTls.of(
        NodeSettings.DEFAULT
            .with(TlsSettings.DIRECTORY, certs.resolve("n1").toString())
            .with(TlsSettings.CLIENT_CERTIFICATES, asked),
        new SystemClock());
  }

  private int serve(NodeTls tls) throws IOException {
    ClientPort port =
        ClientPort.at(new InetSocketAddress("127.0.0.1", 0), 100, 1 << 20, 1, tls.clients());
    Server server =
        port.builder().addService(new HealthStatusManager().getHealthService()).build().start();
    running.add(server::shutdownNow);
    running.add(port);
    return server.getPort();
  }

  private static Status.Code call(int port, ChannelCredentials credentials) {
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress("127.0.0.1", port, credentials).build();
    try {
      var unused =
          HealthGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .check(HealthCheckRequest.getDefaultInstance());
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    } finally {
      channel.shutdownNow();
    }
  }

  private TlsChannelCredentials.Builder trusting() throws IOException {
    return TlsChannelCredentials.newBuilder()
        .trustManager(certs.resolve("alice/clients-ca.pem").toFile());
  }

  private ChannelCredentials showing(Path certificates, String home, String name)
      throws IOException {
    return trusting()
        .keyManager(
            certificates.resolve(home).resolve(name + ".pem").toFile(),
            certificates.resolve(home).resolve(name + ".key").toFile())
        .build();
  }

  @ParameterizedTest
  @EnumSource(ClientCertificates.class)
  void certificatesOfClientsAreAskedForAsTheSettingSays(ClientCertificates asked) throws Exception {
    int port = serve(tls(asked));
    Status.Code open = Status.Code.OK;
    Status.Code closed = Status.Code.UNAVAILABLE;
    Status.Code onlyIfNotAsked = asked == ClientCertificates.NONE ? open : closed;
    assertEquals(
        asked == ClientCertificates.REQUIRED ? closed : open, call(port, trusting().build()));
    assertEquals(open, call(port, showing(certs, "alice", "client")));
    assertEquals(onlyIfNotAsked, call(port, showing(folder.resolve("others"), "alice", "client")));
    if (asked == ClientCertificates.REQUIRED) {
      // Where it is optional, clients do not show one whose authority the node does not name.
      assertEquals(closed, call(port, showing(certs, "n1", "peer")));
      // That of a server may not open connections.
      assertEquals(closed, call(port, showing(certs, "n1", "server")));
    }
    assertEquals(closed, call(port, InsecureChannelCredentials.create()));
    assertEquals(closed, call(port, TlsChannelCredentials.create()));
  }

  @Test
  void olderVersionsOfTlsAreRefused() throws Exception {
    int port = serve(tls(ClientCertificates.NONE));
    for (String old : List.of("TLSv1.2", "TLSv1.1", "TLSv1")) {
      assertThrows(IOException.class, () -> handshake(port, old), old);
    }
    assertEquals("localhost", commonNameOrHost(handshake(port, "TLSv1.3")));
  }

  private static String commonNameOrHost(X509Certificate certificate) throws Exception {
    return certificate.getSubjectAlternativeNames().stream()
        .map(name -> String.valueOf(name.get(1)))
        .filter("localhost"::equals)
        .findFirst()
        .orElse("");
  }

  private SSLContext context() throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(certs.resolve("authority/clients-ca.pem"))) {
      trusted.setCertificateEntry("ca", CertificateUtils.getX509Certificates(in)[0]);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  /** The certificate that a new connection sees. */
  private X509Certificate handshake(int port, String version) throws Exception {
    try (SSLSocket socket =
        (SSLSocket) context().getSocketFactory().createSocket("127.0.0.1", port)) {
      socket.setSoTimeout(30_000);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      parameters.setProtocols(new String[] {version});
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  @Test
  void newConnectionsHaveTheNewFilesAndOpenOnesGoOn() throws Exception {
    NodeTls tls = tls(ClientCertificates.NONE);
    PrometheusRegistry metrics = new PrometheusRegistry();
    CertificateWatch watch =
        new CertificateWatch(
            tls.ports(), Duration.ofDays(30), new SystemClock(), new Health(), metrics);
    int port = serve(tls);
    ManagedChannel open =
        Grpc.newChannelBuilderForAddress("127.0.0.1", port, trusting().build()).build();
    running.add(open::shutdownNow);
    var health = HealthGrpc.newBlockingStub(open).withDeadlineAfter(30, TimeUnit.SECONDS);
    var unused = health.check(HealthCheckRequest.getDefaultInstance());
    X509Certificate before = handshake(port, "TLSv1.3");
    watch.look();
    assertEquals(before, handshake(port, "TLSv1.3"), "nothing has changed");
    assertEquals(0, count(metrics, "reloads"));

    directory.renew("n1", DAY.multipliedBy(60));
    assertEquals(before, handshake(port, "TLSv1.3"), "nothing has looked");
    watch.look();
    X509Certificate after = handshake(port, "TLSv1.3");
    assertNotEquals(before, after);
    assertEquals(1, count(metrics, "reloads"));
    assertEquals(after.getNotAfter().toInstant().getEpochSecond(), notAfter(metrics));
    unused = health.check(HealthCheckRequest.getDefaultInstance());
  }

  @Test
  void aClientWhoseCertificateIsRevokedIsCutAndRefused() throws Exception {
    directory.createClient("bob", DAY);
    NodeTls tls = tls(ClientCertificates.REQUIRED);
    CertificateWatch watch =
        new CertificateWatch(
            tls.ports(),
            Duration.ofDays(30),
            new SystemClock(),
            new Health(),
            new PrometheusRegistry());
    int port = serve(tls);
    ManagedChannel alice =
        Grpc.newChannelBuilderForAddress("127.0.0.1", port, showing(certs, "alice", "client"))
            .build();
    running.add(alice::shutdownNow);
    BlockingQueue<Status> ends = new LinkedBlockingQueue<>();
    HealthGrpc.newStub(alice)
        .watch(
            HealthCheckRequest.getDefaultInstance(),
            new StreamObserver<>() {
              @Override
              public void onNext(HealthCheckResponse answer) {
                ends.add(Status.OK);
              }

              @Override
              public void onError(Throwable broken) {
                ends.add(Status.fromThrowable(broken));
              }

              @Override
              public void onCompleted() {}
            });
    assertEquals(Status.OK, ends.poll(30, TimeUnit.SECONDS));

    var unused = directory.revoke("alice", DAY);
    watch.lookAtRevocations();
    Status end = ends.poll(30, TimeUnit.SECONDS);
    assertEquals(Status.Code.UNAVAILABLE, end == null ? null : end.getCode());
    assertEquals(Status.Code.UNAVAILABLE, call(port, showing(certs, "alice", "client")));
    assertEquals(Status.Code.OK, call(port, showing(certs, "bob", "client")));
  }

  @Test
  void clientsOfNewAuthoritiesComeInAndThoseOfOldOnesDoNot() throws Exception {
    NodeTls tls = tls(ClientCertificates.REQUIRED);
    CertificateWatch watch =
        new CertificateWatch(
            tls.ports(),
            Duration.ofDays(30),
            new SystemClock(),
            new Health(),
            new PrometheusRegistry());
    int port = serve(tls);
    ChannelCredentials ours = showing(certs, "alice", "client");
    ChannelCredentials theirs = showing(folder.resolve("others"), "alice", "client");
    assertEquals(Status.Code.OK, call(port, ours));
    assertEquals(Status.Code.UNAVAILABLE, call(port, theirs));
    Files.copy(
        folder.resolve("others/alice/clients-ca.pem"),
        certs.resolve("n1/clients-ca.pem"),
        StandardCopyOption.REPLACE_EXISTING);
    watch.look();
    assertEquals(Status.Code.UNAVAILABLE, call(port, ours));
    assertEquals(Status.Code.OK, call(port, theirs));
  }

  private static long count(PrometheusRegistry metrics, String what) {
    return (long) series(metrics, "colonnade_certificate_" + what, "clients");
  }

  private static long notAfter(PrometheusRegistry metrics) {
    return (long) series(metrics, "colonnade_certificate_not_after_seconds", "clients");
  }

  private static double series(PrometheusRegistry metrics, String name, String port) {
    return metrics.scrape().stream()
        .filter(metric -> metric.getMetadata().getName().equals(name))
        .flatMap(metric -> metric.getDataPoints().stream())
        .filter(point -> port.equals(point.getLabels().get("port")))
        .mapToDouble(
            point ->
                point instanceof CounterDataPointSnapshot counter
                    ? counter.getValue()
                    : ((GaugeDataPointSnapshot) point).getValue())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void badFilesChangeNothingAndAreCounted() throws Exception {
    NodeTls tls = tls(ClientCertificates.NONE);
    PrometheusRegistry metrics = new PrometheusRegistry();
    CertificateWatch watch =
        new CertificateWatch(
            tls.ports(), Duration.ofDays(30), new SystemClock(), new Health(), metrics);
    int port = serve(tls);
    X509Certificate before = handshake(port, "TLSv1.3");
    Path file = certs.resolve("n1/server.pem");
    Path key = certs.resolve("n1/server.key");
    byte[] good = Files.readAllBytes(file);
    int failures = 0;
    for (byte[] bad :
        List.of(
            new byte[0],
            "no certificate".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
            java.util.Arrays.copyOf(good, good.length / 2),
            new byte[2 << 20],
            // Of another key.
            Files.readAllBytes(certs.resolve("alice/client.pem")))) {
      Files.write(file, bad);
      watch.look();
      failures++;
      assertEquals(failures, count(metrics, "failures"));
      assertEquals(before, handshake(port, "TLSv1.3"));
    }
    Files.delete(file);
    watch.look();
    assertEquals(failures + 1, count(metrics, "failures"));
    Files.write(file, good);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    watch.look();
    assertEquals(failures + 2, count(metrics, "failures"), "others may read the key");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    watch.look();
    assertEquals(failures + 2, count(metrics, "failures"));
    assertEquals(0, count(metrics, "reloads"));
    assertEquals(before, handshake(port, "TLSv1.3"));
  }

  @Test
  void nothingOfAKeyIsLogged() throws Exception {
    NodeTls tls = tls(ClientCertificates.NONE);
    CertificateWatch watch =
        new CertificateWatch(
            tls.ports(),
            Duration.ofDays(30),
            new SystemClock(),
            new Health(),
            new PrometheusRegistry());
    Path key = certs.resolve("n1/server.key");
    String good = Files.readString(key);
    String secret = good.lines().skip(1).findFirst().orElseThrow();
    Logger logger = (Logger) LoggerFactory.getLogger(CertificateWatch.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      for (String bad :
          List.of(
              good.replace("BEGIN PRIVATE KEY", "BEGIN PUBLIC KEY"),
              good.substring(0, good.length() / 2),
              secret,
              good.replace(secret, secret.toLowerCase(Locale.ROOT)))) {
        Files.writeString(key, bad);
        watch.look();
      }
    } finally {
      logger.detachAppender(log);
    }
    assertFalse(log.list.isEmpty(), "they were reported");
    for (ILoggingEvent line : log.list) {
      String text =
          line.getFormattedMessage() + ThrowableProxyUtil.asString(line.getThrowableProxy());
      assertFalse(text.contains(secret.substring(0, 16)), text);
    }
  }

  @Test
  void anotherNodesCertificateIsNotTakenWhileTheNodeRuns() throws Exception {
    NodeTls tls = tls(ClientCertificates.NONE);
    PrometheusRegistry metrics = new PrometheusRegistry();
    CertificateWatch watch =
        new CertificateWatch(
            tls.ports(), Duration.ofDays(30), new SystemClock(), new Health(), metrics);
    CertifiedNode other =
        directory.createNode("n2", List.of("127.0.0.1"), Optional.empty(), DAY.multipliedBy(50));
    assertNotEquals(other.hostId(), tls.peers().orElseThrow().self().hostId());
    for (String name : List.of("peer.pem", "peer.key")) {
      Files.copy(
          certs.resolve("n2").resolve(name),
          certs.resolve("n1").resolve(name),
          StandardCopyOption.REPLACE_EXISTING);
    }
    watch.look();
    assertEquals(1, series(metrics, "colonnade_certificate_failures", "nodes"));
  }

  @Test
  void filesThatCannotBeUsedAreRefusedAtTheStartWithTheReason() throws Exception {
    Files.delete(certs.resolve("n1/server.key"));
    assertRefused("there is no file");
    Files.copy(certs.resolve("alice/client.key"), certs.resolve("n1/server.key"));
    assertRefused("is not the private key of the certificate");
    directory.renew("n1", Duration.ofSeconds(-1));
    assertRefused("expired at");
    new CertificateDirectory(certs, Instant.now().plus(DAY)).renew("n1", DAY);
    assertRefused("is this machine's clock right?");
  }

  private void assertRefused(String reason) {
    CertificateFileException refused =
        assertThrows(CertificateFileException.class, () -> tls(ClientCertificates.NONE));
    assertTrue(String.valueOf(refused.getMessage()).contains(reason), refused.getMessage());
  }

  @Test
  void probesAreEncryptedToo() throws Exception {
    NodeTls tls = tls(ClientCertificates.REQUIRED);
    OpsHttpServer http =
        OpsHttpServer.start(
            new InetSocketAddress("127.0.0.1", 0),
            Optional::empty,
            () -> new OpsHttpServer.Readiness(true, Optional.empty()),
            new PrometheusRegistry(),
            List.of(),
            PageAccess.OPEN,
            tls.clients());
    running.add(http);
    HttpClient client = HttpClient.newBuilder().sslContext(context()).build();
    String address = "://127.0.0.1:" + http.address().getPort() + "/readyz";
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(URI.create("https" + address)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals("ok\n", answer.body());
    assertEquals("TLSv1.3", answer.sslSession().orElseThrow().getProtocol());
    assertThrows(
        IOException.class,
        () ->
            client.send(
                HttpRequest.newBuilder(URI.create("http" + address)).build(),
                HttpResponse.BodyHandlers.ofString()));
    HttpClient stranger = HttpClient.newHttpClient();
    assertThrows(
        SSLException.class,
        () ->
            stranger.send(
                HttpRequest.newBuilder(URI.create("https" + address)).build(),
                HttpResponse.BodyHandlers.ofString()));
  }
}
