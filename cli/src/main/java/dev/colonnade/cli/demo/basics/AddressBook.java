package dev.colonnade.cli.demo.basics;

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
import java.util.Optional;

/**
 * A row for each owner of an address book, a super column for each friend in it, sorted by name.
 * Thread-safe.
 */
public final class AddressBook {

  private static final String FAMILY = "AddressBook";

  private final SuperColumnFamily<String, String, String, String> books;

  /** The books in a keyspace that has the family of {@link #definition}. */
  public AddressBook(Keyspace keyspace) {
    books =
        keyspace.superColumnFamily(
            FAMILY, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** The family that this application needs. */
  public static ColumnFamilyDefinition definition() {
    return ColumnFamilyDefinition.superFamily(FAMILY, Comparators.UTF8, Comparators.UTF8);
  }

  /** Enters a friend, or a friend's new address. */
  public void put(String owner, String friend, Address address) {
    books.insert(owner, new SuperColumn<>(friend, address.columns()));
  }

  /** One friend's address, without reading the others. */
  public Optional<Address> find(String owner, String friend) {
    return books.get(owner, friend).map(found -> Address.of(found.columns()));
  }

  /** A friend's city alone: one column of one super column. */
  public Optional<String> city(String owner, String friend) {
    return books.get(owner, friend, "city");
  }

  /** All friends of a book, in the order of their names. */
  public Map<String, Address> friends(String owner) {
    return addresses(books.slice(owner, Slice.all()));
  }

  /** A number of friends from a name on; the name itself need not exist. */
  public Map<String, Address> friends(String owner, String from, int limit) {
    return addresses(books.slice(owner, Slice.from(from).limit(limit)));
  }

  /** How many friends a book has. */
  public long count(String owner) {
    return books.count(owner, Slice.all());
  }

  /** Removes a friend, with the whole address. */
  public void remove(String owner, String friend) {
    books.remove(owner, friend);
  }

  private static Map<String, Address> addresses(List<SuperColumn<String, String, String>> friends) {
    Map<String, Address> addresses = new LinkedHashMap<>();
    friends.forEach(friend -> addresses.put(friend.name(), Address.of(friend.columns())));
    return addresses;
  }
}
