package dev.colonnade.client;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Makes a client of what the program, a properties file and the environment say. What is said later
 * counts: a program that lets its operator decide calls {@link #environment} last. For one thread.
 *
 * <pre>{@code
 * try (Colonnade colonnade =
 *     Colonnade.builder()
 *         .contactPoints("127.0.0.1:9160")
 *         .options(options -> options.withRetries(5))
 *         .properties(Map.of("deadline", "2s", "speculation", "20ms..500ms"))
 *         .environment()
 *         .connect()) {
 *   System.out.println(colonnade.schema().keyspace("Blog").replicationFactor()); // prints 1
 * }
 * }</pre>
 *
 * <p>docs/client-java.md lists the settings of files and of the environment. One that is not in the
 * list is refused, so that a misspelt name is not silently without effect.
 */
public final class ClientBuilder {

  private List<String> contactPoints = List.of();
  private ClientOptions options = ClientOptions.defaults();

  ClientBuilder() {}

  /**
   * Calls these nodes first.
   *
   * @param targets {@code host:port} of each
   */
  public ClientBuilder contactPoints(String... targets) {
    return contactPoints(List.of(targets));
  }

  /** {@link #contactPoints(String...)} for any number of them. */
  public ClientBuilder contactPoints(Collection<String> targets) {
    contactPoints = List.copyOf(targets);
    return this;
  }

  /** Changes the options that there are so far. */
  public ClientBuilder options(UnaryOperator<ClientOptions> change) {
    options = change.apply(options);
    return this;
  }

  /**
   * Takes the settings of a file, in the form of {@link Properties} and in UTF-8.
   *
   * @throws UncheckedIOException if it cannot be read
   * @throws IllegalArgumentException if it has a setting that there is not, or a wrong value; the
   *     message says which
   */
  public ClientBuilder properties(Path file) {
    Properties loaded = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      loaded.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException("the client's settings cannot be read: " + file, e);
    }
    Map<String, String> settings = new TreeMap<>();
    loaded.stringPropertyNames().forEach(name -> settings.put(name, loaded.getProperty(name)));
    return take(settings, ClientSetting::name, file.toString());
  }

  /**
   * Takes settings by name.
   *
   * @throws IllegalArgumentException if there is no such setting, or a value is wrong; the message
   *     says which
   */
  public ClientBuilder properties(Map<String, String> settings) {
    return take(new TreeMap<>(settings), ClientSetting::name, "the properties");
  }

  /**
   * Takes the settings of the environment: {@code COLONNADE_CLIENT_} and the name in capitals, such
   * as {@code COLONNADE_CLIENT_CONTACT_POINTS}. A variable that is empty counts as not set.
   *
   * @throws IllegalArgumentException if a variable with this prefix is no setting, or a value is
   *     wrong; the message says which
   */
  public ClientBuilder environment() {
    return environment(System.getenv());
  }

  ClientBuilder environment(Map<String, String> variables) {
    Map<String, String> ours =
        variables.entrySet().stream()
            .filter(each -> each.getKey().startsWith(ClientSetting.PREFIX))
            .filter(each -> !each.getValue().isEmpty())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    return take(new TreeMap<>(ours), ClientSetting::variable, "the environment");
  }

  private ClientBuilder take(
      Map<String, String> settings, Function<ClientSetting, String> key, String where) {
    for (ClientSetting setting : ClientSetting.ALL) {
      String text = settings.remove(key.apply(setting));
      if (text == null) {
        continue;
      }
      try {
        // Blanks may be a part of a password.
        setting.set().accept(this, setting.name().equals("password") ? text : text.strip());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            key.apply(setting)
                + " in "
                + where
                + ": \""
                + text
                + "\" is no value for it: "
                + e.getMessage(),
            e);
      }
    }
    if (!settings.isEmpty()) {
      throw new IllegalArgumentException(
          where
              + " has what is no setting: "
              + String.join(", ", settings.keySet())
              + "; there are "
              + ClientSetting.ALL.stream().map(key).collect(Collectors.joining(", ")));
    }
    return this;
  }

  /** The contact points so far. */
  public List<String> contactPoints() {
    return contactPoints;
  }

  /** The options so far. */
  public ClientOptions options() {
    return options;
  }

  /**
   * {@link Colonnade#connect(Collection, ClientOptions)} with what has been said.
   *
   * @throws IllegalArgumentException without a contact point
   */
  public Colonnade connect() {
    return Colonnade.connect(contactPoints, options);
  }
}
