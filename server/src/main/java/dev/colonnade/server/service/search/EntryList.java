package dev.colonnade.server.service.search;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Cell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The super columns that a document is in, so that they can be cleared when the document changes or
 * goes. As a value: fingerprint (4 bytes), then for each name the number of bytes that it shares
 * with the one before (varint), the number of the others (varint), and those.
 *
 * @param names of super columns, ascending
 */
record EntryList(DocumentVersion version, List<byte[]> names) {

  /** The most that the names of one document take, all together: those of a MiB of text do. */
  static final int MAX_BYTES = 16 << 20;

  /** The fingerprint of a removal: of one timestamp it is the greatest version. */
  private static final int REMOVED = -1;

  /** The value of a document that was removed. */
  static byte[] removed() {
    ByteWriter out = new ByteWriter(Integer.BYTES);
    out.writeInt(REMOVED);
    return out.toByteArray();
  }

  /** The value of names, which ascend, without its fingerprint. */
  static byte[] body(Collection<byte[]> names) {
    ByteWriter out = new ByteWriter(16 * names.size());
    byte[] last = {};
    for (byte[] name : names) {
      int shared = Math.max(0, mismatch(last, name));
      out.writeVarint(shared);
      out.writeBytes(name, shared, name.length - shared);
      last = name;
    }
    return out.toByteArray();
  }

  private static int mismatch(byte[] last, byte[] name) {
    int at = Arrays.mismatch(last, name);
    return at < 0 ? name.length : at;
  }

  /** Decodes a cell; empty for one that no indexing of a document wrote. */
  static Optional<EntryList> of(Cell cell) {
    ByteReader in = new ByteReader(cell.value());
    try {
      DocumentVersion version = new DocumentVersion(cell.timestamp(), in.readInt());
      List<byte[]> names = new ArrayList<>();
      byte[] last = {};
      int bytes = 0;
      while (in.hasRemaining()) {
        int shared = in.readVarint("a shared beginning", last.length);
        byte[] rest = in.readBytes("a name", in.remaining());
        bytes += shared + rest.length;
        if (bytes > MAX_BYTES) {
          return Optional.empty();
        }
        byte[] name = Arrays.copyOf(last, shared + rest.length);
        System.arraycopy(rest, 0, name, shared, rest.length);
        names.add(name);
        last = name;
      }
      return Optional.of(new EntryList(version, names));
    } catch (CorruptDataException notOurs) {
      return Optional.empty();
    }
  }
}
