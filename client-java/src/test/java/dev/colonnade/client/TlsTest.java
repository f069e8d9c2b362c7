package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import io.grpc.Attributes;
import io.grpc.CallCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsServerCredentials;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections that are encrypted, and the token that goes over them. */
@Timeout(60)
final class TlsTest {

  private static final ClientOptions SINGLE =
      ClientOptions.defaults()
          .withSessions(false)
          .withRetries(0)
          .withCalls(CallOptions.defaults().withDeadline(Duration.ofSeconds(20)));

  @TempDir private static Path folder;

  private static Certificate node;
  private static Certificate named;
  private static Certificate person;

  /** What calls had for a token; "none" for those that had none. */
  private final Queue<String> tokens = new ConcurrentLinkedQueue<>();

  private final List<Server> servers = new ArrayList<>();

  @BeforeAll
  static void makeCertificates() throws Exception {
    node = Certificate.of(folder, "node", "ip:127.0.0.1");
    named = Certificate.of(folder, "named", "dns:nodes.example");
    person = Certificate.of(folder, "person", "dns:person.example");
  }

  @AfterEach
  void stop() {
    servers.forEach(Server::shutdownNow);
  }

  @Test
  void callsAreEncryptedForWhomTheNodeProvesToBe() throws IOException {
    String target = serve(node, null);
    assertCalls(target, SINGLE.withTls(Tls.system().withTrusted(node.chain())));
  }

  @Test
  void aNodeThatIsNotTrustedGetsNoCall() throws IOException {
    String target = serve(node, null);
    assertNoCall(target, SINGLE.withTls(Tls.system()));
    assertNoCall(target, SINGLE.withTls(Tls.system().withTrusted(named.chain())));
    assertNoCall(target, SINGLE);
    assertTrue(tokens.isEmpty());
  }

  @Test
  void aCertificateMustNameTheHostOrTheNameThatAllNodesHave() throws IOException {
    String target = serve(named, null);
    Tls tls = Tls.system().withTrusted(named.chain());
    assertNoCall(target, SINGLE.withTls(tls));
    assertCalls(target, SINGLE.withTls(tls.withServerName("nodes.example")));
  }

  @Test
  void aNodeMayAskForTheClientsCertificate() throws IOException {
    String target = serve(node, person.chain());
    Tls tls = Tls.system().withTrusted(node.chain());
    assertNoCall(target, SINGLE.withTls(tls));
    assertNoCall(target, SINGLE.withTls(tls.withIdentity(named.chain(), named.key())));
    assertCalls(target, SINGLE.withTls(tls.withIdentity(person.chain(), person.key())));
  }

  @Test
  void newConnectionsHaveTheFilesAsTheyAreNow() throws IOException {
    Path trusted = folder.resolve("trusted.pem");
    Files.copy(named.chain(), trusted, StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(trusted, FileTime.fromMillis(1_000_000));
    String target = serve(node, null);
    Timer timer = new Timer();
    try {
      ManagedChannel channel =
          Grpc.newChannelBuilder(
                  target, TlsFiles.credentials(Tls.system().withTrusted(trusted), timer))
              .build();
      try {
        assertThrows(
            StatusRuntimeException.class,
            () ->
                ColumnStoreServiceGrpc.newBlockingStub(channel)
                    .getSlice(GetSliceRequest.getDefaultInstance()));
        Files.copy(node.chain(), trusted, StandardCopyOption.REPLACE_EXISTING);
        timer.minute.run();
        channel.resetConnectBackoff();
        ColumnStoreServiceGrpc.newBlockingStub(channel)
            .withWaitForReady()
            .withDeadlineAfter(20, TimeUnit.SECONDS)
            .getSlice(GetSliceRequest.getDefaultInstance());
      } finally {
        channel.shutdownNow();
      }
    } finally {
      timer.shutdownNow();
    }
  }

  /** A minute passes when the test says so. */
  private static final class Timer extends ScheduledThreadPoolExecutor {

    volatile Runnable minute = () -> {};

    Timer() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable task, long first, long delay, TimeUnit unit) {
      minute = task;
      return schedule(() -> {}, 0, unit);
    }
  }

