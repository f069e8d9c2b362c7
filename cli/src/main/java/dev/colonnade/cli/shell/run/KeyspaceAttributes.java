package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The attributes of a keyspace, by their canonical names, which the grammar has chosen. */
final class KeyspaceAttributes {

  static final String STRATEGY = "strategy_class";
  static final String FACTOR = "replication_factor";
  static final String OPTIONS = "strategy_options";
  static final String DURABLE = "durable_writes";

  /** Not an attribute of the keyspace, but of the statement. */
  static final String FORCE = "force";

  private KeyspaceAttributes() {}

  /** The definition with all that a statement says of it. */
  static KeyspaceDefinition apply(KeyspaceDefinition to, List<Attribute> attributes)
      throws StatementFailure {
    KeyspaceDefinition definition = to;
    for (Attribute attribute : attributes) {
      definition = apply(definition, attribute);
    }
    return definition;
  }

  /** Whether the statement is to define a keyspace that wants more copies than there are nodes. */
  static boolean isForced(List<Attribute> attributes) throws StatementFailure {
    boolean forced = false;
    for (Attribute attribute : attributes) {
      if (attribute.name().equals(FORCE)) {
        forced = AttributeValues.truth(attribute);
      }
    }
    return forced;
  }

  private static KeyspaceDefinition apply(KeyspaceDefinition to, Attribute attribute)
      throws StatementFailure {
    return switch (attribute.name()) {
      case STRATEGY -> to.withReplicaPlacementStrategy(attribute.value());
      case FACTOR -> to.withReplicationFactor(AttributeValues.wholeNumber(attribute));
      case FORCE -> to;
      case DURABLE -> to.withDurableWrites(AttributeValues.truth(attribute));
      case OPTIONS -> options(to, attribute);
      default ->
          throw StatementFailure.refused(
              "a keyspace has no attribute "
                  + attribute.name()
                  + "; it has "
                  + String.join(", ", STRATEGY, FACTOR, OPTIONS, DURABLE));
    };
  }

  /** Replicas per data centre, or, as later scripts have it, the one number for all. */
  private static KeyspaceDefinition options(KeyspaceDefinition to, Attribute attribute)
      throws StatementFailure {
    Map<String, Integer> numbers = AttributeValues.numbers(attribute);
    Integer factor = numbers.get(FACTOR);
    if (factor != null && numbers.size() == 1) {
      return to.withReplicationFactor(factor);
    }
    if (factor != null) {
      throw StatementFailure.refused(
          OPTIONS + " has either replication_factor or replicas of data centres");
    }
    return to.withDatacenterReplicas(numbers);
  }

  /** What a keyspace is, attribute by attribute. */
  static List<Fact> facts(KeyspaceDefinition definition) {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact(STRATEGY, "Replication Strategy", definition.replicaPlacementStrategy()));
    facts.add(
        definition.datacenterReplicas().isEmpty()
            ? new Fact(
                FACTOR, "Replication Factor", Integer.toString(definition.replicationFactor()))
            : new Fact(OPTIONS, "Strategy Options", options(definition)));
    facts.add(new Fact(DURABLE, "Durable Writes", Boolean.toString(definition.durableWrites())));
    return facts;
  }

  private static String options(KeyspaceDefinition definition) {
    return new TreeMap<>(definition.datacenterReplicas())
        .entrySet().stream()
            .map(each -> each.getKey() + ":" + each.getValue())
            .collect(Collectors.joining(", ", "{", "}"));
  }
}
