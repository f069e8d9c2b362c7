package dev.colonnade.server.engine;

import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.FileSystem;
import dev.colonnade.server.manifest.Edit;
import dev.colonnade.server.manifest.FamilyState;
import dev.colonnade.server.manifest.Manifest;
import dev.colonnade.server.manifest.ManifestFile;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.SystemKeyspace;
import dev.colonnade.server.sstable.Extent;
import dev.colonnade.server.sstable.SSTable;
import dev.colonnade.server.sstable.SSTableIdentity;
import dev.colonnade.server.sstable.SSTableResources;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the data files of one family: those that are damaged are set aside, those that were and are
 * sound again come back. Blocks; for one thread.
 */
final class FamilyOpening {

  private static final Logger LOG = LoggerFactory.getLogger(FamilyOpening.class);

  private final SSTableResources resources;
  private final FileSystem files;
  private final Manifest manifest;
  private final ColumnFamily family;
  private final String directory;
  private final Clock clock;
  private final List<SSTable> tables = new ArrayList<>();
  private final List<Quarantined> quarantined = new ArrayList<>();

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

  void open() throws IOException {
    try {
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

  private void lookAgain(ManifestFile entry) throws IOException {
    SSTableIdentity live = identity(entry.generation());
    SSTableIdentity place = QuarantineFiles.placeOf(live);
    QuarantineFiles.receive(files, live);
    String path = files.describe(place.dataPath());
    if (QuarantineFiles.isSound(resources, place)) {
      QuarantineFiles.giveBack(files, live);
      manifest.apply(Edit.reinstate(family.id(), LiveFiles.liveFile(entry.generation())));
      LOG.warn("{} was in quarantine and is sound now; it is served again", path);
      return;
    }
    try {
      Quarantined file = Quarantined.read(entry, place, path, Extent.read(resources, place));
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
        // Without these rows the node does not know whose the other files are.
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
            Extent.read(resources, live));
    manifest.apply(Edit.quarantine(family.id(), file.entry()));
    QuarantineFiles.receive(files, live);
    quarantined.add(file);
    Quarantine.reportSetAside(family.qualifiedName(), damage, file);
  }
}
