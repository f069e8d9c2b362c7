package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.service.coordinator.RowStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What a list of operations is run against: a store under some configuration, or the model. */
abstract class Target {

  /** How a store comes to be opened again. */
  enum Restart {
    /** In order, as SIGTERM does. */
    STOP,
    /** The process ends; what it wrote stays with the system. */
    KILL,
    /** The machine ends; what was not synced is gone. In periodic mode this is a KILL. */
    POWER_CUT
  }

  private final Map<Integer, Streams.Place> places = new HashMap<>();

  /** Where streams stand that may be gone on with, by their number. */
  final Map<Integer, Streams.Place> places() {
    return places;
  }

  abstract RowStore rows();

  abstract ColumnFamily family(Families.Shape shape);

  abstract RowKey key(int number);

  abstract long nowSeconds();

  abstract <T> T await(CompletableFuture<T> future);

  abstract void flush(Families.Shape shape);

  abstract void compact(Families.Shape shape);

  abstract void truncate(Families.Shape shape);

  abstract void recreate(Families.Shape shape);

  abstract void change(Families.Shape shape, FamilyField field, String value);

  abstract void restart(Restart how) throws Exception;

  abstract void pass(Duration time);
}
