package dev.colonnade.cli.demo.basics;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The two address books of the article: all friends, some, one, one column of one; and a loss. */
public final class AddressBookWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "AddressBook";
  private static final String PHATDUCKK = "phatduckk";
  private static final String IEURE = "ieure";
  private static final Address JOHN = new Address("Howard street", "94404", "FC", "CA");

  /** For the list of walkthroughs. */
  public AddressBookWalkthrough() {}

  @Override
  public String name() {
    return "address-book";
  }

  @Override
  public String title() {
    return "AddressBook: a super column for each friend";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return KeyspaceDefinition.named(KEYSPACE).with(AddressBook.definition());
  }

  @Override
  public void run(Guide guide) {
    AddressBook books = new AddressBook(guide.client().keyspace(KEYSPACE));
    put(guide, books, PHATDUCKK, "friend1", "8th street", "90210", "Beverley Hills", "CA");
    put(guide, books, PHATDUCKK, "John", "Howard street", "94404", "FC", "CA");
    put(guide, books, PHATDUCKK, "Kim", "X street", "87876", "Balls", "VA");
    put(guide, books, PHATDUCKK, "Tod", "Jerry street", "54556", "Cartoon", "CO");
    put(guide, books, PHATDUCKK, "Bob", "Q Blvd", "24252", "Nowhere", "MN");
    put(guide, books, IEURE, "joey", "A ave", "55485", "Hell", "NV");
    put(guide, books, IEURE, "William", "Armpit Dr", "93301", "Bakersfield", "CA");

    Map<String, Address> friends =
        guide.ask(
            "get AddressBook['phatduckk'];",
            () -> books.friends(PHATDUCKK),
            AddressBookWalkthrough::drawn);
    guide.check(
        "friends are sorted as UTF8Type does it, capitals first",
        List.of("Bob", "John", "Kim", "Tod", "friend1"),
        List.copyOf(friends.keySet()));
    guide.check(
        "each has an address", JOHN, Optional.ofNullable(friends.get("John")).orElseThrow());
    guide.check(
        "ieure's friends are not phatduckk's",
        List.of("William", "joey"),
        List.copyOf(
            guide
                .ask(
                    "get AddressBook['ieure'];",
                    () -> books.friends(IEURE),
                    AddressBookWalkthrough::drawn)
                .keySet()));
    some(guide, books);
    guide.say("Tod moves away:");
    guide.tell("del AddressBook['phatduckk']['Tod'];", () -> books.remove(PHATDUCKK, "Tod"));
    guide.check(
        "the others stay, four of five",
        4L,
        guide.ask("count AddressBook['phatduckk'];", () -> books.count(PHATDUCKK)));
    guide.check(
        "and Tod is not found",
        Optional.empty(),
        guide.ask(
            "get AddressBook['phatduckk']['Tod'];",
            () -> books.find(PHATDUCKK, "Tod"),
            found -> found.map(AddressBookWalkthrough::drawn)));
  }

  private static void some(Guide guide, AddressBook books) {
    guide.say("One friend is read without the others, and one column without the rest:");
    guide.check(
        "John lives in Howard street",
        Optional.of(JOHN),
        guide.ask(
            "get AddressBook['phatduckk']['John'];",
            () -> books.find(PHATDUCKK, "John"),
            found -> found.map(AddressBookWalkthrough::drawn)));
    guide.check(
        "in FC",
        Optional.of("FC"),
        guide.ask(
            "get AddressBook['phatduckk']['John']['city'];", () -> books.city(PHATDUCKK, "John")));
    guide.check(
        "a slice begins where its name would be: from G on, two friends",
        List.of("John", "Kim"),
        List.copyOf(
            guide
                .ask(
                    "get AddressBook['phatduckk'] from 'G' limit 2;",
                    () -> books.friends(PHATDUCKK, "G", 2),
                    AddressBookWalkthrough::drawn)
                .keySet()));
  }

  private static void put(
      Guide guide,
      AddressBook books,
      String owner,
      String friend,
      String street,
      String zip,
      String city,
      String state) {
    Address address = new Address(street, zip, city, state);
    guide.tell(
        "books.put(%s, %s, {%s, %s, %s, %s})".formatted(owner, friend, street, zip, city, state),
        () -> books.put(owner, friend, address));
  }

  private static Map<String, Object> drawn(Map<String, Address> friends) {
    Map<String, Object> drawing = new LinkedHashMap<>();
    friends.forEach((name, address) -> drawing.put(name, drawn(address)));
    return drawing;
  }

  private static Map<String, Object> drawn(Address address) {
    Map<String, Object> drawing = new LinkedHashMap<>();
    drawing.put("street", address.street());
    drawing.put("zip", address.zip());
    drawing.put("city", address.city());
    drawing.put("state", address.state());
    return drawing;
  }
}
