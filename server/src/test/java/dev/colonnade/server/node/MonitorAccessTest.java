package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.CreateUserRequest;
import dev.colonnade.admin.v1.GetCallerRequest;
import dev.colonnade.admin.v1.LoginRequest;
import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.AccessSettings.Authentication;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.node.platform.HostNames;
import dev.colonnade.server.node.platform.OpsPage.PageAnswer;
import dev.colonnade.server.node.platform.OpsPage.PageRequest;
import dev.colonnade.server.service.accounts.Accounts;
import dev.colonnade.server.service.accounts.AuditLog;
import dev.colonnade.server.service.accounts.Authenticator;
import dev.colonnade.server.service.accounts.TokenVerifier;
import dev.colonnade.server.service.rpc.ClientAccess;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.Attributes;
import io.grpc.ClientInterceptor;
import io.grpc.EquivalentAddressGroup;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who sees what over HTTP where callers say who they are. */
@Timeout(60)
final class MonitorAccessTest {

  private static final String ADMIN = "a password of admin";
  private static final String PASSING_BY = "a password of passer-by";
  private static final List<String> PAGES =
      List.of(
          "/metrics", "/", "/status.json", "/nodes.json", "/status.css", "/status.js", "/nodes.js");

  @TempDir private static Path folder;

  private static Node node;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @BeforeAll
  static void startANodeWithAccounts() throws Exception {
    Path password = passwordFile("password");
    node = Node.start(options("node").with(AccessSettings.ADMIN_PASSWORD_FILE, "" + password));
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", node.clientPort()).usePlaintext().build();
    try {
      Metadata header = new Metadata();
      header.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
          basic("admin", ADMIN));
      var unused =
          AccountServiceGrpc.newBlockingStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(header))
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .createUser(
                  CreateUserRequest.newBuilder()
                      .setName("passer-by")
                      .setPassword(PASSING_BY)
                      .build());
    } finally {
      channel.shutdownNow();
    }
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private static NodeOptions options(String name) {
    return NodeOptions.defaults()
        .withDataDirectory(folder.resolve(name))
        .withFreePorts()
        .with(AccessSettings.PASSWORD_ITERATIONS, 100_000)
        .with(AccessSettings.AUTHENTICATION, Authentication.PASSWORD);
  }

  private static Path passwordFile(String name) throws IOException {
    Path file = Files.writeString(folder.resolve(name), ADMIN);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private static String basic(String name, String password) {
    String both = name + ":" + password;
    return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
  }

  private static HttpResponse<String> get(Node from, String path, String header) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + from.httpPort() + path));
    if (!header.isEmpty()) {
      request.header("Authorization", header);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void strangersSeeProbesAlone() throws Exception {
    assertEquals(200, get(node, "/healthz", "").statusCode());
    assertEquals(200, get(node, "/readyz", "").statusCode());
    for (String page : PAGES) {
      HttpResponse<String> refused = get(node, page, "");
      assertEquals(401, refused.statusCode(), page);
      assertEquals(
          "Basic realm=\"Colonnade\", charset=\"UTF-8\", Bearer realm=\"Colonnade\"",
          refused.headers().firstValue("www-authenticate").orElse(""));
      assertTrue(refused.body().contains("say who they are"), refused::body);
    }
  }

  @Test
  void whoMayMonitorSeesEverything() throws Exception {
    for (String page : PAGES) {
      assertEquals(200, get(node, page, basic("admin", ADMIN)).statusCode(), page);
    }
  }

  @Test
  void aTokenIsAsGoodAsAPassword() throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", node.clientPort()).usePlaintext().build();
    String token;
    try {
      token =
          AccountServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .login(LoginRequest.newBuilder().setName("admin").setPassword(ADMIN).build())
              .getToken();
    } finally {
      channel.shutdownNow();
    }
    assertEquals(200, get(node, "/metrics", "Bearer " + token).statusCode());
    char last = token.charAt(token.length() - 4);
    String forged =
        token.substring(0, token.length() - 4)
            + (last == 'A' ? 'B' : 'A')
            + token.substring(token.length() - 3);
    assertEquals(401, get(node, "/metrics", "Bearer " + forged).statusCode());
  }

  /** The answer to a stranger of a node that takes certificates, and what is given besides. */
  private static PageAnswer stranger(boolean passwords, Optional<TokenVerifier> tokens) {
    SimClock clock = new SimClock();
    Accounts accounts =
        new Accounts(facts -> CompletableFuture.completedFuture(null), clock, List.of());
    AuditLog audit = new AuditLog(false, clock::monotonicNanos);
    Authenticator authenticator =
        new Authenticator(
            accounts,
            new Authenticator.Options(passwords, true, 10, Duration.ofHours(1), tokens),
            clock,
            new SimScheduler(clock),
            bytes -> {},
            audit);
    return new MonitorAccess(
            new ClientAccess(accounts, authenticator, audit, true), false, HostNames.of(List.of()))
        .refusal(new PageRequest("/metrics", "", "", "", "192.0.2.1", Optional.empty()))
        .join()
        .orElseThrow();
  }

  @Test
  void onlyWhatIsAcceptedIsOffered() {
    PageAnswer certificates = stranger(false, Optional.empty());
    assertEquals(403, certificates.status());
    assertTrue(
        new String(certificates.body(), StandardCharsets.UTF_8).contains("certificate"),
        certificates::toString);

    PageAnswer tokens =
        stranger(
            false,
            Optional.of(token -> CompletableFuture.completedFuture(Optional.<String>empty())));
    assertEquals(401, tokens.status());
    assertEquals(Map.of("WWW-Authenticate", "Bearer realm=\"Colonnade\""), tokens.headers());
  }

  @Test
  void whoMayNotMonitorIsToldWhatIsMissing() throws Exception {
    HttpResponse<String> refused = get(node, "/metrics", basic("passer-by", PASSING_BY));
    assertEquals(403, refused.statusCode());
    assertTrue(refused.body().contains("MONITOR"), refused::body);
  }

  @Test
  void wrongPasswordsAreRefusedAndThenSlowedDown() throws Exception {
    int last = 0;
    for (int i = 0; i < 40 && last != 429; i++) {
      HttpResponse<String> refused = get(node, "/metrics", basic("nobody", "wrong " + i));
      last = refused.statusCode();
      assertTrue(last == 401 || last == 429, "status " + last);
      assertEquals(last == 429, refused.headers().firstValue("retry-after").isPresent());
    }
    assertEquals(429, last, "nothing slowed them down");
    assertEquals(200, get(node, "/metrics", basic("admin", ADMIN)).statusCode());
  }

  /** One state for pages, calls and sessions: a guess over one of them counts for the others. */
  @Test
  void guessesOverPagesCallsAndSessionsCountTogetherAndDoNotStopTheOwnerElsewhere()
      throws Exception {
    String word = "the password of an owner";
    ManagedChannel owner = from("127.0.0.2");
    ManagedChannel guesser = from("127.0.0.1");
    try {
      var unused =
          AccountServiceGrpc.newBlockingStub(owner)
              .withInterceptors(headers("admin", ADMIN))
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .createUser(
                  CreateUserRequest.newBuilder().setName("owner").setPassword(word).build());
      assertEquals("OK", call(owner, "owner", word));
      assertEquals(401, get(node, "/metrics", basic("owner", "guess 1")).statusCode());
      assertEquals("UNAUTHENTICATED", call(guesser, "owner", "guess 2"));
      assertEquals("UNAUTHENTICATED", session(guesser, "owner", "guess 3"));
      assertEquals("UNAUTHENTICATED", logIn(guesser, "owner", "guess 4 is long enough"));
      // Fifth attempts, with the right password, within the second that the fourth costs; a slow
      // machine makes the wait longer by further guesses.
      for (int i = 0; call(guesser, "owner", "guess no. " + i).equals("UNAUTHENTICATED"); i++) {
        assertTrue(i < 10, "nothing slowed them down");
      }
      assertEquals("RESOURCE_EXHAUSTED", call(guesser, "owner", word));
      assertEquals("RESOURCE_EXHAUSTED", session(guesser, "owner", word));
      assertEquals("RESOURCE_EXHAUSTED", logIn(guesser, "owner", word));
      assertEquals(429, get(node, "/metrics", basic("owner", word)).statusCode());
      assertEquals("OK", call(owner, "owner", word));
      assertEquals("OK", session(owner, "owner", word));
      assertEquals("OK", logIn(owner, "owner", word));
    } finally {
      owner.shutdownNow();
      guesser.shutdownNow();
    }
  }

  private static ManagedChannel from(String address) {
    return NettyChannelBuilder.forAddress("127.0.0.1", node.clientPort())
        .usePlaintext()
        .localSocketPicker(
            new NettyChannelBuilder.LocalSocketPicker() {
              @Override
              public SocketAddress createSocketAddress(
                  SocketAddress remote, @EquivalentAddressGroup.Attr Attributes attributes) {
                return new InetSocketAddress(address, 0);
              }
            })
        .build();
  }

  private static ClientInterceptor headers(String name, String password) {
    Metadata header = new Metadata();
    header.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), basic(name, password));
    return MetadataUtils.newAttachHeadersInterceptor(header);
  }

  private static String code(Runnable call) {
    try {
      call.run();
      return "OK";
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode().name();
    }
  }

  private static String call(ManagedChannel channel, String name, String password) {
    return code(
        () ->
            AccountServiceGrpc.newBlockingStub(channel)
                .withInterceptors(headers(name, password))
                .withDeadlineAfter(30, TimeUnit.SECONDS)
                .getCaller(GetCallerRequest.getDefaultInstance()));
  }

  private static String logIn(ManagedChannel channel, String name, String password) {
    return code(
        () ->
            AccountServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(30, TimeUnit.SECONDS)
                .login(LoginRequest.newBuilder().setName(name).setPassword(password).build()));
  }

  /** Opens a session and closes it at once. */
  private static String session(ManagedChannel channel, String name, String password)
      throws InterruptedException {
    CompletableFuture<String> ended = new CompletableFuture<>();
    StreamObserver<SessionRequest> calls =
        ColumnStoreServiceGrpc.newStub(channel)
            .withInterceptors(headers(name, password))
            .withDeadlineAfter(30, TimeUnit.SECONDS)
            .session(
                new StreamObserver<SessionResponse>() {
                  @Override
                  public void onNext(SessionResponse answer) {}

                  @Override
                  public void onError(Throwable failure) {
                    ended.complete(Status.fromThrowable(failure).getCode().name());
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete("OK");
                  }
                });
    calls.onCompleted();
    return ended.join();
  }

  /** A page of a stranger whose name was given the node's address must not read this one's. */
  @Test
  void pagesForMonitorsAreNotShownUnderANameThatIsNotTheNodes() throws Exception {
    for (String page : PAGES) {
      assertTrue(raw("GET " + page, "evil.example").startsWith("HTTP/1.1 421 "), page);
      assertTrue(raw("HEAD " + page, "evil.example:80").startsWith("HTTP/1.1 421 "), page);
    }
    String refusal = raw("GET /metrics", "evil.example");
    assertTrue(refusal.contains("http_host_names"), refusal);
    assertFalse(refusal.contains("evil"), refusal);
    assertTrue(raw("GET /metrics", "localhost:1").startsWith("HTTP/1.1 401 "));
    assertTrue(raw("GET /readyz", "evil.example").startsWith("HTTP/1.1 200 "), "a probe");
    try (Node named =
        Node.start(
            NodeOptions.defaults()
                .withDataDirectory(folder.resolve("named"))
                .withFreePorts()
                .with(AddressSettings.HTTP_HOST_NAMES, List.of("metrics.example")))) {
      assertTrue(raw(named, "GET /metrics", "metrics.example:8080").startsWith("HTTP/1.1 200 "));
      assertTrue(raw(named, "GET /metrics", "evil.example").startsWith("HTTP/1.1 421 "));
    }
  }

  private static String raw(String what, String host) throws IOException {
    return raw(node, what, host);
  }

  private static String raw(Node from, String what, String host) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", from.httpPort())) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write(
              (what + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void metricsAreOpenWhereThatIsWantedAndTheStatusPageIsNot() throws Exception {
    Path password = passwordFile("password of the other");
    try (Node open =
        Node.start(
            options("open")
                .with(AccessSettings.ADMIN_PASSWORD_FILE, "" + password)
                .with(AccessSettings.OPEN_METRICS, true))) {
      assertEquals(200, get(open, "/metrics", "").statusCode());
      assertEquals(401, get(open, "/status.json", "").statusCode());
    }
  }
}
