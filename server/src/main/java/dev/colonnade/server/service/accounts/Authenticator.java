package dev.colonnade.server.service.accounts;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.accounts.Identity.Proof;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out as which account a call is made: by the name and password that it carries, by a token,
 * or by the certificate of its connection. A password is hashed on a stage of its own, whose queue
 * is bounded; what was found right is remembered under a keyed hash, for as long as the account has
 * that password, so that further calls cost a microsecond.
 *
 * <p>Thread-safe; never blocks.
 */
public final class Authenticator {

  /**
   * What is accepted, and what it costs.
   *
   * @param passwords whether passwords, and the tokens that they buy, are accepted
   * @param certificates whether the certificate of a connection is
   * @param iterations of the hash of a new password
   * @param tokenLifetime how long a token is good for
   * @param tokens knows tokens of others, if any are accepted
   */
  public record Options(
      boolean passwords,
      boolean certificates,
      int iterations,
      Duration tokenLifetime,
      Optional<TokenVerifier> tokens) {}

  /**
   * A token of a login.
   *
   * @param endSeconds since 1970
   */
  public record Token(String text, long endSeconds) {
    /** Without the token. */
    @Override
    public String toString() {
      return "a token until " + endSeconds;
    }
  }

  private final Accounts accounts;
  private final Options options;
  private final Clock clock;
  private final Scheduler scheduler;
  private final SecretSource secrets;
  private final AuditLog audit;
  private final PasswordChecks passwords;

  /** Creates it. */
  public Authenticator(
      Accounts accounts,
      Options options,
      Clock clock,
      Scheduler scheduler,
      SecretSource secrets,
      AuditLog audit) {
    this.accounts = accounts;
    this.options = options;
    this.clock = clock;
    this.scheduler = scheduler;
    this.secrets = secrets;
    this.audit = audit;
    this.passwords =
        new PasswordChecks(
            accounts,
            clock,
            this::work,
            audit,
            secrets.bytes(LoginTokens.KEY_BYTES),
            PasswordHash.ofNoPassword(
                secrets.bytes(PasswordHash.SALT_BYTES),
                secrets.bytes(PasswordHash.HASH_BYTES),
                options.iterations()));
  }

  /**
   * Finds out who makes a call.
   *
   * @param header {@code authorization}; null if the call has none
   * @param certificateNames what the verified certificate of the connection says of its holder, the
   *     most specific first; empty without one
   * @param address where the call comes from, without the port
   * @return fails with {@link AuthenticationException}; done already unless a password must be
   *     hashed or a plug-in asked
   */
  public CompletableFuture<Identity> identify(
      @Nullable String header, List<String> certificateNames, String address) {
    if (header == null) {
      return byCertificate(certificateNames, address);
    }
    Credentials shown = Credentials.parse(header).orElse(null);
    if (shown instanceof Credentials.Basic basic && options.passwords()) {
      return passwords.check(basic, address);
    }
    if (shown instanceof Credentials.Bearer bearer) {
      return byToken(bearer.token(), address);
    }
    return refuse("", address, "not accepted here");
  }

  /** Whether a name and a password can say who calls. */
  public boolean takesPasswords() {
    return options.passwords();
  }

  /** Whether a token can: one that a password bought, or one of another issuer. */
  public boolean takesTokens() {
    return options.passwords() || options.tokens().isPresent();
  }

  /** Gives a token for a name and a password. */
  public CompletableFuture<Token> logIn(String account, String password, String address) {
    if (!options.passwords() || password.length() > PasswordHash.PASSWORD_MAX) {
      return refuse(account, address, "no such passwords here");
    }
    return passwords
        .check(new Credentials.Basic(account, password.toCharArray()), address)
        .thenCompose(identity -> token(identity.account()))
        .thenApply(
            token -> {
              audit.loggedIn(account, address);
              return token;
            });
  }

  private CompletableFuture<Token> token(String account) {
    byte[] key = accounts.tokenKey();
    if (key == null) {
      return accounts
          .keepTokenKey(secrets.bytes(LoginTokens.KEY_BYTES))
          .thenCompose(told -> token(account));
    }
    AccessPolicy.Password password = accounts.policy().password(account);
    if (password == null) {
      return CompletableFuture.failedFuture(AuthenticationException.refused());
    }
    long now = clock.wallSeconds();
    return CompletableFuture.completedFuture(
        new Token(
            LoginTokens.make(key, account, password.version(), now, options.tokenLifetime()),
            now + options.tokenLifetime().toSeconds()));
  }

