package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Caller;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Grant;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.PasswordSource;
import dev.colonnade.client.Permission;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.Tls;
import dev.colonnade.server.node.authority.CertificateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node process with authentication, started as docs/accounts.md says, and callers that are known
 * by certificate or password over TLS; and what its audit log says of all of it.
 */
@Timeout(180)
final class AccountsProcessIT {

  private static final String ADMIN_PASSWORD = "only the administrator knows this";
  private static final Duration VALIDITY = Duration.ofDays(1);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** A line of the audit log behind the time and the level: names and quoted values. */
  private static final Pattern EVENT =
      Pattern.compile(
          ".* colonnade\\.audit event=[a-z_]+( [a-z]+=(\"([^\"\\\\]|\\\\.)*\"|[A-Z_]+))*");

  @TempDir Path folder;

  private ProcessNode node;

  private static void certificates(Path directory, List<String> clients) throws Exception {
    CertificateDirectory made = new CertificateDirectory(directory, Instant.now());
    made.createAuthorities("Blog", VALIDITY);
    Object unused = made.createNode("node1", List.of("127.0.0.1"), Optional.empty(), VALIDITY);
    for (String client : clients) {
      made.createClient(client, VALIDITY);
    }
  }

  private ClientOptions trusting() {
    return ClientOptions.defaults()
        .withSessions(false)
        .withTls(Tls.system().withTrusted(folder.resolve("certs/node1/clients-ca.pem")));
  }

  private ClientOptions certified(Path directory, String client) {
    Path home = directory.resolve(client);
    return trusting()
        .withTls(
            Tls.system()
                .withTrusted(folder.resolve("certs/node1/clients-ca.pem"))
                .withIdentity(home.resolve("client.pem"), home.resolve("client.key")));
  }

  private ClientOptions certified(String client) {
    return certified(folder.resolve("certs"), client);
  }

  private Colonnade connect(ClientOptions options) {
    return Colonnade.connect(node.address() + ":" + node.ports().client(), options);
  }

