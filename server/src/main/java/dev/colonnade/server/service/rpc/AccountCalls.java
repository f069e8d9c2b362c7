package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.AccountField;
import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.AlterUserRequest;
import dev.colonnade.admin.v1.AlterUserResponse;
import dev.colonnade.admin.v1.ChangePasswordRequest;
import dev.colonnade.admin.v1.ChangePasswordResponse;
import dev.colonnade.admin.v1.CreateRoleRequest;
import dev.colonnade.admin.v1.CreateRoleResponse;
import dev.colonnade.admin.v1.CreateUserRequest;
import dev.colonnade.admin.v1.CreateUserResponse;
import dev.colonnade.admin.v1.DropAccountRequest;
import dev.colonnade.admin.v1.DropAccountResponse;
import dev.colonnade.admin.v1.GetCallerRequest;
import dev.colonnade.admin.v1.GetCallerResponse;
import dev.colonnade.admin.v1.GrantRequest;
import dev.colonnade.admin.v1.GrantResponse;
import dev.colonnade.admin.v1.ListAccountsRequest;
import dev.colonnade.admin.v1.ListAccountsResponse;
import dev.colonnade.admin.v1.LoginRequest;
import dev.colonnade.admin.v1.LoginResponse;
import dev.colonnade.admin.v1.RestoreAccountsRequest;
import dev.colonnade.admin.v1.RestoreAccountsResponse;
import dev.colonnade.admin.v1.RevokeRequest;
import dev.colonnade.admin.v1.RevokeResponse;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.service.accounts.AccessPolicy;
import dev.colonnade.server.service.accounts.Account;
import dev.colonnade.server.service.accounts.AccountException;
import dev.colonnade.server.service.accounts.AccountFact;
import dev.colonnade.server.service.accounts.Accounts;
import dev.colonnade.server.service.accounts.Authenticator;
import dev.colonnade.server.service.accounts.Identity;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Serves the calls that log in and keep accounts. Thread-safe. */
final class AccountCalls extends AccountServiceGrpc.AccountServiceImplBase {

  private final Accounts accounts;
  private final Authenticator authenticator;
  private final boolean required;
  private final RpcContext rpc;

  AccountCalls(ClientAccess access, RpcContext rpc) {
    this.accounts = access.accounts();
    this.authenticator = access.authenticator();
    this.required = access.required();
    this.rpc = rpc;
  }

  @Override
  public void login(LoginRequest request, StreamObserver<LoginResponse> observer) {
    String address = CallIdentity.currentAddress();
    rpc.read(
        observer,
        () -> {
          requireAuthentication();
          return refused(
              authenticator
                  .logIn(request.getName(), request.getPassword(), address)
                  .thenApply(
                      token ->
                          LoginResponse.newBuilder()
                              .setToken(token.text())
                              .setExpiresAtSeconds(token.endSeconds())
                              .build()));
        });
  }

  @Override
  public void getCaller(GetCallerRequest request, StreamObserver<GetCallerResponse> observer) {
    rpc.read(
        observer,
        () -> {
          GetCallerResponse.Builder response =
              GetCallerResponse.newBuilder().setAuthenticationOn(required);
          Identity caller = CallIdentity.current();
          if (caller != null) {
            accounts
                .policy()
                .account(caller.account())
                .ifPresent(account -> response.setAccount(AccountProtos.message(account)));
          }
          return CompletableFuture.completedFuture(response.build());
        });
  }

  @Override
  public void changePassword(
      ChangePasswordRequest request, StreamObserver<ChangePasswordResponse> observer) {
    Identity caller = CallIdentity.current();
    String address = CallIdentity.currentAddress();
    change(
        observer,
        () -> {
          requireAuthentication();
          if (caller == null) {
            throw RequestRefusal.of(
                Status.Code.UNAUTHENTICATED,
                ErrorReasons.CREDENTIALS_REFUSED,
                null,
                "the call is made as no account");
          }
          String name = caller.account();
          return authenticator
              .logIn(name, request.getCurrentPassword(), address)
              .thenCompose(token -> authenticator.hash(request.getNewPassword()))
              .thenCompose(hash -> accounts.setPassword(name, hash));
        },
        missing -> ChangePasswordResponse.newBuilder().addAllMissingNodes(missing).build());
  }

