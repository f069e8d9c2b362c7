package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Output;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.cli.shell.output.Problem;
import dev.colonnade.cli.shell.value.ValueTypes;
import dev.colonnade.client.Caller;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.ClusterDescription;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.PasswordSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * What lasts from one statement to the next: the connection, the keyspace in use, the assumptions,
 * and the form of answers. One thread runs statements on it; {@link #schema} and {@link
 * #keyspaceInUse} may be called by others.
 */
public final class Session implements AutoCloseable {

  private volatile ClientOptions options;
  private final Printer printer;
  private final SchemaCache schema;
  private final Assumptions assumptions = new Assumptions();
  private final ValueTypes types;

  private volatile NodeAddress node;
  private volatile Colonnade client;
  private volatile Optional<String> keyspaceInUse = Optional.empty();
  private Consistency consistency = Consistency.ONE;
  private OutputForm form;
  private Output output;
  private boolean statistics;
  private boolean timing;
  private boolean tracing;
  private PasswordPrompt prompt = PasswordPrompt.NOBODY;

  /**
   * A session with a node, which is not called yet.
   *
   * @param options of its connections, also of those that it makes later
   */
  public Session(NodeAddress node, ClientOptions options, OutputForm form, Printer printer) {
    this.options = options;
    this.printer = printer;
    this.node = node;
    this.client = Colonnade.connect(node.target(), options);
    this.form = form;
    this.output = form.to(printer);
    this.types = new ValueTypes(() -> this.client.timeUuids().now(), UUID::randomUUID);
    this.schema = new SchemaCache(() -> this.client.schema());
  }

  /** Where the node is that statements go to. */
  public NodeAddress node() {
    return node;
  }

  /** Asks a person for passwords from now on. */
  public void usePrompt(PasswordPrompt other) {
    prompt = other;
  }

  PasswordPrompt prompt() {
    return prompt;
  }

  /** The user whose name and password go with each call, if any. */
  public Optional<String> user() {
    return options.user();
  }

  /**
   * Calls as a user from now on, if the node takes the password; otherwise changes nothing. The
   * keyspace in use stays.
   */
  Caller logIn(String user, String password) {
    ClientOptions wanted = options.withUser(user, PasswordSource.fixed(password));
    Colonnade connecting = Colonnade.connect(node.target(), wanted);
    Caller caller;
    try {
      caller = connecting.accounts().caller();
    } catch (RuntimeException e) {
      connecting.close();
      throw e;
    }
    replace(connecting, wanted);
    return caller;
  }

  /** Sends another password of the user from now on, since it was changed. */
  void usePassword(String user, String password) {
    ClientOptions wanted = options.withUser(user, PasswordSource.fixed(password));
    replace(Colonnade.connect(node.target(), wanted), wanted);
  }

  /** Sends no name and no password any more. */
  void logOut() {
    ClientOptions wanted = options.withoutUser();
    replace(Colonnade.connect(node.target(), wanted), wanted);
  }

  private void replace(Colonnade connected, ClientOptions wanted) {
    Colonnade old = client;
    options = wanted;
    client = connected;
    // What a user sees of the schema depends on its permissions.
    schema.forget();
    old.close();
  }

  /** The connection. */
  public Colonnade client() {
    return client;
  }

  ClientOptions options() {
    return options;
  }

  /** The keyspaces of the cluster. */
  public SchemaCache schema() {
    return schema;
  }

  /** What {@code use} chose. */
  public Optional<String> keyspaceInUse() {
    return keyspaceInUse;
  }

  /** Where answers go. */
  public Output output() {
    return output;
  }

  /** What answers look like. */
  public OutputForm form() {
    return form;
  }

  /** How many replicas a call waits for. */
  public Consistency consistency() {
    return consistency;
  }

  /** Chooses how many replicas a call waits for. */
  public void useConsistency(Consistency level) {
    consistency = level;
  }

  /** Chooses what answers look like. */
  public void useForm(OutputForm other) {
    form = other;
    output = other.to(printer);
  }

  ValueTypes types() {
    return types;
  }

  Assumptions assumptions() {
    return assumptions;
  }

  Duration timeout() {
    return options.calls().deadline();
  }

  boolean statistics() {
    return statistics;
  }

  /** Whether to print what a statement cost. */
  public void useStatistics(boolean on) {
    statistics = on;
  }

  boolean timing() {
    return timing;
  }

  void useTiming(boolean on) {
    timing = on;
  }

  boolean tracing() {
    return tracing;
  }

  /** Whether to have each call traced, and to print the traces. */
  void useTracing(boolean on) {
    tracing = on;
  }

  void useNoKeyspace() {
    keyspaceInUse = Optional.empty();
  }

  void useKeyspace(String name) {
    keyspaceInUse = Optional.of(name);
  }

  /** Connects to another node if it answers; otherwise changes nothing. */
  ClusterDescription connect(NodeAddress other) {
    Colonnade connecting = Colonnade.connect(other.target(), options);
    ClusterDescription description;
    try {
      description = connecting.cluster().describe();
    } catch (RuntimeException e) {
      connecting.close();
      throw e;
    }
    Colonnade old = client;
    node = other;
    client = connecting;
    keyspaceInUse = Optional.empty();
    assumptions.clear();
    schema.forget();
    old.close();
    return description;
  }

  /**
   * Makes a new connection after a call that reached no node: the old one would refuse calls, for
   * ever longer, before it tries again, and the user may have started the node just now.
   */
  public void reconnectAfter(RuntimeException failure) {
    if (failure instanceof ColonnadeException called && called.reason().equals("UNAVAILABLE")) {
      Colonnade old = client;
      client = Colonnade.connect(node.target(), options);
      old.close();
    }
  }

  /**
   * Writes all answers from now on to a file as well, which is added to.
   *
   * @param file empty for none any more
   * @throws IOException if the file cannot be opened, and the one before is still written to; or if
   *     that one is incomplete
   */
  void capture(String file) throws IOException {
    if (file.isEmpty()) {
      printer.captureNothing();
    } else {
      printer.capture(
          Files.newBufferedWriter(
              Path.of(file),
              StandardCharsets.UTF_8,
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND));
    }
  }

  @Override
  public void close() {
    try {
      printer.captureNothing();
    } catch (IOException e) {
      output.failed(
          new Problem(
              "",
              "the captured answers are incomplete: " + e,
              "FILE_FAILED",
              ExitStatus.STATEMENT_FAILED.code()));
    } finally {
      client.close();
    }
  }
}
