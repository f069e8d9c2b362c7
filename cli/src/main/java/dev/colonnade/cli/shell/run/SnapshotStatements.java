package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Listing.Column;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.Progress;
import dev.colonnade.client.Snapshot;
import dev.colonnade.client.SnapshotAnswers;
import dev.colonnade.client.SnapshotScope;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The statements about snapshots. */
final class SnapshotStatements {

  private final Session session;

  SnapshotStatements(Session session) {
    this.session = session;
  }

  void run(Statement.Snapshot asked) throws StatementFailure {
    switch (asked.action()) {
      case TAKE -> {
        SnapshotAnswers taken =
            session
                .client()
                .node()
                .takeSnapshot(
                    asked.name(),
                    new SnapshotScope(asked.keyspaces(), asked.families(), asked.everywhere()),
                    this::progress);
        show(taken);
        requireAll(taken, "did not take it; what the others took stays, until it is cleared");
      }
      case LIST -> {
        SnapshotAnswers found = session.client().node().snapshots(asked.everywhere());
        show(found);
        requireAll(found, "did not answer");
      }
      case CLEAR -> {
        SnapshotAnswers cleared =
            session.client().node().clearSnapshot(asked.name(), asked.everywhere());
        long freed = cleared.snapshots().stream().mapToLong(Snapshot::freedBytes).sum();
        requireAll(cleared, "may have it still; clear it again when they are up");
        session
            .output()
            .done(
                "Cleared on "
                    + Sizes.counted(cleared.snapshots().size(), "node")
                    + "; "
                    + Sizes.bytes(freed)
                    + " freed.");
      }
    }
  }

  private void progress(Progress progress) {
    if (progress.phase().equals("nodes") || progress.phase().equals("done")) {
      session
          .output()
          .steps(progress.phase(), progress.done(), progress.total(), progress.detail());
    } else {
      session
          .output()
          .progress(progress.phase(), progress.done(), progress.total(), progress.detail());
    }
  }

  private static void requireAll(SnapshotAnswers answers, String what) throws StatementFailure {
    if (answers.failed().isEmpty()) {
      return;
    }
    List<String> nodes = new ArrayList<>();
    for (SnapshotAnswers.Failure each : answers.failed()) {
      nodes.add(each.address() + ":" + each.clientPort() + " (" + each.reason() + ")");
    }
    throw StatementFailure.of(
        ExitStatus.STATEMENT_FAILED,
        "SNAPSHOT_INCOMPLETE",
        Sizes.counted(nodes.size(), "node") + " " + what + ": " + String.join("; ", nodes),
        null);
  }

  private void show(SnapshotAnswers answers) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (Snapshot each : answers.snapshots()) {
      String created = each.created().truncatedTo(ChronoUnit.SECONDS).toString();
      lines.add(
          List.of(
              each.name(),
              each.address() + ":" + each.clientPort(),
              created,
              Integer.toString(each.families()),
              Integer.toString(each.files()),
              Sizes.bytes(each.bytes()),
              Sizes.bytes(each.newBytes()),
              Sizes.bytes(each.freedBytes()),
              each.missingFiles() == 0
                  ? ""
                  : "lacks " + Sizes.counted(each.missingFiles(), "damaged file")));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("name", each.name());
      item.put("node", each.nodeId());
      item.put("address", each.address());
      item.put("client_port", each.clientPort());
      item.put("created", each.created().toString());
      item.put("families", each.families());
      item.put("files", each.files());
      item.put("bytes", each.bytes());
      item.put("new_bytes", each.newBytes());
      item.put("freed_bytes", each.freedBytes());
      item.put("missing_files", each.missingFiles());
      item.put("directory", each.directory());
      items.add(item);
    }
    session
        .output()
        .listing(
            new Listing(
                "snapshot",
                "snapshots",
                List.of(
                    Column.words("Snapshot"),
                    Column.words("Node"),
                    Column.words("Taken"),
                    Column.numbers("Families"),
                    Column.numbers("Files"),
                    Column.numbers("Size"),
                    Column.numbers("New"),
                    Column.numbers("Clearing frees"),
                    Column.words("")),
                lines,
                items,
                "There are no snapshots."));
  }
}
