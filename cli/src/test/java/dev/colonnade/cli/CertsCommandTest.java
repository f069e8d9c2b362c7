package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.config.TlsSettings.ClientCertificates;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The certificates of {@code colonnade certs}, and commands that call a node with them. */
@Timeout(120)
final class CertsCommandTest {

  @TempDir private Path folder;

  private final Invocation colonnade = new Invocation();

  private int certs(String... arguments) {
    List<String> all = new ArrayList<>(List.of("certs"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--directory", folder.resolve("certs").toString()));
    return colonnade.run(all.toArray(String[]::new));
  }

  private String file(String name) {
    return folder.resolve("certs").resolve(name).toString();
  }

  @Test
  void aNodeIsCalledWithTheFilesThatWereMadeAndNotWithout() throws Exception {
    assertEquals(0, certs("authority", "--cluster-name", "Blog"), colonnade::err);
    assertEquals(0, certs("node", "n1", "--host", "n1.example"), colonnade::err);
    assertTrue(
        colonnade.out().matches("(?s)certificates of node [0-9a-f]{32} of cluster 'Blog' .*"));
    String id = colonnade.out().substring("certificates of node ".length()).substring(0, 32);
    assertEquals(0, certs("client", "alice"), colonnade::err);
    NodeOptions options =
        NodeOptions.defaults()
            .withDataDirectory(folder.resolve("data"))
            .withFreePorts()
            .with(TlsSettings.DIRECTORY, file("n1"))
            .with(TlsSettings.CLIENT_CERTIFICATES, ClientCertificates.REQUIRED);
    try (Node node = Node.start(options)) {
      String port = "" + node.clientPort();
      String ca = file("alice/clients-ca.pem");
      String cert = file("alice/client.pem");
      String key = file("alice/client.key");
      String[] right = {"info", "-p", port, "--ca", ca, "--cert", cert, "--key", key};
      assertEquals(0, colonnade.run(right), colonnade::err);
      assertTrue(colonnade.out().contains(id), colonnade.out());
      assertEquals(
          0,
          colonnade.run("damaged", "--port", port, "--ca", ca, "--cert", cert, "--key", key),
          colonnade::err);
      assertEquals(
          0,
          colonnade.run(
              "shell",
              "-p",
              port,
              "--ca",
              ca,
              "--cert",
              cert,
              "--key",
              key,
              "-e",
              "show cluster name; connect localhost/" + port + "; show cluster name"),
          colonnade::err);
      Path settings =
          Files.writeString(
              folder.resolve("client.properties"),
              "tls_trusted=%s\ntls_certificates=%s\ntls_private_key=%s\n".formatted(ca, cert, key));
      assertEquals(
          0,
          colonnade.run("info", "-p", port, "--client-settings", settings.toString()),
          colonnade::err);
      assertEquals(3, colonnade.run("info", "-p", port, "--timeout", "2s"), "plain text");
      assertEquals(
          3, colonnade.run("info", "-p", port, "--ca", ca, "--timeout", "2s"), "no certificate");
      assertEquals(
          3,
          colonnade.run(
              "info", "-p", port, "--tls", "--cert", cert, "--key", key, "--timeout", "2s"),
          "the node's authority is not trusted");
      assertEquals(
          3,
          colonnade.run(
              "info",
              "--host",
              "127.0.0.2",
              "-p",
              port,
              "--ca",
              ca,
              "--cert",
              cert,
              "--key",
              key,
              "--timeout",
              "2s"),
          "nothing listens there, and the certificate does not name it");
      assertEquals(
          0,
          colonnade.run(
              "info",
              "-p",
              port,
              "--ca",
              ca,
              "--cert",
              cert,
              "--key",
              key,
              "--tls-name",
              "n1.example"),
          colonnade::err);
      assertEquals(
          3,
          colonnade.run(
              "info",
              "-p",
              port,
              "--ca",
              ca,
              "--cert",
              cert,
              "--key",
              key,
              "--tls-name",
              "n2.example",
              "--timeout",
              "2s"),
          "another name");
    }
  }

  @Test
  void filesThatCannotBeUsedAreTheMistakeOfTheCommandLine() throws Exception {
    Path text = Files.writeString(folder.resolve("text.pem"), "no certificate\n");
    Path unknown = Files.writeString(folder.resolve("x.properties"), "tls_thrusted=x\n");
    for (String[] wrong :
        List.of(
            new String[] {"ring", "--client-settings", unknown.toString()},
            new String[] {"ring", "--client-settings", folder.resolve("none").toString()},
            new String[] {"ring", "--ca", folder.resolve("absent.pem").toString()},
            new String[] {"ring", "--ca", text.toString()},
            new String[] {"ring", "--cert", text.toString()},
            new String[] {"damaged", "--key", text.toString()},
            new String[] {"shell", "--ca", text.toString(), "-e", "show cluster name"})) {
      assertEquals(2, colonnade.run(wrong), String.join(" ", wrong));
      assertEquals(1, colonnade.err().lines().count(), colonnade.err());
    }
  }

  @Test
  void nothingIsOverwrittenAndMistakesAreExplained() {
    assertEquals(2, certs("node", "n1", "--host", "h"));
    assertTrue(colonnade.err().contains("colonnade certs authority"), colonnade.err());
    assertEquals(0, certs("authority"), colonnade::err);
    assertEquals(2, certs("authority"));
    assertTrue(colonnade.err().contains("exists already"), colonnade.err());
    assertEquals(0, certs("client", "alice"), colonnade::err);
    assertEquals(2, certs("client", "alice"));
    assertEquals(2, certs("client", "../alice"));
    assertEquals(2, certs("node", "n1", "--host", "h", "--host-id", "7"));
    assertEquals(2, certs("node", "n1", "--host", "h", "--days", "0"));
    assertEquals(2, certs("renew", "bob"));
    assertEquals(0, certs("renew", "alice"), colonnade::err);
    assertEquals(0, certs("show"), colonnade::err);
    assertEquals(3 + 1, colonnade.out().lines().count(), colonnade.out());
  }

  @Test
  void whatIsRevokedIsShown() {
    assertEquals(0, certs("authority"), colonnade::err);
    assertEquals(0, certs("node", "n1", "--host", "h"), colonnade::err);
    assertEquals(0, certs("client", "alice"), colonnade::err);
    assertEquals(0, certs("revoke", "n1"), colonnade::err);
    assertEquals(3, colonnade.out().lines().count(), colonnade.out());
    assertTrue(colonnade.out().contains("peers-crl.pem"), colonnade.out());
    assertEquals(0, certs("show"), colonnade::err);
    List<String> revoked =
        colonnade.out().lines().filter(line -> line.contains(", revoked at ")).toList();
    assertEquals(2, revoked.size(), colonnade.out());
    assertTrue(revoked.stream().allMatch(line -> line.startsWith("n1/")), revoked::toString);
    assertEquals(0, certs("revoke", "--file", file("alice/client.pem")), colonnade::err);
    assertEquals(2, certs("revoke"), "neither a name nor a file");
    assertEquals(2, certs("revoke", "n1", "--file", file("alice/client.pem")), "both");
    assertEquals(2, certs("revoke", "bob"));
    assertEquals(2, certs("revoke", "n1", "--days", "0"));
  }
}
