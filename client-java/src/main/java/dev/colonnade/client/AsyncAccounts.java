package dev.colonnade.client;

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
import dev.colonnade.admin.v1.GrantRequest;
import dev.colonnade.admin.v1.GrantResponse;
import dev.colonnade.admin.v1.ListAccountsRequest;
import dev.colonnade.admin.v1.ListAccountsResponse;
import dev.colonnade.admin.v1.RestoreAccountsRequest;
import dev.colonnade.admin.v1.RestoreAccountsResponse;
import dev.colonnade.admin.v1.RevokeRequest;
import dev.colonnade.admin.v1.RevokeResponse;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * {@link Accounts} with futures. They fail with the exceptions that the waiting methods throw, and
 * cancelling one ends its call. Thread-safe.
 */
public final class AsyncAccounts {

  private final Transport transport;
  private final CallOptions options;

  AsyncAccounts(Transport transport, CallOptions options) {
    this.transport = transport;
    this.options = options;
  }

  AsyncAccounts with(CallOptions other) {
    return new AsyncAccounts(transport, other);
  }

  /** As {@link Accounts#caller}. */
  public CompletableFuture<Caller> caller() {
    return call(
        AccountServiceGrpc.getGetCallerMethod(),
        GetCallerRequest.getDefaultInstance(),
        Applied.NO,
        answer ->
            new Caller(
                answer.getAuthenticationOn(),
                answer.hasAccount()
                    ? Optional.of(Account.of(answer.getAccount()))
                    : Optional.empty()));
  }

  /** As {@link Accounts#list}. */
  public CompletableFuture<List<Account>> list() {
    return list("");
  }

  /** As {@link Accounts#find}. */
  public CompletableFuture<Optional<Account>> find(String name) {
    // The empty name would list all.
    return name.isEmpty()
        ? CompletableFuture.completedFuture(Optional.empty())
        : Transport.map(list(name), found -> found.stream().findFirst());
  }

  private CompletableFuture<List<Account>> list(String name) {
    return Transport.map(
        transport.pages(
            AccountServiceGrpc.getListAccountsMethod(),
            token ->
                ListAccountsRequest.newBuilder()
                    .setName(name)
                    .setPageSize(AnswerPages.SIZE)
                    .setPageToken(token)
                    .build(),
            ListAccountsResponse::getNextPageToken,
            ColumnParentRef.deadline(options)),
        answer -> answer.getAccountsList().stream().map(Account::of).toList());
  }

  /** As {@link Accounts#createUser}. */
  public CompletableFuture<List<String>> createUser(String name, String password) {
    if (password.isEmpty()) {
      throw new IllegalArgumentException(
          "the password is empty; createUserWithoutPassword makes a user without one");
    }
    return create(CreateUserRequest.newBuilder().setName(name).setPassword(password).build());
  }

  /** As {@link Accounts#createUserWithoutPassword}. */
  public CompletableFuture<List<String>> createUserWithoutPassword(String name) {
    return create(CreateUserRequest.newBuilder().setName(name).build());
  }

  private CompletableFuture<List<String>> create(CreateUserRequest request) {
    return change(
        AccountServiceGrpc.getCreateUserMethod(), request, CreateUserResponse::getMissingNodesList);
  }

  /** As {@link Accounts#createRole}. */
  public CompletableFuture<List<String>> createRole(String name) {
    return change(
        AccountServiceGrpc.getCreateRoleMethod(),
        CreateRoleRequest.newBuilder().setName(name).build(),
        CreateRoleResponse::getMissingNodesList);
  }

  /** As {@link Accounts#setPassword}. */
  public CompletableFuture<List<String>> setPassword(String name, String password) {
    return alter(AlterUserRequest.newBuilder().setName(name).setPassword(password));
  }

  /** As {@link Accounts#setSuperuser}. */
  public CompletableFuture<List<String>> setSuperuser(String name, boolean superuser) {
    return alter(AlterUserRequest.newBuilder().setName(name).setSuperuser(superuser));
  }

  /** As {@link Accounts#setLocked}. */
  public CompletableFuture<List<String>> setLocked(String name, boolean locked) {
    return alter(AlterUserRequest.newBuilder().setName(name).setLocked(locked));
  }

  private CompletableFuture<List<String>> alter(AlterUserRequest.Builder request) {
    return change(
        AccountServiceGrpc.getAlterUserMethod(),
        request.build(),
        AlterUserResponse::getMissingNodesList);
  }

  /** As {@link Accounts#changePassword}. */
  public CompletableFuture<List<String>> changePassword(String current, String password) {
    return change(
        AccountServiceGrpc.getChangePasswordMethod(),
        ChangePasswordRequest.newBuilder()
            .setCurrentPassword(current)
            .setNewPassword(password)
            .build(),
        ChangePasswordResponse::getMissingNodesList);
  }

  /** As {@link Accounts#drop}. */
  public CompletableFuture<List<String>> drop(String name) {
    return change(
        AccountServiceGrpc.getDropAccountMethod(),
        DropAccountRequest.newBuilder().setName(name).build(),
        DropAccountResponse::getMissingNodesList);
  }

  /** As {@link Accounts#grant}. */
  public CompletableFuture<List<String>> grant(String account, Grant grant) {
    return grant(GrantRequest.newBuilder().setAccount(account).setGrant(grant.message()));
  }

  /** As {@link Accounts#grantRole}. */
  public CompletableFuture<List<String>> grantRole(String account, String role) {
    return grant(GrantRequest.newBuilder().setAccount(account).setRole(role));
  }

  private CompletableFuture<List<String>> grant(GrantRequest.Builder request) {
    return change(
        AccountServiceGrpc.getGrantMethod(), request.build(), GrantResponse::getMissingNodesList);
  }

  /** As {@link Accounts#revoke}. */
  public CompletableFuture<List<String>> revoke(String account, Grant grant) {
    return revoke(RevokeRequest.newBuilder().setAccount(account).setGrant(grant.message()));
  }

  /** As {@link Accounts#revokeRole}. */
  public CompletableFuture<List<String>> revokeRole(String account, String role) {
    return revoke(RevokeRequest.newBuilder().setAccount(account).setRole(role));
  }

  private CompletableFuture<List<String>> revoke(RevokeRequest.Builder request) {
    return change(
        AccountServiceGrpc.getRevokeMethod(), request.build(), RevokeResponse::getMissingNodesList);
  }

  /** As {@link Accounts#restore}. */
  public CompletableFuture<List<String>> restore(List<AccountField> fields) {
    return change(
        AccountServiceGrpc.getRestoreAccountsMethod(),
        RestoreAccountsRequest.newBuilder()
            .addAllFields(fields.stream().map(AccountField::message).toList())
            .build(),
        RestoreAccountsResponse::getMissingNodesList);
  }

  private <Q, R> CompletableFuture<List<String>> change(
      MethodDescriptor<Q, R> method, Q request, Function<R, List<String>> missing) {
    return call(method, request, Applied.UNKNOWN, answer -> List.copyOf(missing.apply(answer)));
  }

  private <Q, R, T> CompletableFuture<T> call(
      MethodDescriptor<Q, R> method, Q request, Applied ifUnstated, Function<R, T> function) {
    return Transport.map(
        transport.call(method, request, ColumnParentRef.deadline(options), ifUnstated), function);
  }
}
