package dev.colonnade.server.service.schemasync;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The cells of a schema as sent between nodes: the number of rows, then each row as a mutation with
 * its length.
 */
public final class SchemaMessage {

  private static final int ROWS_MAX = 1 << 20;
  private static final byte[] NO_TOKEN = new byte[0];

  private SchemaMessage() {}

  public static byte[] encode(List<SchemaRow> rows) {
    ByteWriter out = new ByteWriter(1 << 10);
    write(rows, out);
    return out.toByteArray();
  }

  static void write(List<SchemaRow> rows, ByteWriter out) {
    out.writeVarint(rows.size());
    for (SchemaRow row : rows) {
      int lengthAt = out.reserve(Integer.BYTES);
      int from = out.position();
      RowUpdate update = RowUpdate.ofCanonical(row.deletion(), List.of(), row.cells());
      MutationCodec.write(
          new Mutation(
              // Each node computes the token itself.
              new RowKey(NO_TOKEN, row.key()),
              List.of(new Mutation.FamilyMutation(SystemKeyspace.SCHEMA.id(), update)),
              0),
          out);
      out.patchInt(lengthAt, out.position() - from);
    }
  }

  public static List<SchemaRow> decode(byte[] body) throws CorruptDataException {
    return read(new ByteReader(body));
  }

  /** Reads to the end. */
  static List<SchemaRow> read(ByteReader in) throws CorruptDataException {
    int count = in.readLength("rows of a schema", ROWS_MAX);
    List<SchemaRow> rows = new ArrayList<>(Math.min(count, 1_024));
    for (int i = 0; i < count; i++) {
      Mutation row = MutationCodec.read(in.slice(in.readInt()));
      if (row.updates().size() != 1
          || !row.updates().get(0).family().equals(SystemKeyspace.SCHEMA.id())) {
        throw in.corrupt("row of a schema", "one of " + SystemKeyspace.SCHEMA.id(), "another");
      }
      RowUpdate update = row.updates().get(0).update();
      rows.add(
          new SchemaRow(
              new String(row.key().key(), StandardCharsets.UTF_8),
              update.rowDeletion(),
              update.cells()));
    }
    in.expectEnd("schema");
    return rows;
  }
}
