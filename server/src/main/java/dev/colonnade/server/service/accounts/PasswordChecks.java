package dev.colonnade.server.service.accounts;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.service.accounts.AuthenticationException.Kind;
import dev.colonnade.server.service.accounts.Identity.Proof;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks names with passwords, for calls, logins and pages alike, always in this order:
 *
 * <ol>
 *   <li>whether the address must wait before it tries the account again ({@link FailedLogins}). A
 *       right password is refused as well, or the answer would tell that it is right;
 *   <li>whether the same name and password were right before. They are remembered under a keyed
 *       hash for as long as the account has that password, so that further calls cost a
 *       microsecond;
 *   <li>the hash of the account's password, on a stage of its own with a bounded queue.
 * </ol>
 *
 * <p>Thread-safe; never blocks.
 */
final class PasswordChecks {

  /** Right passwords that are remembered; when there are more, all are forgotten. */
  static final int REMEMBERED = 10_000;

  /** Runs work that hashes, off the caller's thread. */
  interface Hashing {
    /** Fails with {@link Kind#BUSY} if there is no place for it. */
    <T> CompletableFuture<T> run(Supplier<T> task);
  }

  /** A name and a password, sealed, and where they came from. */
  private record Attempt(ByteBuffer sealed, String network) {}

  private final Accounts accounts;
  private final Clock clock;
  private final Hashing hashing;
  private final AuditLog audit;
  private final byte[] memoryKey;
  private final String noOnesHash;
  private final FailedLogins failed = new FailedLogins();
  private final PasswordPlaces places = new PasswordPlaces();
  private final ConcurrentHashMap<ByteBuffer, Identity> verified = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Attempt, CompletableFuture<Identity>> checking =
      new ConcurrentHashMap<>();

  /**
   * Creates the checks.
   *
   * @param memoryKey a secret of this process
   * @param noOnesHash a hash that no password has
   */
  PasswordChecks(
      Accounts accounts,
      Clock clock,
      Hashing hashing,
      AuditLog audit,
      byte[] memoryKey,
      String noOnesHash) {
    this.accounts = accounts;
    this.clock = clock;
    this.hashing = hashing;
    this.audit = audit;
    this.memoryKey = memoryKey;
    this.noOnesHash = noOnesHash;
  }

  /**
   * Checks a name and a password, and overwrites the password.
   *
   * @param address where they come from, without the port
   * @return fails with {@link AuthenticationException}; done already if the password is remembered
   */
  CompletableFuture<Identity> check(Credentials.Basic shown, String address) {
    AuthenticationException throttled = throttled(shown, address);
    if (throttled != null) {
      PasswordHash.clear(shown.password());
      return CompletableFuture.failedFuture(throttled);
    }
    ByteBuffer key = sealed(shown);
    Identity known = verified.get(key);
    if (known != null) {
      if (known.isCurrent(accounts.policy())) {
        failed.succeeded(known.account(), network(address));
        PasswordHash.clear(shown.password());
        return CompletableFuture.completedFuture(known);
      }
      verified.remove(key, known);
    }
    Attempt attempt = new Attempt(key, network(address));
    CompletableFuture<Identity> mine = new CompletableFuture<>();
    CompletableFuture<Identity> others = checking.putIfAbsent(attempt, mine);
    if (others != null) {
      // A client that begins with many calls at once has its password hashed once.
      PasswordHash.clear(shown.password());
      return others;
    }
    hash(shown, attempt, address, mine);
    return mine;
  }

  private void hash(
      Credentials.Basic shown, Attempt attempt, String address, CompletableFuture<Identity> done) {
    Claim place = places.enter(attempt.network());
    if (place == null) {
      PasswordHash.clear(shown.password());
      checking.remove(attempt, done);
      done.completeExceptionally(AuthenticationException.busy());
      return;
    }
    Then.whenDone(
        hashing.run(() -> compare(shown, attempt, address)),
        done,
        (identity, failure) -> {
          place.close();
          checking.remove(attempt, done);
          if (failure == null) {
            done.complete(identity);
          } else {
            done.completeExceptionally(Errors.unwrap(failure));
          }
        });
  }

  /** Why a password is not looked at; null if it may be. */
  private @Nullable AuthenticationException throttled(Credentials.Basic shown, String address) {
    var wait = failed.wait(shown.account(), network(address), clock.monotonicNanos());
    if (wait.isZero()) {
      return null;
    }
    audit.loginFailed(shown.account(), address, "throttled");
    return AuthenticationException.throttled(wait);
  }

  /** Compares with a hash also where there is no such account, so that both take the same time. */
  private Identity compare(Credentials.Basic shown, Attempt attempt, String address) {
    String account = shown.account();
    AccessPolicy.Password password;
    boolean matches;
    try {
      // Again: guesses that came all at once waited for each other here.
      AuthenticationException throttled = throttled(shown, address);
      if (throttled != null) {
        throw throttled;
      }
      password = accounts.policy().password(account);
      matches =
          PasswordHash.matches(shown.password(), password == null ? noOnesHash : password.hash());
    } finally {
      PasswordHash.clear(shown.password());
    }
    if (password == null || !matches || !accounts.policy().mayLogIn(account)) {
      failed.failed(account, attempt.network(), clock.monotonicNanos());
      String why = password == null ? "no such user" : matches ? "locked" : "wrong password";
      audit.loginFailed(account, address, why);
      throw AuthenticationException.refused();
    }
    failed.succeeded(account, attempt.network());
    places.succeeded(attempt.network());
    if (verified.size() >= REMEMBERED) {
      verified.clear();
    }
    Identity identity = new Identity(account, Proof.PASSWORD, password.version());
    verified.put(attempt.sealed(), identity);
    return identity;
  }

  /** What stands for a name and a password in memory: a hash by a key that dies with the node. */
  private ByteBuffer sealed(Credentials.Basic shown) {
    byte[] name = shown.account().getBytes(StandardCharsets.UTF_8);
    char[] password = shown.password();
    ByteBuffer both = ByteBuffer.allocate(Integer.BYTES + name.length + 2 * password.length);
    both.putInt(name.length).put(name).asCharBuffer().put(password);
    ByteBuffer key = ByteBuffer.wrap(LoginTokens.seal(memoryKey, both.array()));
    Arrays.fill(both.array(), (byte) 0);
    return key;
  }

  /** The network that one holder has: an address of IPv4, or the first half of one of IPv6. */
  static String network(String address) {
    int end = -1;
    for (int i = 0; i < 4; i++) {
      int next = address.indexOf(':', end + 1);
      if (next <= end) {
        return address;
      }
      if (next == end + 1) {
        return address; // shortened; Java writes addresses in full
      }
      end = next;
    }
    return address.substring(0, end);
  }
}
