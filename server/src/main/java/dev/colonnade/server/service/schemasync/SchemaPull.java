package dev.colonnade.server.service.schemasync;

import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How a node fetches keyspaces of another node that it lacks: it sends digests of what it has and
 * receives the keyspaces that differ, a page at a time. A node that missed one change receives one
 * keyspace, and no message grows with the number of keyspaces.
 */
public final class SchemaPull {

  /**
   * A page ends with the keyspace that exceeds this size; a larger keyspace is a page by itself.
   */
  static final long PAGE_BYTES = 1 << 20;

  /** How many keyspaces one request covers; with their names that is below a megabyte. */
  public static final int ASKED_MAX = 10_000;

  /** Enough bytes of a digest that two different rows never look alike. */
  static final int DIGEST_BYTES = 16;

  private SchemaPull() {}

  /**
   * A request about keyspaces, in the order of their names.
   *
   * @param after all up to this name were asked about before; empty for none
   * @param upTo the last name asked about; empty if there is no limit
   * @param digests of all keyspaces in between that the asking node has
   */
  public record Query(String after, String upTo, SortedMap<String, byte[]> digests) {

    /** The next request of a node with this schema. */
    public static Query about(Schema known, String after) {
      SortedMap<String, byte[]> digests = new TreeMap<>();
      for (var entry : known.digests(after).entrySet()) {
        if (digests.size() == ASKED_MAX) {
          return new Query(after, digests.lastKey(), digests);
        }
        digests.put(entry.getKey(), Arrays.copyOf(entry.getValue(), DIGEST_BYTES));
      }
      return new Query(after, "", digests);
    }
  }

  /**
   * The first of the requested keyspaces that differ.
   *
   * @param reached continue after this name; empty if this schema has no more
   */
  public record SchemaPage(List<SchemaRow> rows, String reached) {

    /** Computes the answer to a request. */
    public static SchemaPage of(Schema schema, Query asked) {
      List<SchemaRow> rows = new ArrayList<>();
      long bytes = 0;
      for (var entry : schema.digests(asked.after()).entrySet()) {
        String name = entry.getKey();
        if (!asked.upTo().isEmpty() && name.compareTo(asked.upTo()) > 0) {
          return new SchemaPage(rows, asked.upTo());
        }
        byte[] digest = Arrays.copyOf(entry.getValue(), DIGEST_BYTES);
        if (!Arrays.equals(digest, asked.digests().get(name))) {
          SchemaRow row = schema.row(name);
          rows.add(row);
          bytes += row.bytes();
          if (bytes > PAGE_BYTES) {
            return new SchemaPage(rows, name);
          }
        }
      }
      return new SchemaPage(rows, "");
    }
  }
}
