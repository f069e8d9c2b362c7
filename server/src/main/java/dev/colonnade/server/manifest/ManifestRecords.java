package dev.colonnade.server.manifest;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.FileFormat;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.LogPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The payloads in a manifest, as {@code ManifestFormat.md} describes them. */
final class ManifestRecords {
  static final FileFormat FORMAT = new FileFormat("manifest", "MANI", 1, 1);

  static final int EDIT = 1;

  /** A family's whole state, as a manifest written anew begins with. */
  static final int STATE = 2;

  /** The largest payload: readers take no more memory than this for one. */
  static final int MAX_RECORD_BYTES = 64 << 20;

  private static final int MAX_FILES = 1 << 20;
  private static final int FLUSHED = 1;
  private static final int DROP = 2;

  private ManifestRecords() {}

  static byte[] identity(NodeIdentity identity) {
    ByteWriter out = new ByteWriter(128);
    out.writeLong(identity.idHigh());
    out.writeLong(identity.idLow());
    out.writeText(identity.clusterName());
    out.writeText(identity.partitioner());
    return out.toByteArray();
  }

  static NodeIdentity identity(byte[] body) throws CorruptDataException {
    ByteReader in = new ByteReader(body);
    NodeIdentity identity =
        new NodeIdentity(
            in.readLong(),
            in.readLong(),
            in.readText("cluster name", NodeIdentity.MAX_TEXT_BYTES),
            in.readText("partitioner", NodeIdentity.MAX_TEXT_BYTES));
    in.expectEnd("identity");
    return identity;
  }

  static void write(ByteWriter out, Edit edit) {
    out.writeByte(EDIT);
    writeFamily(out, edit.family());
    out.writeByte((edit.flushedUpTo().isPresent() ? FLUSHED : 0) | (edit.drop() ? DROP : 0));
    edit.flushedUpTo().ifPresent(position -> writePosition(out, position));
    writeFiles(out, edit.added());
    out.writeVarint(edit.removed().size());
    edit.removed().forEach(out::writeVarint);
  }

  static Edit readEdit(ByteReader in) throws CorruptDataException {
    FamilyId family = readFamily(in);
    int flags = in.readByte();
    if ((flags & ~(FLUSHED | DROP)) != 0) {
      throw in.corrupt("flags of an edit", "0 to 3", "" + flags);
    }
    Optional<LogPosition> flushed =
        (flags & FLUSHED) != 0 ? Optional.of(readPosition(in)) : Optional.empty();
    List<LiveFile> added = readFiles(in);
    int count = in.readLength("number of files removed", MAX_FILES);
    List<Long> removed = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      removed.add(in.readVarint());
    }
    in.expectEnd("edit");
    try {
      return new Edit(family, added, removed, flushed, (flags & DROP) != 0);
    } catch (IllegalArgumentException impossible) {
      throw impossible(in, impossible);
    }
  }

  static void write(ByteWriter out, FamilyState state) {
    out.writeByte(STATE);
    writeFamily(out, state.family());
    writePosition(out, state.flushedUpTo());
    out.writeVarint(state.nextGeneration());
    writeFiles(out, new ArrayList<>(state.files().values()));
  }

  static FamilyState readState(ByteReader in) throws CorruptDataException {
    FamilyId family = readFamily(in);
    LogPosition flushed = readPosition(in);
    long next = in.readVarint();
    List<LiveFile> files = readFiles(in);
    in.expectEnd("state of a family");
    FamilyState state = apply(in, FamilyState.empty(family), Edit.flush(family, files, flushed));
    if (next < state.nextGeneration()) {
      throw in.corrupt("next generation", "at least " + state.nextGeneration(), "" + next);
    }
    return new FamilyState(family, state.files(), flushed, next);
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

  private static void writeFiles(ByteWriter out, List<LiveFile> files) {
    out.writeVarint(files.size());
    for (LiveFile file : files) {
      out.writeVarint(file.generation());
      out.writeBytes(file.rawMetadata());
    }
  }

  private static List<LiveFile> readFiles(ByteReader in) throws CorruptDataException {
    int count = in.readLength("number of files", MAX_FILES);
    List<LiveFile> files = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long generation = in.readVarint();
      if (generation < 1) {
        throw in.corrupt("generation", "at least 1", "" + generation);
      }
      files.add(new LiveFile(generation, in.readBytes("metadata", LiveFile.MAX_METADATA_BYTES)));
    }
    return files;
  }
}