  @Test
  void filesThatCannotBeUsedFailTheClientAtOnce() throws IOException {
    Path absent = folder.resolve("absent.pem");
    Path text = Files.writeString(folder.resolve("text.pem"), "no certificate\n");
    assertThrows(
        UncheckedIOException.class,
        () -> Colonnade.connect("h:1", SINGLE.withTls(Tls.system().withTrusted(absent))));
    assertThrows(
        IllegalArgumentException.class,
        () -> Colonnade.connect("h:1", SINGLE.withTls(Tls.system().withTrusted(text))));
    assertThrows(
        UncheckedIOException.class,
        () ->
            Colonnade.connect(
                "h:1", SINGLE.withTls(Tls.system().withIdentity(node.chain(), absent))));
  }

  @Test
  void eachCallHasTheTokenAsItIsThen() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "first\n");
    String target = serve(node, null);
    try (Colonnade client =
        Colonnade.connect(target, encrypted().withTokens(TokenSource.file(file)))) {
      FakeNodes.family(client).get("k", "c");
      Files.writeString(file, "second");
      Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
      FakeNodes.family(client).get("k", "c");
    }
    assertEquals(List.of("Bearer first", "Bearer second"), List.copyOf(tokens));
  }

  @Test
  void withoutATokenNothingIsSent() throws IOException {
    String target = serve(node, null);
    for (TokenSource source :
        List.<TokenSource>of(
            TokenSource.file(folder.resolve("no-such-token")),
            TokenSource.fixed(""),
            TokenSource.fixed("s3cret\nx: y"),
            () -> CompletableFuture.failedFuture(new IOException("no answer")),
            () -> CompletableFuture.completedFuture(null),
            () -> {
              throw new IllegalStateException("broken");
            })) {
      try (Colonnade client = Colonnade.connect(target, encrypted().withTokens(source))) {
        ColonnadeException failure =
            assertThrows(
                ColonnadeException.class, () -> FakeNodes.family(client).insert("k", "c", "v"));
        assertEquals("UNAUTHENTICATED", failure.reason());
        assertFalse(failure.toString().contains("s3cret"), failure::toString);
      }
    }
    assertTrue(tokens.isEmpty());
  }

  @Test
  void aTokenNeedsEncryption() {
    assertThrows(
        IllegalArgumentException.class,
        () -> Colonnade.connect("h:1", SINGLE.withTokens(TokenSource.fixed("t"))));
  }

  @Test
  void aPasswordGoesOverTlsAndToThisMachineWithEachCallAsItIsThen() throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "p\u00e4ss word \n");
    try (Colonnade client =
        Colonnade.connect(
            serve(node, null), encrypted().withUser("bob", PasswordSource.file(file)))) {
      FakeNodes.family(client).get("k", "c");
      Files.writeString(file, "second");
      Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
      FakeNodes.family(client).get("k", "c");
    }
    assertCalls(servePlainly(), SINGLE.withUser("bob", PasswordSource.fixed("third")));
    assertEquals(
        List.of(basic("bob:p\u00e4ss word "), basic("bob:second"), basic("bob:third")),
        List.copyOf(tokens));
  }

  /** What a machine that is not this one gets: nothing, and the failure has no secret in it. */
  @Test
  void aPasswordIsNotSentInTheOpenToAnotherMachine() throws IOException {
    PasswordCredentials credentials =
        new PasswordCredentials("bob", PasswordSource.fixed("s3cret-word"));
    for (String address : List.of("10.0.0.7", "2001:db8::7")) {
      Applied applied = new Applied();
      credentials.applyRequestMetadata(
          connection(address, SecurityLevel.NONE), Runnable::run, applied);
      assertEquals(Status.Code.UNAUTHENTICATED, applied.failure().getCode());
      assertTrue(applied.failure().toString().contains("only over TLS"));
      assertFalse(applied.failure().toString().contains("s3cret"), applied.failure()::toString);
      assertTrue(applied.headers.isEmpty());
      credentials.applyRequestMetadata(
          connection(address, SecurityLevel.PRIVACY_AND_INTEGRITY), Runnable::run, applied);
      assertEquals(1, applied.headers.size());
    }
  }

  @Test
  void withoutAPasswordNothingIsSent() throws IOException {
    String target = serve(node, null);
    for (PasswordSource source :
        List.<PasswordSource>of(
            PasswordSource.file(folder.resolve("no-such-password")),
            PasswordSource.fixed(""),
            () -> CompletableFuture.failedFuture(new IOException("no answer")),
            () -> {
              throw new IllegalStateException("broken");
            })) {
      try (Colonnade client = Colonnade.connect(target, encrypted().withUser("bob", source))) {
        ColonnadeException failure =
            assertThrows(
                ColonnadeException.class, () -> FakeNodes.family(client).insert("k", "c", "v"));
        assertEquals("UNAUTHENTICATED", failure.reason());
      }
    }
    assertTrue(tokens.isEmpty());
  }

  @Test
  void aUserHasAPasswordAndNoTokenBesideIt() {
    PasswordSource password = PasswordSource.fixed("secret-word");
    for (ClientOptions options :
        List.of(
            SINGLE.withUserName("bob"),
            SINGLE.withPassword(password),
            SINGLE.withUser("b:ob", password),
            SINGLE.withUser("", password),
            encrypted().withUser("bob", password).withTokens(TokenSource.fixed("t")))) {
      assertThrows(IllegalArgumentException.class, () -> Colonnade.connect("h:1", options));
    }
    Colonnade.connect("h:1", SINGLE.withUser("bob", password).withoutUser()).close();
  }

  private static String basic(String text) {
    return "Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static CallCredentials.RequestInfo connection(String address, SecurityLevel level)
      throws IOException {
    Attributes attributes =
        Attributes.newBuilder()
            .set(
                Grpc.TRANSPORT_ATTR_REMOTE_ADDR,
                new InetSocketAddress(InetAddress.getByName(address), 9160))
            .build();
    return new CallCredentials.RequestInfo() {
      @Override
      public MethodDescriptor<?, ?> getMethodDescriptor() {
        return ColumnStoreServiceGrpc.getGetSliceMethod();
      }

      @Override
      public SecurityLevel getSecurityLevel() {
        return level;
      }

      @Override
      public String getAuthority() {
        return address;
      }

      @Override
      public Attributes getTransportAttrs() {
        return attributes;
      }
    };
  }

  private static final class Applied extends CallCredentials.MetadataApplier {
    final List<Metadata> headers = new ArrayList<>();
    private @Nullable Status failure;

    Status failure() {
      return Objects.requireNonNull(failure);
    }

    @Override
    public void apply(Metadata more) {
      headers.add(more);
    }

    @Override
    public void fail(Status status) {
      failure = status;
    }
  }

  /** Starts a node without encryption. */
  private String servePlainly() throws IOException {
    return started(Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create()));
  }

  private static ClientOptions encrypted() {
    return SINGLE.withTls(Tls.system().withTrusted(node.chain()));
  }

  private static void assertCalls(String target, ClientOptions options) {
    try (Colonnade client = Colonnade.connect(target, options)) {
      assertTrue(FakeNodes.family(client).get("k", "c").isEmpty());
    }
  }

  private static void assertNoCall(String target, ClientOptions options) {
    try (Colonnade client = Colonnade.connect(target, options)) {
      assertThrows(UnavailableException.class, () -> FakeNodes.family(client).get("k", "c"));
    }
  }

  /**
   * Starts a node.
   *
   * @param clients whose certificate it asks for; null if it asks for none
   */
  private String serve(Certificate identity, @Nullable Path clients) throws IOException {
    TlsServerCredentials.Builder credentials =
        TlsServerCredentials.newBuilder()
            .keyManager(identity.chain().toFile(), identity.key().toFile());
    if (clients != null) {
      File file = clients.toFile();
      credentials.trustManager(file).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
    }
    return started(Grpc.newServerBuilderForPort(0, credentials.build()));
  }

  private String started(ServerBuilder<?> builder) throws IOException {
    Server server = builder.addService(new Rows()).intercept(new Tokens()).build().start();
    servers.add(server);
    return "127.0.0.1:" + server.getPort();
  }

  private final class Tokens implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      String token = headers.get(TokenCredentials.AUTHORIZATION);
      tokens.add(token == null ? "none" : token);
      return next.startCall(call, headers);
    }
  }

  private static final class Rows extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {
    @Override
    public void getSlice(GetSliceRequest request, StreamObserver<GetSliceResponse> answer) {
      answer.onNext(GetSliceResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }
}
