package dev.colonnade.it.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.it.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of docs/security.md in their order: three nodes with TLS, each a process of its
 * own, and the commands that call them. Only the ports differ.
 */
@Timeout(300)
final class SecurityPageIT {

  @TempDir Path folder;

  @Test
  void aClusterWithTlsIsMadeByTheCommandsOfThePage() throws Exception {
    Path home = Path.of(System.getProperty("colonnade.home", ".."));
    List<String> commands =
        Page.read(home.resolve("docs/security.md")).blocks().stream()
            .filter(block -> block.language().equals("sh"))
            .map(Block::text)
            .toList();
    assertEquals(5, commands.size(), "certificates, nodes, a call, renewing, revoking");
    int clients = BashSession.freePort();
    int peers = BashSession.freePort();
    try (BashSession bash = new BashSession(bash(clients))) {
      try {
        String made = bash.done(commands.get(0));
        assertTrue(made.contains("colonnade://Blog/"), made);
        String ports =
            " server --client-port %d --peer-port %d --http-port 0".formatted(clients, peers);
        String started = bash.done(commands.get(1).replace(" server", ports));
        // The call is the page's; it is made again until the last node is there.
        String called = commands.get(2) + "[ $(./colonnade ring -o json | grep -c 127.0.0.) = 3 ]";
        String seen =
            bash.done(
                "for i in $(seq 60); do if {\n" + called + "\n}; then break; fi; sleep 1; done");
        for (String address : List.of("127.0.0.1", "127.0.0.2", "127.0.0.3")) {
          assertTrue(seen.contains(address), started + seen);
        }
        String open = "COLONNADE_CLIENT_TLS_CERTIFICATES= COLONNADE_CLIENT_TLS_PRIVATE_KEY= ";
        String refused = bash.done(open + "colonnade ring --timeout 3s; [ $? = 3 ]");
        assertTrue(refused.contains("colonnade ring:"), refused);
        String renewed = bash.done(commands.get(3));
        assertTrue(renewed.contains("new certificates in certs/node1"), renewed);
        String revoked = bash.done(commands.get(4));
        assertTrue(revoked.contains("node3/peer.pem"), revoked);
        assertTrue(revoked.contains(", revoked at "), revoked);
        // The nodes use the directories in certs, so that nothing is to be copied here.
        String cut =
            bash.done(
                "for i in $(seq 90); do if [ $(colonnade ring -o json | grep -ci down) = 1 ]; then"
                    + " echo cut; break; fi; sleep 1; done");
        assertTrue(cut.contains("cut"), cut);
      } finally {
        bash.endJobs();
      }
    }
  }

  private ProcessBuilder bash(int clientPort) throws IOException {
    Path launcher = folder.resolve("colonnade");
    String command =
        ChildJvm.colonnade(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1")).stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Files.writeString(launcher, "#!/bin/sh\nexec " + command + " \"$@\"\n");
    assertTrue(launcher.toFile().setExecutable(true));
    ProcessBuilder builder = new ProcessBuilder("bash").directory(folder.toFile());
    builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));
    builder.environment().put("COLONNADE_PORT", String.valueOf(clientPort));
    return builder;
  }
}
