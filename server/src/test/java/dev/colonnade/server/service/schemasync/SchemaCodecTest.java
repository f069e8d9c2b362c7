package dev.colonnade.server.service.schemasync;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.internode.v1.KeyspaceDigest;
import dev.colonnade.internode.v1.SchemaPullRequest;
import dev.colonnade.internode.v1.SchemaPullResponse;
import dev.colonnade.internode.v1.SchemaPush;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.schema.SchemaRow;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Messages of the schema survive encoding and decoding; others are refused. */
final class SchemaCodecTest {

  private static final List<SchemaRow> ROWS =
      List.of(
          new SchemaRow("Dropped", new DeletionTime(8, 1), List.of()),
          new SchemaRow(
              "K",
              DeletionTime.NONE,
              List.of(Cell.live(bytes("keyspace"), bytes("name"), bytes("K"), 5))));

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static SchemaPull.Query query() {
    TreeMap<String, byte[]> digests = new TreeMap<>();
    digests.put("K", new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    digests.put("é", new byte[16]);
    return new SchemaPull.Query("A", "z", digests);
  }

  @Test
  void rowsComeBackAsTheyWere() throws Exception {
    assertEquals(ROWS, SchemaCodec.decodeRows(SchemaCodec.encode(ROWS)));
    assertEquals(List.of(), SchemaCodec.decodeRows(SchemaCodec.encode(List.of())));
  }

  @Test
  void questionsComeBackAsTheyWere() throws Exception {
    SchemaPull.Query read = SchemaCodec.decodeQuery(SchemaCodec.encode(query()));
    assertEquals("A", read.after());
    assertEquals("z", read.upTo());
    assertEquals(query().digests().keySet(), read.digests().keySet());
    query()
        .digests()
        .forEach((name, digest) -> assertArrayEquals(digest, read.digests().get(name)));
  }

  @Test
  void pagesComeBackAsTheyWere() throws Exception {
    for (String reached : List.of("", "K")) {
      SchemaPull.SchemaPage page = new SchemaPull.SchemaPage(ROWS, reached);
      assertEquals(page, SchemaCodec.decodePage(SchemaCodec.encode(page)));
    }
  }

  @Test
  void aPageThatDoesNotSayHowFarItReachesIsRefused() {
    byte[] page = SchemaPullResponse.getDefaultInstance().toByteArray();
    CorruptDataException refused =
        assertThrows(CorruptDataException.class, () -> SchemaCodec.decodePage(page));
    assertTrue(String.valueOf(refused.getMessage()).contains("reached"), refused.toString());
  }

  @Test
  void aRowThatIsNoMutationOfTheSchemaIsRefused() {
    byte[] body =
        SchemaPush.newBuilder().addRows(ByteString.copyFromUtf8("row")).build().toByteArray();
    assertThrows(CorruptDataException.class, () -> SchemaCodec.decodeRows(body));
  }

  @Test
  void digestsOfAnotherLengthAndTwoOfOneKeyspaceAreRefused() {
    KeyspaceDigest digest =
        KeyspaceDigest.newBuilder()
            .setKeyspace("K")
            .setDigest(ByteString.copyFrom(new byte[16]))
            .build();
    for (SchemaPullRequest.Builder wrong :
        List.of(
            SchemaPullRequest.newBuilder().addDigests(digest).addDigests(digest),
            SchemaPullRequest.newBuilder()
                .addDigests(digest.toBuilder().setDigest(ByteString.copyFrom(new byte[15]))),
            SchemaPullRequest.newBuilder().addDigests(digest.toBuilder().clearDigest()),
            SchemaPullRequest.newBuilder().setAfter("x".repeat(1_025)))) {
      byte[] body = wrong.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> SchemaCodec.decodeQuery(body));
    }
  }

  @Test
  void moreDigestsThanOneQuestionHasAreRefused() {
    SchemaPullRequest.Builder many = SchemaPullRequest.newBuilder();
    for (int i = 0; i <= SchemaPull.ASKED_MAX; i++) {
      many.addDigests(
          KeyspaceDigest.newBuilder()
              .setKeyspace("K" + i)
              .setDigest(ByteString.copyFrom(new byte[16])));
    }
    byte[] body = many.build().toByteArray();
    assertThrows(CorruptDataException.class, () -> SchemaCodec.decodeQuery(body));
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    DamagedMessages.read(SchemaCodec.encode(ROWS), SchemaCodec::decodeRows);
    DamagedMessages.read(SchemaCodec.encode(query()), SchemaCodec::decodeQuery);
    DamagedMessages.read(
        SchemaCodec.encode(new SchemaPull.SchemaPage(ROWS, "K")), SchemaCodec::decodePage);
  }
}
