package dev.colonnade.client;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Where a client gets the password of its user. It is asked for each call, and for each stream that
 * many small calls share when that begins. Thread-safe. Nothing here prints the password.
 */
@FunctionalInterface
public interface PasswordSource {

  /**
   * The password as it is now. Does not block. If it fails, so does the call that needs it, with
   * the reason {@code UNAUTHENTICATED}; nothing was sent then.
   */
  CompletionStage<String> password();

  /** Always the same password. */
  static PasswordSource fixed(String password) {
    return () -> CompletableFuture.completedFuture(password);
  }

  /**
   * A password in a file, in UTF-8: read again when the file has another time of change. A line end
   * at its end does not count; blanks do.
   */
  static PasswordSource file(Path file) {
    return new SecretFile(file, text -> text.replaceFirst("\\R\\z", ""))::text;
  }
}
