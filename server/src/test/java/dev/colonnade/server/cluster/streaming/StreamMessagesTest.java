package dev.colonnade.server.cluster.streaming;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import dev.colonnade.internode.v1.Id128;
import dev.colonnade.internode.v1.StreamCloseRequest;
import dev.colonnade.internode.v1.StreamOpenRequest;
import dev.colonnade.internode.v1.StreamRequest;
import dev.colonnade.internode.v1.StreamTotals;
import dev.colonnade.internode.v1.TokenSpan;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of streams survive encoding and decoding; others are refused. */
final class StreamMessagesTest {
  private static final StreamId ID = new StreamId(-1, 7);
  private static final FamilyId FAMILY = new FamilyId(3, 4);
  private static final StreamMessages.StreamOpen OPEN =
      new StreamMessages.StreamOpen(ID, FAMILY, 7, "a test", 1L << 40);
  private static final StreamMessages.Close COMPLETE = StreamMessages.Close.complete(ID, 5, 6);
  private static final StreamMessages.Close EARLY = StreamMessages.Close.early(ID, "no");
  private static final StreamMessages.Wanted WANTED =
      new StreamMessages.Wanted(
          ID,
          FAMILY,
          List.of(
              new TokenRange(new byte[] {1}, new byte[] {2, 3}),
              new TokenRange(new byte[0], new byte[0])),
          "a test");

  @Test
  void messagesComeBackAsTheyWere() throws CorruptDataException {
    assertEquals(OPEN, StreamCodec.decodeOpen(StreamCodec.encode(OPEN)));
    assertEquals(COMPLETE, StreamCodec.decodeClose(StreamCodec.encode(COMPLETE)));
    assertEquals(EARLY, StreamCodec.decodeClose(StreamCodec.encode(EARLY)));
    assertEquals(WANTED, StreamCodec.decodeWanted(StreamCodec.encode(WANTED)));
  }

  @Test
  void longTextsAreShortenedToWhatTheOtherSideTakes() throws CorruptDataException {
    StreamMessages.Close close = StreamMessages.Close.early(ID, "é".repeat(100_000));
    assertEquals("é".repeat(1_024), StreamCodec.decodeClose(StreamCodec.encode(close)).failure());
  }

  @Test
  void anOpeningWithoutOneOfItsPartsIsRefused() throws CorruptDataException {
    StreamOpenRequest whole =
        StreamOpenRequest.newBuilder()
            .setStream(Id128.getDefaultInstance())
            .setFamily(Id128.getDefaultInstance())
            .build();
    StreamCodec.decodeOpen(whole.toByteArray());
    for (StreamOpenRequest.Builder wrong :
        List.of(
            whole.toBuilder().clearStream(),
            whole.toBuilder().clearFamily(),
            whole.toBuilder().setTruncation(-1),
            whole.toBuilder().setFileBytes(-1),
            whole.toBuilder().setPurpose("x".repeat(4_097)))) {
      byte[] body = wrong.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> StreamCodec.decodeOpen(body));
    }
  }

  @Test
  void anEndThatDoesNotSayHowTheStreamEndsIsRefused() throws CorruptDataException {
    StreamCloseRequest whole =
        StreamCloseRequest.newBuilder()
            .setStream(Id128.getDefaultInstance())
            .setComplete(StreamTotals.getDefaultInstance())
            .build();
    StreamCodec.decodeClose(whole.toByteArray());
    for (StreamCloseRequest.Builder wrong :
        List.of(
            whole.toBuilder().clearStream(),
            whole.toBuilder().clearOutcome(),
            whole.toBuilder().setComplete(StreamTotals.newBuilder().setChunks(-1)),
            whole.toBuilder().setComplete(StreamTotals.newBuilder().setRows(-1)))) {
      byte[] body = wrong.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> StreamCodec.decodeClose(body));
    }
  }

  @Test
  void anEarlyEndIsNeverTakenForAWholeStream() throws CorruptDataException {
    StreamCloseRequest message =
        StreamCloseRequest.newBuilder()
            .setStream(Id128.getDefaultInstance())
            .setFailure("")
            .build();
    assertEquals("no reason was given", StreamCodec.decodeClose(message.toByteArray()).failure());
  }

  @Test
  void aRequestWithoutOneOfItsPartsOrWithTooManyRangesIsRefused() throws CorruptDataException {
    StreamRequest whole =
        StreamRequest.newBuilder()
            .setStream(Id128.getDefaultInstance())
            .setFamily(Id128.getDefaultInstance())
            .build();
    StreamCodec.decodeWanted(whole.toByteArray());
    StreamRequest.Builder many = whole.toBuilder();
    for (int i = 0; i <= 1 << 16; i++) {
      many.addRanges(TokenSpan.getDefaultInstance());
    }
    ByteString token = ByteString.copyFrom(new byte[(1 << 20) + 1]);
    for (StreamRequest.Builder wrong :
        List.of(
            whole.toBuilder().clearStream(),
            whole.toBuilder().clearFamily(),
            whole.toBuilder().addRanges(TokenSpan.newBuilder().setEnd(token)),
            many)) {
      byte[] body = wrong.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> StreamCodec.decodeWanted(body));
    }
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    DamagedMessages.read(StreamCodec.encode(OPEN), StreamCodec::decodeOpen);
    DamagedMessages.read(StreamCodec.encode(COMPLETE), StreamCodec::decodeClose);
    DamagedMessages.read(StreamCodec.encode(EARLY), StreamCodec::decodeClose);
    DamagedMessages.read(StreamCodec.encode(WANTED), StreamCodec::decodeWanted);
  }

  @Test
  void aChunkWithAnyOtherBitIsDamaged() throws CorruptDataException {
    byte[] rows = {1, 2, 3};
    byte[] encoded = new StreamMessages.StreamChunk(ID, 9, rows).encode();
    StreamMessages.StreamChunk read = StreamMessages.StreamChunk.decode(encoded);
    assertEquals(ID, read.id());
    assertEquals(9, read.number());
    assertArrayEquals(rows, read.rows());
    for (int bit = 0; bit < 8 * encoded.length; bit++) {
      byte[] changed = encoded.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThrows(
          CorruptDataException.class,
          () -> StreamMessages.StreamChunk.decode(changed),
          "bit " + bit);
    }
    for (int length = 0; length < encoded.length; length++) {
      byte[] cut = Arrays.copyOf(encoded, length);
      assertThrows(CorruptDataException.class, () -> StreamMessages.StreamChunk.decode(cut));
    }
  }
}
