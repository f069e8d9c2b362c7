package dev.colonnade.server.engine;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.commitlog.CommitLog;
import dev.colonnade.server.manifest.Edit;
import dev.colonnade.server.manifest.Manifest;
import dev.colonnade.server.manifest.ManifestFile;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.LogPosition;
import dev.colonnade.server.sstable.SSTable;
import dev.colonnade.server.sstable.SSTableIdentity;
import dev.colonnade.server.sstable.SSTableResources;
import dev.colonnade.server.sstable.SSTableWriter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what earlier runs left in the commit log into memtables. The heap may be smaller now than
 * it was then, so memtables that grow too large on the way are written to files at once.
 *
 * <p>For one thread, while the store is being opened. Blocks.
 */
final class Replay {

  private static final Logger LOG = LoggerFactory.getLogger(Replay.class);

  /** How many bytes of records may come before memtables are measured again. */
  private static final long CHECK_EVERY_BYTES = 1 << 18;

  private final Families families;
  private final Manifest manifest;
  private final SSTableResources resources;
  private final Map<FamilyId, LogPosition> flushed = new LinkedHashMap<>();
  private long bytesSinceCheck;

  Replay(Families families, Manifest manifest, SSTableResources resources) {
    this.families = families;
    this.manifest = manifest;
    this.resources = resources;
  }

  /** Takes what is not in a file yet; says whom it is for, so that the segment stays. */
  Set<FamilyId> record(LogPosition position, ByteReader payload) throws IOException {
    bytesSinceCheck += payload.remaining();
    Mutation mutation = MutationCodec.read(payload);
    Set<FamilyId> taken = new LinkedHashSet<>();
    for (Mutation.Part part : mutation.updates()) {
      FamilyStore store = families.find(part.family());
      if (store != null && position.compareTo(manifest.family(part.family()).flushedUpTo()) > 0) {
        store.apply(mutation.key(), part.update());
        taken.add(part.family());
      }
    }
    if (bytesSinceCheck >= CHECK_EVERY_BYTES) {
      bytesSinceCheck = 0;
      for (FamilyStore store : families.toRelieve()) {
        flush(store, position);
      }
    }
    return taken;
  }

  private void flush(FamilyStore store, LogPosition position) throws IOException {
    store.switchMemtable(position, FlushReason.SIZE);
    FamilyView.Flushing full = store.view().flushing().get(0);
    SSTableIdentity identity =
        new SSTableIdentity(
            store.directory(),
            store.nextGeneration(),
            store.id(),
            manifest.identity().partitioner(),
            store.order());
    SSTable written =
        MemtableFile.write(
            full.memtable(), store.order(), SSTableWriter.create(resources, identity));
    List<SSTable> added = written == null ? List.of() : List.of(written);
    List<ManifestFile> live =
        written == null ? List.of() : List.of(LiveFiles.liveFile(identity.generation()));
    manifest.apply(Edit.flush(store.id(), live, position));
    store.updateView(view -> view.flushed(full, added));
    store.counters().flushed(full.reason());
    flushed.put(store.id(), position);
    LOG.info(
        "wrote {} to disk while the commit log was replayed", store.definition().qualifiedName());
  }

  /**
   * Brings the schema to disk if the log had something of it: a change that was on its way when the
   * last run ended. Nothing may be written to a family before the family itself is in a file, since
   * the next start looks there for what is known, and takes other files for strays.
   */
  void settleSchema(FamilyStore schema, LogPosition end) throws IOException {
    if (!schema.view().active().isEmpty()) {
      flush(schema, end);
    }
  }

  /** Tells the log, once it is open, what it need not keep. */
  void report(CommitLog log) throws IOException {
    for (Map.Entry<FamilyId, LogPosition> family : flushed.entrySet()) {
      log.flushed(family.getKey(), family.getValue());
    }
  }
}
