package dev.colonnade.server.base.config;

import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts {@code <Keyspace>} elements to definitions and has the schema's rules check them. */
final class KeyspaceConfReader {

  private static final String PREFIX = "keyspace.column_families[";
  private static final ValueForm<Integer> REPLICATION_FACTOR = ValueForm.wholeNumber(1, 1_000);
  private static final Pattern FAMILY_INDEX = Pattern.compile("column_families\\[([0-9]+)]");

  private final ConfValues values;
  private final ComparatorResolver types;
  private final StorageConfReader file;
  private final Map<String, XmlElement> global;
  private final Map<FamilyField, String> familyDefaults;

  /**
   * @param global elements directly under {@code <Storage>}: 0.5 had placement there, for all
   */
  KeyspaceConfReader(
      ConfValues values,
      ComparatorResolver types,
      StorageConfReader file,
      Map<String, XmlElement> global,
      Map<FamilyField, String> familyDefaults) {
    this.values = values;
    this.types = types;
    this.file = file;
    this.global = global;
    this.familyDefaults = familyDefaults;
  }

  List<KeyspaceDefinition> readAll(XmlElement list) throws StorageConfException {
    values.rejectAttributes(list);
    List<KeyspaceDefinition> keyspaces = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (XmlElement element : list.children()) {
      if (!element.name().equals("Keyspace")) {
        throw values.error(element, "<Keyspaces> holds <Keyspace>; got <" + element.name() + ">");
      }
      KeyspaceDefinition keyspace = readOne(element);
      if (!names.add(keyspace.name())) {
        throw values.error(element, "two keyspaces have the name " + keyspace.name());
      }
      keyspaces.add(keyspace);
    }
    return keyspaces;
  }

  KeyspaceDefinition readOne(XmlElement element) throws StorageConfException {
    KeyspaceDefinition keyspace = KeyspaceDefinition.of(name(element));
    for (String attribute : element.attributes().keySet()) {
      if (!attribute.equals("Name")) {
        throw values.error(element, "<Keyspace> has no attribute " + attribute);
      }
    }
    Map<String, XmlElement> own = new HashMap<>();
    List<XmlElement> families = new ArrayList<>();
    for (XmlElement child : element.children()) {
      switch (child.name()) {
        case "ColumnFamily" -> {
          keyspace = keyspace.withFamily(family(keyspace.name(), child));
          families.add(child);
        }
        case "ReplicaPlacementStrategy", "ReplicationFactor" -> own.put(child.name(), child);
        case "EndPointSnitch" -> {
          if (!child.text().isEmpty()) {
            file.snitch(child);
          }
        }
        default ->
            throw values.error(child, "<" + child.name() + "> is not an element of <Keyspace>");
      }
    }
    keyspace = placement(keyspace, own);
    check(keyspace, element, families);
    return keyspace;
  }

  private KeyspaceDefinition placement(KeyspaceDefinition keyspace, Map<String, XmlElement> own)
      throws StorageConfException {
    KeyspaceDefinition placed = keyspace;
    XmlElement strategy =
        own.getOrDefault("ReplicaPlacementStrategy", global.get("ReplicaPlacementStrategy"));
    if (strategy != null) {
      String name = values.text(strategy);
      if (PlacementStrategy.byName(name)
          .filter(PlacementStrategy.NETWORK_TOPOLOGY::equals)
          .isPresent()) {
        throw values.error(
            strategy,
            name
                + " places a number of replicas in each data centre, which this file cannot say"
                + " (datacenters.properties did): remove the keyspace "
                + keyspace.name()
                + ", and create it in the shell: create keyspace "
                + keyspace.name()
                + " with placement_strategy = 'NetworkTopologyStrategy' and strategy_options ="
                + " {DC1:3, DC2:2};");
      }
      placed = placed.withStrategy(name);
    }
    XmlElement factor = own.getOrDefault("ReplicationFactor", global.get("ReplicationFactor"));
    if (factor != null && !factor.text().isEmpty()) {
      placed = placed.withReplicationFactor(values.read(factor, REPLICATION_FACTOR));
    }
    return placed;
  }

  private String name(XmlElement element) throws StorageConfException {
    String name = element.attributes().get("Name");
    if (name == null) {
      throw values.error(element, "<" + element.name() + "> needs an attribute Name");
    }
    return name;
  }

  private FamilyDefinition family(String keyspace, XmlElement element) throws StorageConfException {
    FamilyDefinition family =
        new FamilyDefinition(keyspace, name(element), Map.copyOf(familyDefaults));
    for (Map.Entry<String, String> attribute : element.attributes().entrySet()) {
      String value = attribute.getValue();
      family =
          switch (attribute.getKey()) {
            case "Name" -> family;
            case "ColumnType" -> family.with(FamilyField.COLUMN_TYPE, value);
            case "CompareWith" -> family.with(FamilyField.COMPARE_WITH, value);
            case "CompareSubcolumnsWith" -> family.with(FamilyField.COMPARE_SUBCOLUMNS_WITH, value);
            case "KeysCached", "KeysCachedFraction" -> {
              file.ignore(
                  "ColumnFamily@" + attribute.getKey(),
                  element,
                  FamilyElements.KEYS_CACHED_TOGETHER);
              yield family.with(FamilyField.KEYS_CACHED, value);
            }
            case "RowsCached" -> family.with(FamilyField.ROWS_CACHED, value);
            case "Comment" -> family.with(FamilyField.COMMENT, value);
            case "RowCacheSavePeriodInSeconds", "KeyCacheSavePeriodInSeconds" -> {
              file.ignore(
                  "ColumnFamily@" + attribute.getKey(),
                  element,
                  "caches fill by themselves and are not saved");
              yield family;
            }
            case "ColumnSort" ->
                throw values.error(
                    element,
                    "ColumnSort was removed in Cassandra 0.4: for ColumnSort=\"Time\" write"
                        + " CompareWith=\"TimeUUIDType\" or CompareWith=\"LongType\" and put the"
                        + " time into the column names, for \"Name\" write"
                        + " CompareWith=\"UTF8Type\"");
            default ->
                throw values.error(
                    element, "<ColumnFamily> has no attribute " + attribute.getKey());
          };
    }
    for (XmlElement child : element.children()) {
      if (!child.name().equals("Comment")) {
        throw values.error(child, "<" + child.name() + "> is not an element of <ColumnFamily>");
      }
      family = family.with(FamilyField.COMMENT, values.text(child));
    }
    return family;
  }

  private void check(KeyspaceDefinition keyspace, XmlElement element, List<XmlElement> families)
      throws StorageConfException {
    try {
      Schema.empty(types).checkKeyspace(keyspace);
    } catch (SchemaException e) {
      Matcher index = FAMILY_INDEX.matcher(e.field());
      XmlElement at =
          e.field().startsWith(PREFIX) && index.find()
              ? families.get(Integer.parseInt(index.group(1)))
              : element;
      throw values.error(at, String.valueOf(e.getMessage()));
    }
  }
}
