package dev.colonnade.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the shell says where something else listens than a node for its clients. */
@Timeout(60)
final class WrongPortTest {

  @Test
  void aServerOfHttpIsToldAsSuch() throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> answerWithHttp(listening), "http");
      server.setDaemon(true);
      server.start();

      assertTold(listening.getLocalPort(), "does not speak gRPC");
    }
  }

  @Test
  void anotherServiceOfGrpcIsToldAsSuch() throws Exception {
    Server other =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .build()
            .start();
    try {
      assertTold(other.getPort(), "is no node, or one of another version");
    } finally {
      other.shutdownNow();
    }
  }

  private static void assertTold(int port, String reason) {
    try (ShellRun shell = new ShellRun(port)) {
      String told = shell.answerOrFailure("show keyspaces;");

      assertTrue(
          told.startsWith("! typed:1: what answers at 127.0.0.1:" + port + " " + reason), told);
      assertTrue(told.contains("--port chooses it"), told);
    }
  }

  private static void answerWithHttp(ServerSocket listening) {
    while (!listening.isClosed()) {
      try (Socket client = listening.accept()) {
        client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8));
        client.getOutputStream().flush();
        // Until the client closes: otherwise it may see a reset in place of the answer.
        byte[] unused = client.getInputStream().readAllBytes();
      } catch (IOException e) {
        // The socket was closed at the end of the test.
        return;
      }
    }
  }
}
