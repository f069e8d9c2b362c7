package dev.colonnade.server.node.offline;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.node.platform.ChronicleKeyIndexes;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.engine.DamagedFileReplacement;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.sstable.SSTableCheck;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.SSTableSalvage;
import dev.colonnade.server.storage.sstable.SSTableSalvage.Loss;
import dev.colonnade.server.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Salvages what is sound of damaged data files: into another directory, or in place of the damaged
 * file. Damaged files stay as they are; in a node's directory they go into quarantine.
 *
 * <p>One thread at a time; blocks.
 */
public final class DataFileScrub {

  /**
   * What became of a file.
   *
   * @param salvage what was found in it
   * @param written the new file; empty if there was no sound row, or it was not accepted
   * @param damaged where the damaged file lies now
   * @param accepted false if rows would be lost and that was not accepted: then nothing was changed
   */
  public record Scrubbed(
      SSTableSalvage.Outcome salvage, Optional<Path> written, Path damaged, boolean accepted) {}

  private final DataDirectory directory;
  private final Consumer<Loss> losses;
  private final LongConsumer progress;

  /**
   * Prepares the salvage of files in a directory.
   *
   * @param directory open until the end
   * @param losses is told of each place where something may be missing
   * @param progress is told how many bytes of a file's rows were read
   */
  public DataFileScrub(DataDirectory directory, Consumer<Loss> losses, LongConsumer progress) {
    this.directory = directory;
    this.losses = losses;
    this.progress = progress;
  }

  /** Whether there are rows to look at: those of a live file, or of one in quarantine. */
  public boolean hasRows(OfflineFile file) throws IOException {
    return switch (file.standing()) {
      case MISSING, UNLISTED -> false;
      case LIVE -> true;
      case QUARANTINED -> isDataFile(file) && directory.files().exists(place(file).dataPath());
    };
  }

  private boolean isDataFile(OfflineFile file) {
    return directory
        .state(file.identity().family())
        .map(state -> DamagedFileReplacement.isQuarantined(state, file.identity()))
        .orElse(false);
  }

  /** The names under which a file lies. */
  private SSTableIdentity place(OfflineFile file) throws IOException {
    return DamagedFileReplacement.whereItLies(directory.files(), file.identity());
  }

  /** Checks all of a file that has rows, one in quarantine included. */
  public SSTableCheck.Outcome check(OfflineFile file) throws IOException, OfflineException {
    return directory.check(place(file), progress);
  }

  /**
   * Writes what is sound of a file into another directory, which is created if there is none; the
   * new file has the same number.
   *
   * @param target a directory that is no node's
   * @throws OfflineException if it is a node's, or has a file of that number
   */
  public Scrubbed into(OfflineFamily family, OfflineFile file, Path target)
      throws IOException, OfflineException {
    Path own = family.directory().isEmpty() ? target : target.resolve(nameOf(family.directory()));
    requireNoNode(own, target);
    OsFileSystem files = OsFileSystem.open(own);
    SSTableIdentity identity = inDirectory(file.identity(), "", file.identity().generation());
    if (files.exists(identity.dataPath())) {
      throw new OfflineException(files.describe(identity.dataPath()) + " is there already");
    }
    SSTableResources resources = OfflineResources.of(files, new ChronicleKeyIndexes(files));
    SSTableIdentity source = place(file);
    Path damaged = path(directory.files(), source);
    try (SSTableWriter writer = SSTableWriter.create(resources, identity)) {
      SSTableSalvage.Outcome found = salvage(source, writer);
      return new Scrubbed(found, finish(writer, files, identity), damaged, true);
    }
  }

  /** Looks at what there is of the directory, before anything is created. */
  private static void requireNoNode(Path own, Path target) throws OfflineException {
    Path there = own.toAbsolutePath().normalize();
    for (Path up = there.getParent();
        up != null && !Files.isDirectory(there);
        up = up.getParent()) {
      there = up;
    }
    if (OfflinePlace.of(there).hasManifest()) {
      throw new OfflineException(
          target + " belongs to a node; name another directory, or use --replace");
    }
  }

  /** The directories of keyspace and family. */
  private static Path nameOf(String familyDirectory) {
    Path relative = Path.of(familyDirectory);
    int names = relative.getNameCount();
    return relative.subpath(Math.max(0, names - 2), names);
  }

  /**
   * Replaces a file of a node by one that has what is sound of it. A crash leaves the old one, or
   * the old one in quarantine, or the new one.
   *
   * @param acceptLoss whether to do it if something is missing then
   * @param nowSeconds since 1970
   * @throws OfflineException if the directory is no node's, or the family one of the node's own
   */
  public Scrubbed replace(
      OfflineFamily family, OfflineFile file, boolean acceptLoss, long nowSeconds)
      throws IOException, OfflineException {
    if (!directory.hasManifest()) {
      throw new OfflineException(
          directory.root()
              + " is not the data directory of a node; write into another directory with --into");
    }
    if (family.keyspace().equals(SystemKeyspace.NAME)) {
      throw new OfflineException(
          family.title()
              + " is the node's own; the node itself repairs all but its rows, and without one of"
              + " these it would take part as another node: restore the whole data directory");
    }
    OsFileSystem files = directory.files();
    SSTableIdentity source = place(file);
    SSTableIdentity identity = unused(family, file.identity(), files);
    SSTableResources resources = OfflineResources.of(files, directory.keyIndexes());
    try (SSTableWriter writer = SSTableWriter.create(resources, identity)) {
      SSTableSalvage.Outcome found = salvage(source, writer);
      if (found.losses() > 0 && !acceptLoss) {
        return new Scrubbed(found, Optional.empty(), path(files, source), false);
      }
      Optional<Path> written = finish(writer, files, identity);
      CorruptFileException damage =
          new CorruptFileException(
              files.describe(source.dataPath()), 0, "a sound file", "damage, by an offline scrub");
      try (Manifest manifest = OfflineResources.manifest(files)) {
        SSTableIdentity aside =
            DamagedFileReplacement.run(
                files,
                manifest,
                file.identity(),
                written.map(path -> identity.generation()),
                damage,
                nowSeconds);
        return new Scrubbed(found, written, path(files, aside), true);
      }
    }
  }

  /** The next number; an earlier replacement may have used the first. */
  private SSTableIdentity unused(OfflineFamily family, SSTableIdentity of, OsFileSystem files)
      throws IOException {
    long generation = directory.nextGeneration(family);
    while (files.exists(inDirectory(of, family.directory(), generation).dataPath())) {
      generation++;
    }
    return inDirectory(of, family.directory(), generation);
  }

  private SSTableSalvage.Outcome salvage(SSTableIdentity source, SSTableWriter writer)
      throws IOException, OfflineException {
    return new SSTableSalvage(
            directory.files(),
            source,
            writer,
            directory.tokens(source.partitioner()),
            losses,
            progress)
        .run();
  }

  private static Optional<Path> finish(
      SSTableWriter writer, OsFileSystem files, SSTableIdentity identity) throws IOException {
    if (writer.rows() == 0) {
      return Optional.empty();
    }
    writer.finish().release();
    return Optional.of(path(files, identity));
  }

  private static SSTableIdentity inDirectory(
      SSTableIdentity of, String directory, long generation) {
    return new SSTableIdentity(directory, generation, of.family(), of.partitioner(), of.order());
  }

  private static Path path(OsFileSystem files, SSTableIdentity identity) {
    return Path.of(files.describe(identity.dataPath()));
  }
}
