package dev.colonnade.server.coordinator;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.Hash128;
import dev.colonnade.server.engine.FragmentCodec;
import dev.colonnade.server.engine.FragmentQuery;
import dev.colonnade.server.engine.FragmentQueryCodec;
import dev.colonnade.server.engine.FragmentRead;
import dev.colonnade.server.engine.Mutation;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.model.RowFragment;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.net.Verb;
import dev.colonnade.server.readrepair.MergedRow;
import dev.colonnade.server.readrepair.RowMerge;
import dev.colonnade.server.readrepair.SliceQuestion;
import dev.colonnade.server.schema.ColumnFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A page of a slice of one row. */
final class RowFragmentQuestion implements FragmentQuestion<RowFragment, MergedRow> {

  private final StorageEngine engine;
  private final ColumnFamily family;
  private final FragmentQuery query;
  private final SliceQuestion question;
  private final byte[] body;

  RowFragmentQuestion(
      StorageEngine engine, ColumnFamily family, FragmentQuery query, boolean countOnly) {
    this.engine = engine;
    this.family = family;
    this.query = query;
    this.question =
        new SliceQuestion(
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
    // Later pages leave the caller's thread, which a long row would otherwise keep.
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
  public Joined<MergedRow> join(List<RowFragment> fragments) {
    MergedRow merged = RowMerge.merge(question, fragments);
    List<List<Mutation>> corrections = new ArrayList<>(fragments.size());
    for (RowUpdate update : merged.corrections()) {
      corrections.add(
          update.isEmpty()
              ? List.of()
              : List.of(
                  new Mutation(
                      query.key(),
                      List.of(new Mutation.Part(family.id(), update, family.truncation())),
                      query.nowSeconds())));
    }
    return new Joined<>(merged, corrections);
  }
}
