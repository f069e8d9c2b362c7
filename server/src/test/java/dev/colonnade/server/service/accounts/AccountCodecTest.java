package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import dev.colonnade.internode.v1.AccountPage;
import dev.colonnade.internode.v1.AccountPullRequest;
import dev.colonnade.internode.v1.AccountPush;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages about accounts survive encoding and decoding; others are refused. */
final class AccountCodecTest {

  private static final List<AccountFact> FACTS =
      List.of(
          new AccountFact("bob", AccountField.KIND, 7, new byte[] {1, 2}),
          new AccountFact("bob", AccountField.LOCKED, Long.MAX_VALUE - 1, new byte[0]));

  private static long[] digests() {
    long[] digests = new long[AccountFacts.PARTS];
    digests[3] = -5;
    return digests;
  }

  @Test
  void messagesComeBackAsTheyWere() throws Exception {
    assertEquals(FACTS, AccountCodec.decodePush(AccountCodec.encodePush(FACTS)));
    AccountCodec.Pull pull = AccountCodec.decodePull(AccountCodec.encodePull(digests(), "bob"));
    assertEquals("bob", pull.after());
    assertArrayEquals(digests(), pull.digests());
    AccountFacts.Page page = new AccountFacts.Page(FACTS, "bob");
    assertEquals(page, AccountCodec.decodePage(AccountCodec.encodePage(page)));
  }

  private static void assertRefused(dev.colonnade.internode.v1.AccountFact.Builder fact) {
    byte[] body = AccountPush.newBuilder().addFacts(fact).build().toByteArray();
    assertThrows(CorruptDataException.class, () -> AccountCodec.decodePush(body), fact.toString());
  }

  private static dev.colonnade.internode.v1.AccountFact.Builder good() {
    return dev.colonnade.internode.v1.AccountFact.newBuilder()
        .setAccount("bob")
        .setField("kind")
        .setVersion(1);
  }

  @Test
  void whatIsAbsentOrTooLongIsRefused() {
    assertRefused(good().clearAccount());
    assertRefused(good().clearField());
    assertRefused(good().clearVersion());
    assertRefused(good().setVersion(-1));
    assertRefused(good().setVersion(Long.MAX_VALUE));
    assertRefused(good().setAccount("x".repeat(129)));
    assertRefused(good().setField("x".repeat(513)));
    assertRefused(good().setValue(ByteString.copyFrom(new byte[1025])));
    byte[] few = AccountPullRequest.newBuilder().addDigests(1).build().toByteArray();
    assertThrows(CorruptDataException.class, () -> AccountCodec.decodePull(few));
    byte[] noReach = AccountPage.getDefaultInstance().toByteArray();
    assertThrows(CorruptDataException.class, () -> AccountCodec.decodePage(noReach));
  }

  @Test
  void otherBytesAreRefusedAndNothingElseHappens() {
    DamagedMessages.read(AccountCodec.encodePush(FACTS), AccountCodec::decodePush);
    DamagedMessages.read(AccountCodec.encodePull(digests(), "bob"), AccountCodec::decodePull);
    DamagedMessages.read(
        AccountCodec.encodePage(new AccountFacts.Page(FACTS, "bob")), AccountCodec::decodePage);
  }
}
