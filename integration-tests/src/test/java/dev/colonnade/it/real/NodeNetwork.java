package dev.colonnade.it.real;

import dev.colonnade.it.HostCommand;
import dev.colonnade.it.LocalNode;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network namespace for each node, joined by a bridge that this process is on as well. Packets
 * between nodes can be dropped; those between a node and this process cannot. Takes root. For one
 * thread.
 */
public final class NodeNetwork implements Closeable {

  private static final String TABLE = "colonnade";
  private static final int FIRST_HOST = 2;

  private static final AtomicInteger NETWORKS = new AtomicInteger();

  private final long pid = ProcessHandle.current().pid();

  /** The system takes a link away some time after its namespace. */
  private final int serial = NETWORKS.incrementAndGet();

  private final int size;
  private final List<List<String>> removal = new ArrayList<>();
  private final Closeable leftOver;

  private NodeNetwork(int size) {
    this.size = size;
    for (int node = 0; node < size; node++) {
      removal.add(List.of("ip", "netns", "delete", namespace(node)));
    }
    removal.add(List.of("ip", "link", "delete", bridge()));
    this.leftOver = HostCommand.atExit(removal);
  }

  /** Why this machine cannot have one, which is found by making one; empty if it can. */
  public static String missing() {
    for (String program : List.of("ip", "nft", "nsenter")) {
      if (!HostCommand.isInstalled(program)) {
        return "no " + program + " (packages iproute2, nftables and util-linux)";
      }
    }
    try (NodeNetwork network = of(2)) {
      network.drop(0, 1);
      network.heal();
      return "";
    } catch (IOException refusal) {
      return "cannot make network namespaces, which takes root: " + refusal.getMessage();
    }
  }

  /** Makes one for a number of nodes. */
  public static NodeNetwork of(int size) throws IOException {
    NodeNetwork network = new NodeNetwork(size);
    try {
      network.make();
      return network;
    } catch (IOException e) {
      network.close();
      throw e;
    }
  }

  private void make() throws IOException {
    HostCommand.run("ip", "link", "add", bridge(), "type", "bridge");
    HostCommand.run("ip", "address", "add", address(1) + "/24", "dev", bridge());
    HostCommand.run("ip", "link", "set", bridge(), "up");
    for (int node = 0; node < size; node++) {
      String outside = "cv" + pid + "n" + serial + node;
      HostCommand.run("ip", "netns", "add", namespace(node));
      HostCommand.run(
          "ip",
          "link",
          "add",
          outside,
          "type",
          "veth",
          "peer",
          "name",
          "node",
          "netns",
          namespace(node));
      HostCommand.run("ip", "link", "set", outside, "master", bridge(), "up");
      within(node, "ip", "link", "set", "lo", "up");
      within(node, "ip", "address", "add", address(node + FIRST_HOST) + "/24", "dev", "node");
      within(node, "ip", "link", "set", "node", "up");
      within(node, "nft", "add", "table", "inet", TABLE);
      within(
          node,
          "nft",
          "add chain inet " + TABLE + " received { type filter hook input priority 0 ; }");
    }
  }

  /** Where a node is to listen. */
  public LocalNode.Host host(int node) {
    return new LocalNode.Host(address(node + FIRST_HOST), launcher(node));
  }

  /** From now on {@code to} receives nothing that {@code from} sends, and neither is told. */
  public void drop(int from, int to) throws IOException {
    within(
        to,
        "nft",
        "add rule inet " + TABLE + " received ip saddr " + address(from + FIRST_HOST) + " drop");
  }

  /** Everything arrives again. */
  public void heal() throws IOException {
    for (int node = 0; node < size; node++) {
      within(node, "nft", "flush chain inet " + TABLE + " received");
    }
  }

  private void within(int node, String... command) throws IOException {
    List<String> words = new ArrayList<>(launcher(node));
    words.addAll(List.of(command));
    HostCommand.run(words.toArray(String[]::new));
  }

  /**
   * Not {@code ip netns exec}: that makes a name space of mounts as well, which keeps every file
   * system that is mounted now from being unmounted for as long as a node lives.
   */
  private List<String> launcher(int node) {
    return List.of("nsenter", "--net=/run/netns/" + namespace(node));
  }

  private String bridge() {
    return "cb" + pid;
  }

  private String namespace(int node) {
    return "colonnade-" + pid + "-" + node;
  }

  /** One of a network of this process's own. */
  private String address(int host) {
    return "10.213." + pid % 250 + "." + host;
  }

  /** Removes all of it; parts that were never made are ignored. */
  @Override
  public void close() throws IOException {
    for (List<String> command : removal) {
      HostCommand.refusal(command.toArray(String[]::new));
    }
    leftOver.close();
  }
}
