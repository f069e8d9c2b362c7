package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.cli.shell.statement.Statement.SnapshotAction;
import java.util.ArrayList;
import java.util.List;

/** Reads what follows the verb {@code snapshot}, and turns it into text. */
final class SnapshotStatements {

  private final Tokens tokens;
  private final PathParser paths;

  SnapshotStatements(Tokens tokens, PathParser paths) {
    this.tokens = tokens;
    this.paths = paths;
  }

  Statement.Snapshot read(Position position) throws SyntaxException {
    SnapshotAction action = action(tokens.oneOf(List.of("take", "list", "clear")));
    String name = action == SnapshotAction.LIST ? "" : paths.run("the name of a snapshot");
    List<String> keyspaces = new ArrayList<>();
    List<String> families = new ArrayList<>();
    if (action == SnapshotAction.TAKE && tokens.accept("of")) {
      do {
        Token first = tokens.peek();
        Path each = paths.family();
        String keyspace = each.keyspace().orElse(each.family());
        boolean family = each.keyspace().isPresent();
        if (!keyspaces.isEmpty() && (family || !families.isEmpty())) {
          if (!family || families.isEmpty() || !keyspaces.get(0).equals(keyspace)) {
            throw tokens.error(
                first, "name keyspaces, or column families of one keyspace (KEYSPACE.FAMILY)");
          }
        } else {
          keyspaces.add(keyspace);
        }
        if (family) {
          families.add(each.family());
        }
      } while (tokens.acceptSymbol(","));
    }
    return new Statement.Snapshot(
        position, action, name, keyspaces, families, tokens.accept("everywhere"));
  }

  private static SnapshotAction action(String word) {
    return switch (word) {
      case "take" -> SnapshotAction.TAKE;
      case "list" -> SnapshotAction.LIST;
      default -> SnapshotAction.CLEAR;
    };
  }

  static String text(Statement.Snapshot snapshot) {
    StringBuilder text = new StringBuilder("snapshot ");
    switch (snapshot.action()) {
      case TAKE -> text.append("take ").append(Names.quoted(snapshot.name()));
      case LIST -> text.append("list");
      case CLEAR -> text.append("clear ").append(Names.quoted(snapshot.name()));
    }
    List<String> parts = new ArrayList<>();
    if (snapshot.families().isEmpty()) {
      snapshot.keyspaces().forEach(keyspace -> parts.add(Names.name(keyspace)));
    } else {
      for (String family : snapshot.families()) {
        parts.add(Names.name(snapshot.keyspaces().get(0)) + "." + Names.name(family));
      }
    }
    if (!parts.isEmpty()) {
      text.append(" of ").append(String.join(", ", parts));
    }
    return text.append(snapshot.everywhere() ? " everywhere" : "").toString();
  }
}