  /** Hashes a new password, off the caller's thread; fails if it is too short or too long. */
  public CompletableFuture<String> hash(String password) {
    if (password.length() < PasswordHash.PASSWORD_MIN
        || password.length() > PasswordHash.PASSWORD_MAX) {
      return CompletableFuture.failedFuture(
          new AccountException(
              AccountException.Kind.INVALID,
              "a password has "
                  + PasswordHash.PASSWORD_MIN
                  + " to "
                  + PasswordHash.PASSWORD_MAX
                  + " characters"));
    }
    char[] chars = password.toCharArray();
    return work(
        () -> {
          try {
            return PasswordHash.of(
                chars, secrets.bytes(PasswordHash.SALT_BYTES), options.iterations());
          } finally {
            PasswordHash.clear(chars);
          }
        });
  }

  private CompletableFuture<Identity> byCertificate(List<String> names, String address) {
    if (options.certificates()) {
      if (!names.isEmpty()) {
        // The first alone: who is locked or dropped must not become somebody else by another name.
        String name = names.get(0);
        return mayLogIn(name)
            ? CompletableFuture.completedFuture(
                new Identity(name, Proof.CERTIFICATE, Identity.NO_PASSWORD))
            : refuse(name, address, "no user of that name");
      }
    }
    return CompletableFuture.failedFuture(AuthenticationException.missing());
  }

  private CompletableFuture<Identity> byToken(String token, String address) {
    if (token.startsWith(LoginTokens.PREFIX)) {
      return byOwnToken(token, address);
    }
    Optional<TokenVerifier> verifier = options.tokens();
    if (verifier.isEmpty()) {
      return refuse("", address, "no such tokens here");
    }
    CompletableFuture<Optional<String>> asked =
        Then.called(() -> verifier.get().account(token).toCompletableFuture());
    CompletableFuture<Identity> result = new CompletableFuture<>();
    Then.whenDone(
        asked,
        result,
        (account, failure) -> {
          if (failure != null) {
            Errors.escalate(failure);
          }
          if (failure == null && account.isPresent() && mayLogIn(account.get())) {
            result.complete(new Identity(account.get(), Proof.TOKEN, Identity.NO_PASSWORD));
          } else {
            audit.loginFailed("", address, failure == null ? "not valid" : "the plug-in failed");
            result.completeExceptionally(AuthenticationException.refused());
          }
        });
    return result;
  }

  private boolean mayLogIn(String account) {
    return accounts.policy().mayLogIn(account);
  }

  private CompletableFuture<Identity> byOwnToken(String token, String address) {
    byte[] key = accounts.tokenKey();
    LoginTokens.Claims claims = key == null ? null : LoginTokens.read(key, token);
    if (claims == null || !options.passwords()) {
      return refuse("", address, "a token of another cluster");
    }
    Identity identity =
        new Identity(claims.account(), Proof.TOKEN, claims.passwordVersion(), claims.endSeconds());
    if (!identity.isCurrent(accounts.policy())) {
      return refuse(claims.account(), address, "a token from before the account was changed");
    }
    if (hasEnded(identity)) {
      return CompletableFuture.failedFuture(AuthenticationException.expired());
    }
    return CompletableFuture.completedFuture(identity);
  }

  /** Whether the time of the token is over by which a caller proved its identity. */
  public boolean hasEnded(Identity identity) {
    return identity.endSeconds() <= clock.wallSeconds();
  }

  /**
   * Runs a task about when the time of a caller's token is over.
   *
   * @param identity one that has an end
   */
  public Scheduler.Cancellable whenEnded(Identity identity, Runnable task) {
    long seconds = Math.max(1, identity.endSeconds() - clock.wallSeconds());
    return scheduler.after(Duration.ofSeconds(seconds), Stage.CONTROL, task);
  }

  private <T> CompletableFuture<T> work(Supplier<T> task) {
    CompletableFuture<T> done = new CompletableFuture<>();
    boolean taken =
        scheduler.submit(
            Stage.PASSWORD, () -> Then.onBehalfOf(done, () -> done.complete(task.get())));
    if (!taken) {
      done.completeExceptionally(AuthenticationException.busy());
    }
    return done;
  }

  private <T> CompletableFuture<T> refuse(String account, String address, String why) {
    audit.loginFailed(account, address, why);
    return CompletableFuture.failedFuture(AuthenticationException.refused());
  }
}
