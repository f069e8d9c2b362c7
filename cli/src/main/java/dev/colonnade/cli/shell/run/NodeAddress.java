package dev.colonnade.cli.shell.run;

/** Where a node listens for clients. */
public record NodeAddress(String host, int port) {

  /** What gRPC takes, with an address of IPv6 in brackets. */
  String target() {
    String literal = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    return "dns:///" + literal + ":" + port;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
