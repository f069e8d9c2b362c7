package dev.colonnade.server.base.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.colonnade.internode.v1.KeyspaceDigest;
import dev.colonnade.internode.v1.SchemaPullRequest;
import org.junit.jupiter.api.Test;

/** What is accepted of the messages of other nodes, and how others are refused. */
final class MessageParserTest {

  private static final int BYTES_MAX = 1_000;
  private static final int FIELDS_MAX = 10;

  private final MessageParser<SchemaPullRequest> parser =
      new MessageParser<>(
          "a question", SchemaPullRequest.getDefaultInstance(), BYTES_MAX, FIELDS_MAX);

  private String refusal(byte[] body) {
    return String.valueOf(
        assertThrows(CorruptDataException.class, () -> parser.parse(body)).getMessage());
  }

  private static SchemaPullRequest.Builder withDigests(int count) {
    SchemaPullRequest.Builder message = SchemaPullRequest.newBuilder();
    for (int i = 0; i < count; i++) {
      message.addDigests(KeyspaceDigest.newBuilder().setKeyspace("K" + i));
    }
    return message;
  }

  @Test
  void aMessageWithinTheLimitsIsParsed() throws CorruptDataException {
    SchemaPullRequest message = withDigests(4).setAfter("a").setUpTo("z").build();
    assertEquals(message, parser.parse(message.toByteArray()));
    assertEquals(SchemaPullRequest.getDefaultInstance(), parser.parse(new byte[0]));
  }

  @Test
  void aMessageIsRefusedByItsBytes() {
    byte[] body =
        SchemaPullRequest.newBuilder().setAfter("x".repeat(BYTES_MAX)).build().toByteArray();
    assertTrue(refusal(body).contains("at most 1000 bytes"), refusal(body));
  }

  @Test
  void fieldsAreCountedOnAllLevels() throws CorruptDataException {
    // Five with one field each are ten; the next one is too many, wherever it stands.
    byte[] ten = withDigests(5).build().toByteArray();
    assertEquals(5, parser.parse(ten).getDigestsCount());
    byte[] outer = withDigests(5).setAfter("a").build().toByteArray();
    assertTrue(refusal(outer).contains("at most 10 fields"), refusal(outer));
    SchemaPullRequest.Builder inner = withDigests(5);
    inner.getDigestsBuilder(4).setDigest(ByteString.copyFrom(new byte[1]));
    assertTrue(refusal(inner.build().toByteArray()).contains("at most 10 fields"));
  }

  @Test
  void aFieldOfALaterVersionIsDropped() throws CorruptDataException {
    UnknownFieldSet later =
        UnknownFieldSet.newBuilder()
            .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
            .build();
    SchemaPullRequest message = SchemaPullRequest.newBuilder().setAfter("a").build();
    byte[] body = message.toBuilder().setUnknownFields(later).build().toByteArray();
    assertArrayEquals(message.toByteArray(), parser.parse(body).toByteArray());
  }

  @Test
  void bytesThatAreNoMessageAreRefused() {
    assertTrue(refusal(new byte[] {0}).contains("a question"), refusal(new byte[] {0}));
    // The end of a group that never began, a length behind the end, one below zero, other text.
    refusal(new byte[] {12});
    refusal(new byte[] {10, 100});
    refusal(new byte[] {26, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 15});
    refusal(new byte[] {10, 1, (byte) 0xFF});
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    DamagedMessages.read(withDigests(3).setAfter("a").build().toByteArray(), parser::parse);
  }

  @Test
  void checksSayWhatIsWrong() {
    CorruptDataException absent =
        assertThrows(CorruptDataException.class, () -> MessageParser.require("the family", false));
    assertEquals(
        "a message with a wrong part, the family: expected one, found none", absent.getMessage());
    assertThrows(CorruptDataException.class, () -> MessageParser.text("name", "abc", 2));
    assertThrows(
        CorruptDataException.class,
        () -> MessageParser.bytes("token", ByteString.copyFrom(new byte[3]), 2));
    assertThrows(CorruptDataException.class, () -> MessageParser.number("n", -1, 0, 9));
    assertThrows(CorruptDataException.class, () -> MessageParser.number("n", 10, 0, 9));
  }
}
