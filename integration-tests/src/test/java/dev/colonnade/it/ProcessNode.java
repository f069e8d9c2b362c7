package dev.colonnade.it;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** A node in a JVM of its own, started with the same command that a user has. */
final class ProcessNode extends LocalNode {

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final Settings settings;
  private final Ports ports;
  private final Process process;

  private ProcessNode(Settings settings, Ports ports, Process process) {
    this.settings = settings;
    this.ports = ports;
    this.process = process;
  }

  static LocalNode start(Settings settings) throws IOException {
    Ports ports = freePorts();
    List<String> command = ChildJvm.colonnade(settings.jvmArguments());
    command.addAll(settings.commandLine());
    command.addAll(
        List.of(
            "--listen",
            "127.0.0.1",
            "--client-port",
            String.valueOf(ports.client()),
            "--peer-port",
            String.valueOf(ports.peer()),
            "--http-port",
            String.valueOf(ports.http())));
    Process process =
        ChildJvm.start(command, ChildJvm.besideData(settings.data()), "serving", START_LIMIT);
    ProcessNode node = new ProcessNode(settings, ports, process);
    node.checkReady();
    return node;
  }

  @Override
  public Ports ports() {
    return ports;
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public void stop() {
    closeChannel();
    process.destroy();
    if (!ChildJvm.exited(process, STOP_LIMIT)) {
      process.destroyForcibly();
      throw new AssertionError("the node did not stop within " + STOP_LIMIT + " of SIGTERM");
    }
  }

  @Override
  public void kill() {
    process.destroyForcibly();
    if (!ChildJvm.exited(process, STOP_LIMIT)) {
      throw new AssertionError("the node survived SIGKILL for " + STOP_LIMIT);
    }
    closeChannel();
  }

  @Override
  public LocalNode again() throws IOException {
    return start(settings);
  }

  /** The line on standard output says that it serves; its HTTP port must say so too. */
  private void checkReady() throws IOException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.http() + "/readyz"))
            .timeout(Duration.ofSeconds(5))
            .build();
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new AssertionError(
            "the node says on standard output that it serves, but /readyz answers "
                + answer.statusCode()
                + " "
                + answer.body());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while asking /readyz", e);
    }
  }

  /** Ports that were free a moment ago: bound all at once, so that they differ. */
  private static Ports freePorts() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket client = new ServerSocket(0, 1, loopback);
        ServerSocket peer = new ServerSocket(0, 1, loopback);
        ServerSocket http = new ServerSocket(0, 1, loopback)) {
      return new Ports(client.getLocalPort(), peer.getLocalPort(), http.getLocalPort());
    }
  }
}
