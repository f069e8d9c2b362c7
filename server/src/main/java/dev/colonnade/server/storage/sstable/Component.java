package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.FileFormat;

/**
 * The files that one data file consists of. All but {@link #DATA} are auxiliary: they can be
 * rebuilt from it.
 */
enum Component {
  DATA(0, "Data.db", new FileFormat("data file", "DATA", 1, 1)),
  INDEX(1, "Index.db", new FileFormat("sparse index of a data file", "INDX", 1, 1)),
  FILTER(2, "Filter.db", new FileFormat("Bloom filter of a data file", "FLTR", 1, 1)),
  META(3, "Meta.db", new FileFormat("statistics of a data file", "META", 1, 1)),
  /** A file of the key index's own format; the two below never have a header of ours. */
  KEYS(4, "Keys.map", new FileFormat("key index of a data file", "KEYS", 1, 1)),
  /** Hashes of row keys for filter and key index; exists only while writing. */
  SPOOL(5, "Spool", new FileFormat("row positions of a data file being written", "SPOL", 1, 1));

  static final String TEMPORARY_SUFFIX = ".tmp";

  /** Names sort as generations do. */
  private static final int GENERATION_DIGITS = 12;

  private final int number;
  private final String suffix;
  private final FileFormat format;

  Component(int number, String suffix, FileFormat format) {
    this.number = number;
    this.suffix = suffix;
    this.format = format;
  }

  /** Part of the checksums on disk, so a component keeps its number for ever. */
  int number() {
    return number;
  }

  FileFormat format() {
    return format;
  }

  String fileName(long generation) {
    String digits = Long.toString(generation);
    return "0".repeat(Math.max(0, GENERATION_DIGITS - digits.length())) + digits + "-" + suffix;
  }
}
