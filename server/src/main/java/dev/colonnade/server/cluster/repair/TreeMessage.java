package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.FamilyId;

/**
 * Asks a replica to hash its rows: the family's id, the time against which expiry and gc grace are
 * judged, and the leaves.
 */
record TreeMessage(FamilyId family, long nowSeconds, MerkleSplits cuts) {

  byte[] encode() {
    ByteWriter out = new ByteWriter(256);
    out.writeLong(family.high());
    out.writeLong(family.low());
    out.writeLong(nowSeconds);
    MerkleTreeCodec.writeCuts(cuts, out);
    return out.toByteArray();
  }

  static TreeMessage decode(byte[] body) throws CorruptDataException {
    ByteReader in = new ByteReader(body);
    FamilyId family = new FamilyId(in.readLong(), in.readLong());
    long nowSeconds = in.readLong();
    MerkleSplits cuts = MerkleTreeCodec.readCuts(in);
    in.expectEnd("a request for a hash tree");
    return new TreeMessage(family, nowSeconds, cuts);
  }
}
