package dev.colonnade.cli.shell;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LoginOptions;
import dev.colonnade.cli.TlsOptions;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.cli.shell.run.Interpreter;
import dev.colonnade.cli.shell.run.NodeAddress;
import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.cli.shell.run.StatementFailure;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Consistency;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of everything that runs statements: which node, and how its answers look. */
public final class ConnectionOptions {

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = "${env:COLONNADE_HOST:-127.0.0.1}",
      description = "The node to ask (default: $COLONNADE_HOST, or 127.0.0.1).")
  private String host = "";

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      defaultValue = "${env:COLONNADE_PORT:-9160}",
      converter = PortConverter.class,
      description = "Its port for clients (default: $COLONNADE_PORT, or 9160).")
  private int port;

  @Option(
      names = {"-k", "--keyspace"},
      paramLabel = "KEYSPACE",
      description = "The keyspace to start in.")
  private @Nullable String keyspace;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "classic",
      converter = FormConverter.class,
      description =
          "The form of answers: classic, as the old cassandra-cli printed; table; or json, an"
              + " object per line (default: classic).")
  private OutputForm form = OutputForm.CLASSIC;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "How long a call may take, such as 500ms, 10s or 2m (default: 10s).")
  private Duration timeout = Duration.ZERO;

  @Option(
      names = "--consistency",
      paramLabel = "LEVEL",
      defaultValue = "ONE",
      converter = ConsistencyConverter.class,
      description =
          "How many replicas a call waits for, such as QUORUM (default: ONE; bulkload:" + " ALL).")
  private Consistency consistency = Consistency.ONE;

  @Option(
      names = "--assume",
      paramLabel = "PART=TYPE",
      split = ",",
      description =
          "How to show bytes that no family says anything about, such as keys=long,validator=bytes;"
              + " validator is for values (default: text where it is text, otherwise 0x…).")
  private Map<String, String> assumptions = new LinkedHashMap<>();

  @Mixin private TlsOptions tls = new TlsOptions();

  @Mixin private LoginOptions login = new LoginOptions();

  @Option(names = "--stats", description = "Print what each statement cost on the node.")
  private boolean statistics;

  @Option(
      names = "--no-color",
      description =
          "Print without colours, as when $NO_COLOR is set or the output is not a terminal.")
  private boolean noColour;

  /** For picocli. */
  public ConnectionOptions() {}

  /**
   * The client of a session as the options want it.
   *
   * @throws CommandException if files of its encryption cannot be used, or a password is missing
   */
  public ClientOptions client() throws CommandException {
    return login.apply(
        tls.apply(ClientOptions.defaults().withCalls(CallOptions.defaults().withDeadline(timeout))),
        Consoles.console());
  }

  /**
   * A session as the options want it; the node is not asked yet.
   *
   * @param client as {@link #client} makes it
   */
  public Session session(ClientOptions client, PrintWriter out, PrintWriter err) {
    boolean watched = Consoles.isTerminal();
    Session session =
        new Session(
            new NodeAddress(host, port), client, form, new Printer(out, err, colours(), watched));
    session.useConsistency(consistency);
    session.useStatistics(statistics);
    session.usePrompt(Consoles::ask);
    return session;
  }

  /** Whether colours are wanted and can be seen. */
  public boolean colours() {
    return !noColour && Ansi.AUTO.enabled() && !"dumb".equals(System.getenv("TERM"));
  }

  /** Assumes what {@code --assume} says, and uses the keyspace of {@code --keyspace}. */
  public void prepare(Interpreter interpreter) throws StatementFailure {
    for (Map.Entry<String, String> each : assumptions.entrySet()) {
      interpreter.assume(each.getKey().toLowerCase(Locale.ROOT), each.getValue());
    }
    if (keyspace != null) {
      interpreter.use(keyspace);
    }
  }

  private static final class PortConverter implements ITypeConverter<Integer> {
    private static final int MAX_PORT = 65535;

    @Override
    public Integer convert(String value) {
      try {
        int port = Integer.parseInt(value);
        if (port >= 1 && port <= MAX_PORT) {
          return port;
        }
      } catch (NumberFormatException e) {
        throw (TypeConversionException) refused(value).initCause(e);
      }
      throw refused(value);
    }

    private static TypeConversionException refused(String value) {
      return new TypeConversionException("a port is a number from 1 to 65535; got " + value);
    }
  }

  private static final class FormConverter implements ITypeConverter<OutputForm> {
    @Override
    public OutputForm convert(String value) {
      return OutputForm.of(value)
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "there is no output " + value + "; there are " + OutputForm.names()));
    }
  }

  private static final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|)");

    @Override
    public Duration convert(String value) {
      Matcher matcher = DURATION.matcher(value.toLowerCase(Locale.ROOT));
      if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
        throw new TypeConversionException(
            "a time is a number with a unit, such as 500ms, 10s or 2m; got " + value);
      }
      long number = Long.parseLong(matcher.group(1));
      return switch (matcher.group(2)) {
        case "ms" -> Duration.ofMillis(number);
        case "m" -> Duration.ofMinutes(number);
        default -> Duration.ofSeconds(number);
      };
    }
  }

  private static final class ConsistencyConverter implements ITypeConverter<Consistency> {
    @Override
    public Consistency convert(String value) {
      return Arrays.stream(Consistency.values())
          .filter(level -> level.name().equalsIgnoreCase(value))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "there is no consistency level "
                          + value
                          + "; there are "
                          + Arrays.toString(Consistency.values())));
    }
  }
}
