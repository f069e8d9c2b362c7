package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileFooter;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.storage.mutation.RowUpdateCodec;
import dev.colonnade.server.storage.snapshot.SnapshotFile.SnapshotComponent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes and reads the manifest of a snapshot; {@code SnapshotFormat.md} has the layout. Blocks.
 * Thread-safe: it has no state.
 */
public final class SnapshotManifestFile {

  static final String NAME = "manifest";
  private static final String TEMPORARY = NAME + ".tmp";

  private static final FileFormat FORMAT = new FileFormat("manifest of a snapshot", "SNAP", 1, 3);

  /** Some million files. */
  private static final long BYTES_MAX = 256L << 20;

  private static final int TEXT_BYTES_MAX = 4_096;
  private static final int COUNT_MAX = 10_000_000;

  /** From this version on there are accounts. */
  private static final int WITH_ACCOUNTS = 2;

  /** From this version on there is a moment, unless it is a copy of an older one. */
  private static final int WITH_MOMENT = 3;

  private SnapshotManifestFile() {}

  /** Writes a manifest to a snapshot's directory; durable when it returns. */
  static void write(FileSystem files, String directory, SnapshotManifest manifest)
      throws IOException {
    ByteWriter out = new ByteWriter(1 << 12);
    FileHeader.write(out, FORMAT, new byte[0]);
    int start = out.position();
    encode(manifest, out);
    if (out.position() - start > BYTES_MAX) {
      throw new SnapshotRefusedException(
          "the manifest of the snapshot would have "
              + (out.position() - start)
              + " bytes, and "
              + BYTES_MAX
              + " is the most: take snapshots of fewer keyspaces at a time");
    }
    ByteWriter checksum = new ByteWriter(4);
    checksum.writeInt(out.checksumFrom(start));
    FileFooter.write(out, FORMAT, checksum.toByteArray());
    String temporary = directory + "/" + TEMPORARY;
    try (WritableFile file = AtomicFile.createAnew(files, temporary)) {
      file.write(out.asByteBuffer());
      file.sync();
    }
    files.rename(temporary, directory + "/" + NAME);
    files.syncDirectory(directory);
  }

  /**
   * Reads the manifest in a snapshot's directory.
   *
   * @throws java.io.FileNotFoundException if there is none
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if it is damaged, or of another
   *     release
   */
  public static SnapshotManifest read(FileSystem files, String directory) throws IOException {
    String relative = directory.isEmpty() ? NAME : directory + "/" + NAME;
    String path = files.describe(relative);
    try (ReadableFile file = files.open(relative)) {
      FileHeader header = FileHeader.read(file, path, FORMAT);
      int start = header.length();
      FileFooter footer = FileFooter.read(file, path, FORMAT, start);
      long length = footer.offset() - start;
      if (length > BYTES_MAX) {
        throw new CorruptFileException(
            path, start, "at most " + BYTES_MAX + " bytes", length + " bytes");
      }
      byte[] content = new byte[(int) length];
      file.read(start, ByteBuffer.wrap(content));
      String found = Checksums.text(Checksums.crc32c(content));
      if (footer.body().length != 4
          || !found.equals(Checksums.text(ByteBuffer.wrap(footer.body()).getInt()))) {
        throw new CorruptFileException(path, start, "the checksum of the footer", found);
      }
      ByteReader in = new ByteReader(content);
      try {
        SnapshotManifest manifest = decode(in, header.version());
        in.expectEnd("manifest of a snapshot");
        return manifest;
      } catch (CorruptDataException | IllegalArgumentException damage) {
        CorruptFileException corrupt =
            new CorruptFileException(
                path, start + in.position(), "a manifest", String.valueOf(damage.getMessage()));
        corrupt.initCause(damage);
        throw corrupt;
      }
    }
  }

  static void encode(SnapshotManifest manifest, ByteWriter out) {
    out.writeText(manifest.name());
    out.writeLong(manifest.createdMicros());
    out.writeText(manifest.cluster());
    out.writeText(manifest.nodeId());
    out.writeText(manifest.partitioner());
    out.writeVarint(manifest.tokens().size());
    manifest.tokens().forEach(out::writeBytes);
    out.writeVarint(manifest.schema().size());
    for (SchemaRow row : manifest.schema()) {
      out.writeText(row.keyspace());
      RowUpdateCodec.write(RowUpdate.ofCanonical(row.deletion(), List.of(), row.cells()), out);
    }
    out.writeVarint(manifest.families().size());
    for (SnapshotFamily family : manifest.families()) {
      out.writeLong(family.id().high());
      out.writeLong(family.id().low());
      out.writeText(family.keyspace());
      out.writeText(family.name());
      out.writeText(family.directory());
      out.writeVarint(family.truncation());
      out.writeVarint(family.missing());
      out.writeVarint(family.files().size());
      for (SnapshotFile file : family.files()) {
        out.writeVarint(file.generation());
        out.writeVarint(file.components().size());
        for (SnapshotComponent component : file.components()) {
          out.writeText(component.name());
          out.writeVarint(component.bytes());
          out.writeInt(component.checksum());
        }
      }
    }
    out.writeVarint(manifest.accounts().size());
    for (SnapshotAccountField field : manifest.accounts()) {
      out.writeText(field.account());
      out.writeText(field.field());
      out.writeLong(field.changedMicros());
      out.writeText(field.value());
    }
    out.writeVarint(manifest.moment().isPresent() ? 1 : 0);
    if (manifest.moment().isPresent()) {
      out.writeVarint(manifest.moment().get().position().segment());
      out.writeVarint(manifest.moment().get().position().offset());
      out.writeLong(manifest.moment().get().wallMicros());
    }
  }

