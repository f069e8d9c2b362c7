package dev.colonnade.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What text can tell a client: a line of a properties file, or a variable of the environment. Each
 * setting is declared here, once; docs/client-java.md lists them.
 *
 * @param name in a properties file; in capitals, with {@link #PREFIX}, in the environment
 * @param values what it may be, in words
 * @param get the value that a builder has, as text; empty for none
 * @param set sets a value; throws {@link IllegalArgumentException} if it cannot be one
 * @param help what it is for
 */
record ClientSetting(
    String name,
    String values,
    Function<ClientBuilder, String> get,
    BiConsumer<ClientBuilder, String> set,
    String help) {

  static final String PREFIX = "COLONNADE_CLIENT_";

  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final String DURATIONS = "a duration: `250ms`, `10s`, `2m`";
  private static final String SWITCH = "`true` or `false`";
  private static final String FILE = "a file";

  /** In the order in which they take effect. */
  static final List<ClientSetting> ALL =
      List.of(
          new ClientSetting(
              "contact_points",
              "`HOST:PORT`, several separated by commas",
              builder -> String.join(",", builder.contactPoints()),
              (builder, text) -> builder.contactPoints(list(text)),
              "Nodes that the client calls first, to learn of the others. One must answer."),
          new ClientSetting(
              "deadline",
              DURATIONS,
              builder -> print(calls(builder).deadline()),
              (builder, text) -> calls(builder, calls(builder).withDeadline(duration(text))),
              "How long a call may take, with its retries and all pages of its answer."),
          new ClientSetting(
              "read_consistency",
              consistencies(Consistency.ONE),
              builder -> calls(builder).readConsistency().name(),
              (builder, text) ->
                  calls(builder, calls(builder).withReadConsistency(consistency(text))),
              "How many replicas a read waits for."),
          new ClientSetting(
              "write_consistency",
              consistencies(Consistency.ZERO),
              builder -> calls(builder).writeConsistency().name(),
              (builder, text) ->
                  calls(builder, calls(builder).withWriteConsistency(consistency(text))),
              "How many replicas a write waits for."),
          new ClientSetting(
              "retries",
              "0 or more",
              builder -> Integer.toString(builder.options().retries()),
              (builder, text) -> builder.options(it -> it.withRetries(number(text))),
              "How many times a call that failed is made again, where that is harmless and of"
                  + " use."),
          new ClientSetting(
              "resume_attempts",
              "0 or more",
              builder -> Integer.toString(builder.options().resumeAttempts()),
              (builder, text) -> builder.options(it -> it.withResumeAttempts(number(text))),
              "How many breaks in a row a stream survives."),
          new ClientSetting(
              "speculation",
              "`off`, a duration, or the shortest and the longest: `10ms..1s`",
              builder -> print(builder.options().speculation()),
              (builder, text) -> builder.options(it -> speculation(it, text)),
              "After which delay a read without an answer is made on a second node, too: within"
                  + " these bounds, the 99th percentile of the node's recent reads."),
          new ClientSetting(
              "sessions",
              SWITCH,
              builder -> Boolean.toString(builder.options().sessions()),
              (builder, text) -> builder.options(it -> it.withSessions(flag(text))),
              "Whether small calls share a stream to each node. Off behind proxies that cut long"
                  + " streams."),
          new ClientSetting(
              "connections_per_node",
              "1 to 64",
              builder -> Integer.toString(builder.options().connectionsPerNode()),
              (builder, text) -> builder.options(it -> it.withConnectionsPerNode(number(text))),
              "How many connections to a node there may be. A further one is made when a thousand"
                  + " calls or streams are open at the same time."),
          new ClientSetting(
              "discovery",
              SWITCH,
              builder -> Boolean.toString(builder.options().discovery()),
              (builder, text) -> builder.options(it -> it.withDiscovery(flag(text))),
              "Whether the nodes of the ring are found and watched. Off where clients reach nodes"
                  + " by other addresses than the nodes tell."),
          new ClientSetting(
              "datacenter",
              "a name",
              builder -> builder.options().datacenter().orElse(""),
              (builder, text) -> builder.options(it -> it.withDatacenter(text)),
              "The data centre whose nodes get the calls while one of them answers."),
          new ClientSetting(
              "keep_alive",
              "a duration of 10 s or more",
              builder -> print(builder.options().keepAlive()),
              (builder, text) -> builder.options(it -> it.withKeepAlive(duration(text))),
              "How long a connection may be silent before it is tried."),
          new ClientSetting(
              "tls_trusted",
              FILE,
              builder -> print(tls(builder).trusted()),
              (builder, text) -> tls(builder, tls(builder).withTrusted(Path.of(text))),
              "The authorities whose certificates nodes may have, in PEM; without it those of the"
                  + " Java platform. Switches TLS on."),
          new ClientSetting(
              "tls_certificates",
              FILE,
              builder -> print(tls(builder).certificates()),
              (builder, text) -> tls(builder, tls(builder).withCertificates(Path.of(text))),
              "The client's own certificate and those of its authorities, in PEM. Switches TLS"
                  + " on."),
          new ClientSetting(
              "tls_private_key",
              FILE,
              builder -> print(tls(builder).privateKey()),
              (builder, text) -> tls(builder, tls(builder).withPrivateKey(Path.of(text))),
              "The private key of that certificate, in PKCS#8, not encrypted. Switches TLS on."),
          new ClientSetting(
              "tls_server_name",
              "a host name",
              builder -> tls(builder).serverName().orElse(""),
              (builder, text) -> tls(builder, tls(builder).withServerName(text)),
              "The name that the certificates of all nodes have, where it is not that of their"
                  + " hosts. Switches TLS on."),
          new ClientSetting(
              "tls",
              SWITCH,
              builder -> Boolean.toString(builder.options().tls().isPresent()),
              (builder, text) ->
                  builder.options(it -> flag(text) ? it.withTls(tls(builder)) : it.withoutTls()),
              "Whether connections are encrypted."),
          new ClientSetting(
              "token_file",
              FILE,
              builder -> "",
              (builder, text) ->
                  builder.options(it -> it.withTokens(TokenSource.file(Path.of(text)))),
              "A token that is sent with each call; read again when it has changed. Needs TLS."),
          new ClientSetting(
              "user",
              "a name",
              builder -> builder.options().user().orElse(""),
              (builder, text) -> builder.options(it -> it.withUserName(text)),
              "The user that calls are made as. Its name and password are sent over TLS, and to"
                  + " nodes on this machine."),
          new ClientSetting(
              "password_file",
              FILE,
              builder -> "",
              (builder, text) ->
                  builder.options(it -> it.withPassword(PasswordSource.file(Path.of(text)))),
              "That user's password; read again when the file has changed."),
          new ClientSetting(
              "password",
              "a password",
              builder -> "",
              (builder, text) -> builder.options(it -> it.withPassword(PasswordSource.fixed(text))),
              "The same where there is no file, as in the environment."));

  /** The name of its variable in the environment. */
  String variable() {
    return PREFIX + name.toUpperCase(Locale.ROOT);
  }

  private static CallOptions calls(ClientBuilder builder) {
    return builder.options().calls();
  }

  private static void calls(ClientBuilder builder, CallOptions calls) {
    builder.options(it -> it.withCalls(calls));
  }

  private static Tls tls(ClientBuilder builder) {
    return builder.options().tls().orElse(Tls.system());
  }

  private static void tls(ClientBuilder builder, Tls tls) {
    builder.options(it -> it.withTls(tls));
  }

  private static ClientOptions speculation(ClientOptions options, String text) {
    if (text.equals("off")) {
      return options.withoutSpeculation();
    }
    int dots = text.indexOf("..");
    return options.withSpeculation(
        dots < 0
            ? Speculation.after(duration(text))
            : new Speculation(
                duration(text.substring(0, dots)), duration(text.substring(dots + 2))));
  }

  private static List<String> list(String text) {
    return Stream.of(text.split(",", -1))
        .map(String::strip)
        .filter(each -> !each.isEmpty())
        .toList();
  }

  private static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("it is " + DURATIONS);
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      default -> Duration.ofMinutes(count);
    };
  }

  private static String print(Duration duration) {
    long millis = duration.toMillis();
    return millis % 60_000 == 0
        ? millis / 60_000 + "m"
        : millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
  }

  private static String print(Optional<?> value) {
    if (value.isPresent() && value.get() instanceof Speculation speculation) {
      return print(speculation.atLeast()) + ".." + print(speculation.atMost());
    }
    return value.map(Object::toString).orElse("");
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("it is a whole number", e);
    }
  }

  private static boolean flag(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("it is " + SWITCH);
    };
  }

  private static String consistencies(Consistency least) {
    return Arrays.stream(Consistency.values())
        .filter(each -> each.compareTo(least) >= 0)
        .map(each -> "`" + each.name() + "`")
        .collect(Collectors.joining(", "));
  }

  private static Consistency consistency(String text) {
    try {
      return Consistency.valueOf(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("it is one of " + consistencies(Consistency.ZERO), e);
    }
  }
}
