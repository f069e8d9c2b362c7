package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Under which names the pages for operators are shown. */
final class HostNamesTest {

  private final HostNames names = HostNames.of(List.of("Node1.Example", "", "0.0.0.0"));

  @Test
  void addressesTheNodesNamesAndNoneAreAnswered() {
    for (String host :
        List.of(
            "",
            "localhost",
            "LOCALHOST:8080",
            "node1.example",
            "node1.example.:8080",
            "127.0.0.1",
            "10.1.2.3:8080",
            "[::1]:8080",
            "[2001:db8::1]")) {
      assertTrue(names.include(host), host);
    }
  }

  @Test
  void namesThatAnyoneCanRegisterAreNot() {
    for (String host :
        List.of(
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "node1.example.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1.nip.io:8080",
            "[evil.example]:8080",
            "0x7f.1",
            "2130706433",
            " ",
            ":8080",
            "*")) {
      assertFalse(names.include(host), host);
    }
  }

  @Test
  void anyNameIsAnsweredWhereThatIsWanted() {
    HostNames any = HostNames.of(List.of(HostNames.ANY));
    assertTrue(any.include("evil.example:8080"));
    assertFalse(HostNames.of(List.of()).include("evil.example:8080"));
  }

  @Test
  void theMachinesNameIsKnown() {
    for (String name : HostNames.ofMachine()) {
      assertTrue(HostNames.of(HostNames.ofMachine()).include(name + ":8080"), name);
    }
  }
}
