package dev.colonnade.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * A secret in a small file on a local disk: to read it takes no longer than to send a call. It is
 * read again when the file has another time of change. Thread-safe.
 */
final class SecretFile {

  private record Read(long changedMillis, String text) {}

  private final Path file;
  private final UnaryOperator<String> trim;
  private volatile Read last = new Read(Long.MIN_VALUE, "");

  /**
   * Reads nothing yet.
   *
   * @param trim takes what is no part of the secret from the file's text
   */
  SecretFile(Path file, UnaryOperator<String> trim) {
    this.file = file;
    this.trim = trim;
  }

  /** The secret as it is now. */
  CompletionStage<String> text() {
    try {
      long changedMillis = Files.getLastModifiedTime(file).toMillis();
      Read read = last;
      if (read.changedMillis != changedMillis) {
        read = new Read(changedMillis, trim.apply(Files.readString(file, StandardCharsets.UTF_8)));
        last = read;
      }
      return CompletableFuture.completedFuture(read.text);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
