package dev.colonnade.server.node.platform;

import io.grpc.netty.shaded.io.netty.util.NetUtil;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names under which the HTTP port answers. A page of a stranger may give its own name the
 * node's address (DNS rebinding), and then read the node's pages with the browser of its reader:
 * the browser takes both for one site. The header {@code Host} tells them apart. Addresses need no
 * list, because a site cannot give them to another node.
 */
public final class HostNames {

  /** Answers under every name; for nodes behind a proxy that checks names. */
  public static final String ANY = "*";

  private static final String LOCALHOST = "localhost";

  private final Set<String> names;

  private HostNames(Set<String> names) {
    this.names = names;
  }

  /** Answers under {@code localhost} and these names; empty ones do not count. */
  public static HostNames of(Collection<String> names) {
    return new HostNames(
        Stream.concat(Stream.of(LOCALHOST), names.stream().map(HostNames::plain))
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** The machine's name, in full and its first part, without a look at DNS; empty if unknown. */
  public static List<String> ofMachine() {
    String name;
    try {
      name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException notLinux) {
      Map<String, String> environment = System.getenv();
      name = environment.getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", ""));
    }
    int dot = name.indexOf('.');
    return dot < 0 ? List.of(name) : List.of(name, name.substring(0, dot));
  }

  /**
   * Whether a request is meant for this node.
   *
   * @param header {@code Host}; empty if the request has none, which no browser sends
   */
  public boolean include(String header) {
    if (header.isEmpty() || names.contains(ANY)) {
      return true;
    }
    String host = withoutPort(header);
    return NetUtil.isValidIpV4Address(host)
        || NetUtil.isValidIpV6Address(host)
        || names.contains(plain(host));
  }

  private static String withoutPort(String header) {
    int end = header.startsWith("[") ? header.indexOf(']') : header.indexOf(':');
    String host = end < 0 ? header : header.substring(0, end);
    return host.startsWith("[") ? host.substring(1) : host;
  }

  /** In small letters, and without the dot that ends a full name. */
  private static String plain(String name) {
    String small = name.strip().toLowerCase(Locale.ROOT);
    return small.endsWith(".") ? small.substring(0, small.length() - 1) : small;
  }
}
