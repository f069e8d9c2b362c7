package dev.colonnade.server.coordinator;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.schema.Schema;
import dev.colonnade.server.schema.SchemaRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How a node fetches what another one knows of keyspaces and it does not: it says what it has, by
 * digests, and is sent the keyspaces that differ, a page at a time. So a node that missed one
 * change is sent one keyspace, and thousands of keyspaces need no message of their size.
 */
final class SchemaPull {

  /** A page ends with the keyspace that takes it beyond this: one that is larger is a page. */
  static final long PAGE_BYTES = 1 << 20;

  /** So many keyspaces are asked about at once; with their names that is below a megabyte. */
  static final int ASKED_MAX = 10_000;

  /** As many bytes of a digest as make two rows that differ look alike never. */
  private static final int DIGEST_BYTES = 16;

  private static final int NAME_BYTES_MAX = 1 << 10;

  private SchemaPull() {}

  /**
   * Keyspaces in the order of their names.
   *
   * @param after all up to here were asked about before; empty for none
   * @param upTo what is asked about ends here; empty if it does not end
   * @param digests of all in between that the asking node has
   */
  record Question(String after, String upTo, SortedMap<String, byte[]> digests) {

    /** What to ask for on top of a schema. */
    static Question about(Schema known, String after) {
      SortedMap<String, byte[]> digests = new TreeMap<>();
      for (var entry : known.digests(after).entrySet()) {
        if (digests.size() == ASKED_MAX) {
          return new Question(after, digests.lastKey(), digests);
        }
        digests.put(entry.getKey(), Arrays.copyOf(entry.getValue(), DIGEST_BYTES));
      }
      return new Question(after, "", digests);
    }

    byte[] encode() {
      ByteWriter out = new ByteWriter(1 << 10);
      out.writeText(after);
      out.writeText(upTo);
      out.writeVarint(digests.size());
      digests.forEach(
          (name, digest) -> {
            out.writeText(name);
            out.writeRaw(digest);
          });
      return out.toByteArray();
    }

    static Question decode(byte[] body) throws CorruptDataException {
      ByteReader in = new ByteReader(body);
      String after = in.readText("name of a keyspace", NAME_BYTES_MAX);
      String upTo = in.readText("name of a keyspace", NAME_BYTES_MAX);
      int count = in.readLength("digests of keyspaces", ASKED_MAX);
      SortedMap<String, byte[]> digests = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        digests.put(in.readText("name of a keyspace", NAME_BYTES_MAX), in.readRaw(DIGEST_BYTES));
      }
      in.expectEnd("question for a schema");
      return new Question(after, upTo, digests);
    }
  }

  /**
   * The first that differ of what was asked about.
   *
   * @param reached go on behind this name; empty if there is nothing more of this schema
   */
  record Page(List<SchemaRow> rows, String reached) {

    /** Answers a question. */
    static Page of(Schema schema, Question asked) {
      List<SchemaRow> rows = new ArrayList<>();
      long bytes = 0;
      for (var entry : schema.digests(asked.after()).entrySet()) {
        String name = entry.getKey();
        if (!asked.upTo().isEmpty() && name.compareTo(asked.upTo()) > 0) {
          return new Page(rows, asked.upTo());
        }
        byte[] digest = Arrays.copyOf(entry.getValue(), DIGEST_BYTES);
        if (!Arrays.equals(digest, asked.digests().get(name))) {
          SchemaRow row = schema.row(name);
          rows.add(row);
          bytes += row.bytes();
          if (bytes > PAGE_BYTES) {
            return new Page(rows, name);
          }
        }
      }
      return new Page(rows, "");
    }

    byte[] encode() {
      ByteWriter out = new ByteWriter(1 << 10);
      out.writeText(reached);
      SchemaMessage.write(rows, out);
      return out.toByteArray();
    }

    static Page decode(byte[] body) throws CorruptDataException {
      ByteReader in = new ByteReader(body);
      String reached = in.readText("name of a keyspace", NAME_BYTES_MAX);
      List<SchemaRow> rows = SchemaMessage.read(in);
      return new Page(rows, reached);
    }
  }
}
