package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.accounts.Account;
import dev.colonnade.server.service.accounts.AccountException;
import dev.colonnade.server.service.accounts.Grant;
import dev.colonnade.server.service.accounts.Permission;
import dev.colonnade.server.service.accounts.Resource;
import io.grpc.Status;
import java.util.Map;

/** Accounts as the contract writes them. */
final class AccountProtos {

  private static final String PREFIX = "PERMISSION_";

  private AccountProtos() {}

  static dev.colonnade.admin.v1.Account message(Account account) {
    dev.colonnade.admin.v1.Account.Builder message =
        dev.colonnade.admin.v1.Account.newBuilder()
            .setName(account.name())
            .setUser(account.user())
            .setSuperuser(account.superuser())
            .setLocked(account.locked())
            .addAllRoles(account.roles());
    account.grants().forEach(grant -> message.addGrants(message(grant)));
    return message.build();
  }

  private static dev.colonnade.admin.v1.Grant message(Grant grant) {
    return dev.colonnade.admin.v1.Grant.newBuilder()
        .setPermission(
            dev.colonnade.admin.v1.Permission.valueOf(PREFIX + grant.permission().name()))
        .setKeyspace(grant.resource().keyspace())
        .setColumnFamily(grant.resource().family())
        .build();
  }

  static Grant grant(dev.colonnade.admin.v1.Grant message) {
    Permission permission =
        switch (message.getPermission()) {
          case PERMISSION_READ -> Permission.READ;
          case PERMISSION_WRITE -> Permission.WRITE;
          case PERMISSION_SCHEMA -> Permission.SCHEMA;
          case PERMISSION_TRUNCATE -> Permission.TRUNCATE;
          case PERMISSION_MONITOR -> Permission.MONITOR;
          case PERMISSION_ADMIN -> Permission.ADMIN;
          case PERMISSION_AUTHORIZE -> Permission.AUTHORIZE;
          case PERMISSION_UNSPECIFIED, UNRECOGNIZED ->
              throw RequestRefusal.invalid(
                  "grant.permission", "this server knows no such permission");
        };
    if (message.getKeyspace().isEmpty() && !message.getColumnFamily().isEmpty()) {
      throw RequestRefusal.invalid("grant.keyspace", "a column family is named with its keyspace");
    }
    return new Grant(permission, new Resource(message.getKeyspace(), message.getColumnFamily()));
  }

  static RequestRefusal refusal(AccountException refusal) {
    String message = String.valueOf(refusal.getMessage());
    return switch (refusal.kind()) {
      case INVALID -> RequestRefusal.invalid(null, message);
      case NOT_FOUND ->
          RequestRefusal.of(Status.Code.NOT_FOUND, ErrorReasons.ACCOUNT_NOT_FOUND, null, message);
      case EXISTS ->
          RequestRefusal.of(Status.Code.ALREADY_EXISTS, ErrorReasons.ACCOUNT_EXISTS, null, message);
      case LAST_ADMINISTRATOR ->
          RequestRefusal.precondition(ErrorReasons.LAST_ADMINISTRATOR, null, message, Map.of());
      case TOO_MANY ->
          RequestRefusal.of(Status.Code.RESOURCE_EXHAUSTED, ErrorReasons.OVERLOADED, null, message);
    };
  }
}
