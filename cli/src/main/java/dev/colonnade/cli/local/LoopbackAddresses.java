package dev.colonnade.cli.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the nodes of a cluster on one machine listen: 127.0.0.1, 127.0.0.2 and so on with the same
 * ports, as nodes on separate machines would; or all on 127.0.0.1 with ports that step by ten,
 * where a machine has no other loopback address.
 */
final class LoopbackAddresses {

  static final int CLIENT_PORT = 9160;
  static final int PEER_PORT = 7000;
  static final int HTTP_PORT = 8080;

  private static final int PORT_STEP = 10;

  private LoopbackAddresses() {}

  /** Where one node listens. */
  record Place(String address, int clientPort, int peerPort, int httpPort) {

    /** For {@code --seeds}. */
    String peer() {
      return address + ":" + peerPort;
    }

    /** For clients. */
    String client() {
      return address + ":" + clientPort;
    }
  }

  /** Places for a number of nodes, whether or not something else listens there. */
  static List<Place> of(int nodes) {
    boolean many = canListen("127.0.0." + Math.max(2, nodes));
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      int step = many ? 0 : i * PORT_STEP;
      places.add(
          new Place(
              many ? "127.0.0." + (i + 1) : "127.0.0.1",
              CLIENT_PORT + step,
              PEER_PORT + step,
              HTTP_PORT + step));
    }
    return places;
  }

  /** Places on 127.0.0.1 with free ports. */
  static List<Place> anywhere(int nodes) throws IOException {
    List<Place> places = new ArrayList<>();
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < nodes; i++) {
        places.add(new Place("127.0.0.1", freePort(held), freePort(held), freePort(held)));
      }
      return places;
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
  }

  /** Held until all are found, so that none is found twice. */
  private static int freePort(List<ServerSocket> held) throws IOException {
    ServerSocket socket = new ServerSocket();
    held.add(socket);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket.getLocalPort();
  }

  private static boolean canListen(String address) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
      return true;
    } catch (IOException notHere) {
      return false;
    }
  }
}
