package dev.colonnade.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Java's options for processes that live for seconds, most of which would be their start: they take
 * classes from the archive that the launcher makes after each build. With {@code
 * -Dcolonnade.quick.start=true} only; a benchmark's processes start as a user's do.
 */
final class QuickStart {

  private static final long ARCHIVE_MINUTES = 10;

  private static @Nullable List<String> options;

  private QuickStart() {}

  /** The options for this build's jar. */
  static synchronized List<String> options(Path jar) {
    if (options == null) {
      options = Boolean.getBoolean("colonnade.quick.start") ? quick(jar) : List.of();
    }
    return options;
  }

  private static List<String> quick(Path jar) {
    Path archive = jar.resolveSibling("colonnade-" + System.getProperty("java.version") + ".jsa");
    try {
      make(archive);
      // The launcher leaves an empty file where Java can make none.
      if (!Files.exists(archive) || Files.size(archive) == 0) {
        return List.of();
      }
      // A Java that cannot use it loads the classes, and does not say so among a command's lines.
      return List.of(
          "-XX:SharedArchiveFile=" + archive,
          "-Xshare:auto",
          "-Xlog:disable",
          "-Xlog:all=error:stderr");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the archive of classes was made", e);
    }
  }

  /** Once for all test JVMs: the second one waits, and finds it. */
  private static void make(Path archive) throws IOException, InterruptedException {
    Path lock = archive.resolveSibling(archive.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      ProcessBuilder launcher =
          new ProcessBuilder(System.getProperty("colonnade.home") + "/colonnade", "help")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD);
      launcher.environment().put("JAVA_HOME", System.getProperty("java.home"));
      Process process = launcher.start();
      if (!process.waitFor(ARCHIVE_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new IOException("the launcher made no archive of classes; lock " + held);
      }
    }
  }
}
