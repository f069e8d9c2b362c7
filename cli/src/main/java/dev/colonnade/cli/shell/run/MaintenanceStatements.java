package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.Progress;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The statements that ask the node to do something with its files, or with its place in the ring.
 */
final class MaintenanceStatements {

  private final Session session;
  private final Families families;

  MaintenanceStatements(Session session, Families families) {
    this.session = session;
    this.families = families;
  }

  void run(Statement.Maintain maintain) throws StatementFailure {
    String keyspace = families.keyspace(maintain.keyspace());
    List<String> names = maintain.families();
    if (maintain.compact()) {
      compact(keyspace, names);
      return;
    }
    List<String> files = session.client().node().flush(keyspace, names.toArray(new String[0]));
    session
        .output()
        .done(
            files.isEmpty()
                ? "Nothing was in memory."
                : "Flushed: " + files.size() + (files.size() == 1 ? " new file." : " new files."));
  }

  void drain() {
    session.client().node().drain();
    session.output().done("Drained. The node takes no more calls; stop it, or restart it.");
  }

  private void compact(String keyspace, List<String> names) {
    session.client().node().compact(keyspace, names, this::sized);
    session.output().done("Compacted.");
  }

  void repair(Statement.Repair repair) throws StatementFailure {
    AtomicReference<String> last = new AtomicReference<>("");
    session
        .client()
        .node()
        .repair(
            families.keyspace(repair.keyspace()),
            repair.families(),
            progress -> {
              last.set(progress.detail());
              counted(progress);
            });
    session.output().done("Repaired: " + last.get() + ".");
  }

  void cleanup(Statement.Cleanup cleanup) throws StatementFailure {
    session
        .client()
        .node()
        .cleanup(families.keyspace(cleanup.keyspace()), cleanup.families(), this::sized);
    session.output().done("Cleaned up.");
  }

  /** Of all keyspaces if none is named or in use. */
  void scrub(Statement.Scrub scrub) {
    AtomicReference<String> last = new AtomicReference<>("");
    session
        .client()
        .node()
        .scrub(
            scrub.keyspace().or(session::keyspaceInUse).orElse(""),
            scrub.families(),
            progress -> {
              last.set(progress.detail());
              counted(progress);
            });
    session.output().done("Scrubbed: " + last.get() + ".");
  }

  void loadBalance() {
    session.client().node().loadBalance(this::counted);
    session.output().done("The node has its new token.");
  }

  void decommission(boolean force) {
    session.client().node().decommission(force, this::counted);
    session.output().done("The node has left the ring; it can be stopped.");
  }

  void move(String token) {
    session.client().node().move(token, this::counted);
    session.output().done("Moved to " + token + ".");
  }

  void remove(String nodeId, boolean force) {
    session.client().node().remove(nodeId, force, this::counted);
    session.output().done("Node " + nodeId + " is removed.");
  }

  private void sized(Progress progress) {
    session
        .output()
        .progress(progress.phase(), progress.done(), progress.total(), progress.detail());
  }

  private void counted(Progress progress) {
    session.output().steps(progress.phase(), progress.done(), progress.total(), progress.detail());
  }
}
