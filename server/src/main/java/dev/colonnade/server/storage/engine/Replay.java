package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.manifest.Edit;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.manifest.ManifestFile;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the commit log of earlier runs into memtables. The heap may be smaller now than it was
 * then, so memtables that grow too large during the replay are written to files at once.
 *
 * <p>For one thread, while the store is being opened. Blocks.
 */
final class Replay {

  private static final Logger LOG = LoggerFactory.getLogger(Replay.class);

  /** How many bytes of records are replayed before memtables are measured again. */
  private static final long CHECK_EVERY_BYTES = 1 << 18;

  private final ColumnFamilyStores families;
  private final Manifest manifest;
  private final SSTableResources resources;
  private final Clock clock;
  private final Map<FamilyId, LogPosition> flushed = new LinkedHashMap<>();
  private final Map<FamilyId, Set<LogPosition>> setAsideBefore;
  private final Map<FamilyId, SetAside> setAside = new LinkedHashMap<>();
  private long bytesSinceCheck;

  /** Records of one family that go to a file of their own. */
  private static final class SetAside {
    private final SSTableIdentity identity;
    private final SetAsideWriter writer;
    private LogPosition last = LogPosition.START;

    SetAside(SSTableIdentity identity, SetAsideWriter writer) {
      this.identity = identity;
      this.writer = writer;
    }
  }

  /**
   * Starts with nothing replayed.
   *
   * @param setAsideBefore records that earlier starts set aside; complete when the log is read
   */
  Replay(
      ColumnFamilyStores families,
      Manifest manifest,
      SSTableResources resources,
      Clock clock,
      Map<FamilyId, Set<LogPosition>> setAsideBefore) {
    this.setAsideBefore = setAsideBefore;
    this.families = families;
    this.manifest = manifest;
    this.resources = resources;
    this.clock = clock;
  }

  /**
   * Applies the parts of a record that are not in a file yet; returns their families, so that the
   * segment is kept.
   */
  Set<FamilyId> record(LogPosition position, ByteReader payload) throws IOException {
    bytesSinceCheck += payload.remaining();
    Mutation mutation = MutationCodec.read(payload);
    Set<FamilyId> taken = new LinkedHashSet<>();
    for (Mutation.FamilyMutation part : mutation.updates()) {
      ColumnFamilyStore store = families.find(part.family());
      if (store != null && position.compareTo(manifest.family(part.family()).flushedUpTo()) > 0) {
        try {
          store.apply(mutation.key(), part.update());
        } catch (RuntimeException | Error e) {
          setAside(store, position, mutation, part, e);
        }
        taken.add(part.family());
      }
    }
    if (bytesSinceCheck >= CHECK_EVERY_BYTES) {
      bytesSinceCheck = 0;
      for (ColumnFamilyStore store : families.toRelieve()) {
        flush(store, position);
      }
    }
    return taken;
  }

  private void setAside(
      ColumnFamilyStore store,
      LogPosition position,
      Mutation mutation,
      Mutation.FamilyMutation part,
      Throwable thrown)
      throws IOException {
    Errors.escalate(thrown);
    if (store.definition().keyspace().equals(SystemKeyspace.NAME) || Errors.isOverload(thrown)) {
      throw new IOException(
          "a record of the commit log cannot be applied to "
              + store.definition().qualifiedName()
              + ": "
              + thrown,
          thrown);
    }
    if (setAsideBefore.getOrDefault(store.id(), Set.of()).contains(position)) {
      return;
    }
    SetAside records = setAside.get(store.id());
    if (records == null) {
      SSTableIdentity identity = nextIdentity(store);
      records =
          new SetAside(
              identity,
              new SetAsideWriter(
                  resources.files(), store.directory(), store.id(), identity.generation()));
      setAside.put(store.id(), records);
      LOG.error(
          "a record of the commit log, at {}, cannot be applied to {}; it is set aside, as are"
              + " others like it",
          position,
          store.definition().qualifiedName(),
          thrown);
    }
    records.last = position;
    records.writer.add(position, mutation.key(), part.update(), mutation.nowSeconds(), thrown);
  }

