package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A directory that is created and removed again. */
public final class TemporaryFolder {

  private TemporaryFolder() {}

  static Path make(String prefix) throws CommandException {
    try {
      return Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw CommandException.failed("cannot make a temporary directory: " + e, e);
    }
  }

  /** Removes it with its contents. */
  public static void remove(Path directory) throws IOException {
    Files.walkFileTree(directory, new Remover());
  }

  private static final class Remover extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.delete(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
