package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.AccountField;
import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.AccountServiceGrpc.AccountServiceBlockingStub;
import dev.colonnade.admin.v1.AlterUserRequest;
import dev.colonnade.admin.v1.ChangePasswordRequest;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.CreateRoleRequest;
import dev.colonnade.admin.v1.CreateUserRequest;
import dev.colonnade.admin.v1.DropAccountRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.GetCallerRequest;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.Grant;
import dev.colonnade.admin.v1.GrantRequest;
import dev.colonnade.admin.v1.ListAccountsRequest;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.LoginRequest;
import dev.colonnade.admin.v1.LoginResponse;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.Permission;
import dev.colonnade.admin.v1.RestoreAccountsRequest;
import dev.colonnade.admin.v1.RevokeRequest;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.service.accounts.AccountFact;
import dev.colonnade.server.service.accounts.AuditLog;
import dev.colonnade.server.service.accounts.AuthenticationException;
import dev.colonnade.server.service.accounts.AuthenticationException.Kind;
import dev.colonnade.server.service.accounts.FirstAdministrator;
import dev.colonnade.server.sim.LogLines;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Services that ask callers who they are, called by users with and without permissions. */
final class AccessCallsTest {

  private static final String ADMIN_PASSWORD = "correct horse";
  private static final String BOBS_PASSWORD = "battery staple";

  private final Service service = Service.withAuthentication();

  @BeforeEach
  void makeTheFirstAdministrator() {
    var unused =
        new FirstAdministrator(service.access.accounts(), service.access.authenticator())
            .create(ADMIN_PASSWORD);
    admin()
        .createUser(
            CreateUserRequest.newBuilder().setName("bob").setPassword(BOBS_PASSWORD).build());
  }

  @AfterEach
  void close() {
    service.close();
  }

  private Channel as(String name, String password) {
    return withHeader(basic(name, password));
  }

  private static String basic(String name, String password) {
    String both = name + ":" + password;
    return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
  }

  private Channel withHeader(String value) {
    return withHeader(service, value);
  }

