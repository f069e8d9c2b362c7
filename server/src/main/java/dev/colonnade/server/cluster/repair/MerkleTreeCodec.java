package dev.colonnade.server.cluster.repair;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.internode.v1.Id128;
import dev.colonnade.internode.v1.TreeRequest;
import dev.colonnade.internode.v1.TreeResponse;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.FrameCodec;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.ArrayList;
import java.util.List;

/** Encodes requests for trees, and trees, as messages of {@code internode.proto}. */
final class MerkleTreeCodec {

  private static final int HASH_BYTES = 16;
  private static final int TREE_BYTES_MAX = 1 << 20;

  /** Those beside the leaves, some of later versions included. */
  private static final int OTHER_FIELDS = 64;

  private static final MessageParser<TreeRequest> REQUEST =
      new MessageParser<>(
          "a request for a hash tree",
          TreeRequest.getDefaultInstance(),
          FrameCodec.MAX_BODY_BYTES,
          MerkleSplits.LEAVES_MAX + OTHER_FIELDS);
  private static final MessageParser<TreeResponse> RESPONSE =
      new MessageParser<>(
          "a hash tree", TreeResponse.getDefaultInstance(), TREE_BYTES_MAX, OTHER_FIELDS);

  private MerkleTreeCodec() {}

  static byte[] encode(TreeMessage request) {
    TreeRequest.Builder message =
        TreeRequest.newBuilder()
            .setFamily(
                Id128.newBuilder().setHigh(request.family().high()).setLow(request.family().low()))
            .setNowSeconds(request.nowSeconds())
            .setStart(UnsafeByteOperations.unsafeWrap(request.cuts().range().start()));
    request.cuts().ends().forEach(end -> message.addEnds(UnsafeByteOperations.unsafeWrap(end)));
    return message.build().toByteArray();
  }

  static TreeMessage decodeRequest(byte[] body) throws CorruptDataException {
    TreeRequest message = REQUEST.parse(body);
    MessageParser.require("the family", message.hasFamily());
    MessageParser.require("the time of a hash tree", message.hasNowSeconds());
    MessageParser.require("the leaves", message.getEndsCount() > 0);
    List<byte[]> ends = new ArrayList<>(message.getEndsCount());
    for (ByteString end : message.getEndsList()) {
      ends.add(MessageParser.bytes("token", end, DataLimits.TOKEN_BYTES));
    }
    byte[] start = MessageParser.bytes("token", message.getStart(), DataLimits.TOKEN_BYTES);
    return new TreeMessage(
        new FamilyId(message.getFamily().getHigh(), message.getFamily().getLow()),
        message.getNowSeconds(),
        splits(new TokenRange(start, ends.get(ends.size() - 1)), ends));
  }

  private static MerkleSplits splits(TokenRange range, List<byte[]> ends)
      throws CorruptDataException {
    try {
      return new MerkleSplits(range, ends);
    } catch (IllegalArgumentException e) {
      CorruptDataException corrupt =
          CorruptDataException.inMessage("leaves", "ends in order", String.valueOf(e.getMessage()));
      corrupt.initCause(e);
      throw corrupt;
    }
  }

  /** Encodes the hashes of a tree; the requester knows its splits. */
  static byte[] encode(MerkleTree tree) {
    ByteWriter hashes = new ByteWriter(HASH_BYTES * tree.cuts().leaves());
    for (int i = 0; i < tree.cuts().leaves(); i++) {
      MerkleTree.write(tree.leaf(i), hashes);
    }
    return TreeResponse.newBuilder()
        .setHashes(UnsafeByteOperations.unsafeWrap(hashes.array(), 0, hashes.position()))
        .build()
        .toByteArray();
  }

  /**
   * Decodes a tree.
   *
   * @param cuts of the request
   */
  static MerkleTree decodeTree(byte[] body, MerkleSplits cuts) throws CorruptDataException {
    byte[] bytes = RESPONSE.parse(body).getHashes().toByteArray();
    if (bytes.length != HASH_BYTES * cuts.leaves()) {
      throw CorruptDataException.inMessage(
          "hashes of leaves", HASH_BYTES * cuts.leaves() + " bytes", "" + bytes.length);
    }
    ByteReader in = new ByteReader(bytes);
    List<Hash128> hashes = new ArrayList<>(cuts.leaves());
    for (int i = 0; i < cuts.leaves(); i++) {
      hashes.add(new Hash128(in.readLong(), in.readLong()));
    }
    return new MerkleTree(cuts, hashes);
  }
}
