package dev.colonnade.it.abuse;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Connections on which nothing, or only part of a request, is sent. One that the node closes is
 * opened again.
 */
final class Silent {

  private static final int HTTP_REQUESTS = 200;
  private static final int CONNECTIONS = 2_000;
  private static final int CONNECT_MILLIS = 1_000;

  private Silent() {}

  static void halfHttp(Target target, Tally tally) {
    hold(target.httpPort(), HTTP_REQUESTS, "GET /readyz HTTP/1.1\r\nHost: lo", tally);
  }

  static void everywhere(Target target, Tally tally) {
    hold(target.clientPort(), CONNECTIONS, "", tally);
    hold(target.peerPort(), CONNECTIONS, "", tally);
    hold(target.httpPort(), CONNECTIONS, "", tally);
  }

  private static void hold(int port, int count, String said, Tally tally) {
    Thread thread = new Thread(() -> keepOpen(port, count, said, tally), "silent-" + port);
    thread.setDaemon(true);
    thread.start();
  }

  private static void keepOpen(int port, int count, String said, Tally tally) {
    List<SocketChannel> open = new ArrayList<>();
    while (true) {
      open.removeIf(channel -> hasEnded(channel, tally));
      while (open.size() < count) {
        try {
          open.add(connect(port, said));
          tally.ok();
        } catch (IOException e) {
          tally.failed("CONNECT");
          break;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  private static SocketChannel connect(int port, String said) throws IOException {
    SocketChannel channel = SocketChannel.open();
    Socket socket = channel.socket();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
    channel.write(ByteBuffer.wrap(said.getBytes(StandardCharsets.US_ASCII)));
    channel.configureBlocking(false);
    return channel;
  }

  private static boolean hasEnded(SocketChannel channel, Tally tally) {
    try {
      ByteBuffer heard = ByteBuffer.allocate(512);
      int read = channel.read(heard);
      while (read > 0) {
        heard.clear();
        read = channel.read(heard);
      }
      if (read == 0) {
        return false;
      }
      channel.close();
    } catch (IOException reset) {
      // Ended, too.
    }
    tally.refused();
    return true;
  }
}
