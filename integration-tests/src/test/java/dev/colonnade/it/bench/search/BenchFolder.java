package dev.colonnade.it.bench.search;

import dev.colonnade.it.Folders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A temporary folder that is removed again, also when the process is told to end: then the
 * processes that were started for it end first.
 */
final class BenchFolder implements AutoCloseable {

  private static final Duration STOP_LIMIT = Duration.ofSeconds(45);
  private static final int ATTEMPTS = 50;
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Path path;
  private final Queue<Runnable> before = new ConcurrentLinkedQueue<>();
  private final Thread hook = new Thread(this::end, "bench-cleanup");

  private BenchFolder(Path path) {
    this.path = path;
  }

  static BenchFolder make(String prefix) throws IOException {
    BenchFolder folder = new BenchFolder(Files.createTempDirectory(prefix));
    Runtime.getRuntime().addShutdownHook(folder.hook);
    return folder;
  }

  Path path() {
    return path;
  }

  /** Runs this when the process is told to end, before anything is removed. */
  void beforeRemoval(Runnable action) {
    before.add(action);
  }

  @Override
  public void close() throws IOException {
    try {
      boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      return; // the hook removes it
    }
    Folders.delete(path);
  }

  private void end() {
    before.forEach(Runnable::run);
    List<ProcessHandle> children = ProcessHandle.current().children().toList();
    children.forEach(ProcessHandle::destroy);
    for (ProcessHandle child : children) {
      await(child);
    }
    // Threads that were in the middle of a call may still write a file.
    for (int attempt = 0; attempt < ATTEMPTS && Files.exists(path); attempt++) {
      try {
        Folders.delete(path);
      } catch (IOException | UncheckedIOException e) {
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
    if (Files.exists(path)) {
      System.err.println("bench: " + path + " could not be removed");
    }
  }

  private static void await(ProcessHandle child) {
    try {
      ProcessHandle unused = child.onExit().get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      child.descendants().forEach(ProcessHandle::destroyForcibly);
      child.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
