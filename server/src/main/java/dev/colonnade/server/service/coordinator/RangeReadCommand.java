package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.readrepair.RangeMergeSpec;
import dev.colonnade.server.service.readrepair.RangeResolver;
import dev.colonnade.server.service.readrepair.ResolvedRange;
import dev.colonnade.server.storage.engine.FragmentCodec;
import dev.colonnade.server.storage.engine.FragmentQueryCodec;
import dev.colonnade.server.storage.engine.FragmentRead;
import dev.colonnade.server.storage.engine.RangeFragmentQuery;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads a page of rows of a range. On the wire a byte precedes the query: 1 if the digest is
 * enough.
 */
final class RangeReadCommand implements ReplicaReadCommand<RangeFragment, ResolvedRange> {

  private final StorageEngine engine;
  private final ColumnFamily family;
  private final RangeFragmentQuery query;
  private final RangeMergeSpec question;
  private final boolean inBackground;

  /**
   * Creates the command.
   *
   * @param inBackground whether this node's store is read off the caller's thread
   */
  RangeReadCommand(
      StorageEngine engine, ColumnFamily family, RangeFragmentQuery query, boolean inBackground) {
    this.inBackground = inBackground;
    this.engine = engine;
    this.family = family;
    this.query = query;
    this.question =
        new RangeMergeSpec(
            family.order(),
            query.start(),
            query.inside(),
            query.startListed(),
            query.slice(),
            query.rowLimit(),
            query.includeEmptyRows(),
            query.keysOnly(),
            query.bytes(),
            query.nowSeconds());
  }

  @Override
  public CompletableFuture<FragmentRead<RangeFragment>> here() {
    return inBackground
        ? engine.readRangeFragmentInBackground(family.id(), query)
        : engine.readRangeFragment(family.id(), query);
  }

  @Override
  public Verb verb(boolean digestOnly) {
    return Verb.READ_RANGE;
  }

  @Override
  public byte[] body(boolean digestOnly) {
    ByteWriter out = new ByteWriter(128);
    out.writeByte(digestOnly ? 1 : 0);
    FragmentQueryCodec.writeRangeQuery(
        new FragmentQueryCodec.OfFamily<>(family.id(), family.truncation(), query), out);
    return out.toByteArray();
  }

  @Override
  public FragmentRead<RangeFragment> decode(byte[] answer) throws CorruptDataException {
    ByteReader in = new ByteReader(answer);
    RangeFragment fragment = FragmentCodec.readRange(in, family.order());
    FragmentRead<RangeFragment> read = FragmentCodec.readCost(fragment, in);
    in.expectEnd("parts of rows");
    return read;
  }

  @Override
  public Hash128 digest(RangeFragment fragment) {
    return FragmentCodec.digest(fragment);
  }

  @Override
  public RangeFragment nothing() {
    return new RangeFragment(List.of(), Optional.empty());
  }

  @Override
  public ResolvedRead<ResolvedRange> join(List<RangeFragment> fragments) {
    ResolvedRange merged = RangeResolver.merge(question, fragments);
    List<List<Mutation>> corrections = new ArrayList<>(fragments.size());
    for (List<ResolvedRange.Correction> lacking : merged.corrections()) {
      List<Mutation> rows = new ArrayList<>(lacking.size());
      for (ResolvedRange.Correction row : lacking) {
        rows.add(
            new Mutation(
                row.key(),
                List.of(
                    new Mutation.FamilyMutation(family.id(), row.update(), family.truncation())),
                query.nowSeconds()));
      }
      corrections.add(rows);
    }
    return new ResolvedRead<>(merged, corrections);
  }
}
