package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/** Opens families, changes their options and drops them, as the schema changes. Thread-safe. */
final class FamilyChanges {

  private final Environment environment;
  private final ColumnFamilyStores families;
  private final WritePipeline pipeline;
  private final LiveFileSet liveFiles;
  private final Compactor compactor;

  FamilyChanges(
      Environment environment,
      ColumnFamilyStores families,
      WritePipeline pipeline,
      LiveFileSet liveFiles,
      Compactor compactor) {
    this.environment = environment;
    this.families = families;
    this.pipeline = pipeline;
    this.liveFiles = liveFiles;
    this.compactor = compactor;
  }

  /** {@link StorageEngine#addFamilies}. */
  void add(Collection<ColumnFamily> added) throws IOException {
    families.addAll(StorageOpening.newStores(environment, added));
  }

  /** {@link StorageEngine#updateFamily}. */
  void update(ColumnFamily family) {
    ColumnFamilyStore store = families.find(family.id());
    if (store != null) {
      long rowCacheBytes = StorageOpening.rowCacheBytes(family);
      Then.whenDone(
          pipeline.run(reached -> store.updateDefinition(family, rowCacheBytes)),
          (done, failure) -> {
            if (failure == null) {
              families.divideRowCaches();
              compactor.consider(store);
            } else {
              Errors.report(
                  "the options of "
                      + family.qualifiedName()
                      + " take effect only at the next start",
                  failure);
            }
          });
    }
  }

  /** {@link StorageEngine#dropFamily}. */
  CompletableFuture<Void> drop(FamilyId family) {
    return families
        .remove(family)
        .map(liveFiles::dropped)
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }
}
