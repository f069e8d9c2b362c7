package dev.colonnade.server.hints;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.FileFormat;
import dev.colonnade.server.env.FileSystem;
import dev.colonnade.server.model.FamilyId;
import java.io.IOException;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which families were truncated since which segment. Numbers of segments tell before from after,
 * since clocks can step. Used on the stage of hints only.
 */
final class Truncations {
  static final String NAME = "truncated";

  private static final FileFormat FORMAT = new FileFormat("list of truncations", "HTRC", 1, 1);
  private static final int FAMILIES_MAX = 40_000;

  private final FileSystem files;

  /** For each family the first segment whose hints are younger. */
  private final SortedMap<FamilyId, Long> firstValid = new TreeMap<>();

  private Truncations(FileSystem files) {
    this.files = files;
  }

  /** Reads the list; the root directory of hints exists. */
  static Truncations open(FileSystem files) throws IOException {
    Truncations truncations = new Truncations(files);
    String path = HintFormat.ROOT + "/" + NAME;
    if (files.exists(path)) {
      try {
        ByteReader body = new ByteReader(SmallFile.read(files, path, FORMAT));
        int count = body.readVarint("truncated families", FAMILIES_MAX);
        for (int i = 0; i < count; i++) {
          FamilyId family = new FamilyId(body.readLong(), body.readLong());
          truncations.firstValid.put(family, body.readLong());
        }
        body.expectEnd("list of truncations");
      } catch (CorruptDataException e) {
        throw e.inFile(files.describe(path), 14);
      }
    }
    return truncations;
  }

  /** Whether a hint in that segment for that family was made before a truncation. */
  boolean covers(FamilyId family, long segment) {
    Long first = firstValid.get(family);
    return first != null && segment < first;
  }

  /** A number that no segment before any truncation reaches. */
  long next() {
    return firstValid.values().stream().mapToLong(Long::longValue).max().orElse(1);
  }

  /**
   * Notes that what the segments below {@code firstSegment} have for the families is void; durable
   * when it returns.
   *
   * @param oldestSegment truncations that no segment needs any more are forgotten
   */
  void add(Collection<FamilyId> families, long firstSegment, long oldestSegment)
      throws IOException {
    firstValid.values().removeIf(first -> first <= oldestSegment);
    for (FamilyId family : families) {
      firstValid.put(family, firstSegment);
    }
    if (firstValid.size() > FAMILIES_MAX) {
      throw new IOException("more than " + FAMILIES_MAX + " truncated families have hints");
    }
    ByteWriter body = new ByteWriter(64);
    body.writeVarint(firstValid.size());
    firstValid.forEach(
        (family, first) -> {
          body.writeLong(family.high());
          body.writeLong(family.low());
          body.writeLong(first);
        });
    SmallFile.write(files, HintFormat.ROOT, NAME, FORMAT, body);
  }
}
