package dev.colonnade.it.bench;

import dev.colonnade.it.ChildJvm;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Nodes of one executable jar, as {@code colonnade cluster} starts them, and a channel to one. */
public final class BuildUnderTest implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);
  private static final Pattern FIRST_NODE = Pattern.compile("--host (\\S+) --port (\\d+)");

  /** What the launcher gives a node besides its heap and access to Java's insides. */
  private static final List<String> OPTIONS =
      List.of(
          "-Dnet.openhft.chronicle.map.lockTimeoutSeconds=2",
          "-XX:+UnlockExperimentalVMOptions",
          "-XX:G1NewSizePercent=25",
          "-XX:MaxHeapFreeRatio=100");

  private final Process launcher;
  private final String address;
  private final ManagedChannel channel;
  private final List<Long> pids;

  private BuildUnderTest(
      Process launcher, String address, ManagedChannel channel, List<Long> pids) {
    this.launcher = launcher;
    this.address = address;
    this.channel = channel;
    this.pids = pids;
  }

  /**
   * Starts nodes and returns when they see each other.
   *
   * @param folder empty; takes their data
   */
  public static BuildUnderTest start(Path jar, int nodes, String heap, Path folder)
      throws IOException {
    Files.createDirectories(folder);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(access(jar));
    command.addAll(OPTIONS);
    command.addAll(List.of("-jar", jar.toString(), "cluster", "--any-ports"));
    command.addAll(List.of("--nodes", Integer.toString(nodes), "--heap", heap));
    command.addAll(List.of("--data", folder.resolve("data").toString()));
    Path out = folder.resolve("cluster.out");
    Process launcher = ChildJvm.start(command, out, "Ctrl-C stops all nodes", START_LIMIT);
    Matcher first = FIRST_NODE.matcher(Files.readString(out));
    List<Long> pids = launcher.descendants().map(ProcessHandle::pid).toList();
    if (!first.find() || pids.size() != nodes) {
      launcher.destroy();
      throw new IOException(
          jar + " did not start " + nodes + " nodes: " + pids + ", " + Files.readString(out));
    }
    String address = first.group(1) + ":" + first.group(2);
    ManagedChannel channel =
        NettyChannelBuilder.forTarget(address).usePlaintext().directExecutor().build();
    return new BuildUnderTest(launcher, address, channel, pids);
  }

  /** The access that the jar's manifest asks for, which its nodes are given by option. */
  private static List<String> access(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      Attributes manifest = file.getManifest().getMainAttributes();
      List<String> options = new ArrayList<>();
      add(options, "--add-exports=", manifest.getValue("Add-Exports"));
      add(options, "--add-opens=", manifest.getValue("Add-Opens"));
      return options;
    }
  }

  private static void add(List<String> options, String option, @Nullable String packages) {
    if (packages != null) {
      for (String name : packages.trim().split("\\s+", -1)) {
        options.add(option + name + "=ALL-UNNAMED");
      }
    }
  }

  /** Where clients find the first node: {@code host:port}. */
  public String address() {
    return address;
  }

  /** A channel to the first node. */
  public ManagedChannel channel() {
    return channel;
  }

  /** The processes of all nodes. */
  public List<Long> pids() {
    return pids;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    launcher.destroy();
    if (!ChildJvm.exited(launcher, STOP_LIMIT)) {
      launcher.descendants().forEach(ProcessHandle::destroyForcibly);
      launcher.destroyForcibly();
    }
  }
}