  /** Quarantines the records that were set aside, after the whole log was read. */
  void quarantineSetAside(CommitLog log) throws IOException {
    for (FamilyId family : List.copyOf(setAside.keySet())) {
      ColumnFamilyStore store = families.find(family);
      if (store != null) {
        LogPosition last = quarantineSetAside(store);
        if (store.view().active().isEmpty()) {
          // The family has nothing left to flush, so the log would not be released otherwise.
          log.flushed(family, last);
        }
      }
    }
  }

  /** Returns the log position of the last of its records. */
  private LogPosition quarantineSetAside(ColumnFamilyStore store) throws IOException {
    SetAside records = setAside.get(store.id());
    if (records == null) {
      return LogPosition.START;
    }
    records.writer.finish();
    Quarantined file =
        records.writer.quarantined(
            Quarantined.QuarantineKind.LOGGED_RECORDS, records.identity, clock.wallSeconds());
    manifest.apply(Edit.setAside(store.id(), file.entry()));
    setAside.remove(store.id());
    SetAsideWriter.publish(resources.files(), store.directory(), records.identity.generation());
    store.updateView(view -> view.withSetAside(file));
    LOG.error(
        "{} records of the commit log could not be applied to {} ({}) and are set aside in {}."
            + " Reads of their rows fail with DATA_LOSS until they are applied or their loss is"
            + " accepted; see 'Records that cannot be applied' in docs/operations.md",
        file.records(),
        store.definition().qualifiedName(),
        file.reason(),
        file.path());
    return records.last;
  }

  /** Releases files that were begun, when the start has failed. */
  void abandon() {
    for (SetAside records : setAside.values()) {
      try {
        records.writer.close();
      } catch (IOException e) {
        LOG.warn("a file of set-aside records could not be closed", e);
      }
    }
  }

  private SSTableIdentity nextIdentity(ColumnFamilyStore store) {
    return new SSTableIdentity(
        store.directory(),
        store.nextGeneration(),
        store.id(),
        manifest.identity().partitioner(),
        store.order());
  }

  private void flush(ColumnFamilyStore store, LogPosition position) throws IOException {
    // The next start reads no record of the family up to here again.
    quarantineSetAside(store);
    store.switchMemtable(position, FlushReason.SIZE);
    FamilyVersion.Flushing full = store.view().flushing().get(0);
    SSTableIdentity identity = nextIdentity(store);
    SSTable written =
        MemtableFile.write(
            full.memtable(), store.order(), SSTableWriter.create(resources, identity));
    List<SSTable> added = written == null ? List.of() : List.of(written);
    List<ManifestFile> live =
        written == null ? List.of() : List.of(LiveFileSet.liveFile(identity.generation()));
    manifest.apply(Edit.flush(store.id(), live, position));
    store.updateView(view -> view.flushed(full, added));
    store.counters().flushed(full.reason());
    flushed.put(store.id(), position);
    LOG.info("flushed {} while the commit log was replayed", store.definition().qualifiedName());
  }

  /**
   * Flushes the schema if the log held a part of it: a change that was not finished when the last
   * run ended. Nothing may be written to a family before the family itself is in a file, since the
   * next start reads the known families from there, and deletes the files of others as strays.
   */
  void flushSchema(ColumnFamilyStore schema, LogPosition end) throws IOException {
    if (!schema.view().active().isEmpty()) {
      flush(schema, end);
    }
  }

  /** Releases, once the log is open, what was flushed during the replay. */
  void releaseFlushed(CommitLog log) throws IOException {
    for (Map.Entry<FamilyId, LogPosition> family : flushed.entrySet()) {
      log.flushed(family.getKey(), family.getValue());
    }
  }
}
