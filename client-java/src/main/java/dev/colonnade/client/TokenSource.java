package dev.colonnade.client;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Where a client gets the token by which nodes recognise its calls, such as a JSON Web Token. It is
 * asked for each call, and for each stream that many small calls share when that begins, so it
 * keeps a token while it is valid. Thread-safe.
 */
@FunctionalInterface
public interface TokenSource {

  /**
   * The token as it is now, of visible ASCII characters. Does not block. If it fails, so does the
   * call that needs it, with the reason {@code UNAUTHENTICATED}; nothing was sent then.
   */
  CompletionStage<String> token();

  /** Always the same token. */
  static TokenSource fixed(String token) {
    return () -> CompletableFuture.completedFuture(token);
  }

  /**
   * A token in a file, as orchestrators put it there and replace it: read again when the file has
   * another time of change. White space at its ends does not count.
   */
  static TokenSource file(Path file) {
    return new SecretFile(file, String::strip)::text;
  }
}