  @Override
  public void createUser(CreateUserRequest request, StreamObserver<CreateUserResponse> observer) {
    Supplier<Boolean> superuser = bySuperuser();
    change(
        observer,
        () -> {
          if (request.getSuperuser()) {
            requireSuperuser(superuser);
          }
          // Refused before the password is hashed, which takes long.
          if (accounts.policy().account(request.getName()).isPresent()) {
            return accounts.createUser(request.getName(), "", false);
          }
          return hash(request.getPassword())
              .thenCompose(
                  hash -> accounts.createUser(request.getName(), hash, request.getSuperuser()));
        },
        missing -> CreateUserResponse.newBuilder().addAllMissingNodes(missing).build());
  }

  @Override
  public void createRole(CreateRoleRequest request, StreamObserver<CreateRoleResponse> observer) {
    change(
        observer,
        () -> accounts.createRole(request.getName(), false),
        missing -> CreateRoleResponse.newBuilder().addAllMissingNodes(missing).build());
  }

  @Override
  public void alterUser(AlterUserRequest request, StreamObserver<AlterUserResponse> observer) {
    Supplier<Boolean> superuser = bySuperuser();
    change(
        observer,
        () -> {
          String name = request.getName();
          requireMayChange(name, superuser);
          List<Supplier<CompletableFuture<List<String>>>> steps = new ArrayList<>();
          if (request.hasSuperuser()) {
            requireSuperuser(superuser);
            steps.add(() -> accounts.setSuperuser(name, request.getSuperuser()));
          }
          if (request.hasLocked()) {
            steps.add(() -> accounts.setLocked(name, request.getLocked()));
          }
          if (request.hasPassword()) {
            steps.add(
                () ->
                    authenticator
                        .hash(request.getPassword())
                        .thenCompose(hash -> accounts.setPassword(name, hash)));
          }
          if (steps.isEmpty()) {
            throw RequestRefusal.invalid(null, "the request changes nothing of the user");
          }
          CompletableFuture<List<String>> done = CompletableFuture.completedFuture(List.of());
          for (Supplier<CompletableFuture<List<String>>> step : steps) {
            done = done.thenCompose(before -> step.get());
          }
          return done;
        },
        missing -> AlterUserResponse.newBuilder().addAllMissingNodes(missing).build());
  }

  @Override
  public void dropAccount(
      DropAccountRequest request, StreamObserver<DropAccountResponse> observer) {
    Supplier<Boolean> superuser = bySuperuser();
    change(
        observer,
        () -> {
          requireMayChange(request.getName(), superuser);
          return accounts.drop(request.getName());
        },
        missing -> DropAccountResponse.newBuilder().addAllMissingNodes(missing).build());
  }

  @Override
  public void grant(GrantRequest request, StreamObserver<GrantResponse> observer) {
    Supplier<Boolean> superuser = bySuperuser();
    change(
        observer,
        () -> {
          if (request.hasRole() && accounts.policy().isSuperuser(request.getRole())) {
            requireSuperuser(superuser);
          }
          return switch (request.getWhatCase()) {
            case ROLE -> accounts.setMember(request.getAccount(), request.getRole(), true);
            case GRANT ->
                accounts.setGrant(
                    request.getAccount(), AccountProtos.grant(request.getGrant()), true);
            case WHAT_NOT_SET -> throw nothing();
          };
        },
        missing -> GrantResponse.newBuilder().addAllMissingNodes(missing).build());
  }

  @Override
  public void revoke(RevokeRequest request, StreamObserver<RevokeResponse> observer) {
    Supplier<Boolean> superuser = bySuperuser();
    change(
        observer,
        () -> {
          requireMayChange(request.getAccount(), superuser);
          return switch (request.getWhatCase()) {
            case ROLE -> accounts.setMember(request.getAccount(), request.getRole(), false);
            case GRANT ->
                accounts.setGrant(
                    request.getAccount(), AccountProtos.grant(request.getGrant()), false);
            case WHAT_NOT_SET -> throw nothing();
          };
        },
        missing -> RevokeResponse.newBuilder().addAllMissingNodes(missing).build());
  }

