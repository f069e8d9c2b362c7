package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SeedsTest {

  @Test
  void aSeedHasThePortThatIsWrittenOrTheNodesOwn() {
    assertEquals(
        List.of(
            new PeerAddress("10.0.0.1", 7000),
            new PeerAddress("10.0.0.2", 7010),
            new PeerAddress("::1", 7000),
            new PeerAddress("fe80::2", 7010),
            new PeerAddress("::3", 7000)),
        Seeds.parse(List.of("10.0.0.1", " 10.0.0.2:7010", "::1", "[fe80::2]:7010", "[::3]"), 7000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ":7000", "host:", "host:many", "host:0", "host:70000", "[]:1"})
  void whatIsNoAddressIsNamed(String text) {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> Seeds.parse(List.of(text), 7000));
    assertTrue(String.valueOf(refusal.getMessage()).contains("'" + text + "'"));
  }
}
