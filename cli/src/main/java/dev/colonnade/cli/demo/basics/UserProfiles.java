package dev.colonnade.cli.demo.basics;

import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rows as objects: a row for each user, a column for each thing that is known about the user. No
 * two rows need to have the same columns. Thread-safe.
 */
public final class UserProfiles {

  private static final String FAMILY = "UserProfile";

  private final ColumnFamily<String, String, String> profiles;

  /** The profiles in a keyspace that has the family of {@link #definition}. */
  public UserProfiles(Keyspace keyspace) {
    profiles = keyspace.columnFamily(FAMILY, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** The family that this application needs. */
  public static ColumnFamilyDefinition definition() {
    return ColumnFamilyDefinition.standard(FAMILY, Comparators.UTF8);
  }

  /** Adds or changes properties of a user, all at once. */
  public void save(String user, Map<String, String> properties) {
    profiles.insertAll(user, properties);
  }

  /** One property, if it is known. */
  public Optional<String> property(String user, String name) {
    return profiles.get(user, name);
  }

  /** Everything that is known about users: a map for each, empty where nothing is. One call. */
  public Map<String, Map<String, String>> of(Collection<String> users) {
    Map<String, Map<String, String>> found = new LinkedHashMap<>();
    profiles.multiget(users, Slice.all()).forEach(row -> found.put(row.key(), map(row.entries())));
    return found;
  }

  /** How many properties a user has; they are counted on the node. */
  public long size(String user) {
    return profiles.count(user, Slice.all());
  }

  private static Map<String, String> map(List<Column<String, String>> columns) {
    Map<String, String> map = new LinkedHashMap<>();
    columns.forEach(column -> map.put(column.name(), column.value()));
    return map;
  }
}