  private static ColumnFamily<String, String, String> authors(Colonnade client) {
    return client
        .keyspace("Blog")
        .columnFamily("Authors", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  private static void assertRefused(String reason, Executable call) {
    ColonnadeException refused = assertThrows(ColonnadeException.class, call);
    assertEquals(reason, refused.reason(), refused.toString());
  }

  /** The audit log has a line with all of these. */
  private void awaitEvent(String... parts) {
    Await.until(
        () -> audit().stream().anyMatch(line -> List.of(parts).stream().allMatch(line::contains)),
        LIMIT,
        () -> "no line with " + List.of(parts) + " in " + audit());
  }

  private List<String> audit() {
    try {
      return node.log().lines().filter(line -> line.contains("colonnade.audit")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeEach
  void startAsThePageSays() throws Exception {
    certificates(folder.resolve("certs"), List.of("admin", "alice", "mallory"));
    certificates(folder.resolve("others"), List.of("alice"));
    Path file =
        Files.createFile(
            folder.resolve("admin.password"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Path password = Files.writeString(file, ADMIN_PASSWORD + "\n");
    List<String> arguments =
        List.of(
            "--authentication",
            "password_or_certificate",
            "--admin-password-file",
            password.toString(),
            "--tls",
            folder.resolve("certs/node1").toString(),
            "--client-certificates",
            "optional");
    node =
        ProcessNode.start(
            LocalNode.Settings.in(folder.resolve("data"))
                .withJvmArguments("-Xmx256m", "-XX:TieredStopAtLevel=1")
                .withPeers(new LocalNode.Peers(0, List.of(), arguments)));
  }

  @AfterEach
  void stop() {
    node.close();
  }

  @Test
  void callersAreKnownByTheirCertificatesAndTheAuditLogSaysWhatTheyDid() throws Exception {
    theAdministratorMakesAccounts();
    aUserDoesWhatWasGrantedAndNothingElse();
    strangersAreRefused();
    aUserThatIsLockedOrDroppedIsRefused();
    List<String> events = audit();
    assertTrue(events.stream().allMatch(line -> EVENT.matcher(line).matches()), events.toString());
    assertFalse(node.log().contains(ADMIN_PASSWORD));
    assertFalse(node.log().contains("guessed"));
  }

  private void theAdministratorMakesAccounts() {
    PasswordSource source = PasswordSource.fixed(ADMIN_PASSWORD);
    try (Colonnade byPassword = connect(trusting().withUser("admin", source));
        Colonnade byCertificate = connect(certified("admin"))) {
      for (Colonnade admin : List.of(byPassword, byCertificate)) {
        Caller caller = admin.accounts().caller();
        assertEquals("admin", caller.account().orElseThrow().name());
        assertTrue(caller.account().orElseThrow().superuser());
      }
      byPassword
          .schema()
          .create(
              KeyspaceDefinition.named("Blog")
                  .with(ColumnFamilyDefinition.standard("Authors", Comparators.UTF8)));
      assertEquals(List.of(), byCertificate.accounts().createUserWithoutPassword("alice"));
      for (Permission permission : List.of(Permission.READ, Permission.WRITE)) {
        Grant grant = Grant.onKeyspace(permission, "Blog");
        assertEquals(List.of(), byCertificate.accounts().grant("alice", grant));
      }
    }
    String create = "call=\"colonnade.admin.v1.AccountService/CreateUser\"";
    awaitEvent("event=call ", "account=\"admin\"", "address=\"127.0.0.1\"", create);
    awaitEvent("event=call_ended ", "account=\"admin\"", create, "status=OK");
    awaitEvent("event=call ", "SchemaService/CreateKeyspace");
  }

  private void aUserDoesWhatWasGrantedAndNothingElse() {
    try (Colonnade alice = connect(certified("alice"))) {
      authors(alice).insert("arin", "city", "Tulsa");
      assertEquals(1, authors(alice).slice("arin", Slice.all()).size());
      assertRefused("PERMISSION_DENIED", () -> alice.schema().dropKeyspace("Blog"));
      assertRefused("PERMISSION_DENIED", () -> alice.accounts().list());
    }
    awaitEvent(
        "event=denied",
        "account=\"alice\"",
        "address=\"127.0.0.1\"",
        "call=\"colonnade.admin.v1.SchemaService/DropKeyspace\"",
        "needs=\"this needs the permission SCHEMA on 'Blog', which was not granted\"");
  }

  private void strangersAreRefused() {
    try (Colonnade nameless = connect(trusting());
        Colonnade mallory = connect(certified("mallory"));
        Colonnade foreign = connect(certified(folder.resolve("others"), "alice"));
        Colonnade guessing =
            connect(trusting().withUser("admin", PasswordSource.fixed("guessed \" x=\"y")))) {
      assertRefused("CREDENTIALS_MISSING", () -> authors(nameless).insert("a", "b", "c"));
      assertRefused("CREDENTIALS_REFUSED", () -> authors(mallory).insert("a", "b", "c"));
      assertRefused("CREDENTIALS_REFUSED", () -> authors(guessing).insert("a", "b", "c"));
      // Its authority is another one: there is no connection, and so no account.
      assertRefused("UNAVAILABLE", () -> authors(foreign).insert("a", "b", "c"));
    }
    awaitEvent("event=login_failed", "account=\"mallory\"", "address=\"127.0.0.1\"");
    awaitEvent("event=login_failed", "account=\"admin\"", "address=\"127.0.0.1\"");
  }

  private void aUserThatIsLockedOrDroppedIsRefused() {
    try (Colonnade admin = connect(certified("admin"));
        Colonnade alice = connect(certified("alice"))) {
      assertEquals(List.of(), admin.accounts().setLocked("alice", true));
      assertRefused("CREDENTIALS_REFUSED", () -> authors(alice).insert("a", "b", "c"));
      assertEquals(List.of(), admin.accounts().setLocked("alice", false));
      authors(alice).insert("a", "b", "c");
      assertEquals(List.of(), admin.accounts().drop("alice"));
      assertRefused("CREDENTIALS_REFUSED", () -> authors(alice).insert("a", "b", "c"));
    }
    awaitEvent("event=login_failed", "account=\"alice\"");
    awaitEvent("event=call_ended", "AccountService/DropAccount", "status=OK");
  }
}
