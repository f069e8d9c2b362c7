package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a properties file and the environment tell a client, and the page that lists it. */
final class ClientBuilderTest {

  private static final Path PAGE = Path.of("..", "docs", "client-java.md");

  /** A value for each setting, other than its default. */
  private static final Map<String, String> OTHERS = new HashMap<>();

  static {
    OTHERS.put("contact_points", "10.0.0.1:9160,[::1]:9160");
    OTHERS.put("deadline", "250ms");
    OTHERS.put("read_consistency", "QUORUM");
    OTHERS.put("write_consistency", "ALL");
    OTHERS.put("retries", "0");
    OTHERS.put("resume_attempts", "7");
    OTHERS.put("speculation", "5ms..2m");
    OTHERS.put("sessions", "false");
    OTHERS.put("connections_per_node", "9");
    OTHERS.put("discovery", "false");
    OTHERS.put("datacenter", "north");
    OTHERS.put("keep_alive", "1m");
    OTHERS.put("tls_trusted", "ca.pem");
    OTHERS.put("tls_certificates", "client.pem");
    OTHERS.put("tls_private_key", "client.key");
    OTHERS.put("tls_server_name", "nodes.example");
    OTHERS.put("tls", "true");
    OTHERS.put("token_file", "token");
    OTHERS.put("user", "bob");
    OTHERS.put("password_file", "secret");
    OTHERS.put("password", "pass word");
  }

  @TempDir private Path folder;

  @Test
  void eachSettingTakesEffectByItselfFromFileAndEnvironment() throws IOException {
    for (ClientSetting setting : ClientSetting.ALL) {
      String other = OTHERS.get(setting.name());
      Path file = Files.writeString(folder.resolve("one"), setting.name() + " = " + other + " \n");
      ClientBuilder byFile = new ClientBuilder().properties(file);
      ClientBuilder byEnvironment =
          new ClientBuilder()
              .environment(
                  Map.of("PATH", "/bin", setting.variable(), other, "COLONNADE_HEAP", "1g"));
      if (setting.name().equals("token_file")) {
        assertTrue(byFile.options().tokens().isPresent());
        assertTrue(byEnvironment.options().tokens().isPresent());
      } else if (setting.name().startsWith("password")) {
        assertTrue(byFile.options().password().isPresent());
        assertTrue(byEnvironment.options().password().isPresent());
      } else {
        assertEquals(other, setting.get().apply(byFile), setting.name());
        assertEquals(other, setting.get().apply(byEnvironment), setting.name());
      }
      for (ClientSetting untouched : ClientSetting.ALL) {
        if (!untouched.equals(setting) && !untouched.name().equals("tls")) {
          assertEquals(
              untouched.get().apply(new ClientBuilder()),
              untouched.get().apply(byFile),
              () -> setting.name() + " changed " + untouched.name());
        }
      }
    }
  }

  @Test
  void whatIsSaidLaterCounts() throws IOException {
    Path file = Files.writeString(folder.resolve("p"), "retries = 1\ndeadline = 1s\n");
    ClientOptions options =
        new ClientBuilder()
            .options(it -> it.withRetries(5).withResumeAttempts(9))
            .properties(file)
            .environment(Map.of("COLONNADE_CLIENT_RETRIES", "2", "COLONNADE_CLIENT_DEADLINE", ""))
            .options();
    assertEquals(2, options.retries());
    assertEquals(9, options.resumeAttempts());
    assertEquals(Duration.ofSeconds(1), options.calls().deadline());
  }

  @Test
  void speculationIsOffFixedOrBounded() {
    assertEquals(Optional.empty(), speculation("off"));
    assertEquals(Optional.of(Speculation.after(Duration.ofMillis(50))), speculation("50ms"));
    assertEquals(
        Optional.of(new Speculation(Duration.ofMillis(20), Duration.ofSeconds(3))),
        speculation("20ms..3s"));
  }

