package dev.colonnade.server.service.schemasync;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.internode.v1.KeyspaceDigest;
import dev.colonnade.internode.v1.SchemaPullRequest;
import dev.colonnade.internode.v1.SchemaPullResponse;
import dev.colonnade.internode.v1.SchemaPush;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.net.FrameCodec;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Encodes what nodes tell each other of the schema as messages of {@code internode.proto}. The rows
 * of the schema are in them as mutations, as everywhere else.
 */
final class SchemaCodec {

  private static final int ROWS_MAX = 1 << 20;
  private static final int REQUEST_BYTES_MAX = 16 << 20;

  /** Longest name of a keyspace, in characters. */
  private static final int NAME_MAX = 1 << 10;

  /** Those beside the digests, some of later versions included. */
  private static final int OTHER_FIELDS = 16;

  private static final byte[] NO_TOKEN = new byte[0];

  private static final MessageParser<SchemaPush> PUSH =
      new MessageParser<>(
          "a change of the schema",
          SchemaPush.getDefaultInstance(),
          FrameCodec.MAX_BODY_BYTES,
          ROWS_MAX);
  private static final MessageParser<SchemaPullRequest> REQUEST =
      new MessageParser<>(
          "a request for the schema",
          SchemaPullRequest.getDefaultInstance(),
          REQUEST_BYTES_MAX,
          3 * SchemaPull.ASKED_MAX + OTHER_FIELDS);
  private static final MessageParser<SchemaPullResponse> RESPONSE =
      new MessageParser<>(
          "a part of the schema",
          SchemaPullResponse.getDefaultInstance(),
          FrameCodec.MAX_BODY_BYTES,
          ROWS_MAX);

  private SchemaCodec() {}

  static byte[] encode(List<SchemaRow> rows) {
    return SchemaPush.newBuilder().addAllRows(toBytes(rows)).build().toByteArray();
  }

  static List<SchemaRow> decodeRows(byte[] body) throws CorruptDataException {
    return toRows(PUSH.parse(body).getRowsList());
  }

  static byte[] encode(SchemaPull.Query query) {
    SchemaPullRequest.Builder message =
        SchemaPullRequest.newBuilder().setAfter(query.after()).setUpTo(query.upTo());
    query
        .digests()
        .forEach(
            (name, digest) ->
                message.addDigests(
                    KeyspaceDigest.newBuilder()
                        .setKeyspace(name)
                        .setDigest(ByteString.copyFrom(digest))));
    return message.build().toByteArray();
  }

  static SchemaPull.Query decodeQuery(byte[] body) throws CorruptDataException {
    SchemaPullRequest message = REQUEST.parse(body);
    if (message.getDigestsCount() > SchemaPull.ASKED_MAX) {
      throw CorruptDataException.inMessage(
          "digests of keyspaces",
          "at most " + SchemaPull.ASKED_MAX,
          "" + message.getDigestsCount());
    }
    SortedMap<String, byte[]> digests = new TreeMap<>();
    for (KeyspaceDigest digest : message.getDigestsList()) {
      byte[] bytes = digest.getDigest().toByteArray();
      if (bytes.length != SchemaPull.DIGEST_BYTES) {
        throw CorruptDataException.inMessage(
            "digest of a keyspace", SchemaPull.DIGEST_BYTES + " bytes", "" + bytes.length);
      }
      if (digests.put(name(digest.getKeyspace()), bytes) != null) {
        throw CorruptDataException.inMessage("digests of keyspaces", "one of each", "two of one");
      }
    }
    return new SchemaPull.Query(name(message.getAfter()), name(message.getUpTo()), digests);
  }

  static byte[] encode(SchemaPull.SchemaPage page) {
    return SchemaPullResponse.newBuilder()
        .addAllRows(toBytes(page.rows()))
        .setReached(page.reached())
        .build()
        .toByteArray();
  }

  static SchemaPull.SchemaPage decodePage(byte[] body) throws CorruptDataException {
    SchemaPullResponse message = RESPONSE.parse(body);
    MessageParser.require("the keyspace that was reached", message.hasReached());
    return new SchemaPull.SchemaPage(toRows(message.getRowsList()), name(message.getReached()));
  }

  private static String name(String name) throws CorruptDataException {
    return MessageParser.text("name of a keyspace", name, NAME_MAX);
  }

  private static List<ByteString> toBytes(List<SchemaRow> rows) {
    List<ByteString> all = new ArrayList<>(rows.size());
    for (SchemaRow row : rows) {
      RowUpdate update = RowUpdate.ofCanonical(row.deletion(), List.of(), row.cells());
      ByteWriter out = new ByteWriter(1 << 10);
      MutationCodec.write(
          new Mutation(
              // Each node computes the token itself.
              new RowKey(NO_TOKEN, row.key()),
              List.of(new Mutation.FamilyMutation(SystemKeyspace.SCHEMA.id(), update)),
              0),
          out);
      all.add(UnsafeByteOperations.unsafeWrap(out.array(), 0, out.position()));
    }
    return all;
  }

  private static List<SchemaRow> toRows(List<ByteString> all) throws CorruptDataException {
    List<SchemaRow> rows = new ArrayList<>(all.size());
    for (ByteString bytes : all) {
      ByteReader in = new ByteReader(bytes.toByteArray());
      Mutation row = MutationCodec.read(in);
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
    return rows;
  }
}
