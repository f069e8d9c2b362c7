package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.storage.manifest.Edit;
import dev.colonnade.server.storage.manifest.FamilyState;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.manifest.ManifestFile;
import dev.colonnade.server.storage.sstable.KeyExtent;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableResources;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the data files of one family. Damaged files are quarantined; quarantined files that are
 * sound again come back. Blocks; for one thread.
 */
final class FamilyOpening {

  private static final Logger LOG = LoggerFactory.getLogger(FamilyOpening.class);

  /** How much of a file of records is held in memory at a time. */
  private static final long READ_BYTES = 1 << 20;

  private final SSTableResources resources;
  private final FileSystem files;
  private final Manifest manifest;
  private final ColumnFamily family;
  private final String directory;
  private final Clock clock;
  private final List<SSTable> tables = new ArrayList<>();
  private final List<Quarantined> quarantined = new ArrayList<>();
  private final Set<LogPosition> setAside = new HashSet<>();

  FamilyOpening(
      SSTableResources resources,
      Manifest manifest,
      ColumnFamily family,
      String directory,
      Clock clock) {
    this.resources = resources;
    this.files = resources.files();
    this.manifest = manifest;
    this.family = family;
    this.directory = directory;
    this.clock = clock;
  }

  /** The live files, with one reference each. */
  List<SSTable> tables() {
    return tables;
  }

  List<Quarantined> quarantined() {
    return quarantined;
  }

  /** The positions of the log records that earlier starts set aside. */
  Set<LogPosition> setAside() {
    return setAside;
  }

  void open() throws IOException {
    try {
      deleteUnfinished();
      FamilyState state = manifest.family(family.id());
      for (ManifestFile entry : state.quarantined().values()) {
        lookAgain(entry);
      }
      for (long generation : manifest.family(family.id()).files().keySet()) {
        openLive(identity(generation));
      }
    } catch (IOException | RuntimeException failure) {
      tables.forEach(SSTable::release);
      throw failure;
    }
  }

  private SSTableIdentity identity(long generation) {
    return new SSTableIdentity(
        directory, generation, family.id(), manifest.identity().partitioner(), family.order());
  }

  /**
   * Deletes set-aside files that the last run did not finish: their records are still where they
   * came from.
   */
  private void deleteUnfinished() throws IOException {
    for (String name : files.list(directory)) {
      OptionalLong generation = SetAsideFile.temporaryGeneration(name);
      if (generation.isPresent()
          && !manifest.family(family.id()).quarantined().containsKey(generation.getAsLong())) {
        files.delete(directory + "/" + name);
      }
    }
  }

  private void lookAgain(ManifestFile entry) throws IOException {
    try {
      SSTableIdentity place = identity(entry.generation());
      Quarantined known = Quarantined.read(entry, place, "", KeyExtent.UNKNOWN);
      if (known.hasRecords()) {
        quarantined.add(records(known));
        return;
      }
    } catch (CorruptDataException damage) {
      throw damage.inFile(files.describe(Manifest.NAME), 0);
    }
    lookAgainAtData(entry);
  }

  private Quarantined records(Quarantined known) throws IOException {
    long generation = known.place().generation();
    SetAsideWriter.publish(files, directory, generation);
    String path = files.describe(SetAsideFile.path(directory, generation));
    LOG.error(
        "{} records of {} are still set aside in {}: {}",
        known.records(),
        family.qualifiedName(),
        path,
        known.reason());
    return known.with(path, extentOf(generation));
  }

  /** It is unknown which rows a file holds that is damaged itself, or gone. */
  private KeyExtent extentOf(long generation) throws IOException {
    Set<RowKey> keys = new HashSet<>();
    long from = 0;
    try {
      while (true) {
        SetAsideRecords.SetAsidePart part =
            SetAsideFile.read(files, directory, family.id(), generation, from, READ_BYTES);
        for (SetAsideRecords.SetAsideRecord each : part.records()) {
          keys.add(each.key());
          setAside.add(each.position());
        }
        if (part.next().isEmpty()) {
          break;
        }
        from = part.next().get();
      }
    } catch (UnreadableFileException | FileNotFoundException damaged) {
      LOG.error("the records set aside for {} cannot be read", family.qualifiedName(), damaged);
      return KeyExtent.UNKNOWN;
    }
    return keys.isEmpty()
        ? KeyExtent.UNKNOWN
        : KeyExtent.ofRows(keys, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private void lookAgainAtData(ManifestFile entry) throws IOException {
    SSTableIdentity live = identity(entry.generation());
    SSTableIdentity place = QuarantineFiles.placeOf(live);
    QuarantineFiles.receive(files, live);
    String path = files.describe(place.dataPath());
    if (QuarantineFiles.isSound(resources, place)) {
      QuarantineFiles.giveBack(files, live);
      manifest.apply(Edit.reinstate(family.id(), LiveFileSet.liveFile(entry.generation())));
      LOG.warn("{} was in quarantine and is sound now; it is served again", path);
      return;
    }
    try {
      Quarantined file = Quarantined.read(entry, place, path, KeyExtent.read(resources, place));
      quarantined.add(file);
      LOG.error(
          "the data file {} of {} is still in quarantine: damaged at byte {}, {}. Reads that it may"
              + " concern fail with DATA_LOSS; see 'A damaged file' in docs/operations.md",
          path,
          family.qualifiedName(),
          file.offset(),
          file.reason());
    } catch (CorruptDataException damage) {
      throw damage.inFile(files.describe(Manifest.NAME), 0);
    }
  }

  private void openLive(SSTableIdentity live) throws IOException {
    try {
      tables.add(SSTable.open(resources, live));
    } catch (CorruptFileException damage) {
      if (family.keyspace().equals(SystemKeyspace.NAME)) {
        // Without these rows the node does not know which family the other files belong to.
        throw damage;
      }
      setAside(live, damage);
    }
  }

  private void setAside(SSTableIdentity live, CorruptFileException damage) throws IOException {
    SSTableIdentity place = QuarantineFiles.placeOf(live);
    Quarantined file =
        Quarantined.of(
            place,
            files.describe(place.dataPath()),
            damage,
            clock.wallSeconds(),
            KeyExtent.read(resources, live));
    manifest.apply(Edit.quarantine(family.id(), file.entry()));
    QuarantineFiles.receive(files, live);
    quarantined.add(file);
    Quarantine.reportSetAside(family.qualifiedName(), damage, file);
  }
}
