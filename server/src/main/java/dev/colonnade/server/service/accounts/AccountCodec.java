package dev.colonnade.server.service.accounts;

import com.google.protobuf.ByteString;
import dev.colonnade.internode.v1.AccountPage;
import dev.colonnade.internode.v1.AccountPullRequest;
import dev.colonnade.internode.v1.AccountPush;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import java.util.ArrayList;
import java.util.List;

/** Encodes what nodes tell each other of accounts as messages of {@code internode.proto}. */
final class AccountCodec {

  private static final int BYTES_MAX = 64 << 20;
  private static final int FIELDS_MAX = 5 * Accounts.FACTS_MAX + 16;
  private static final int NAME_MAX = 128;
  static final int FIELD_MAX = 512;
  static final int VALUE_MAX = 1 << 10;

  private static final MessageParser<AccountPush> PUSH =
      new MessageParser<>(
          "a change of accounts", AccountPush.getDefaultInstance(), BYTES_MAX, FIELDS_MAX);
  private static final MessageParser<AccountPullRequest> PULL =
      new MessageParser<>(
          "a request for accounts",
          AccountPullRequest.getDefaultInstance(),
          1 << 12,
          AccountFacts.PARTS + 16);
  private static final MessageParser<AccountPage> PAGE =
      new MessageParser<>(
          "a page of accounts", AccountPage.getDefaultInstance(), BYTES_MAX, FIELDS_MAX);

  private AccountCodec() {}

  /** A request for facts of the parts whose digests differ. */
  @SuppressWarnings("ArrayRecordComponent") // not compared
  record Pull(long[] digests, String after) {}

  static byte[] encodePush(List<AccountFact> facts) {
    return AccountPush.newBuilder().addAllFacts(messages(facts)).build().toByteArray();
  }

  static List<AccountFact> decodePush(byte[] body) throws CorruptDataException {
    return facts(PUSH.parse(body).getFactsList());
  }

  static byte[] encodePull(long[] digests, String after) {
    AccountPullRequest.Builder message = AccountPullRequest.newBuilder().setAfter(after);
    for (long digest : digests) {
      message.addDigests(digest);
    }
    return message.build().toByteArray();
  }

  static Pull decodePull(byte[] body) throws CorruptDataException {
    AccountPullRequest message = PULL.parse(body);
    if (message.getDigestsCount() != AccountFacts.PARTS) {
      throw CorruptDataException.inMessage(
          "digests of accounts", "" + AccountFacts.PARTS, "" + message.getDigestsCount());
    }
    long[] digests = new long[AccountFacts.PARTS];
    for (int i = 0; i < digests.length; i++) {
      digests[i] = message.getDigests(i);
    }
    return new Pull(digests, name(message.getAfter()));
  }

  static byte[] encodePage(AccountFacts.Page page) {
    return AccountPage.newBuilder()
        .addAllFacts(messages(page.facts()))
        .setReached(page.reached())
        .build()
        .toByteArray();
  }

  static AccountFacts.Page decodePage(byte[] body) throws CorruptDataException {
    AccountPage message = PAGE.parse(body);
    MessageParser.require("the account that was reached", message.hasReached());
    return new AccountFacts.Page(facts(message.getFactsList()), name(message.getReached()));
  }

  private static List<dev.colonnade.internode.v1.AccountFact> messages(List<AccountFact> facts) {
    List<dev.colonnade.internode.v1.AccountFact> messages = new ArrayList<>(facts.size());
    for (AccountFact fact : facts) {
      messages.add(
          dev.colonnade.internode.v1.AccountFact.newBuilder()
              .setAccount(fact.account())
              .setField(fact.field())
              .setVersion(fact.version())
              .setValue(ByteString.copyFrom(fact.value()))
              .build());
    }
    return messages;
  }

  private static List<AccountFact> facts(List<dev.colonnade.internode.v1.AccountFact> messages)
      throws CorruptDataException {
    List<AccountFact> facts = new ArrayList<>(messages.size());
    for (dev.colonnade.internode.v1.AccountFact message : messages) {
      MessageParser.require("the account of a fact", !message.getAccount().isEmpty());
      MessageParser.require("the field of a fact", !message.getField().isEmpty());
      facts.add(
          new AccountFact(
              name(message.getAccount()),
              MessageParser.text("field of an account", message.getField(), FIELD_MAX),
              MessageParser.number(
                  "version of a fact", message.getVersion(), 1, Long.MAX_VALUE - 1),
              MessageParser.bytes("value of a fact", message.getValue(), VALUE_MAX)));
    }
    return facts;
  }

  private static String name(String name) throws CorruptDataException {
    return MessageParser.text("name of an account", name, NAME_MAX);
  }
}
