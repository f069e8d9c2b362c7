package dev.colonnade.server.storage.manifest;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The payloads in a manifest, as {@code ManifestFormat.md} describes them. */
final class ManifestRecords {
  static final FileFormat FORMAT = new FileFormat("manifest", "MANI", 1, 2);

  static final int EDIT = 1;

  /** A family's whole state, as at the beginning of a rewritten manifest. */
  static final int STATE = 2;

  /** A state of a family that has files in quarantine. */
  static final int STATE_WITH_QUARANTINE = 3;

  /** The largest payload: readers take no more memory than this for one. */
  static final int MAX_RECORD_BYTES = 64 << 20;

  private static final int MAX_FILES = 1 << 20;

  /** The largest number with twelve digits, as in the names of data files. */
  private static final long MAX_GENERATION = 999_999_999_999L;

  private static final int FLUSHED = 1;
  private static final int DROP = 2;
  private static final int QUARANTINE = 4;
  private static final int ALL_FLAGS = FLUSHED | DROP | QUARANTINE;

  private ManifestRecords() {}

  /**
   * The body of the header.
   *
   * @param edits how many there were before the file was written
   */
  static byte[] header(NodeIdentity identity, long edits) {
    ByteWriter out = new ByteWriter(128);
    out.writeLong(identity.idHigh());
    out.writeLong(identity.idLow());
    out.writeText(identity.clusterName());
    out.writeText(identity.partitioner());
    out.writeLong(edits);
    return out.toByteArray();
  }

  /** The content of a header. */
  record ManifestHeader(NodeIdentity identity, long edits) {}

  static ManifestHeader header(FileHeader header) throws CorruptDataException {
    ByteReader in = new ByteReader(header.body());
    NodeIdentity identity =
        new NodeIdentity(
            in.readLong(),
            in.readLong(),
            in.readText("cluster name", NodeIdentity.MAX_TEXT_BYTES),
            in.readText("partitioner", NodeIdentity.MAX_TEXT_BYTES));
    long edits = header.version() == 1 ? 0 : in.readLong();
    in.expectEnd("header");
    return new ManifestHeader(identity, edits);
  }

  static void write(ByteWriter out, Edit edit) {
    out.writeByte(EDIT);
    writeFamily(out, edit.family());
    boolean quarantine = !(edit.quarantined().isEmpty() && edit.released().isEmpty());
    out.writeByte(
        (edit.flushedUpTo().isPresent() ? FLUSHED : 0)
            | (edit.drop() ? DROP : 0)
            | (quarantine ? QUARANTINE : 0));
    edit.flushedUpTo().ifPresent(position -> writePosition(out, position));
    writeFiles(out, edit.added());
    writeGenerations(out, edit.removed());
    if (quarantine) {
      writeFiles(out, edit.quarantined());
      writeGenerations(out, edit.released());
    }
  }

  static Edit readEdit(ByteReader in) throws CorruptDataException {
    FamilyId family = readFamily(in);
    int flags = in.readByte();
    if ((flags & ~ALL_FLAGS) != 0) {
      throw in.corrupt("flags of an edit", "0 to " + ALL_FLAGS, "" + flags);
    }
    Optional<LogPosition> flushed =
        (flags & FLUSHED) != 0 ? Optional.of(readPosition(in)) : Optional.empty();
    List<ManifestFile> added = readFiles(in);
    List<Long> removed = readGenerations(in, "number of files removed");
    boolean quarantine = (flags & QUARANTINE) != 0;
    List<ManifestFile> quarantined = quarantine ? readFiles(in) : List.of();
    List<Long> released = quarantine ? readGenerations(in, "number of files released") : List.of();
    in.expectEnd("edit");
    try {
      return new Edit(family, added, removed, flushed, (flags & DROP) != 0, quarantined, released);
    } catch (IllegalArgumentException impossible) {
      throw impossible(in, impossible);
    }
  }

  static void write(ByteWriter out, FamilyState state) {
    out.writeByte(state.quarantined().isEmpty() ? STATE : STATE_WITH_QUARANTINE);
    writeFamily(out, state.family());
    writePosition(out, state.flushedUpTo());
    out.writeVarint(state.nextGeneration());
    writeFiles(out, new ArrayList<>(state.files().values()));
    if (!state.quarantined().isEmpty()) {
      writeFiles(out, new ArrayList<>(state.quarantined().values()));
    }
  }

  static FamilyState readState(ByteReader in, boolean withQuarantine) throws CorruptDataException {
    FamilyId family = readFamily(in);
    LogPosition flushed = readPosition(in);
    long next = in.readVarint();
    List<ManifestFile> files = readFiles(in);
    TreeMap<Long, ManifestFile> quarantined = new TreeMap<>();
    if (withQuarantine) {
      for (ManifestFile file : readFiles(in)) {
        quarantined.put(file.generation(), file);
      }
    }
    in.expectEnd("state of a family");
    FamilyState state = apply(in, FamilyState.empty(family), Edit.flush(family, files, flushed));
    if (next < state.nextGeneration()) {
      throw in.corrupt("next generation", "at least " + state.nextGeneration(), "" + next);
    }
    return new FamilyState(family, state.files(), flushed, next, quarantined);
  }

  static FamilyState apply(ByteReader in, FamilyState state, Edit edit)
      throws CorruptDataException {
    try {
      return state.after(edit);
    } catch (IllegalArgumentException impossible) {
      throw impossible(in, impossible);
    }
  }

  private static CorruptDataException impossible(ByteReader in, IllegalArgumentException cause) {
    CorruptDataException corrupt =
        in.corrupt("an edit", "one that fits those before", "" + cause.getMessage());
    corrupt.initCause(cause);
    return corrupt;
  }

  private static void writeFamily(ByteWriter out, FamilyId family) {
    out.writeLong(family.high());
    out.writeLong(family.low());
  }

  private static FamilyId readFamily(ByteReader in) throws CorruptDataException {
    return new FamilyId(in.readLong(), in.readLong());
  }

  private static void writePosition(ByteWriter out, LogPosition position) {
    out.writeVarint(position.segment());
    out.writeVarint(position.offset());
  }

  private static LogPosition readPosition(ByteReader in) throws CorruptDataException {
    long segment = in.readVarint();
    long offset = in.readVarint();
    if (segment < 0 || offset < 0) {
      throw in.corrupt("log position", "numbers below 2^63", segment + ":" + offset);
    }
    return new LogPosition(segment, offset);
  }

  private static void writeGenerations(ByteWriter out, List<Long> generations) {
    out.writeVarint(generations.size());
    generations.forEach(out::writeVarint);
  }

  private static List<Long> readGenerations(ByteReader in, String what)
      throws CorruptDataException {
    int count = in.readLength(what, MAX_FILES);
    List<Long> generations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      generations.add(in.readVarint());
    }
    return generations;
  }

  private static void writeFiles(ByteWriter out, List<ManifestFile> files) {
    out.writeVarint(files.size());
    for (ManifestFile file : files) {
      out.writeVarint(file.generation());
      out.writeBytes(file.rawMetadata());
    }
  }

  private static List<ManifestFile> readFiles(ByteReader in) throws CorruptDataException {
    int count = in.readLength("number of files", MAX_FILES);
    List<ManifestFile> files = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long generation = in.readVarint();
      if (generation < 1 || generation > MAX_GENERATION) {
        throw in.corrupt("generation", "1 to " + MAX_GENERATION, "" + generation);
      }
      files.add(
          new ManifestFile(generation, in.readBytes("metadata", ManifestFile.MAX_METADATA_BYTES)));
    }
    return files;
  }
}