  private static Channel withHeader(Service service, String value) {
    Metadata headers = new Metadata();
    headers.put(CallIdentity.AUTHORIZATION, value);
    return ClientInterceptors.intercept(
        service.channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private AccountServiceBlockingStub admin() {
    return AccountServiceGrpc.newBlockingStub(as("admin", ADMIN_PASSWORD));
  }

  private Channel bob() {
    return as("bob", BOBS_PASSWORD);
  }

  private static void read(Channel channel, String family) {
    ColumnStoreServiceGrpc.newBlockingStub(channel)
        .getSlice(
            GetSliceRequest.newBuilder()
                .setKeyspace(Service.KS)
                .setKey(Service.bytes("k"))
                .setColumnParent(Service.parent(family))
                .setPredicate(Service.all())
                .build());
  }

  private static InsertRequest insert(String family) {
    return InsertRequest.newBuilder()
        .setKeyspace(Service.KS)
        .setKey(Service.bytes("k"))
        .setColumnParent(Service.parent(family))
        .setColumn(Service.column("c", "v", 1))
        .build();
  }

  private static void write(Channel channel, String family) {
    ColumnStoreServiceGrpc.newBlockingStub(channel).insert(insert(family));
  }

  private static RowMutation mutation(String family) {
    return RowMutation.newBuilder()
        .setKey(Service.bytes("k"))
        .setColumnFamily(family)
        .addMutations(
            Mutation.newBuilder()
                .setColumnOrSuperColumn(
                    ColumnOrSuperColumn.newBuilder().setColumn(Service.column("c", "v", 1))))
        .build();
  }

  private void grant(String account, Permission permission, String keyspace, String family) {
    admin().grant(request(account, permission, keyspace, family));
  }

  private static GrantRequest request(
      String account, Permission permission, String keyspace, String family) {
    return GrantRequest.newBuilder()
        .setAccount(account)
        .setGrant(what(permission, keyspace, family))
        .build();
  }

  private static Grant what(Permission permission, String keyspace, String family) {
    return Grant.newBuilder()
        .setPermission(permission)
        .setKeyspace(keyspace)
        .setColumnFamily(family)
        .build();
  }

  private static void assertRefused(Status.Code code, String reason, Executable call) {
    StatusRuntimeException refusal = assertThrows(StatusRuntimeException.class, call);
    assertEquals(
        code + " " + reason, refusal.getStatus().getCode() + " " + Service.reason(refusal));
  }

  private static void assertDenied(Executable call) {
    assertRefused(Status.Code.PERMISSION_DENIED, ErrorReasons.PERMISSION_DENIED, call);
  }

  private static RestoreAccountsRequest restoring(List<AccountFact> facts) {
    RestoreAccountsRequest.Builder request = RestoreAccountsRequest.newBuilder();
    for (AccountFact fact : facts) {
      request.addFields(
          AccountField.newBuilder()
              .setAccount(fact.account())
              .setField(fact.field())
              .setChangedMicros(fact.version())
              .setValue(new String(fact.value(), StandardCharsets.UTF_8)));
    }
    return request.build();
  }

  /** What a snapshot keeps makes the accounts of another cluster, with their passwords. */
  @Test
  void accountsOfASnapshotAreRestoredByASuperuser() {
    admin().createRole(CreateRoleRequest.newBuilder().setName("readers").build());
    admin()
        .grant(
            GrantRequest.newBuilder()
                .setAccount("readers")
                .setGrant(Grant.newBuilder().setPermission(Permission.PERMISSION_READ))
                .build());
    admin().grant(GrantRequest.newBuilder().setAccount("bob").setRole("readers").build());
    admin()
        .createUser(CreateUserRequest.newBuilder().setName("gone").setPassword("12345678").build());
    admin().dropAccount(DropAccountRequest.newBuilder().setName("gone").build());
    // Logging in makes the key of tokens, which stays in its cluster.
    LoginResponse token =
        AccountServiceGrpc.newBlockingStub(service.channel)
            .login(LoginRequest.newBuilder().setName("bob").setPassword(BOBS_PASSWORD).build());
    assertFalse(token.getToken().isEmpty());
    List<AccountFact> kept = service.access.accounts().kept();
    assertTrue(kept.stream().noneMatch(fact -> fact.account().startsWith("*")), kept::toString);

    try (Service other = Service.withAuthentication()) {
      var unused =
          new FirstAdministrator(other.access.accounts(), other.access.authenticator())
              .create("another password");
      AccountServiceBlockingStub root =
          AccountServiceGrpc.newBlockingStub(withHeader(other, basic("admin", "another password")));
      root.createUser(CreateUserRequest.newBuilder().setName("carol").build());
      root.alterUser(
          AlterUserRequest.newBuilder().setName("admin").setPassword("a later one").build());
      AccountServiceBlockingStub later =
          AccountServiceGrpc.newBlockingStub(withHeader(other, basic("admin", "a later one")));

      later.restoreAccounts(restoring(kept));

      assertEquals(
          List.of("admin", "bob", "carol", "readers"),
          later.listAccounts(ListAccountsRequest.getDefaultInstance()).getAccountsList().stream()
              .map(dev.colonnade.admin.v1.Account::getName)
              .toList());
      Channel bobThere = withHeader(other, basic("bob", BOBS_PASSWORD));
      read(bobThere, "Standard1");
      assertDenied(() -> write(bobThere, "Standard1"));
      AccountServiceBlockingStub bobs = AccountServiceGrpc.newBlockingStub(bobThere);
      assertDenied(() -> bobs.restoreAccounts(restoring(kept)));
      later.grant(
          GrantRequest.newBuilder()
              .setAccount("bob")
              .setGrant(Grant.newBuilder().setPermission(Permission.PERMISSION_AUTHORIZE))
              .build());
      assertDenied(() -> bobs.restoreAccounts(restoring(kept)));
    }
  }

  @Test
  void fieldsThatCannotBeAreRefusedAndNothingIsRestored() {
    AccountField sound =
        AccountField.newBuilder()
            .setAccount("eve")
            .setField("kind")
            .setChangedMicros(1)
            .setValue("user")
            .build();
    for (AccountField bad :
        List.of(
            sound.toBuilder().setAccount("*cluster").setField("token_key").build(),
            sound.toBuilder().setAccount("").build(),
            sound.toBuilder().setField("shoe_size").build(),
            sound.toBuilder().setChangedMicros(0).build(),
            sound.toBuilder().setChangedMicros(Long.MAX_VALUE).build(),
            sound.toBuilder().setValue("x".repeat(1_025)).build())) {
      RestoreAccountsRequest request =
          RestoreAccountsRequest.newBuilder().addFields(sound).addFields(bad).build();
      assertEquals(
          Status.Code.INVALID_ARGUMENT,
          assertThrows(StatusRuntimeException.class, () -> admin().restoreAccounts(request))
              .getStatus()
              .getCode(),
          bad::toString);
    }
    AccountField drop =
        sound.toBuilder()
            .setAccount("admin")
            .setField("dropped")
            .setChangedMicros(service.clock.wallMicros())
            .build();
    assertEquals(
        Status.Code.FAILED_PRECONDITION,
        assertThrows(
                StatusRuntimeException.class,
                () ->
                    admin()
                        .restoreAccounts(
                            RestoreAccountsRequest.newBuilder().addFields(drop).build()))
            .getStatus()
            .getCode());
    assertTrue(service.access.accounts().policy().account("eve").isEmpty());
  }

  @Test
  void aCallerWithoutCredentialsGetsNothingButHealth() {
    assertRefused(
        Status.Code.UNAUTHENTICATED,
        ErrorReasons.CREDENTIALS_MISSING,
        () -> read(service.channel, "Standard1"));
    assertRefused(
        Status.Code.UNAUTHENTICATED,
        ErrorReasons.CREDENTIALS_MISSING,
        () ->
            SchemaServiceGrpc.newBlockingStub(service.channel)
                .listKeyspaces(ListKeyspacesRequest.getDefaultInstance()));
    HealthGrpc.newBlockingStub(service.channel).check(HealthCheckRequest.getDefaultInstance());
  }

  @Test
  void wrongPasswordsAndUnknownUsersGetTheSameWords() {
    StatusRuntimeException wrong =
        assertThrows(
            StatusRuntimeException.class, () -> read(as("bob", "not his one"), "Standard1"));
    StatusRuntimeException unknown =
        assertThrows(
            StatusRuntimeException.class, () -> read(as("eve", "not his one"), "Standard1"));
    assertEquals(wrong.getStatus().toString(), unknown.getStatus().toString());
    assertEquals(ErrorReasons.CREDENTIALS_REFUSED, Service.reason(wrong));
  }

  @Test
  void malformedHeadersAreRefused() {
    for (String header :
        List.of("", "Basic", "Basic !!!", "Basic Ym9i", "Digest x", "Bearer x", "Bearer ")) {
      assertThrows(
          StatusRuntimeException.class, () -> read(withHeader(header), "Standard1"), header);
    }
  }

  @Test
  void whatIsNotGrantedIsDenied() {
    assertDenied(() -> read(bob(), "Standard1"));
    assertDenied(() -> write(bob(), "Standard1"));
    assertDenied(
        () ->
            SchemaServiceGrpc.newBlockingStub(bob())
                .createColumnFamily(CreateColumnFamilyRequest.getDefaultInstance()));
    assertDenied(
        () -> NodeServiceGrpc.newBlockingStub(bob()).getInfo(GetInfoRequest.getDefaultInstance()));
    assertDenied(
        () -> NodeServiceGrpc.newBlockingStub(bob()).flush(FlushRequest.getDefaultInstance()));
    assertDenied(
        () ->
            AccountServiceGrpc.newBlockingStub(bob())
                .listAccounts(ListAccountsRequest.getDefaultInstance()));
    assertDenied(
        () ->
            AccountServiceGrpc.newBlockingStub(bob())
                .grant(request("bob", Permission.PERMISSION_READ, "", "")));
  }

  @Test
  void aPermissionHoldsForItsFamilyAndOperationOnly() {
    grant("bob", Permission.PERMISSION_READ, Service.KS, "Standard1");
    read(bob(), "Standard1");
    assertDenied(() -> read(bob(), "Long1"));
    assertDenied(() -> write(bob(), "Standard1"));
    grant("bob", Permission.PERMISSION_WRITE, Service.KS, "");
    write(bob(), "Standard1");
    assertDenied(() -> read(bob(), "Long1"));
  }

  @Test
  void aBatchWithOneForbiddenFamilyIsRefusedAsAWhole() {
    grant("bob", Permission.PERMISSION_WRITE, Service.KS, "Standard1");
    grant("bob", Permission.PERMISSION_READ, Service.KS, "");
    BatchMutateRequest batch =
        BatchMutateRequest.newBuilder()
            .setKeyspace(Service.KS)
            .addRows(mutation("Standard1"))
            .addRows(mutation("Long1"))
            .build();
    assertDenied(() -> ColumnStoreServiceGrpc.newBlockingStub(bob()).batchMutate(batch));
    assertEquals(
        0,
        ColumnStoreServiceGrpc.newBlockingStub(bob())
            .getSlice(
                GetSliceRequest.newBuilder()
                    .setKeyspace(Service.KS)
                    .setKey(Service.bytes("k"))
                    .setColumnParent(Service.parent("Standard1"))
                    .setPredicate(Service.all())
                    .build())
            .getColumnsCount());
  }

  @Test
  void permissionsOfRolesAreInheritedAndEndWithMembership() {
    admin().createRole(CreateRoleRequest.newBuilder().setName("readers").build());
    grant("readers", Permission.PERMISSION_READ, Service.KS, "");
    GrantRequest join = GrantRequest.newBuilder().setAccount("bob").setRole("readers").build();
    admin().grant(join);
    read(bob(), "Standard1");
    admin().revoke(RevokeRequest.newBuilder().setAccount("bob").setRole("readers").build());
    assertDenied(() -> read(bob(), "Standard1"));
  }

  @Test
  void theFamilyOfAccountsIsReadByNoOne() {
    for (Channel channel : List.of(as("admin", ADMIN_PASSWORD), bob())) {
      assertDenied(
          () ->
              ColumnStoreServiceGrpc.newBlockingStub(channel)
                  .getSlice(
                      GetSliceRequest.newBuilder()
                          .setKeyspace("system")
                          .setKey(Service.bytes("admin"))
                          .setColumnParent(Service.parent("Accounts"))
                          .setPredicate(Service.all())
                          .build()));
    }
  }

  @Test
  void theClusterDoesNotStandForTheSystemKeyspace() {
    grant("bob", Permission.PERMISSION_READ, "", "");
    read(bob(), "Standard1");
    assertDenied(
        () ->
            ColumnStoreServiceGrpc.newBlockingStub(bob())
                .getSlice(
                    GetSliceRequest.newBuilder()
                        .setKeyspace("system")
                        .setKey(Service.bytes("local"))
                        .setColumnParent(Service.parent("Local"))
                        .setPredicate(Service.all())
                        .build()));
  }

  @Test
  void keyspacesAreListedForThoseWhoMaySeeThem() {
    SchemaServiceGrpc.SchemaServiceBlockingStub schema = SchemaServiceGrpc.newBlockingStub(bob());
    ListKeyspacesRequest all = ListKeyspacesRequest.getDefaultInstance();
    assertEquals(1, schema.listKeyspaces(all).getKeyspacesCount());
    grant("bob", Permission.PERMISSION_READ, Service.KS, "Long1");
    assertEquals(2, schema.listKeyspaces(all).getKeyspacesCount());
  }

  @Test
  void aTokenStandsForItsUserUntilItsTimeIsOver() {
    grant("bob", Permission.PERMISSION_READ, Service.KS, "");
    LoginResponse token =
        AccountServiceGrpc.newBlockingStub(service.channel)
            .login(LoginRequest.newBuilder().setName("bob").setPassword(BOBS_PASSWORD).build());
    Channel channel = withHeader("Bearer " + token.getToken());
    read(channel, "Standard1");
    assertEquals(
        "bob",
        AccountServiceGrpc.newBlockingStub(channel)
            .getCaller(GetCallerRequest.getDefaultInstance())
            .getAccount()
            .getName());
    service.clock.advance(java.time.Duration.ofHours(2));
    assertRefused(
        Status.Code.UNAUTHENTICATED, ErrorReasons.TOKEN_EXPIRED, () -> read(channel, "Standard1"));
  }

  @Test
  void aTokenWithOneByteChangedIsRefused() {
    LoginResponse token =
        AccountServiceGrpc.newBlockingStub(service.channel)
            .login(LoginRequest.newBuilder().setName("bob").setPassword(BOBS_PASSWORD).build());
    String text = token.getToken();
    for (int i = 0; i < text.length() - 1; i++) {
      char other = text.charAt(i) == 'A' ? 'B' : 'A';
      String forged = text.substring(0, i) + other + text.substring(i + 1);
      assertThrows(
          StatusRuntimeException.class,
          () -> read(withHeader("Bearer " + forged), "Standard1"),
          forged);
    }
  }

  @Test
  void anotherPasswordEndsTheOldOneAndItsTokens() {
    grant("bob", Permission.PERMISSION_READ, Service.KS, "");
    String token =
        AccountServiceGrpc.newBlockingStub(service.channel)
            .login(LoginRequest.newBuilder().setName("bob").setPassword(BOBS_PASSWORD).build())
            .getToken();
    service.clock.advance(java.time.Duration.ofSeconds(1));
    AccountServiceGrpc.newBlockingStub(bob())
        .changePassword(
            ChangePasswordRequest.newBuilder()
                .setCurrentPassword(BOBS_PASSWORD)
                .setNewPassword("another one")
                .build());
    read(as("bob", "another one"), "Standard1");
    assertRefused(
        Status.Code.UNAUTHENTICATED,
        ErrorReasons.CREDENTIALS_REFUSED,
        () -> read(bob(), "Standard1"));
    assertRefused(
        Status.Code.UNAUTHENTICATED,
        ErrorReasons.CREDENTIALS_REFUSED,
        () -> read(withHeader("Bearer " + token), "Standard1"));
  }

  @Test
  void aLockedAndADroppedUserIsRefused() {
    grant("bob", Permission.PERMISSION_READ, Service.KS, "");
    read(bob(), "Standard1");
    admin().alterUser(AlterUserRequest.newBuilder().setName("bob").setLocked(true).build());
    assertRefused(
        Status.Code.UNAUTHENTICATED,
        ErrorReasons.CREDENTIALS_REFUSED,
        () -> read(bob(), "Standard1"));
    admin().alterUser(AlterUserRequest.newBuilder().setName("bob").setLocked(false).build());
    read(bob(), "Standard1");
    admin().dropAccount(DropAccountRequest.newBuilder().setName("bob").build());
    assertRefused(
        Status.Code.UNAUTHENTICATED,
        ErrorReasons.CREDENTIALS_REFUSED,
        () -> read(bob(), "Standard1"));
  }

  /** What a dropped user was granted does not come back with a new one of the same name. */
  @Test
  void aNewUserOfADroppedNameMayDoNothing() {
    grant("bob", Permission.PERMISSION_READ, Service.KS, "");
    admin().dropAccount(DropAccountRequest.newBuilder().setName("bob").build());
    admin()
        .createUser(
            CreateUserRequest.newBuilder().setName("bob").setPassword(BOBS_PASSWORD).build());
    assertDenied(() -> read(bob(), "Standard1"));
  }

  @Test
  void theLastAdministratorCannotBeLost() {
    for (Executable loss :
        List.<Executable>of(
            () -> admin().dropAccount(DropAccountRequest.newBuilder().setName("admin").build()),
            () ->
                admin()
                    .alterUser(
                        AlterUserRequest.newBuilder().setName("admin").setLocked(true).build()),
            () ->
                admin()
                    .alterUser(
                        AlterUserRequest.newBuilder()
                            .setName("admin")
                            .setSuperuser(false)
                            .build()))) {
      assertRefused(Status.Code.FAILED_PRECONDITION, ErrorReasons.LAST_ADMINISTRATOR, loss);
    }
  }

  @Test
  void whoMayAuthorizeCannotReachForSuperusers() {
    grant("bob", Permission.PERMISSION_AUTHORIZE, "", "");
    AccountServiceBlockingStub bob = AccountServiceGrpc.newBlockingStub(bob());
    bob.createRole(CreateRoleRequest.newBuilder().setName("writers").build());
    assertDenied(
        () ->
            bob.alterUser(AlterUserRequest.newBuilder().setName("bob").setSuperuser(true).build()));
    assertDenied(
        () ->
            bob.alterUser(
                AlterUserRequest.newBuilder().setName("admin").setPassword("taken over").build()));
    assertDenied(() -> bob.dropAccount(DropAccountRequest.newBuilder().setName("admin").build()));
  }

  @Test
  void guessingIsSlowedDownForThatAccountAlone() {
    for (int i = 0; i < 4; i++) {
      String guess = "guess number " + i;
      assertRefused(
          Status.Code.UNAUTHENTICATED,
          ErrorReasons.CREDENTIALS_REFUSED,
          () -> read(as("bob", guess), "Standard1"));
    }
    assertRefused(
        Status.Code.RESOURCE_EXHAUSTED,
        ErrorReasons.LOGIN_THROTTLED,
        () -> read(bob(), "Standard1"));
    admin().getCaller(GetCallerRequest.getDefaultInstance());
    service.clock.advance(java.time.Duration.ofSeconds(2));
    assertDenied(() -> read(bob(), "Standard1"));
  }

  /** Many at once are no way around the wait. */
  @Test
  void guessesThatComeAtOnceAreSlowedDownLikeOneAfterTheOther() {
    service.scheduler.hold();
    List<CompletableFuture<?>> guesses = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      guesses.add(
          service.access.authenticator().identify(basic("bob", "guess " + i), List.of(), "h"));
    }
    service.scheduler.runHeld();
    long looked =
        guesses.stream()
            .filter(guess -> guess.handle((done, failure) -> kind(failure)).join() == Kind.REFUSED)
            .count();
    assertEquals(4, looked);
  }

  private static AuthenticationException.@Nullable Kind kind(Throwable failure) {
    return Errors.unwrap(failure) instanceof AuthenticationException refused
        ? refused.kind()
        : null;
  }

  /** A hash is made once; then the credentials are known. */
  @Test
  void knownCredentialsAreNotHashedAgain() {
    read(as("admin", ADMIN_PASSWORD), "Standard1");
    int before = service.scheduler.submitted();
    for (int i = 0; i < 10; i++) {
      read(as("admin", ADMIN_PASSWORD), "Standard1");
    }
    assertEquals(before, service.scheduler.submitted());
  }

  @Test
  void noAnswerHasAPasswordOrAHash() {
    String all = admin().listAccounts(ListAccountsRequest.getDefaultInstance()).toString();
    assertTrue(all.contains("bob"), all);
    assertFalse(all.contains("pbkdf2"), all);
    assertFalse(all.contains(BOBS_PASSWORD), all);
  }

  private static String line(String event, String account, String call, String rest) {
    return "event="
        + event
        + " account=\""
        + account
        + "\" address=\"local\" call=\"colonnade.v1.ColumnStoreService/"
        + call
        + "\""
        + rest;
  }

  @Test
  void aSessionAndItsCallsHaveLinesWithTheCallersAddress() {
    grant("bob", Permission.PERMISSION_WRITE, Service.KS, "Standard1");
    service.access.audit().allCalls(true);
    try (LogLines lines = LogLines.of(AuditLog.NAME)) {
      SessionFixture.Client session = new SessionFixture.Client(true);
      ColumnStoreServiceGrpc.newStub(bob()).session(session);
      session.send(SessionFixture.insert(1, "k", "v"), SessionFixture.get(2, "k"));
      session.call().onCompleted();
      assertTrue(session.completed);
      assertEquals(
          List.of(
              line("call", "bob", "Session", " subject=\"\""),
              line("call", "bob", "Insert", " subject=\"'Keyspace1.Standard1'\""),
              line(
                  "denied",
                  "bob",
                  "Get",
                  " needs=\"this needs the permission READ on 'Keyspace1.Standard1', which was not"
                      + " granted\""),
              line("call_ended", "bob", "Session", " subject=\"\" status=OK")),
          lines.all());
    }
  }

  /** Also where calls on data are not written, and also if the client breaks it off. */
  @Test
  void everySessionHasALine() {
    try (LogLines lines = LogLines.of(AuditLog.NAME)) {
      SessionFixture.Client session = new SessionFixture.Client(true);
      ColumnStoreServiceGrpc.newStub(bob()).session(session);
      session.call().cancel("gone", null);
      session = new SessionFixture.Client(true);
      ColumnStoreServiceGrpc.newStub(bob()).session(session);
      session.call().onCompleted();
      assertEquals(
          List.of(
              line("call", "bob", "Session", " subject=\"\""),
              line("call_ended", "bob", "Session", " subject=\"\" status=CANCELLED"),
              line("call", "bob", "Session", " subject=\"\""),
              line("call_ended", "bob", "Session", " subject=\"\" status=OK")),
          lines.all());
    }
  }

  /** The log of all calls is switched while nodes run, also on nodes that serve everyone. */
  @Test
  void allCallsAreWrittenFromTheMomentThatIsSwitchedOn() {
    try (Service open = Service.start();
        LogLines lines = LogLines.of(AuditLog.NAME)) {
      read(open.channel, "Standard1");
      assertEquals(List.of(), lines.all());
      open.access.audit().allCalls(true);
      read(open.channel, "Standard1");
      open.access.audit().allCalls(false);
      read(open.channel, "Standard1");
      assertEquals(
          List.of(line("call", "-", "GetSlice", " subject=\"'Keyspace1.Standard1'\"")),
          lines.all());
    }
  }

  @Test
  void grantsAndRevokesSayWhatWhoGotOnWhat() {
    admin().createRole(CreateRoleRequest.newBuilder().setName("readers").build());
    try (LogLines lines = LogLines.of(AuditLog.NAME)) {
      grant("bob", Permission.PERMISSION_WRITE, Service.KS, "Standard1");
      grant("bob", Permission.PERMISSION_MONITOR, "", "");
      admin().grant(GrantRequest.newBuilder().setAccount("bob").setRole("readers").build());
      admin()
          .revoke(
              RevokeRequest.newBuilder()
                  .setAccount("bob")
                  .setGrant(what(Permission.PERMISSION_WRITE, Service.KS, "Standard1"))
                  .build());
      admin().revoke(RevokeRequest.newBuilder().setAccount("bob").setRole("readers").build());
      assertEquals(
          List.of(
              "Grant bob gets WRITE on 'Keyspace1.Standard1'",
              "Grant bob gets MONITOR on the cluster",
              "Grant bob gets the role 'readers'",
              "Revoke bob loses WRITE on 'Keyspace1.Standard1'",
              "Revoke bob loses the role 'readers'"),
          lines.all().stream()
              .filter(each -> each.startsWith("event=call_ended account=\"admin\""))
              .filter(each -> each.endsWith("status=OK"))
              .map(
                  each -> each.replaceAll(".*AccountService/(\\w+)\" subject=\"(.*)\" .*", "$1 $2"))
              .toList());
    }
  }
}
