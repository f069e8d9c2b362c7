package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.ExtensionRegistryLite;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.colonnade.admin.v1.LoadChunk;
import dev.colonnade.admin.v1.LoadRow;
import dev.colonnade.admin.v1.LoadRowsChunk;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.bulkload.BulkLoad;
import dev.colonnade.server.service.bulkload.LoadWriter;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.SuperColumn;
import io.grpc.Status;
import java.io.IOException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one chunk. They are decoded column by column as they are written, so that a chunk
 * never takes more memory than its bytes; therefore each message must hold its fields in the order
 * of their numbers, as encoders write them.
 */
final class BulkRows implements BulkLoad.ChunkRows {
  private static final int KEY = tag(LoadRow.KEY_FIELD_NUMBER);
  private static final int CONTINUES =
      LoadRow.CONTINUES_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_VARINT;
  private static final int COLUMNS = tag(LoadRow.COLUMNS_FIELD_NUMBER);
  private static final int SUPER_COLUMNS = tag(LoadRow.SUPER_COLUMNS_FIELD_NUMBER);
  private static final int ROWS = tag(LoadRowsChunk.ROWS_FIELD_NUMBER);
  private static final int NAME = tag(SuperColumn.NAME_FIELD_NUMBER);
  private static final int SUBCOLUMNS = tag(SuperColumn.COLUMNS_FIELD_NUMBER);

  private final LoadChunk chunk;
  private final ColumnFamily family;
  private final RequestRules rules;
  private final Mutations mutations;
  private final WriteTime time;

  /**
   * Decodes nothing yet.
   *
   * @param time the same for all chunks of the load
   */
  BulkRows(LoadChunk chunk, ColumnFamily family, RpcContext rpc, WriteTime time) {
    this.chunk = chunk;
    this.family = family;
    this.rules = rpc.rules();
    this.mutations = rpc.mutations();
    this.time = time;
  }

  private static int tag(int fieldNumber) {
    return fieldNumber << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  @Override
  public void writeTo(LoadWriter writer) throws IOException {
    CRC32C crc = new CRC32C();
    chunk.getRows().asReadOnlyByteBufferList().forEach(crc::update);
    int found = (int) crc.getValue();
    if (found != chunk.getChecksum()) {
      throw RequestRefusal.of(
          Status.Code.ABORTED,
          ErrorReasons.CHUNK_DAMAGED,
          "chunk.checksum",
          "chunk "
              + chunk.getNumber()
              + " has the checksum "
              + Checksums.text(found)
              + " and came with "
              + Checksums.text(chunk.getChecksum())
              + "; load again");
    }
    try {
      CodedInputStream in = chunk.getRows().newCodedInput();
      in.enableAliasing(true);
      int rows = 0;
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == ROWS) {
          readRow(in, rows++, writer);
        } else {
          skip(in, tag);
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw RequestRefusal.invalid(
          "chunk.rows", "the rows of a chunk are no LoadRowsChunk: " + e.getMessage());
    }
  }

  private void readRow(CodedInputStream in, int number, LoadWriter writer) throws IOException {
    int limit = in.pushLimit(in.readRawVarint32());
    try {
      readRow(in, number == 0, writer);
    } catch (RequestRefusal refusal) {
      throw refusal.within("chunk.rows[" + number + "]");
    }
    in.checkLastTagWas(0);
    in.popLimit(limit);
  }

  private void readRow(CodedInputStream in, boolean first, LoadWriter writer) throws IOException {
    ByteString key = ByteString.EMPTY;
    boolean continues = false;
    boolean begun = false;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == KEY && !begun) {
        key = in.readBytes();
      } else if (tag == CONTINUES && !begun) {
        continues = in.readBool();
      } else if (tag == COLUMNS || tag == SUPER_COLUMNS) {
        if (!begun) {
          begin(key, continues, first, writer);
          begun = true;
        }
        if (tag == COLUMNS) {
          readColumn(in, null, writer);
        } else {
          readSuperColumn(in, writer);
        }
      } else {
        skipOther(in, tag, begun && (tag == KEY || tag == CONTINUES));
      }
    }
    if (!begun) {
      begin(key, continues, first, writer);
    }
  }

  private void begin(ByteString keyBytes, boolean continues, boolean first, LoadWriter writer)
      throws IOException {
    RowKey key = rules.key("key", keyBytes);
    if (!continues) {
      writer.beginRow(key);
    } else if (first) {
      writer.continueRow(key);
    } else {
      throw RequestRefusal.invalid(
          "continues", "only the first row of a chunk goes on with the chunk before");
    }
  }

  private void readColumn(CodedInputStream in, byte @Nullable [] superColumn, LoadWriter writer)
      throws IOException {
    Column column = in.readMessage(Column.parser(), ExtensionRegistryLite.getEmptyRegistry());
    if (superColumn == null && family.isSuper()) {
      throw RequestRefusal.invalid(
          "columns", "the column family " + family.name() + " is Super: use super_columns");
    }
    try {
      writer.add(mutations.cell(column, family, superColumn, time));
    } catch (RequestRefusal refusal) {
      throw refusal.within("columns");
    }
  }

  private void readSuperColumn(CodedInputStream in, LoadWriter writer) throws IOException {
    if (!family.isSuper()) {
      throw RequestRefusal.invalid(
          "super_columns", "the column family " + family.name() + " is Standard: use columns");
    }
    int limit = in.pushLimit(in.readRawVarint32());
    byte[] name = null;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == NAME && name == null) {
        name = rules.name("super_columns.name", in.readBytes(), family.order().topType());
      } else if (tag == SUBCOLUMNS && name != null) {
        readColumn(in, name, writer);
      } else {
        skipOther(in, tag, tag == NAME || tag == SUBCOLUMNS);
      }
    }
    in.checkLastTagWas(0);
    in.popLimit(limit);
  }

  private static void skipOther(CodedInputStream in, int tag, boolean isLate) throws IOException {
    if (isLate) {
      throw RequestRefusal.invalid(
          null, "the fields of rows and super columns come in the order of their numbers");
    }
    skip(in, tag);
  }

  private static void skip(CodedInputStream in, int tag) throws IOException {
    if (!in.skipField(tag)) {
      throw new InvalidProtocolBufferException("a group ends that never began");
    }
  }
}
