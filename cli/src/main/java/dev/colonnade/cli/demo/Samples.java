package dev.colonnade.cli.demo;

import java.util.List;

/** The keyspace for the small examples of the articles, which name families and no keyspace. */
final class Samples {

  static final String KEYSPACE = "Samples";

  static final Family AS_NUMBERS = Family.standard(KEYSPACE, "NamesAsNumbers", "LongType");
  static final Family AS_TEXT = Family.standard(KEYSPACE, "NamesAsText", "UTF8Type");
  static final Family ADDRESSES =
      Family.ofSuperColumns(KEYSPACE, "Addresses", "UTF8Type", "UTF8Type");
  static final Family USER_PROFILE = Family.standard(KEYSPACE, "UserProfile", "UTF8Type");
  static final Family ADDRESS_BOOK =
      Family.ofSuperColumns(KEYSPACE, "AddressBook", "UTF8Type", "UTF8Type");

  private static final List<Family> FAMILIES =
      List.of(AS_NUMBERS, AS_TEXT, ADDRESSES, USER_PROFILE, ADDRESS_BOOK);

  private Samples() {}

  /** Creates the keyspace unless an earlier scenario has. */
  static void createIn(Calls calls) {
    if (!calls.hasKeyspace(KEYSPACE)) {
      calls.createKeyspace(KEYSPACE, FAMILIES);
    }
  }
}
