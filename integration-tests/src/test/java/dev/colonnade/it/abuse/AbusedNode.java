package dev.colonnade.it.abuse;

import dev.colonnade.it.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code colonnade server} as a user starts it, with its log. */
final class AbusedNode implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofMinutes(1);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);
  private static final int PROBE_MILLIS = 1_000;
  private static final Pattern SERVING =
      Pattern.compile(
          "serving clients on 127\\.0\\.0\\.1:(\\d+), other nodes on 127\\.0\\.0\\.1:(\\d+),"
              + ".*http://127\\.0\\.0\\.1:(\\d+),.* data in ");

  private final Process process;
  private final Path err;
  private final Target target;

  private AbusedNode(Process process, Path err, Target target) {
    this.process = process;
    this.err = err;
    this.target = target;
  }

  /**
   * Starts one.
   *
   * @param heap as in {@code COLONNADE_HEAP}; empty for the default
   * @param descriptors how many files it may have open; 0 for what this process may
   */
  static AbusedNode start(Path folder, String heap, int descriptors) throws IOException {
    Path out = folder.resolve("node.out");
    Path err = folder.resolve("node.err");
    String limit = descriptors == 0 ? "" : "ulimit -n " + descriptors + " && ";
    ProcessBuilder builder =
        new ProcessBuilder(
            "/bin/sh",
            "-c",
            limit + "exec \"$@\"",
            "sh",
            System.getProperty("colonnade.home") + "/colonnade",
            "server",
            "--data",
            folder.resolve("data").toString(),
            "--client-port",
            "0",
            "--peer-port",
            "0",
            "--http-port",
            "0");
    if (!heap.isEmpty()) {
      builder.environment().put("COLONNADE_HEAP", heap);
    }
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    Matcher line = SERVING.matcher(Files.readString(out));
    while (!line.find()) {
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        process.destroyForcibly();
        throw new IOException("the node does not serve: " + Files.readString(err));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      line = SERVING.matcher(Files.readString(out));
    }
    Target target =
        new Target(
            Integer.parseInt(line.group(1)),
            Integer.parseInt(line.group(2)),
            Integer.parseInt(line.group(3)));
    return new AbusedNode(process, err, target);
  }

  Target target() {
    return target;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The most memory that the process had in RAM so far, in MiB. */
  long peakMebibytes() throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    if (!Files.exists(status)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .map(line -> line.replaceAll("[^0-9]", ""))
          .mapToLong(kibibytes -> Long.parseLong(kibibytes) / 1024)
          .findFirst()
          .orElse(0);
    }
  }

  /** Lines of the log that report memory that could not be allocated. */
  List<String> outOfMemory() throws IOException {
    try (Stream<String> lines = Files.lines(err, StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.contains("OutOfMemory") || line.contains("OutOfDirectMemory"))
          .toList();
    }
  }

  /** Lines of the log at WARN and above. */
  List<String> complaints() throws IOException {
    try (Stream<String> lines = Files.lines(err, StandardCharsets.UTF_8)) {
      return lines.filter(line -> line.contains(" WARN ") || line.contains(" ERROR ")).toList();
    }
  }

  /** Whether a probe is answered with 200 within a second, as an orchestrator would ask. */
  boolean probe(String path) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), target.httpPort()), PROBE_MILLIS);
      socket.setSoTimeout(PROBE_MILLIS);
      socket
          .getOutputStream()
          .write(
              ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      byte[] answer = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
      return new String(answer, StandardCharsets.US_ASCII).equals("HTTP/1.1 200");
    } catch (IOException e) {
      return false;
    }
  }

  /** SIGTERM; gives how long it took, and kills what does not stop. */
  Duration stop() {
    long begin = System.nanoTime();
    process.destroy();
    if (!ChildJvm.exited(process, STOP_LIMIT)) {
      process.destroyForcibly();
    }
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  @Override
  public void close() {
    process.destroyForcibly();
    ChildJvm.exited(process, STOP_LIMIT);
  }
}
