package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** However many families cache rows, their caches together stay within one limit. */
final class RowCacheShareTest {

  private static final long ALL = 1 << 20;

  private final ColumnFamilyStores families = new ColumnFamilyStores(1 << 20, ALL, new SimClock());

  private static List<ColumnFamily> definitions(int count) throws SchemaException {
    KeyspaceDefinition keyspace = KeyspaceDefinition.of("K");
    for (int i = 0; i < count; i++) {
      keyspace = keyspace.withFamily(FamilyDefinition.standard("", "F" + i, "BytesType"));
    }
    Schema schema =
        Schema.empty(ComparatorResolver.builtIns())
            .createKeyspace(keyspace, new SeededRandom(1), 1_000_000_000L)
            .after();
    return new ArrayList<>(schema.requireKeyspace("K").families().values());
  }

  private void add(ColumnFamily family, long wish) {
    families.addAll(
        List.of(new ColumnFamilyStore(family, new SimClock(), "d", List.of(), List.of(), 0, wish)));
  }

  private long capacity() {
    return families.all().stream().mapToLong(s -> s.rowCache().figures().capacity()).sum();
  }

  private long capacity(FamilyId family) {
    ColumnFamilyStore store = families.find(family);
    return store == null ? 0 : store.rowCache().figures().capacity();
  }

  @Test
  void aFewGetWhatTheyWish() throws SchemaException {
    List<ColumnFamily> all = definitions(2);
    add(all.get(0), ALL / 4);
    add(all.get(1), ALL / 2);
    assertEquals(ALL / 4, capacity(all.get(0).id()));
    assertEquals(ALL / 2, capacity(all.get(1).id()));
  }

  @Test
  void manyShareWhatThereIsAndGetMoreWhenOneIsDropped() throws SchemaException {
    List<ColumnFamily> all = definitions(50);
    for (ColumnFamily family : all) {
      add(family, ALL);
    }
    assertTrue(capacity() <= ALL, capacity() + " bytes of " + ALL);
    assertTrue(capacity() > ALL - 50, capacity() + " bytes of " + ALL);
    for (ColumnFamily family : all.subList(1, 50)) {
      var unused = families.remove(family.id());
    }
    assertEquals(ALL, capacity(all.get(0).id()));
  }

  @Test
  void theLimitGrowsAndShrinksWhileTheyAreUsed() throws SchemaException {
    List<ColumnFamily> all = definitions(2);
    add(all.get(0), 8 * ALL);
    add(all.get(1), ALL / 4);
    families.rowCacheBytesMax(4 * ALL);
    assertTrue(capacity() <= 4 * ALL && capacity() > 4 * ALL - 3, capacity() + " bytes");
    families.rowCacheBytesMax(ALL / 2);
    assertTrue(capacity() <= ALL / 2 && capacity() > ALL / 2 - 3, capacity() + " bytes");
    families.rowCacheBytesMax(0);
    assertEquals(0, capacity());
    assertTrue(families.all().stream().noneMatch(ColumnFamilyStore::cachesRows));
    families.rowCacheBytesMax(16 * ALL);
    assertEquals(8 * ALL, capacity(all.get(0).id()));
    assertEquals(ALL / 4, capacity(all.get(1).id()));
  }

  @Test
  void oneWithoutRowsToKeepTakesNothing() throws SchemaException {
    List<ColumnFamily> all = definitions(2);
    add(all.get(0), 0);
    add(all.get(1), 2 * ALL);
    assertEquals(0, capacity(all.get(0).id()));
    assertEquals(ALL, capacity(all.get(1).id()));
    ColumnFamilyStore changed = Objects.requireNonNull(families.find(all.get(0).id()));
    changed.updateDefinition(all.get(0), 2 * ALL);
    families.divideRowCaches();
    assertEquals(ALL, capacity());
  }
}
