package dev.colonnade.cli.demo.basics;

import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumn;
import dev.colonnade.client.SuperColumnFamily;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bookmarks with tags: a row for each user, a super column for each of the user's tags, and in it a
 * column for each bookmark, named, with the address as its value. Thread-safe.
 */
public final class Tags {

  private static final String FAMILY = "Tags";

  private final SuperColumnFamily<String, String, String, String> tags;

  /** The tags in a keyspace that has the family of {@link #definition}. */
  public Tags(Keyspace keyspace) {
    tags =
        keyspace.superColumnFamily(
            FAMILY, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** The family that this application needs. */
  public static ColumnFamilyDefinition definition() {
    return ColumnFamilyDefinition.superFamily(FAMILY, Comparators.UTF8, Comparators.UTF8);
  }

  /** Keeps an address under a name and a tag. */
  public void bookmark(String user, String tag, String name, String address) {
    tags.insert(user, tag, name, address);
  }

  /** The bookmarks of one tag by name. */
  public Map<String, String> bookmarks(String user, String tag) {
    return map(tags.slice(user, tag, Slice.all()));
  }

  /** All bookmarks of a user by tag and name. */
  public Map<String, Map<String, String>> bookmarks(String user) {
    Map<String, Map<String, String>> found = new LinkedHashMap<>();
    for (SuperColumn<String, String, String> tag : tags.slice(user, Slice.all())) {
      found.put(tag.name(), map(tag.columns()));
    }
    return found;
  }

  private static Map<String, String> map(List<Column<String, String>> columns) {
    Map<String, String> map = new LinkedHashMap<>();
    columns.forEach(column -> map.put(column.name(), column.value()));
    return map;
  }
}
