package dev.colonnade.server.storage.manifest;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * One data file of a family, live or in quarantine.
 *
 * <p>Its metadata is what the engine needs without opening the file; the manifest does not
 * interpret it.
 */
public final class ManifestFile {
  /** The most metadata of a file, in bytes. */
  public static final int MAX_METADATA_BYTES = 4096;

  private final long generation;
  private final byte[] metadata;

  /**
   * Creates a file; its metadata is copied.
   *
   * @param generation the file's number, unique in the family for ever; at least 1
   * @throws IllegalArgumentException if there is too much metadata
   */
  public ManifestFile(long generation, byte[] metadata) {
    if (generation < 1) {
      throw new IllegalArgumentException("generations begin at 1, not " + generation);
    }
    if (metadata.length > MAX_METADATA_BYTES) {
      throw new IllegalArgumentException(
          "at most "
              + MAX_METADATA_BYTES
              + " bytes of metadata for a file, not "
              + metadata.length);
    }
    this.generation = generation;
    this.metadata = metadata.clone();
  }

  /** The file's number. */
  public long generation() {
    return generation;
  }

  /** A copy of the metadata. */
  public byte[] metadata() {
    return metadata.clone();
  }

  byte[] rawMetadata() {
    return metadata;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ManifestFile file
        && file.generation == generation
        && Arrays.equals(file.metadata, metadata);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(generation);
  }

  @Override
  public String toString() {
    return generation + " (" + HexFormat.of().formatHex(metadata) + ")";
  }
}
