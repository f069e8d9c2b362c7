package dev.colonnade.it;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node in a JVM of its own, started with the same command that a user has. */
public final class ProcessNode extends LocalNode {

  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Pattern SERVING =
      Pattern.compile("serving clients on [^ ]+:(\\d+),.*(https?)://[^ ]+:(\\d+),");

  /** When this has been printed, so have the ports. */
  private static final String BEHIND_THE_PORTS = ", data in ";

  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final Settings settings;
  private final Ports ports;
  private final Process process;
  private final Path output;

  private ProcessNode(Settings settings, Ports ports, Process process, Path output) {
    this.settings = settings;
    this.ports = ports;
    this.process = process;
    this.output = output;
  }

  /** Starts one and returns when it serves. */
  public static ProcessNode start(Settings settings) throws IOException {
    Path output = ChildJvm.besideData(settings.data());
    Process process = ChildJvm.start(command(settings), output, BEHIND_THE_PORTS, START_LIMIT);
    Matcher line = serving(output);
    Ports ports = new Ports(Integer.parseInt(line.group(1)), Integer.parseInt(line.group(3)));
    ProcessNode node = new ProcessNode(settings, ports, process, output);
    if (line.group(2).equals("http")) {
      node.checkReady();
    }
    return node;
  }

  static Process unawaited(Settings settings) throws IOException {
    return ChildJvm.start(command(settings), ChildJvm.besideData(settings.data()), "", START_LIMIT);
  }

  private static List<String> command(Settings settings) {
    List<String> command =
        settings.jar() == null
            ? ChildJvm.colonnade(settings.jvmArguments())
            : ChildJvm.jar(settings.jvmArguments(), settings.jar());
    command.addAll(settings.commandLine());
    command.addAll(
        List.of("--listen", settings.host().address(), "--client-port", "0", "--http-port", "0"));
    if (settings.host().access() == null && !settings.host().address().startsWith("127.")) {
      // A network of its own, which strangers are not on.
      command.add("--insecure");
    }
    if (settings.descriptors() > 0) {
      String limit = "ulimit -n " + settings.descriptors() + " && exec \"$@\"";
      command.addAll(0, List.of("/bin/sh", "-c", limit, "sh"));
    }
    command.addAll(0, settings.host().launcher());
    return command;
  }

  @Override
  public Ports ports() {
    return ports;
  }

  @Override
  public String address() {
    return settings.host().address();
  }

  @Override
  protected @Nullable Access access() {
    return settings.host().access();
  }

  /** Lines of its log at ERROR. */
  public List<String> errors() throws IOException {
    try (Stream<String> lines = Files.lines(ChildJvm.errorsBeside(output))) {
      return lines.filter(line -> line.contains(" ERROR ")).toList();
    }
  }

  /** All that it has logged so far. */
  public String log() throws IOException {
    return Files.readString(ChildJvm.errorsBeside(output));
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
  public ProcessNode again() throws IOException {
    return start(settings);
  }

  /** The line on standard output says that it serves; its HTTP port must say so too. */
  private void checkReady() throws IOException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address() + ":" + ports.http() + "/readyz"))
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

  /** The ports that the node found for itself: its line on standard output has them. */
  private static Matcher serving(Path output) throws IOException {
    String text = Files.readString(output);
    Matcher line = SERVING.matcher(text);
    if (!line.find()) {
      throw new AssertionError("no ports in the line of a node that serves: " + text);
    }
    return line;
  }
}
