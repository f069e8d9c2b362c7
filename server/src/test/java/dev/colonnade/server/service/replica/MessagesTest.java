package dev.colonnade.server.service.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.service.consistency.MutationMessage;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Messages of coordinators survive encoding and decoding, and no other bytes are accepted as one.
 */
class MessagesTest {

  /** Reads a message. */
  private interface Decoder {
    Object decode(byte[] body) throws CorruptDataException;
  }

  private static final RowKey KEY = new RowKey(bytes("token"), bytes("key"));

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A shorter or longer message is refused. */
  private static void assertExact(byte[] body, Decoder decoder) {
    for (int length = 0; length < body.length; length++) {
      byte[] shorter = Arrays.copyOf(body, length);
      assertThrows(CorruptDataException.class, () -> decoder.decode(shorter));
    }
    byte[] longer = Arrays.copyOf(body, body.length + 1);
    assertThrows(CorruptDataException.class, () -> decoder.decode(longer));
  }

  @Test
  void writes() throws Exception {
    assertWritten(0);
  }

  @Test
  void writesToAFamilyThatWasTruncated() throws Exception {
    assertWritten(1_767_225_600_000_001L);
  }

  private static void assertWritten(long truncation) throws Exception {
    Cell cell = Cell.live(bytes("c"), null, bytes("v"), 7);
    Mutation mutation =
        new Mutation(
            KEY,
            List.of(
                new Mutation.FamilyMutation(
                    new FamilyId(1, 2),
                    RowUpdate.ofCanonical(new DeletionTime(3, 4), List.of(), List.of(cell)),
                    truncation)),
            9);
    for (boolean durable : List.of(true, false)) {
      byte[] body = new MutationMessage(mutation, durable).encode();
      MutationMessage read = MutationMessage.decode(body);
      assertEquals(durable, read.durable());
      assertEquals(KEY, read.mutation().key());
      assertEquals(9, read.mutation().nowSeconds());
      assertEquals(truncation, read.mutation().updates().get(0).truncation());
      assertEquals(List.of(cell), read.mutation().updates().get(0).update().cells());
      assertExact(body, MutationMessage::decode);
    }
  }

  @Test
  void digests() throws Exception {
    byte[] body = DigestMessage.encode(new Hash128(-5, 6));
    assertEquals(new Hash128(-5, 6), DigestMessage.decode(body));
    assertExact(body, DigestMessage::decode);
  }

  @Test
  void touches() throws Exception {
    TouchMessage message = new TouchMessage(new FamilyId(1, 2), true, List.of(KEY));
    assertEquals(message, TouchMessage.decode(message.encode()));
    assertExact(message.encode(), TouchMessage::decode);

    BitSet found = new BitSet();
    found.set(1);
    assertEquals(found, TouchMessage.decodeAnswer(TouchMessage.encodeAnswer(found, 3), 3));
  }
}
