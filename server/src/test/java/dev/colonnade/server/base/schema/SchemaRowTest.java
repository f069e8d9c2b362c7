package dev.colonnade.server.base.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.node.platform.SeededRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The schema as rows of cells: what is stored is what is served, in whatever order it arrives. */
class SchemaRowTest {

  private static final long SEED = 411L;
  private static final ComparatorResolver TYPES = ComparatorResolver.builtIns();

  private final RandomSource random = new SeededRandom(SEED);
  private final Schema empty = Schema.empty(TYPES);

  @Test
  void changesConvergeInEveryOrder() throws SchemaException {
    List<SchemaRow> changes = new ArrayList<>();
    Schema schema = empty;
    FamilyDefinition posts = FamilyDefinition.standard("K", "Posts", "LongType");
    SchemaChange change =
        schema.createKeyspace(KeyspaceDefinition.of("K").withFamily(posts), random, 10);
    changes.add(change.rows().get(0));
    schema = change.after();
    change = schema.updateFamily(posts.with(FamilyField.COMMENT, "x"), Set.of(), 11);
    changes.add(change.rows().get(0));
    schema = change.after();
    change = schema.dropFamily("K", "Posts", 12);
    changes.add(change.rows().get(0));
    schema = change.after();
    change = schema.createFamily(FamilyDefinition.of("K", "Posts"), random, 13);
    changes.add(change.rows().get(0));
    schema = change.after();
    change =
        schema.updateKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(2), Set.of(), 14);
    changes.add(change.rows().get(0));
    schema = change.after();

    Random shuffler = new Random(SEED);
    for (int round = 0; round < 50; round++) {
      Collections.shuffle(changes, shuffler);
      List<SchemaRow> some = new ArrayList<>(changes);
      some.addAll(changes.subList(0, 2));
      Schema loaded = Schema.load(some, TYPES);
      assertEquals(schema.version(), loaded.version(), "seed " + SEED + ", round " + round);
      assertEquals(schema.requireKeyspace("K"), loaded.requireKeyspace("K"));
    }
  }

  @Test
  void versionsTellSchemasApartAndAreDeterministic() throws SchemaException {
    Schema a = empty.createKeyspace(KeyspaceDefinition.of("K"), random, 10).after();
    Schema b = empty.createKeyspace(KeyspaceDefinition.of("K"), random, 10).after();
    Schema c = empty.createKeyspace(KeyspaceDefinition.of("L"), random, 10).after();
    assertEquals(a.version(), b.version());
    assertNotEquals(a.version(), c.version());
    assertNotEquals(a.version(), empty.version());
    assertTrue(a.version().matches("[0-9a-f]{32}"), a.version());
  }

  @Test
  void ofTwoFamiliesMadeAtOnceTheEarlierKeepsTheName() throws SchemaException {
    Schema k = empty.createKeyspace(KeyspaceDefinition.of("K"), random, 10).after();
    SchemaChange early =
        k.createFamily(FamilyDefinition.standard("K", "F", "LongType"), random, 20);
    SchemaChange late = k.createFamily(FamilyDefinition.standard("K", "F", "UTF8Type"), random, 21);
    for (List<SchemaRow> order :
        List.of(
            List.of(early.rows().get(0), late.rows().get(0)),
            List.of(late.rows().get(0), early.rows().get(0)))) {
      Schema merged = k.merge(order.get(0)).merge(order.get(1));
      ColumnFamily winner = merged.requireFamily("K", "F");
      assertEquals(ColumnComparators.LONG, winner.compareWith());
      assertEquals(
          List.of(late.after().requireFamily("K", "F").id()),
          merged.setAside().stream().map(ColumnFamily::id).toList());
    }
  }

  @Test
  void droppingAKeyspaceHidesEverythingBeforeItAndNothingAfter() throws SchemaException {
    Schema k =
        empty
            .createKeyspace(
                KeyspaceDefinition.of("K").withFamily(FamilyDefinition.of("", "Old")), random, 10)
            .after();
    // The clock went back: what follows must still come after what was.
    SchemaChange drop = k.dropKeyspace("K", 3);
    assertTrue(drop.after().keyspace("K").isEmpty());
    SchemaChange again = drop.after().createKeyspace(KeyspaceDefinition.of("K"), random, 3);
    assertTrue(again.after().requireKeyspace("K").families().isEmpty());
    Schema loaded =
        Schema.load(List.of(again.rows().get(0), drop.rows().get(0), k.row("K")), TYPES);
    assertEquals(again.after().version(), loaded.version());
  }

  @Test
  void aStoredComparatorThatIsGoneIsToldWithItsName() throws SchemaException {
    SchemaRow stored =
        empty
            .createKeyspace(
                KeyspaceDefinition.of("K").withFamily(FamilyDefinition.of("", "F")), random, 10)
            .rows()
            .get(0);
    ComparatorResolver forgetful =
        name -> {
          throw new PlugInException("no class " + name);
        };
    SchemaException refusal =
        assertThrows(SchemaException.class, () -> Schema.load(List.of(stored), forgetful));
    assertTrue(String.valueOf(refusal.getMessage()).contains("BytesType"), refusal.getMessage());
  }
}
