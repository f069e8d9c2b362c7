package dev.colonnade.server.base.config;

/**
 * The addresses that a node listens on.
 *
 * @param peerAddress for other nodes; they also use it to reach this one, so it cannot be a
 *     wildcard
 * @param clientAddress for clients; 0.0.0.0 means every interface
 * @param clientPort 0 means any free port
 * @param peerPort 0 means any free port
 * @param httpPort of metrics and the status page, at {@code clientAddress}; 0 means any free port
 */
public record AddressSettings(
    String peerAddress, String clientAddress, int clientPort, int peerPort, int httpPort) {

  /** Loopback, because there is no authentication; the ports that Cassandra's clients knew. */
  public static final AddressSettings DEFAULT =
      new AddressSettings("127.0.0.1", "127.0.0.1", 9160, 7000, 8080);

  /** Checks the ports. */
  public AddressSettings {
    SettingChecks.port("clientPort", clientPort);
    SettingChecks.port("peerPort", peerPort);
    SettingChecks.port("httpPort", httpPort);
    if (peerAddress.isEmpty() || peerAddress.equals("0.0.0.0") || peerAddress.equals("::")) {
      throw new IllegalArgumentException(
          "the address for other nodes is one they can reach, not a wildcard");
    }
  }

  /** Returns these settings with another address for clients and nodes alike. */
  public AddressSettings withAddress(String address) {
    return new AddressSettings(address, address, clientPort, peerPort, httpPort);
  }

  /** Returns these settings with another address for nodes only. */
  public AddressSettings withPeerAddress(String address) {
    return new AddressSettings(address, clientAddress, clientPort, peerPort, httpPort);
  }

  /** Returns these settings with another address for clients only. */
  public AddressSettings withClientAddress(String address) {
    return new AddressSettings(peerAddress, address, clientPort, peerPort, httpPort);
  }

  /** Returns these settings with another port for clients. */
  public AddressSettings withClientPort(int port) {
    return new AddressSettings(peerAddress, clientAddress, port, peerPort, httpPort);
  }

  /** Returns these settings with another port for nodes. */
  public AddressSettings withPeerPort(int port) {
    return new AddressSettings(peerAddress, clientAddress, clientPort, port, httpPort);
  }

  /** Returns these settings with another port for metrics and the status page. */
  public AddressSettings withHttpPort(int port) {
    return new AddressSettings(peerAddress, clientAddress, clientPort, peerPort, port);
  }
}
