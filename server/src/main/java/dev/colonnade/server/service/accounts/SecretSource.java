package dev.colonnade.server.service.accounts;

/**
 * Random bytes that cannot be guessed, for salts, keys and generated passwords; unlike {@link
 * dev.colonnade.server.base.env.RandomSource} it is not replayed from a seed. Thread-safe.
 */
@FunctionalInterface
public interface SecretSource {
  /** Fills {@code target}. */
  void nextBytes(byte[] target);

  /** That many new bytes. */
  default byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    nextBytes(bytes);
    return bytes;
  }
}
