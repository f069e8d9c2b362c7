package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.List;

/** Statements that create keyspaces again as they are. */
final class SchemaScript {

  private SchemaScript() {}

  static String of(List<KeyspaceDefinition> keyspaces) {
    StringBuilder script = new StringBuilder();
    for (KeyspaceDefinition keyspace : keyspaces) {
      if (!script.isEmpty()) {
        script.append('\n');
      }
      script.append("create keyspace ").append(keyspace.name());
      with(script, KeyspaceAttributes.facts(keyspace));
      script.append("use ").append(keyspace.name()).append(";\n");
      for (ColumnFamilyDefinition family : keyspace.columnFamilies()) {
        script.append("\ncreate column family ").append(family.name());
        with(script, FamilyAttributes.facts(family));
      }
    }
    return script.toString();
  }

  private static void with(StringBuilder script, List<Fact> facts) {
    String word = "\n  with ";
    for (Fact fact : facts) {
      script.append(word).append(fact.name()).append(" = ").append(value(fact.value()));
      word = "\n  and ";
    }
    script.append(";\n");
  }

  private static String value(String value) {
    boolean plain = value.matches("-?[0-9]+(\\.[0-9]+)?|true|false|\\{[A-Za-z0-9_:, -]*\\}");
    return plain ? value : quoted(value);
  }

  private static String quoted(String text) {
    return "'"
        + text.replace("\\", "\\\\")
            .replace("'", "\\'")
            .replace("\n", "\\n")
            .replace("\r", "\\r")
            .replace("\t", "\\t")
        + "'";
  }
}
