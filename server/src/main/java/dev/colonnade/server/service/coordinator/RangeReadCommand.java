package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.readrepair.RangeResolver;
import dev.colonnade.server.service.readrepair.ResolvedRange;
import dev.colonnade.server.storage.engine.FragmentCodec;
import dev.colonnade.server.storage.engine.ReadCommandCodec;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.ReadResponse;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads a page of rows of a range. On the wire a byte precedes the command: 1 if the digest is
 * enough.
 */
final class RangeReadCommand implements ReplicaReadCommand<RangeFragment, ResolvedRange> {

  private final StorageEngine engine;
  private final ColumnFamily family;
  private final RangeCommand command;
  private final boolean inBackground;

  /**
   * Creates the command.
   *
   * @param inBackground whether this node's store is read off the caller's thread
   */
  RangeReadCommand(
      StorageEngine engine, ColumnFamily family, RangeCommand command, boolean inBackground) {
    this.inBackground = inBackground;
    this.engine = engine;
    this.family = family;
    this.command = command;
  }

  @Override
  public CompletableFuture<ReadResponse<RangeFragment>> here() {
    return engine.read(
        family.id(),
        command,
        ReadOutput.RANGE_FRAGMENT,
        inBackground ? ReadMode.OFFLOADED : ReadMode.INLINE);
  }

  @Override
  public Verb verb(boolean digestOnly) {
    return Verb.READ_RANGE;
  }

  @Override
  public byte[] body(boolean digestOnly) {
    ByteWriter out = new ByteWriter(128);
    out.writeByte(digestOnly ? 1 : 0);
    ReadCommandCodec.writeRangeCommand(
        new ReadCommandCodec.OfFamily<>(family.id(), family.truncation(), command), out);
    return out.toByteArray();
  }

  @Override
  public ReadResponse<RangeFragment> decode(byte[] answer) throws CorruptDataException {
    ByteReader in = new ByteReader(answer);
    RangeFragment fragment = FragmentCodec.readRange(in, family.order());
    ReadResponse<RangeFragment> read = FragmentCodec.readCost(fragment, in);
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
    ResolvedRange merged = RangeResolver.merge(family.order(), command, fragments);
    List<List<Mutation>> corrections = new ArrayList<>(fragments.size());
    for (List<ResolvedRange.Correction> lacking : merged.corrections()) {
      List<Mutation> rows = new ArrayList<>(lacking.size());
      for (ResolvedRange.Correction row : lacking) {
        rows.add(
            new Mutation(
                row.key(),
                List.of(
                    new Mutation.FamilyMutation(family.id(), row.update(), family.truncation())),
                command.nowSeconds()));
      }
      corrections.add(rows);
    }
    return new ResolvedRead<>(merged, corrections);
  }
}