  private static Optional<Speculation> speculation(String text) {
    return new ClientBuilder().properties(Map.of("speculation", text)).options().speculation();
  }

  @Test
  void tlsCanBeSwitchedOffAgain() {
    ClientBuilder builder = new ClientBuilder().properties(Map.of("tls_trusted", "ca.pem"));
    assertTrue(builder.options().tls().isPresent());
    builder.environment(Map.of("COLONNADE_CLIENT_TLS", "false"));
    assertTrue(builder.options().tls().isEmpty());
  }

  @Test
  void whatIsNoSettingIsRefusedByName() throws IOException {
    Path file = Files.writeString(folder.resolve("p"), "retry = 1\n");
    String message = refusal(() -> new ClientBuilder().properties(file));
    assertTrue(message.contains(file + " has what is no setting: retry;"), message);
    assertTrue(message.contains(" retries,"), message);
    String variable =
        refusal(() -> new ClientBuilder().environment(Map.of("COLONNADE_CLIENT_DEADLIN", "1s")));
    assertTrue(variable.contains("COLONNADE_CLIENT_DEADLIN;"), variable);
  }

  @Test
  void aWrongValueIsRefusedWithWhatItMayBe() {
    for (Map.Entry<String, String> wrong :
        Map.of(
                "deadline", "10",
                "retries", "-1",
                "resume_attempts", "many",
                "read_consistency", "ANY",
                "write_consistency", "quorum",
                "speculation", "1s..10ms",
                "keep_alive", "5s",
                "connections_per_node", "65",
                "sessions", "yes")
            .entrySet()) {
      String message =
          refusal(() -> new ClientBuilder().properties(Map.of(wrong.getKey(), wrong.getValue())));
      assertTrue(
          message.startsWith(
              wrong.getKey()
                  + " in the properties: \""
                  + wrong.getValue()
                  + "\" is no value for it: "),
          message);
    }
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path absent = folder.resolve("absent");
    UncheckedIOException failure =
        assertThrows(UncheckedIOException.class, () -> new ClientBuilder().properties(absent));
    assertTrue(String.valueOf(failure.getMessage()).contains(absent.toString()));
  }

  @Test
  void aClientOfWhatWasSaidNeedsAContactPoint() {
    assertThrows(IllegalArgumentException.class, () -> new ClientBuilder().connect());
    try (Colonnade client = Colonnade.builder().contactPoints("127.0.0.9:1").connect()) {
      assertEquals("127.0.0.9:1", client.pool().first().target());
    }
  }

  @Test
  void thePageListsTheSettings() throws IOException {
    List<String> declared = ClientSetting.ALL.stream().map(ClientBuilderTest::row).toList();
    if (Boolean.getBoolean("settings.write")) {
      String page = Files.readString(PAGE);
      Files.writeString(
          PAGE,
          page.replaceFirst(
              "(?s)(\\| setting \\|[^\n]*\n\\| ---[^\n]*\n)(\\|[^\n]*\n)*",
              java.util.regex.Matcher.quoteReplacement(
                  "| setting | values | default | |\n| --- | --- | --- | --- |\n"
                      + String.join("\n", declared)
                      + "\n")));
    }
    List<String> listed =
        Files.readAllLines(PAGE).stream()
            .dropWhile(line -> !line.startsWith("| setting |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    assertEquals(
        declared, listed, "./test ClientBuilderTest -Dsettings.write=true writes the table");
  }

  private static String row(ClientSetting setting) {
    String initial = setting.get().apply(new ClientBuilder());
    return "| `"
        + setting.name()
        + "` | "
        + setting.values()
        + " | "
        + (initial.isEmpty() ? "" : "`" + initial + "`")
        + " | "
        + setting.help()
        + " |";
  }

  private static String refusal(Runnable action) {
    return String.valueOf(assertThrows(IllegalArgumentException.class, action::run).getMessage());
  }
}
