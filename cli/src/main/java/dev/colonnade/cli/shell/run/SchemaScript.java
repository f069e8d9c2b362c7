package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.grammar.Names;
import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.cli.shell.value.ValueTypes;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Statements that create keyspaces again as they are. */
public final class SchemaScript {

  /** What reads as itself without quotes. */
  private static final Pattern PLAIN = Pattern.compile("-?[0-9]+(\\.[0-9]+)?|true|false");

  private SchemaScript() {}

  /** Statements that create keyspaces, as {@code colonnade shell -f} reads them. */
  public static String of(List<KeyspaceDefinition> keyspaces) {
    return of(keyspaces, new ColumnTypes(new ValueTypes(UUID::randomUUID, UUID::randomUUID)));
  }

  static String of(List<KeyspaceDefinition> keyspaces, ColumnTypes types) {
    StringBuilder script = new StringBuilder();
    for (KeyspaceDefinition keyspace : keyspaces) {
      if (!script.isEmpty()) {
        script.append('\n');
      }
      script.append("create keyspace ").append(Names.name(keyspace.name()));
      with(script, KeyspaceAttributes.facts(keyspace), options(keyspace));
      script.append("use ").append(Names.name(keyspace.name())).append(";\n");
      for (ColumnFamilyDefinition family : keyspace.columnFamilies()) {
        script.append("\ncreate column family ").append(Names.name(family.name()));
        with(script, facts(family, types), "");
      }
    }
    return script.toString();
  }

  /** What a family is, attribute by attribute. */
  static List<Fact> facts(ColumnFamilyDefinition family, ColumnTypes types) {
    List<Fact> facts = new ArrayList<>(FamilyAttributes.facts(family));
    types.fact(family).ifPresent(facts::add);
    return facts;
  }

  /** Data centres with their replicas; the form for people has no quotes around unusual names. */
  private static String options(KeyspaceDefinition keyspace) {
    return new TreeMap<>(keyspace.datacenterReplicas())
        .entrySet().stream()
            .map(each -> Names.option(each.getKey()) + ":" + each.getValue())
            .collect(Collectors.joining(", ", "{", "}"));
  }

  private static void with(StringBuilder script, List<Fact> facts, String options) {
    String word = "\n  with ";
    for (Fact fact : facts) {
      boolean isMap = fact.name().equals(KeyspaceAttributes.OPTIONS);
      script.append(word).append(fact.name()).append(" = ");
      if (isMap) {
        script.append(options);
      } else {
        script.append(ColumnTypes.isMap(fact) ? fact.value() : value(fact.value()));
      }
      word = "\n  and ";
    }
    script.append(";\n");
  }

  private static String value(String value) {
    return PLAIN.matcher(value).matches() ? value : Names.quoted(value);
  }
}
