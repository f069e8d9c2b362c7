package dev.colonnade.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A token in a small file on a local disk: to read it takes no longer than to send a call. */
final class TokenFile implements TokenSource {

  private record Read(long changedMillis, String token) {}

  private final Path file;
  private volatile Read last = new Read(Long.MIN_VALUE, "");

  TokenFile(Path file) {
    this.file = file;
  }

  @Override
  public CompletionStage<String> token() {
    try {
      long changedMillis = Files.getLastModifiedTime(file).toMillis();
      Read read = last;
      if (read.changedMillis != changedMillis) {
        read = new Read(changedMillis, Files.readString(file, StandardCharsets.UTF_8).strip());
        last = read;
      }
      return CompletableFuture.completedFuture(read.token);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
