package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who asks a node that is not there is told so, long before the deadline. */
@Timeout(30)
final class AbsentNodeTest {

  @Test
  void callsAndStreamsAreUnavailableAtOnce() throws IOException {
    ClientOptions patient =
        ClientOptions.defaults()
            .withCalls(CallOptions.defaults().withDeadline(Duration.ofMinutes(5)));
    try (Colonnade client = Colonnade.connect("127.0.0.1:" + closedPort(), patient)) {
      ColumnFamily<String, String, String> family =
          client
              .keyspace("K")
              .columnFamily("F", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);

      assertThrows(UnavailableException.class, () -> family.get("k", "c"));
      try (Cursor<Column<String, String>> cursor = family.stream("k", Slice.all())) {
        UnavailableException absent = assertThrows(UnavailableException.class, cursor::hasNext);
        assertTrue(String.valueOf(absent.getMessage()).contains("127.0.0.1"), absent::toString);
      }
    }
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
