package dev.colonnade.cli.demo.basics;

import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Users, and what is counted about them: the same key in two families, so that what is read at
 * different times lies in different files. The families are independent. Thread-safe.
 */
public final class UsersAndStats {

  private static final String USERS = "Users";
  private static final String STATS = "Stats";
  private static final String VISITS = "visits";

  private final ColumnFamily<String, String, String> users;
  private final ColumnFamily<String, String, Long> stats;

  /** The users of a keyspace like {@link #definition}. */
  public UsersAndStats(Keyspace keyspace) {
    users = keyspace.columnFamily(USERS, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    stats = keyspace.columnFamily(STATS, Serializers.UTF8, Serializers.UTF8, Serializers.LONG);
  }

  /** The families that this application needs. */
  public static KeyspaceDefinition definition(String keyspace) {
    return KeyspaceDefinition.named(keyspace)
        .with(ColumnFamilyDefinition.standard(USERS, Comparators.UTF8))
        .with(ColumnFamilyDefinition.standard(STATS, Comparators.UTF8));
  }

  /** Sets one thing about a user. */
  public void set(String user, String property, String value) {
    users.insert(user, property, value);
  }

  /** Everything that is known about a user. */
  public Map<String, String> user(String user) {
    Map<String, String> map = new LinkedHashMap<>();
    for (Column<String, String> column : users.slice(user, Slice.all())) {
      map.put(column.name(), column.value());
    }
    return map;
  }

  /** Sets how many visits there were. */
  public void visits(String user, long visits) {
    stats.insert(user, VISITS, visits);
  }

  /** How many visits there were, if they were ever counted. */
  public Optional<Long> visits(String user) {
    return stats.get(user, VISITS);
  }

  /** Forgets the user; the numbers stay. */
  public void remove(String user) {
    users.remove(user);
  }
}
