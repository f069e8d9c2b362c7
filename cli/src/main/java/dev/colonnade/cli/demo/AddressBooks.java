package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.SuperColumn;
import java.util.List;

/** A row for each owner of an address book, a super column for each friend in it. */
final class AddressBooks implements Scenario {

  private static final Family BOOK = Samples.ADDRESS_BOOK;

  @Override
  public String title() {
    return "AddressBook: a super column for each friend";
  }

  @Override
  public List<Check> run(Calls calls) {
    Samples.createIn(calls);
    Promises promises = new Promises(calls.narration());

    calls.write(
        List.of(
            friend("phatduckk", "friend1", "8th street", "90210", "Beverley Hills", "CA"),
            friend("phatduckk", "John", "Howard street", "94404", "FC", "CA"),
            friend("phatduckk", "Kim", "X street", "87876", "Balls", "VA"),
            friend("phatduckk", "Tod", "Jerry street", "54556", "Cartoon", "CO"),
            friend("phatduckk", "Bob", "Q Blvd", "24252", "Nowhere", "MN"),
            friend("ieure", "joey", "A ave", "55485", "Hell", "NV"),
            friend("ieure", "William", "Armpit Dr", "93301", "Bakersfield", "CA")));

    promises.check(
        "phatduckk's friends, in the order of UTF8Type (capitals first)",
        "Bob John Kim Tod friend1",
        names(calls.superColumns(BOOK, "phatduckk")));
    promises.check(
        "ieure's friends are not phatduckk's",
        "William joey",
        names(calls.superColumns(BOOK, "ieure")));
    promises.check(
        "one friend is read without the others",
        "city=FC, state=CA, street=Howard street, zip=94404",
        Layout.pairs(calls.superColumn(BOOK, "phatduckk", "John").getColumnsList()));

    calls.narration().say("Tod moves away:");
    calls.removeSuperColumn(BOOK, "phatduckk", "Tod");
    promises.check(
        "the others stay",
        "phatduckk=4 ieure=2",
        calls.counts(BOOK, List.of("phatduckk", "ieure")));
    return promises.made();
  }

  private static Write friend(
      String owner, String name, String street, String zip, String city, String state) {
    return Write.superColumn(
        BOOK,
        owner,
        ByteString.copyFromUtf8(name),
        "street",
        street,
        "zip",
        zip,
        "city",
        city,
        "state",
        state);
  }

  private static String names(List<SuperColumn> friends) {
    return String.join(" ", friends.stream().map(f -> Layout.text(f.getName())).toList());
  }
}
