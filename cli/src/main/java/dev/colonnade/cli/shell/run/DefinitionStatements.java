package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Schema;
import java.util.Optional;

/** The statements that define keyspaces and families. */
final class DefinitionStatements {

  private final Session session;
  private final Families families;

  DefinitionStatements(Session session, Families families) {
    this.session = session;
    this.families = families;
  }

  void keyspace(Statement.DefineKeyspace statement) throws StatementFailure {
    KeyspaceDefinition definition =
        KeyspaceAttributes.apply(
            KeyspaceDefinition.named(statement.keyspace()), statement.attributes());
    if (statement.create()) {
      schema().create(definition, KeyspaceAttributes.isForced(statement.attributes()));
    } else {
      schema().update(definition, KeyspaceAttributes.isForced(statement.attributes()));
    }
    changed("Keyspace " + statement.keyspace() + (statement.create() ? " created." : " updated."));
  }

  void family(Statement.DefineFamily statement) throws StatementFailure {
    String keyspace = families.keyspace(statement.family().keyspace());
    String name = statement.family().family();
    ColumnTypes types = new ColumnTypes(session.types());
    ColumnFamilyDefinition definition =
        types.apply(
            FamilyAttributes.apply(
                ColumnFamilyDefinition.changesOf(name), types.canonical(statement.attributes())),
            statement.attributes(),
            statement.create() ? Optional.empty() : session.schema().family(keyspace, name));
    if (statement.create()) {
      schema().create(keyspace, definition);
    } else {
      schema().update(keyspace, definition);
    }
    changed("Column family " + name + (statement.create() ? " created." : " updated."));
  }

  void drop(Statement.DropKeyspace statement) {
    schema().dropKeyspace(statement.keyspace());
    changed("Keyspace " + statement.keyspace() + " dropped.");
  }

  void drop(Statement.DropFamily statement) throws StatementFailure {
    String keyspace = families.keyspace(statement.family().keyspace());
    schema().dropColumnFamily(keyspace, statement.family().family());
    changed("Column family " + statement.family().family() + " dropped.");
  }

  private Schema schema() {
    return session.client().schema();
  }

  private void changed(String message) {
    session.schema().forget();
    session.output().done(message);
  }
}
