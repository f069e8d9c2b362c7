package dev.colonnade.server.service.accounts;

import java.util.concurrent.CompletableFuture;

/** The first user of a cluster, who may do everything. */
public final class FirstAdministrator {

  /** Its name. */
  public static final String NAME = "admin";

  private final Accounts accounts;
  private final Authenticator authenticator;

  /** Works on these accounts. */
  public FirstAdministrator(Accounts accounts, Authenticator authenticator) {
    this.accounts = accounts;
    this.authenticator = authenticator;
  }

  /** Makes it, unless there is an account already. */
  public CompletableFuture<Void> create(String password) {
    return authenticator
        .hash(password)
        .thenCompose(hash -> accounts.createFirst(NAME, hash))
        .thenAccept(told -> {});
  }
}
