package dev.colonnade.server.service.read;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.ReadCommand;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.readrepair.RangeResolver;
import dev.colonnade.server.service.readrepair.RangeResolver.ResolvedRange;
import dev.colonnade.server.service.readrepair.ResolvedRow;
import dev.colonnade.server.service.readrepair.RowResolver;
import dev.colonnade.server.service.replica.ReplicaReads;
import dev.colonnade.server.storage.engine.FragmentCodec;
import dev.colonnade.server.storage.engine.ReadCommandCodec;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.ReadResponse;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StoreTrace;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A read command as it is sent to replicas, and how their answers are resolved to the page that one
 * store with everything would answer. Thread-safe.
 *
 * @param <C> the command; its bytes are limited to what a replica answers at a time
 * @param <F> the fragment that one replica has
 * @param <T> the page that all of them have together
 */
public abstract sealed class ReplicaReadCommand<C extends ReadCommand, F, T> {

  /**
   * The resolved answer of several replicas.
   *
   * @param page for the caller
   * @param corrections what each replica lacks, in the order of the answers
   */
  public record Resolved<T>(T page, List<List<Mutation>> corrections) {}

  /** How much of a row is counted at a time; replicas agree on one part after the other. */
  private static final long COUNTED_BYTES = 1 << 20;

  private final StorageEngine engine;
  private final ReadOutput<C, F> fragment;
  private final ReadMode here;
  final ColumnFamily family;
  final C command;

  private ReplicaReadCommand(
      StorageEngine engine,
      ColumnFamily family,
      C command,
      ReadOutput<C, F> fragment,
      ReadMode here) {
    this.engine = engine;
    this.family = family;
    this.command = command;
    this.fragment = fragment;
    this.here = here;
  }

  /**
   * A part of a slice.
   *
   * @param here how this node's store is read
   */
  public static ReplicaReadCommand<SliceCommand, RowFragment, RowPage> of(
      StorageEngine engine, ColumnFamily family, SliceCommand command, ReadMode here) {
    long bytesMax = command.countOnly() ? COUNTED_BYTES : ReplicaReads.PART_BYTES_MAX;
    return new OfSlice(engine, family, command.atMost(bytesMax), here);
  }

  /** A part of the rows of a range; the rest as with a slice. */
  public static ReplicaReadCommand<RangeCommand, RangeFragment, RangeRows> of(
      StorageEngine engine, ColumnFamily family, RangeCommand command, ReadMode here) {
    return new OfRange(engine, family, command.atMost(ReplicaReads.PART_BYTES_MAX), here);
  }

  /**
   * Reads this node's store.
   *
   * @param trace of the call; null if it is not traced
   */
  public final CompletableFuture<ReadResponse<F>> here(@Nullable StoreTrace trace) {
    return engine.read(family.id(), command, fragment, here, trace);
  }

  /** The verb of the request to another node. */
  public abstract Verb verb(boolean digestOnly);

  /** The body of the request to another node. */
  public abstract byte[] body(boolean digestOnly);

  /** Decodes another node's data. */
  public abstract ReadResponse<F> decode(byte[] body) throws CorruptDataException;

  /** The digest that another node with the same content answers. */
  public abstract Hash128 digest(F fragment);

  /** The answer of a replica that has nothing. */
  public abstract F nothing();

  /** Resolves the answers; there is at least one. */
  public abstract Resolved<T> resolve(List<F> fragments);

  final ReadCommandCodec.OfFamily<C> ofFamily() {
    return new ReadCommandCodec.OfFamily<>(family.id(), family.truncation(), command);
  }

  final Mutation correction(RowKey key, RowUpdate lacking) {
    return new Mutation(
        key,
        List.of(new Mutation.FamilyMutation(family.id(), lacking, family.truncation())),
        command.nowSeconds());
  }

  /** The digest is asked for by a verb of its own. */
  private static final class OfSlice
      extends ReplicaReadCommand<SliceCommand, RowFragment, RowPage> {

    private final byte[] body;

    OfSlice(StorageEngine engine, ColumnFamily family, SliceCommand command, ReadMode here) {
      super(engine, family, command, ReadOutput.ROW_FRAGMENT, here);
      ByteWriter out = new ByteWriter(128);
      ReadCommandCodec.writeSliceCommand(ofFamily(), out);
      this.body = out.toByteArray();
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
    public Resolved<RowPage> resolve(List<RowFragment> fragments) {
      ResolvedRow merged = RowResolver.merge(family.order(), command, fragments);
      List<List<Mutation>> corrections = new ArrayList<>(fragments.size());
      for (RowUpdate lacking : merged.corrections()) {
        corrections.add(
            lacking.isEmpty() ? List.of() : List.of(correction(command.key(), lacking)));
      }
      return new Resolved<>(merged.page(), corrections);
    }
  }

  /** On the wire a byte precedes the command: 1 if the digest is enough. */
  private static final class OfRange
      extends ReplicaReadCommand<RangeCommand, RangeFragment, RangeRows> {

    OfRange(StorageEngine engine, ColumnFamily family, RangeCommand command, ReadMode here) {
      super(engine, family, command, ReadOutput.RANGE_FRAGMENT, here);
    }

    @Override
    public Verb verb(boolean digestOnly) {
      return Verb.READ_RANGE;
    }

    @Override
    public byte[] body(boolean digestOnly) {
      ByteWriter out = new ByteWriter(128);
      out.writeByte(digestOnly ? 1 : 0);
      ReadCommandCodec.writeRangeCommand(ofFamily(), out);
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
    public Resolved<RangeRows> resolve(List<RangeFragment> fragments) {
      ResolvedRange merged = RangeResolver.merge(family.order(), command, fragments);
      List<List<Mutation>> corrections = new ArrayList<>(fragments.size());
      for (List<ResolvedRange.Correction> lacking : merged.corrections()) {
        corrections.add(lacking.stream().map(row -> correction(row.key(), row.update())).toList());
      }
      return new Resolved<>(merged.page(), corrections);
    }
  }
}
