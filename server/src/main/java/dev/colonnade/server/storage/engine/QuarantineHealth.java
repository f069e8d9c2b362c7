package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;

/** Reports for each family whether files of it are quarantined. Thread-safe. */
final class QuarantineHealth {

  private final Health health;

  QuarantineHealth(Health health) {
    this.health = health;
  }

  /** The family's quarantine may have changed. */
  void follow(ColumnFamilyStore store) {
    String family = store.definition().qualifiedName();
    long damaged = 0;
    long records = 0;
    for (Quarantined file : store.view().quarantined()) {
      if (file.hasRecords()) {
        records += file.records();
      } else {
        damaged++;
      }
    }
    if (damaged > 0) {
      health.raise(Condition.DAMAGED_FILES, family, Impact.NOTICE, damaged + " damaged data files");
    } else {
      health.clear(Condition.DAMAGED_FILES, family);
    }
    if (records > 0) {
      health.raise(
          Condition.SET_ASIDE_RECORDS,
          family,
          Impact.NOTICE,
          records + " writes could not be applied and are set aside");
    } else {
      health.clear(Condition.SET_ASIDE_RECORDS, family);
    }
  }
}