  static SnapshotManifest decode(ByteReader in, int version) throws CorruptDataException {
    String name = in.readText("name of the snapshot", TEXT_BYTES_MAX);
    long createdMicros = in.readLong();
    String cluster = in.readText("name of the cluster", TEXT_BYTES_MAX);
    String nodeId = in.readText("id of the node", TEXT_BYTES_MAX);
    String partitioner = in.readText("partitioner", TEXT_BYTES_MAX);
    int tokenCount = in.readLength("tokens", COUNT_MAX);
    List<byte[]> tokens = new ArrayList<>();
    for (int i = 0; i < tokenCount; i++) {
      tokens.add(in.readBytes("token", DataLimits.TOKEN_BYTES));
    }
    int keyspaceCount = in.readLength("keyspaces", COUNT_MAX);
    List<SchemaRow> schema = new ArrayList<>();
    for (int i = 0; i < keyspaceCount; i++) {
      String keyspace = in.readText("keyspace", TEXT_BYTES_MAX);
      RowUpdate row = RowUpdateCodec.read(in);
      schema.add(new SchemaRow(keyspace, row.rowDeletion(), row.cells()));
    }
    int familyCount = in.readLength("column families", COUNT_MAX);
    List<SnapshotFamily> families = new ArrayList<>();
    for (int i = 0; i < familyCount; i++) {
      families.add(decodeFamily(in));
    }
    List<SnapshotAccountField> accounts = new ArrayList<>();
    if (version >= WITH_ACCOUNTS) {
      int fieldCount = in.readLength("fields of accounts", COUNT_MAX);
      for (int i = 0; i < fieldCount; i++) {
        accounts.add(
            new SnapshotAccountField(
                in.readText("account", TEXT_BYTES_MAX),
                in.readText("field of an account", TEXT_BYTES_MAX),
                in.readLong(),
                in.readText("value of a field", TEXT_BYTES_MAX)));
      }
    }
    Optional<SnapshotMoment> moment =
        version >= WITH_MOMENT && in.readLength("moments", 1) == 1
            ? Optional.of(decodeMoment(in))
            : Optional.empty();
    return new SnapshotManifest(
        name,
        createdMicros,
        cluster,
        nodeId,
        partitioner,
        tokens,
        schema,
        families,
        accounts,
        moment);
  }

  private static SnapshotMoment decodeMoment(ByteReader in) throws CorruptDataException {
    LogPosition position = new LogPosition(in.readVarint(), in.readVarint());
    return new SnapshotMoment(position, in.readLong());
  }

  private static SnapshotFamily decodeFamily(ByteReader in) throws CorruptDataException {
    FamilyId id = new FamilyId(in.readLong(), in.readLong());
    String keyspace = in.readText("keyspace", TEXT_BYTES_MAX);
    String name = in.readText("column family", TEXT_BYTES_MAX);
    String directory = FileSystem.requireValidPath(in.readText("directory", TEXT_BYTES_MAX));
    long truncation = in.readVarint();
    int missing = in.readVarint("damaged files", Integer.MAX_VALUE);
    int fileCount = in.readLength("data files", COUNT_MAX);
    List<SnapshotFile> files = new ArrayList<>();
    for (int i = 0; i < fileCount; i++) {
      long generation = in.readVarint();
      int componentCount = in.readLength("components", COUNT_MAX);
      List<SnapshotComponent> components = new ArrayList<>();
      for (int j = 0; j < componentCount; j++) {
        String component =
            FileSystem.requireValidPath(in.readText("name of a file", TEXT_BYTES_MAX));
        if (component.isEmpty() || component.indexOf('/') >= 0) {
          throw in.corrupt("name of a file", "one within its directory", component);
        }
        components.add(new SnapshotComponent(component, in.readVarint(), in.readInt()));
      }
      files.add(new SnapshotFile(generation, components));
    }
    return new SnapshotFamily(id, keyspace, name, directory, truncation, missing, files);
  }
}
