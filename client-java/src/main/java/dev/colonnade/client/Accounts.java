package dev.colonnade.client;

import java.util.List;
import java.util.Optional;

/**
 * The users and roles of the cluster (docs/accounts.md). A change is saved on the answering node,
 * and takes effect on every node that is up, when the method returns; it gives the ids of nodes
 * that are up and did not take it in time, which learn of it later. Methods wait, at most for the
 * client's deadline, and throw {@link ColonnadeException}: with the reason {@code
 * PERMISSION_DENIED} to callers without {@code AUTHORIZE}. Thread-safe.
 */
public final class Accounts {

  private final AsyncAccounts async;

  Accounts(AsyncAccounts async) {
    this.async = async;
  }

  /** The same with futures. */
  public AsyncAccounts async() {
    return async;
  }

  /** The same, called with other options. */
  public Accounts with(CallOptions other) {
    return new Accounts(async.with(other));
  }

  /** Returns whom the nodes take this client for. */
  public Caller caller() {
    return Transport.await(async.caller());
  }

  /** Returns all users and roles, by name. */
  public List<Account> list() {
    return Transport.await(async.list());
  }

  /** Returns a user or a role, if there is one of that name. */
  public Optional<Account> find(String name) {
    return Transport.await(async.find(name));
  }

  /**
   * Creates a user who logs in with a password, and may do nothing yet.
   *
   * @param name 1 to 128 letters, digits and {@code . _ @ -}, beginning with a letter or a digit
   * @param password 8 to 256 characters
   * @throws AlreadyExistsException if there is a user or a role of that name
   * @throws InvalidRequestException for a name or a password that cannot be one
   */
  public List<String> createUser(String name, String password) {
    return Transport.await(async.createUser(name, password));
  }

  /**
   * Creates a user who logs in by certificates, or by tokens of others.
   *
   * @throws AlreadyExistsException if there is a user or a role of that name
   */
  public List<String> createUserWithoutPassword(String name) {
    return Transport.await(async.createUserWithoutPassword(name));
  }

  /**
   * Creates a role, which holds permissions for its members.
   *
   * @throws AlreadyExistsException if there is a user or a role of that name
   */
  public List<String> createRole(String name) {
    return Transport.await(async.createRole(name));
  }

  /**
   * Gives a user another password. The tokens of the old one are refused from then on.
   *
   * @throws NotFoundException if there is no such user
   */
  public List<String> setPassword(String name, String password) {
    return Transport.await(async.setPassword(name, password));
  }

  /**
   * Changes the password of the account that this client calls as. The client goes on with the one
   * that it was given: make another.
   */
  public List<String> changePassword(String current, String password) {
    return Transport.await(async.changePassword(current, password));
  }

  /**
   * Makes a user one who may do everything, or takes that away. Only superusers may.
   *
   * @throws NotFoundException if there is no such user
   * @throws PreconditionFailedException if it is the last one who may do everything
   */
  public List<String> setSuperuser(String name, boolean superuser) {
    return Transport.await(async.setSuperuser(name, superuser));
  }

  /**
   * Lets a user log in no more, or again.
   *
   * @throws NotFoundException if there is no such user
   * @throws PreconditionFailedException if it is the last one who may do everything
   */
  public List<String> setLocked(String name, boolean locked) {
    return Transport.await(async.setLocked(name, locked));
  }

  /**
   * Drops a user or a role, with all that was granted to it.
   *
   * @throws NotFoundException if there is none of that name
   * @throws PreconditionFailedException if it is the last one who may do everything
   */
  public List<String> drop(String name) {
    return Transport.await(async.drop(name));
  }

  /**
   * Brings accounts of a snapshot back. Of each field the later change stands, so what was changed
   * here since stays; all fields take effect at once, or none. Only a superuser may do it.
   *
   * @throws InvalidRequestException if one of the fields cannot be
   * @throws PreconditionFailedException if no user would be left who may do everything
   */
  public List<String> restore(List<AccountField> fields) {
    return Transport.await(async.restore(fields));
  }

  /**
   * Grants a permission to a user or a role.
   *
   * @throws NotFoundException if there is no such account
   * @throws InvalidRequestException for a permission that cannot be granted on that
   */
  public List<String> grant(String account, Grant grant) {
    return Transport.await(async.grant(account, grant));
  }

  /** Revokes a permission; one that was not granted, too, without an error. */
  public List<String> revoke(String account, Grant grant) {
    return Transport.await(async.revoke(account, grant));
  }

  /**
   * Makes a user or a role a member of a role.
   *
   * @throws NotFoundException if there is no such account or role
   */
  public List<String> grantRole(String account, String role) {
    return Transport.await(async.grantRole(account, role));
  }

  /** Ends the membership of a role; one that there is not, too, without an error. */
  public List<String> revokeRole(String account, String role) {
    return Transport.await(async.revokeRole(account, role));
  }
}
