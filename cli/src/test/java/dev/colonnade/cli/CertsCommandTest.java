package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.config.TlsSettings.ClientCertificates;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The certificates of {@code colonnade certs}, and commands that call a node with them. */
@Timeout(120)
final class CertsCommandTest {

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine command =
        Colonnade.commandLine(arguments)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  private int certs(String... arguments) {
    List<String> all = new ArrayList<>(List.of("certs"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--directory", folder.resolve("certs").toString()));
    return run(all.toArray(String[]::new));
  }

  private String file(String name) {
    return folder.resolve("certs").resolve(name).toString();
  }

  @Test
  void aNodeIsCalledWithTheFilesThatWereMadeAndNotWithout() throws Exception {
    assertEquals(0, certs("authority", "--cluster-name", "Blog"), err::toString);
    assertEquals(0, certs("node", "n1", "--host", "n1.example"), err::toString);
    assertTrue(
        out.toString().matches("(?s)certificates of node [0-9a-f]{32} of cluster 'Blog' .*"));
    String id = out.toString().substring("certificates of node ".length()).substring(0, 32);
    assertEquals(0, certs("client", "alice"), err::toString);
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
      assertEquals(0, run(right), err::toString);
      assertTrue(out.toString().contains(id), out.toString());
      assertEquals(
          0,
          run("damaged", "--port", port, "--ca", ca, "--cert", cert, "--key", key),
          err::toString);
      assertEquals(
          0,
          run(
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
          err::toString);
      Path settings =
          Files.writeString(
              folder.resolve("client.properties"),
              "tls_trusted=%s\ntls_certificates=%s\ntls_private_key=%s\n".formatted(ca, cert, key));
      assertEquals(
          0, run("info", "-p", port, "--client-settings", settings.toString()), err::toString);
      assertEquals(3, run("info", "-p", port, "--timeout", "2s"), "plain text");
      assertEquals(3, run("info", "-p", port, "--ca", ca, "--timeout", "2s"), "no certificate");
      assertEquals(
          3,
          run("info", "-p", port, "--tls", "--cert", cert, "--key", key, "--timeout", "2s"),
          "the node's authority is not trusted");
      assertEquals(
          3,
          run(
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
          run(
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
          err::toString);
      assertEquals(
          3,
          run(
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
      assertEquals(2, run(wrong), String.join(" ", wrong));
      assertEquals(1, err.toString().lines().count(), err.toString());
    }
  }

  @Test
  void nothingIsOverwrittenAndMistakesAreExplained() {
    assertEquals(2, certs("node", "n1", "--host", "h"));
    assertTrue(err.toString().contains("colonnade certs authority"), err.toString());
    assertEquals(0, certs("authority"), err::toString);
    assertEquals(2, certs("authority"));
    assertTrue(err.toString().contains("exists already"), err.toString());
    assertEquals(0, certs("client", "alice"), err::toString);
    assertEquals(2, certs("client", "alice"));
    assertEquals(2, certs("client", "../alice"));
    assertEquals(2, certs("node", "n1", "--host", "h", "--host-id", "7"));
    assertEquals(2, certs("node", "n1", "--host", "h", "--days", "0"));
    assertEquals(2, certs("renew", "bob"));
    assertEquals(0, certs("renew", "alice"), err::toString);
    assertEquals(0, certs("show"), err::toString);
    assertEquals(3 + 1, out.toString().lines().count(), out.toString());
  }
}
