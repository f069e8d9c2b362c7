package dev.colonnade.server.storage.manifest;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses between the two files of a manifest. Every edit goes into the first, then into the copy,
 * so the one with more edits has all that were ever acknowledged.
 */
final class ManifestCopies {

  private static final Logger LOG = LoggerFactory.getLogger(ManifestCopies.class);

  private ManifestCopies() {}

  /**
   * Reads the better of the two.
   *
   * @throws FileNotFoundException if there is neither
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if there is none that can be
   *     used
   */
  static ManifestReader read(FileSystem files) throws IOException {
    CopyFound first = CopyFound.of(files, Manifest.NAME);
    CopyFound copy = CopyFound.of(files, Manifest.COPY_NAME);
    if (copy instanceof Sound sound && !(first instanceof Sound other && other.isAsNew(sound))) {
      LOG.warn("{} It is being rewritten from {}", first.words(files), Manifest.COPY_NAME);
      return sound.reader();
    }
    if (first instanceof Sound sound) {
      // A version without copies leaves none, and a crash can leave the copy one edit behind.
      if (copy instanceof Unusable damaged && damaged.failure() instanceof CorruptFileException) {
        LOG.warn("{} It is being rewritten from {}", copy.words(files), Manifest.NAME);
      }
      return sound.reader();
    }
    Unusable one = (Unusable) first;
    Unusable other = (Unusable) copy;
    throw one.failure() instanceof FileNotFoundException ? other.failure() : one.failure();
  }

  /** The outcome of reading one of them. */
  private sealed interface CopyFound {
    static CopyFound of(FileSystem files, String name) throws IOException {
      try {
        return new Sound(ManifestReader.read(files, name));
      } catch (CorruptFileException | FileNotFoundException unusable) {
        return new Unusable(unusable);
      }
    }

    /** Why this file was not used, if it is the first. */
    String words(FileSystem files);
  }

  private record Sound(ManifestReader reader) implements CopyFound {
    boolean isAsNew(Sound other) {
      return reader.edits() >= other.reader.edits();
    }

    @Override
    public String words(FileSystem files) {
      return files.describe(Manifest.NAME) + " has lost its last edits.";
    }
  }

  private record Unusable(IOException failure) implements CopyFound {
    @Override
    public String words(FileSystem files) {
      return String.valueOf(failure.getMessage());
    }
  }
}
