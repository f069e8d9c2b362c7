package dev.colonnade.server.service.schemasync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaChange;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.node.platform.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Two schemas, one of which fetches what the other one has, as nodes do by messages. */
final class SchemaPullTest {

  private static final int FEW = 300;

  private final RandomSource random = new SeededRandom(5);
  private final List<Integer> pageBytes = new ArrayList<>();
  private final List<String> sent = new ArrayList<>();

  private static Schema none() {
    return Schema.empty(ComparatorResolver.builtIns());
  }

  /** With a family whose comment has a given number of bytes. */
  private Schema with(Schema schema, String keyspace, int bytes) throws SchemaException {
    return schema
        .createKeyspace(
            KeyspaceDefinition.of(keyspace)
                .withFamily(
                    FamilyDefinition.standard(keyspace, "F", "UTF8Type")
                        .with(FamilyField.COMMENT, "x".repeat(bytes))),
            random,
            7)
        .after();
  }

  private Schema withFew(int bytes) throws SchemaException {
    Schema schema = none();
    for (int i = 0; i < FEW; i++) {
      schema = with(schema, "K" + i, bytes);
    }
    return schema;
  }

  /** The schema of a node with {@code known} after it has fetched from one with {@code there}. */
  private Schema pulled(Schema known, Schema there) throws CorruptDataException {
    Schema merged = known;
    String after = "";
    do {
      byte[] asked = SchemaCodec.encode(SchemaPull.Query.about(merged, after));
      byte[] answer =
          SchemaCodec.encode(SchemaPull.SchemaPage.of(there, SchemaCodec.decodeQuery(asked)));
      SchemaPull.SchemaPage page = SchemaCodec.decodePage(answer);
      pageBytes.add(answer.length);
      page.rows().forEach(row -> sent.add(row.keyspace()));
      assertTrue(page.reached().isEmpty() || page.reached().compareTo(after) > 0);
      merged = merged.mergeAll(page.rows(), refused -> {}).after();
      after = page.reached();
    } while (!after.isEmpty());
    return merged;
  }

  @Test
  void aNodeThatHasNothingIsSentAllInPagesOfABoundedSize() throws Exception {
    Schema there = withFew(10_000);

    assertEquals(there.version(), pulled(none(), there).version());

    assertTrue(pageBytes.size() >= 3, pageBytes.toString());
    assertTrue(pageBytes.stream().allMatch(bytes -> bytes < (1 << 20) + 30_000));
    assertEquals(FEW, sent.size());
  }

  @Test
  void aNodeThatMissedOneChangeIsSentThatKeyspaceAlone() throws Exception {
    Schema before = withFew(10);
    Schema there = with(before.dropKeyspace("K7", 9).after(), "New", 10);

    assertEquals(there.version(), pulled(before, there).version());

    assertEquals(List.of("K7", "New"), sent);
    assertEquals(1, pageBytes.size());
    sent.clear();
    assertEquals(there.version(), pulled(there, before).version());
    assertEquals(List.of("K7"), sent, "the other has less of it, which is no difference to it");
  }

  @Test
  void moreKeyspacesThanOneQuestionNamesAreAskedAboutInSeveral() throws Exception {
    List<SchemaRow> rows =
        IntStream.range(0, SchemaPull.ASKED_MAX + 50)
            .mapToObj(i -> rowOf("K" + i))
            .collect(Collectors.toList());
    Schema there = none().mergeAll(rows, refused -> {}).after();
    rows.remove(3);
    rows.remove(rows.size() - 1);
    Schema known = none().mergeAll(rows, refused -> {}).after();

    assertEquals(there.version(), pulled(known, there).version());

    assertEquals(2, sent.size());
    assertEquals(2, pageBytes.size());
    sent.clear();
    assertEquals(there.version(), pulled(there, none()).version());
    assertEquals(List.of(), sent);
  }

  private SchemaRow rowOf(String name) {
    try {
      return with(none(), name, 1).row(name);
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aKeyspaceThatFitsNoMessageIsRefusedWhenItIsAskedFor() throws Exception {
    Schema known = with(none(), "K", 10);
    KeyspaceDefinition large = KeyspaceDefinition.of("L");
    for (int i = 0; i < 450; i++) {
      large =
          large.withFamily(
              FamilyDefinition.standard("L", "F" + i, "UTF8Type")
                  .with(FamilyField.COMMENT, "x".repeat(10_000)));
    }
    SchemaChange change = known.createKeyspace(large, random, 8);

    SchemaException refused = assertThrows(SchemaException.class, change::requireSize);

    assertEquals(SchemaException.SchemaErrorKind.INVALID, refused.kind());
    assertTrue(refused.toString().contains("4194304"), refused.toString());
    known.dropKeyspace("K", 9).requireSize();
  }
}
