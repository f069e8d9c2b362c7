package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.readrepair.ResolvedRow;
import dev.colonnade.server.service.readrepair.RowResolver;
import dev.colonnade.server.service.readrepair.SliceMergeSpec;
import dev.colonnade.server.storage.engine.FragmentCodec;
import dev.colonnade.server.storage.engine.FragmentQuery;
import dev.colonnade.server.storage.engine.FragmentQueryCodec;
import dev.colonnade.server.storage.engine.FragmentRead;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads a page of a slice of one row. */
final class RowReadCommand implements ReplicaReadCommand<RowFragment, ResolvedRow> {

  private final StorageEngine engine;
  private final ColumnFamily family;
  private final FragmentQuery query;
  private final SliceMergeSpec question;
  private final byte[] body;

  RowReadCommand(
      StorageEngine engine, ColumnFamily family, FragmentQuery query, boolean countOnly) {
    this.engine = engine;
    this.family = family;
    this.query = query;
    this.question =
        new SliceMergeSpec(
            family.order(),
            query.slice(),
            query.from(),
            query.bytes(),
            countOnly,
            query.nowSeconds());
    ByteWriter out = new ByteWriter(128);
    FragmentQueryCodec.writeQuery(
        new FragmentQueryCodec.OfFamily<>(family.id(), family.truncation(), query), out);
    this.body = out.toByteArray();
  }

  @Override
  public CompletableFuture<FragmentRead<RowFragment>> here() {
    // Later pages run off the caller's thread, which a long row would otherwise block.
    return query.from().isEmpty()
        ? engine.readFragment(family.id(), query)
        : engine.readFragmentInBackground(family.id(), query);
  }

  @Override
  public Verb verb(boolean digestOnly) {
    return digestOnly ? Verb.READ_DIGEST : Verb.READ_ROW;
  }

  @Override
  public byte[] body(boolean digestOnly) {
    return body;
  }

  @Override
  public FragmentRead<RowFragment> decode(byte[] answer) throws CorruptDataException {
    ByteReader in = new ByteReader(answer);
    RowFragment fragment = FragmentCodec.readRow(in, family.order());
    FragmentRead<RowFragment> read = FragmentCodec.readCost(fragment, in);
    in.expectEnd("part of a row");
    return read;
  }

  @Override
  public Hash128 digest(RowFragment fragment) {
    return FragmentCodec.digest(fragment);
  }

  @Override
  public RowFragment nothing() {
    return RowFragment.NOTHING;
  }

  @Override
  public ResolvedRead<ResolvedRow> join(List<RowFragment> fragments) {
    ResolvedRow merged = RowResolver.merge(question, fragments);
    List<List<Mutation>> corrections = new ArrayList<>(fragments.size());
    for (RowUpdate update : merged.corrections()) {
      corrections.add(
          update.isEmpty()
              ? List.of()
              : List.of(
                  new Mutation(
                      query.key(),
                      List.of(
                          new Mutation.FamilyMutation(family.id(), update, family.truncation())),
                      query.nowSeconds())));
    }
    return new ResolvedRead<>(merged, corrections);
  }
}
