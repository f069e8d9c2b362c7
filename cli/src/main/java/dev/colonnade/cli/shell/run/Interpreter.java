package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.run.Assumptions.Part;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.ClusterDescription;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.NotFoundException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Runs one statement at a time, on the calling thread, and hands its answer to the session's
 * output. To cancel, interrupt that thread: the call to the node ends, and so does the statement,
 * as a failure of status {@link ExitStatus#INTERRUPTED}; the thread is not interrupted afterwards,
 * and the session stays as it is.
 */
public final class Interpreter {

  private final Session session;
  private final Function<String, Optional<String>> help;
  private final Families families;
  private final ReadStatements reading;
  private final WriteStatements writing;
  private final DefinitionStatements defining;
  private final DescribeStatements describing;
  private final MaintenanceStatements maintenance;
  private final AdminStatements looking;
  private final CopyStatement copying;
  private final SearchStatements searching;
  private final AccountStatements accounts;
  private final Scripts scripts;

  /**
   * An interpreter of a session's statements.
   *
   * @param help a page for a topic, and the list for the empty text
   */
  public Interpreter(Session session, Function<String, Optional<String>> help) {
    this.session = session;
    this.help = help;
    this.families = new Families(session);
    this.reading = new ReadStatements(session, families);
    this.writing = new WriteStatements(session, families);
    this.defining = new DefinitionStatements(session, families);
    this.describing = new DescribeStatements(session, families);
    this.maintenance = new MaintenanceStatements(session, families);
    this.looking = new AdminStatements(session, families);
    this.copying = new CopyStatement(session, families);
    this.searching = new SearchStatements(session, families);
    this.accounts = new AccountStatements(session, families);
    this.scripts = new Scripts(this, session);
  }

  /** What statements run on. */
  public Session session() {
    return session;
  }

  /** Many statements. */
  public Scripts scripts() {
    return scripts;
  }

  /**
   * Runs a statement to its end.
   *
   * @throws StatementFailure if it did not do what it says; the session can go on
   */
  public Outcome execute(Statement statement) throws StatementFailure {
    long startedNanos = System.nanoTime();
    Calls calls = new Calls(session);
    Outcome outcome = run(statement, calls);
    if (session.statistics() && calls.haveCost()) {
      session.output().cost(calls.cost());
    }
    if (session.tracing()) {
      calls.traces().forEach(session.output()::listing);
    }
    if (session.timing()) {
      session.output().elapsed(Duration.ofNanos(System.nanoTime() - startedNanos));
    }
    return outcome;
  }

  private Outcome run(Statement statement, Calls calls) throws StatementFailure {
    boolean writes = isWrite(statement);
    try {
      return dispatch(statement, calls);
    } catch (RuntimeException e) {
      if (e instanceof NotFoundException || e instanceof InvalidRequestException) {
        // The shell's copy of the schema may be out of date.
        session.schema().forget();
      }
      session.reconnectAfter(e);
      if (Thread.interrupted()) {
        throw Failures.interrupted(writes, e);
      }
      throw Failures.of(e, session.node(), writes);
    }
  }

  private static boolean isWrite(Statement statement) {
    return statement instanceof Statement.Change
        || statement instanceof Statement.Batch
        || statement instanceof Statement.Truncate
        || statement instanceof Statement.IndexDocument
        || statement instanceof Statement.DeleteDocument
        || (statement instanceof Statement.Copy copy && !copy.toFile())
        || statement instanceof Statement.DefineKeyspace
        || statement instanceof Statement.DefineFamily
        || statement instanceof Statement.DropKeyspace
        || statement instanceof Statement.DropFamily;
  }

  private Outcome dispatch(Statement statement, Calls calls) throws StatementFailure {
    if (statement instanceof Statement.Get get) {
      return reading.get(get, calls);
    }
    if (statement instanceof Statement.Source source) {
      return scripts.source(source);
    }
    if (statement instanceof Statement.Exit) {
      return Outcome.EXIT;
    }
    if (accounts.run(statement)) {
      return Outcome.DONE;
    }
    if (!looks(statement, calls) && !changes(statement, calls) && !defines(statement)) {
      sets(statement);
    }
    return Outcome.DONE;
  }

  private boolean looks(Statement statement, Calls calls) throws StatementFailure {
    if (statement instanceof Statement.Multiget multiget) {
      reading.multiget(multiget, calls);
    } else if (statement instanceof Statement.Count count) {
      reading.count(count, calls);
    } else if (statement instanceof Statement.ListRows list) {
      list(list, calls);
    } else if (statement instanceof Statement.SearchTerms search) {
      searching.terms(search, calls);
    } else if (statement instanceof Statement.SearchWith search) {
      searching.with(search, calls);
    } else if (statement instanceof Statement.Describe describe) {
      describing.describe(describe);
    } else if (statement instanceof Statement.Show show) {
      describing.show(show);
    } else if (statement instanceof Statement.Look look) {
      looking.look(look.aspect());
    } else if (statement instanceof Statement.Endpoints endpoints) {
      looking.endpoints(endpoints);
    } else if (statement instanceof Statement.Help asked) {
      help(asked);
    } else {
      return false;
    }
    return true;
  }

  private void list(Statement.ListRows list, Calls calls) throws StatementFailure {
    Optional<Statement.ShowAccounts> ofAccounts = AccountStatements.meant(list, session);
    if (ofAccounts.isPresent()) {
      accounts.show(ofAccounts.get());
    } else {
      reading.list(list, calls);
    }
  }

  private boolean changes(Statement statement, Calls calls) throws StatementFailure {
    if (statement instanceof Statement.Put put) {
      writing.put(put, calls);
    } else if (statement instanceof Statement.Delete delete) {
      writing.delete(delete, calls);
    } else if (statement instanceof Statement.Batch batch) {
      writing.batch(batch, calls);
    } else if (statement instanceof Statement.Touch touch) {
      writing.touch(touch);
    } else if (statement instanceof Statement.IndexDocument index) {
      searching.index(index, calls);
    } else if (statement instanceof Statement.DeleteDocument delete) {
      searching.delete(delete, calls);
    } else if (statement instanceof Statement.Truncate truncate) {
      writing.truncate(truncate);
    } else if (statement instanceof Statement.Copy copy) {
      copying.run(copy, calls);
    } else if (statement instanceof Statement.Maintain maintain) {
      maintenance.run(maintain);
    } else if (statement instanceof Statement.Drain) {
      maintenance.drain();
    } else if (statement instanceof Statement.Repair repair) {
      maintenance.repair(repair);
    } else if (statement instanceof Statement.Cleanup cleanup) {
      maintenance.cleanup(cleanup);
    } else if (statement instanceof Statement.Scrub scrub) {
      maintenance.scrub(scrub);
    } else if (statement instanceof Statement.Snapshot snapshot) {
      new SnapshotStatements(session).run(snapshot);
    } else if (statement instanceof Statement.LoadBalance) {
      maintenance.loadBalance();
    } else if (statement instanceof Statement.Decommission decommission) {
      maintenance.decommission(decommission.force());
    } else if (statement instanceof Statement.Move move) {
      maintenance.move(move.token());
    } else if (statement instanceof Statement.Remove remove) {
      maintenance.remove(remove.nodeId(), remove.force());
    } else {
      return false;
    }
    return true;
  }

  private boolean defines(Statement statement) throws StatementFailure {
    if (statement instanceof Statement.DefineKeyspace keyspace) {
      defining.keyspace(keyspace);
    } else if (statement instanceof Statement.DefineFamily family) {
      defining.family(family);
    } else if (statement instanceof Statement.DropKeyspace keyspace) {
      defining.drop(keyspace);
    } else if (statement instanceof Statement.DropFamily family) {
      defining.drop(family);
    } else {
      return false;
    }
    return true;
  }

  private void sets(Statement statement) throws StatementFailure {
    if (statement instanceof Statement.Use use) {
      use(use);
    } else if (statement instanceof Statement.Connect connect) {
      connect(connect);
    } else if (statement instanceof Statement.Assume assume) {
      assume(assume);
    } else if (statement instanceof Statement.SetConsistency set) {
      consistency(set);
    } else if (statement instanceof Statement.Setting setting) {
      setting(setting);
    } else if (statement instanceof Statement.Capture capture) {
      capture(capture);
    } else {
      throw new IllegalStateException("no way to run " + statement);
    }
  }

  private void help(Statement.Help asked) throws StatementFailure {
    String page =
        help.apply(asked.topic())
            .orElseThrow(
                () ->
                    StatementFailure.refused(
                        "there is no page " + asked.topic() + "; `help;` lists what there is"));
    session.output().text("help", page);
  }

  /** Chooses the keyspace for paths without one, and prints nothing. */
  public void use(String keyspace) throws StatementFailure {
    try {
      session.useKeyspace(families.keyspaceDefinition(keyspace).name());
    } catch (RuntimeException e) {
      session.reconnectAfter(e);
      if (Thread.interrupted()) {
        throw Failures.interrupted(false, e);
      }
      throw Failures.of(e, session.node(), false);
    }
  }

  private void use(Statement.Use use) throws StatementFailure {
    use(use.keyspace());
    session.output().done("Using keyspace " + use.keyspace() + ".");
  }

  private void connect(Statement.Connect connect) throws StatementFailure {
    NodeAddress other = new NodeAddress(connect.host(), connect.port());
    ClusterDescription cluster;
    try {
      cluster = session.connect(other);
    } catch (RuntimeException e) {
      if (Thread.interrupted()) {
        throw Failures.interrupted(false, e);
      }
      throw Failures.of(e, other, false);
    }
    session.output().done("Connected to: \"" + cluster.name() + "\" on " + other);
  }

  private void assume(Statement.Assume assume) throws StatementFailure {
    if (assume.family().isEmpty()) {
      assume(assume.attribute(), assume.type());
      session.output().done("Assumption for all column families added successfully.");
      return;
    }
    Family family = families.of(assume.family().get());
    session
        .assumptions()
        .assume(
            family.keyspace(),
            family.name(),
            part(assume.attribute()),
            families.named(assume.type()));
    session
        .output()
        .done("Assumption for column family '" + family.name() + "' added successfully.");
  }

  /**
   * Assumes a type for all families without an assumption of their own.
   *
   * @param attribute as in {@code assume}, in lower case
   */
  public void assume(String attribute, String type) throws StatementFailure {
    session.assumptions().assumeOfAll(part(attribute), families.named(type));
  }

  private static Part part(String attribute) throws StatementFailure {
    return Part.of(attribute)
        .orElseThrow(
            () ->
                StatementFailure.refused(
                    "assume is about comparator, sub_comparator, validator or keys; got "
                        + attribute));
  }

  private void consistency(Statement.SetConsistency set) throws StatementFailure {
    Consistency level = consistency(set.level());
    session.useConsistency(level);
    session.output().done("Consistency level is set to '" + level + "'.");
  }

  /** The level of that name, in any case. */
  public static Consistency consistency(String name) throws StatementFailure {
    return Arrays.stream(Consistency.values())
        .filter(level -> level.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                StatementFailure.refused(
                    "there is no consistency level "
                        + name
                        + "; there are "
                        + Arrays.stream(Consistency.values())
                            .map(Consistency::name)
                            .collect(Collectors.joining(", "))));
  }

  private void setting(Statement.Setting setting) throws StatementFailure {
    String name = setting.name().toLowerCase(Locale.ROOT);
    switch (name) {
      case "output" ->
          session.useForm(
              OutputForm.of(setting.value())
                  .orElseThrow(
                      () ->
                          StatementFailure.refused(
                              "there is no output "
                                  + setting.value()
                                  + "; there are "
                                  + OutputForm.names())));
      case "stats" -> session.useStatistics(on(setting));
      case "timing" -> session.useTiming(on(setting));
      case "trace" -> session.useTracing(on(setting));
      default -> throw StatementFailure.refused("there is no setting " + setting.name());
    }
    session
        .output()
        .done(
            Character.toUpperCase(name.charAt(0))
                + name.substring(1)
                + " is "
                + setting.value().toLowerCase(Locale.ROOT)
                + ".");
  }

  private void capture(Statement.Capture capture) throws StatementFailure {
    try {
      session.capture(capture.file());
    } catch (IOException | InvalidPathException e) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED,
          "FILE_FAILED",
          "cannot write " + capture.file() + ": " + Failures.ofFile(e),
          e);
    }
    session
        .output()
        .done(
            capture.file().isEmpty()
                ? "Answers are not written to a file."
                : "Answers are also written to " + capture.file() + ".");
  }

  private static boolean on(Statement.Setting setting) throws StatementFailure {
    return switch (setting.value().toLowerCase(Locale.ROOT)) {
      case "on" -> true;
      case "off" -> false;
      default ->
          throw StatementFailure.refused(setting.name() + " is on or off; got " + setting.value());
    };
  }
}
