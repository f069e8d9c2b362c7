package dev.colonnade.it;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A file system of a few megabytes, where the system lets us make one. */
final class SmallDisk implements Closeable {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int CHUNK_BYTES = 1 << 20;

  private final Path root;

  private SmallDisk(Path root) {
    this.root = root;
  }

  /** Mounts one at {@code root}, or skips the test and says why. */
  static SmallDisk at(Path root, int megabytes) throws IOException {
    Files.createDirectories(root);
    String refusal =
        run(
            "mount",
            "-t",
            "tmpfs",
            "-o",
            "size=" + megabytes + "m,mode=700",
            "colonnade-test",
            root.toString());
    Assumptions.assumeTrue(
        refusal.isEmpty(), "cannot mount a small file system here, which takes root: " + refusal);
    return new SmallDisk(root);
  }

  Path path(String name) {
    return root.resolve(name);
  }

  /** Takes all room but so much with a file. */
  Path fillBut(long bytesLeft) throws IOException {
    Path filler = root.resolve("filler");
    try (OutputStream out = Files.newOutputStream(filler)) {
      long left = Files.getFileStore(root).getUsableSpace() - bytesLeft;
      for (; left > 0; left -= CHUNK_BYTES) {
        out.write(new byte[(int) Math.min(CHUNK_BYTES, left)]);
      }
    }
    return filler;
  }

  long usableBytes() throws IOException {
    return Files.getFileStore(root).getUsableSpace();
  }

  @Override
  public void close() throws IOException {
    String refusal = run("umount", root.toString());
    if (!refusal.isEmpty()) {
      throw new IOException("could not unmount " + root + ": " + refusal);
    }
  }

  /** What the command complained about; empty if it worked. */
  private static String run(String... command) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    } catch (IOException missing) {
      return String.valueOf(missing.getMessage());
    }
    String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!ChildJvm.exited(process, LIMIT)) {
      process.destroyForcibly();
      return "no answer within " + LIMIT;
    }
    return process.exitValue() == 0 ? "" : "exit code " + process.exitValue() + " " + words.strip();
  }
}
