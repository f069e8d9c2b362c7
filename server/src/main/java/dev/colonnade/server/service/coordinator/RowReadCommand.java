package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.readrepair.ResolvedRow;
import dev.colonnade.server.service.readrepair.RowResolver;
import dev.colonnade.server.storage.engine.FragmentCodec;
import dev.colonnade.server.storage.engine.ReadCommandCodec;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.ReadResponse;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads a page of a slice of one row. */
final class RowReadCommand implements ReplicaReadCommand<RowFragment, ResolvedRow> {

  private final StorageEngine engine;
  private final ColumnFamily family;
  private final SliceCommand command;
  private final byte[] body;

  RowReadCommand(StorageEngine engine, ColumnFamily family, SliceCommand command) {
    this.engine = engine;
    this.family = family;
    this.command = command;
    ByteWriter out = new ByteWriter(128);
    ReadCommandCodec.writeSliceCommand(
        new ReadCommandCodec.OfFamily<>(family.id(), family.truncation(), command), out);
    this.body = out.toByteArray();
  }

  @Override
  public CompletableFuture<ReadResponse<RowFragment>> here() {
    // Later pages run off the caller's thread, which a long row would otherwise block.
    return engine.read(
        family.id(),
        command,
        ReadOutput.ROW_FRAGMENT,
        command.from().isEmpty() ? ReadMode.INLINE : ReadMode.OFFLOADED);
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
  public ReadResponse<RowFragment> decode(byte[] answer) throws CorruptDataException {
    ByteReader in = new ByteReader(answer);
    RowFragment fragment = FragmentCodec.readRow(in, family.order());
    ReadResponse<RowFragment> read = FragmentCodec.readCost(fragment, in);
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
    ResolvedRow merged = RowResolver.merge(family.order(), command, fragments);
    List<List<Mutation>> corrections = new ArrayList<>(fragments.size());
    for (RowUpdate update : merged.corrections()) {
      corrections.add(
          update.isEmpty()
              ? List.of()
              : List.of(
                  new Mutation(
                      command.key(),
                      List.of(
                          new Mutation.FamilyMutation(family.id(), update, family.truncation())),
                      command.nowSeconds())));
    }
    return new ResolvedRead<>(merged, corrections);
  }
}
