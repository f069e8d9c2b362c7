package dev.colonnade.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy between a client and a node that breaks their connections on request. */
final class BreakingProxy implements AutoCloseable {

  private static final int BUFFER_BYTES = 16 << 10;

  private final ServerSocket listener;
  private final int target;
  private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
  private final AtomicInteger accepted = new AtomicInteger();

  BreakingProxy(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** How many connections there have been. */
  int connections() {
    return accepted.get();
  }

  /** Breaks all connections; new ones are accepted. */
  void breakConnections() {
    Socket socket = sockets.poll();
    while (socket != null) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      socket = sockets.poll();
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    breakConnections();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        accepted.incrementAndGet();
        sockets.add(client);
        Socket node = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(node);
        daemon(() -> copy(client, node));
        daemon(() -> copy(node, client));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static void copy(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int length = in.read(buffer);
      while (length >= 0) {
        out.write(buffer, 0, length);
        length = in.read(buffer);
      }
    } catch (IOException e) {
      // One side is gone, on request or by itself; only the other remains to be closed.
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "breaking-proxy");
    thread.setDaemon(true);
    thread.start();
  }
}