  @Override
  public void listAccounts(
      ListAccountsRequest request, StreamObserver<ListAccountsResponse> observer) {
    rpc.read(
        observer,
        () -> {
          AnswerPages page =
              AnswerPages.asked(
                  "ListAccounts",
                  ListAccountsRequest.newBuilder().setName(request.getName()).build(),
                  request.getPageSize(),
                  request.getPageToken());
          ListAccountsResponse.Builder response = ListAccountsResponse.newBuilder();
          AccessPolicy policy = accounts.policy();
          List<Account> listed =
              request.getName().isEmpty()
                  ? policy.accounts()
                  : policy.account(request.getName()).stream().toList();
          response.setNextPageToken(
              page.fill(
                  listed,
                  Account::name,
                  account -> {
                    var message = AccountProtos.message(account);
                    response.addAccounts(message);
                    return message.getSerializedSize();
                  }));
          return CompletableFuture.completedFuture(response.build());
        });
  }

  @Override
  public void restoreAccounts(
      RestoreAccountsRequest request, StreamObserver<RestoreAccountsResponse> observer) {
    Supplier<Boolean> superuser = bySuperuser();
    change(
        observer,
        () -> {
          requireSuperuser(superuser);
          List<AccountFact> facts = new ArrayList<>(request.getFieldsCount());
          for (AccountField field : request.getFieldsList()) {
            facts.add(
                new AccountFact(
                    field.getAccount(),
                    field.getField(),
                    field.getChangedMicros(),
                    field.getValueBytes().toByteArray()));
          }
          return accounts.restore(facts);
        },
        missing -> RestoreAccountsResponse.newBuilder().addAllMissingNodes(missing).build());
  }

  private CompletableFuture<String> hash(String password) {
    return password.isEmpty()
        ? CompletableFuture.completedFuture("")
        : authenticator.hash(password);
  }

  private void requireAuthentication() {
    if (!required) {
      throw RequestRefusal.precondition(
          ErrorReasons.AUTHENTICATION_OFF,
          null,
          "authentication is off: every caller may do everything, and there is nothing to log in"
              + " to",
          Map.of());
    }
  }

  /** Whether the caller that this thread serves is a superuser; where none is asked, it is. */
  private Supplier<Boolean> bySuperuser() {
    Identity caller = CallIdentity.current();
    return () -> !required || (caller != null && accounts.policy().isSuperuser(caller.account()));
  }

  private void requireMayChange(String account, Supplier<Boolean> superuser) {
    if (accounts.policy().isSuperuser(account)) {
      requireSuperuser(superuser);
    }
  }

  private static void requireSuperuser(Supplier<Boolean> superuser) {
    if (!superuser.get()) {
      throw RequestRefusal.of(
          Status.Code.PERMISSION_DENIED,
          ErrorReasons.PERMISSION_DENIED,
          null,
          "only a superuser makes or changes superusers");
    }
  }

  private static RequestRefusal nothing() {
    return RequestRefusal.invalid("what", "a permission or a role is required");
  }

  private <T> void change(
      StreamObserver<T> observer,
      Supplier<CompletableFuture<List<String>>> work,
      Function<List<String>, T> answer) {
    rpc.write(observer, () -> refused(Then.called(work).thenApply(answer)));
  }

  /** Translates the refusals of accounts to those of the contract. */
  private static <T> CompletableFuture<T> refused(CompletableFuture<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Then.whenDone(
        work,
        result,
        (value, failure) -> {
          if (failure == null) {
            result.complete(value);
          } else {
            Throwable cause = Errors.unwrap(failure);
            result.completeExceptionally(
                cause instanceof AccountException refusal
                    ? AccountProtos.refusal(refusal)
                    : AuthenticationInterceptor.refusal(cause));
          }
        });
    return result;
  }
}
