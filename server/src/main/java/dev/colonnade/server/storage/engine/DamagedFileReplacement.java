package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.manifest.Edit;
import dev.colonnade.server.storage.manifest.FamilyState;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.manifest.ManifestFile;
import dev.colonnade.server.storage.sstable.KeyExtent;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.io.IOException;
import java.util.Optional;

/**
 * Replaces a damaged data file of a node that does not run by a new one that holds what was sound
 * of it.
 *
 * <ol>
 *   <li>The damaged file goes into quarantine, as the node itself would put it there, if it is not
 *       there yet. It stays there.
 *   <li>One record of the manifest makes the new file live and ends the quarantine.
 * </ol>
 *
 * <p>A crash leaves the damaged file as it was, or in quarantine, or replaced. What merges may drop
 * does not change in between: while a file is live or in quarantine, the deletions that its rows
 * need are kept. That is why a file whose loss was accepted before cannot be replaced.
 *
 * <p>Blocks; for one thread, which holds the lock of the node's directory.
 */
public final class DamagedFileReplacement {

  private DamagedFileReplacement() {}

  /**
   * Whether the manifest has a damaged data file of that number in quarantine, and not a file of
   * records that could not be applied.
   */
  public static boolean isQuarantined(FamilyState state, SSTableIdentity live) {
    ManifestFile entry = state.quarantined().get(live.generation());
    if (entry == null) {
      return false;
    }
    try {
      return !Quarantined.read(entry, live, "", KeyExtent.UNKNOWN).hasRecords();
    } catch (CorruptDataException unknown) {
      return false;
    }
  }

  /**
   * The names that a damaged file has now: those of the quarantine if its rows lie there, else
   * those of a live file.
   */
  public static SSTableIdentity whereItLies(FileSystem files, SSTableIdentity live)
      throws IOException {
    SSTableIdentity place = QuarantineFiles.placeOf(live);
    return !files.exists(live.dataPath()) && files.exists(place.dataPath()) ? place : live;
  }

  /**
   * Does it. Durable when this returns.
   *
   * @param damaged live or in quarantine, under the names of a live file
   * @param salvaged the number of the new file, which is complete and durable and which no manifest
   *     lists; empty if nothing was sound
   * @param damage what is wrong
   * @param nowSeconds since 1970
   * @return where the damaged file lies now
   * @throws IllegalArgumentException if the manifest lists no such file
   */
  public static SSTableIdentity run(
      FileSystem files,
      Manifest manifest,
      SSTableIdentity damaged,
      Optional<Long> salvaged,
      CorruptFileException damage,
      long nowSeconds)
      throws IOException {
    FamilyId family = damaged.family();
    SSTableIdentity place = QuarantineFiles.placeOf(damaged);
    if (manifest.family(family).files().containsKey(damaged.generation())) {
      Quarantined entry =
          Quarantined.of(place, place.dataPath(), damage, nowSeconds, KeyExtent.UNKNOWN);
      manifest.apply(Edit.quarantine(family, entry.entry()));
    }
    QuarantineFiles.receive(files, damaged);
    manifest.apply(Edit.salvage(family, damaged.generation(), salvaged.map(LiveFileSet::liveFile)));
    return place;
  }
}
