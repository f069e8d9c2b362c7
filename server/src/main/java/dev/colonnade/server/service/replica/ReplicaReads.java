package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.PeerFailures;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.storage.engine.FragmentCodec;
import dev.colonnade.server.storage.engine.ReadCommandCodec;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.ReadResponse;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StoreTrace;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers the reads of other coordinators from this node's copies. Each request reads one bounded
 * part, so that a cancelled read ends with that part.
 *
 * <p>Thread-safe.
 */
public final class ReplicaReads {

  /** The most bytes that a coordinator may ask for at a time. */
  public static final long PART_BYTES_MAX = 4 << 20;

  /** A request that cannot be served, with the failure to send back. */
  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient PeerFailure failure;

    RefusedException(PeerFailure failure) {
      super(failure);
      this.failure = failure;
    }
  }

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final Clock clock;

  ReplicaReads(StorageEngine engine, SchemaStore schema, Clock clock) {
    this.engine = engine;
    this.schema = schema;
    this.clock = clock;
  }

  /** Listens to the store's read for a request that belongs to a traced call; else null. */
  private @Nullable StoreTrace trace(Request request) {
    CallTrace trace = CallTrace.of(request, clock);
    return trace == null ? null : trace.store();
  }

  CompletableFuture<byte[]> row(Request request) {
    return answer(() -> readRow(request), ReplicaReads::encodeRow);
  }

  CompletableFuture<byte[]> digest(Request request) {
    return answer(
        () -> readRow(request), read -> DigestMessage.encode(FragmentCodec.digest(read.result())));
  }

  CompletableFuture<byte[]> range(Request request) {
    boolean digestOnly = request.body().length > 0 && request.body()[0] == 1;
    return answer(
        () -> readRange(request),
        read ->
            digestOnly
                ? DigestMessage.encode(FragmentCodec.digest(read.result()))
                : encodeRange(read));
  }

  /** Starts a read. */
  private interface ReadStart<F> {
    CompletableFuture<ReadResponse<F>> begin() throws CorruptDataException, RefusedException;
  }

  private CompletableFuture<ReadResponse<RowFragment>> readRow(Request request)
      throws CorruptDataException, RefusedException {
    ByteReader in = new ByteReader(request.body());
    ReadCommandCodec.OfFamily<SliceCommand> asked = ReadCommandCodec.readSliceCommand(in);
    in.expectEnd("read of a row");
    boolean isKnown = check(request, asked, asked.command().bytes());
    StoreTrace trace = trace(request);
    return whenTruncated(
        isKnown,
        asked,
        () ->
            engine.read(
                asked.family(),
                asked.command(),
                ReadOutput.ROW_FRAGMENT,
                asked.command().from().isEmpty() ? ReadMode.INLINE : ReadMode.OFFLOADED,
                trace));
  }

  private CompletableFuture<ReadResponse<RangeFragment>> readRange(Request request)
      throws CorruptDataException, RefusedException {
    ByteReader in = new ByteReader(request.body());
    in.readVarint("whether the digest is enough", 1);
    ReadCommandCodec.OfFamily<RangeCommand> asked = ReadCommandCodec.readRangeCommand(in);
    in.expectEnd("read of rows");
    boolean isKnown = check(request, asked, asked.command().bytes());
    StoreTrace trace = trace(request);
    return whenTruncated(
        isKnown,
        asked,
        () ->
            engine.read(
                asked.family(),
                asked.command(),
                ReadOutput.RANGE_FRAGMENT,
                ReadMode.INLINE,
                trace));
  }

  /**
   * Reads, after applying a truncation that the coordinator already knows of; otherwise rows from
   * before it would be read-repaired onto other replicas.
   */
  private <F> CompletableFuture<F> whenTruncated(
      boolean isKnown, ReadCommandCodec.OfFamily<?> asked, Supplier<CompletableFuture<F>> read) {
    return isKnown
        ? read.get()
        : schema
            .truncateHere(asked.family(), asked.truncation())
            .thenCompose(version -> read.get());
  }

  /**
   * Whether this node already has the last truncation that the coordinator knows of. Refuses
   * requests that are cancelled, too large, or for an unknown family.
   */
  private boolean check(Request request, ReadCommandCodec.OfFamily<?> asked, long bytes)
      throws RefusedException {
    if (request.isCancelled()) {
      throw new RefusedException(
          new PeerFailure(PeerFailure.Code.TIMED_OUT, "the caller no longer waits for this read"));
    }
    ColumnFamily family = schema.current().family(asked.family()).orElse(null);
    if (family == null) {
      throw new RefusedException(
          new PeerFailure(
              PeerFailure.Code.UNKNOWN_FAMILY,
              "the column family " + asked.family() + " is not known here, or was dropped"));
    }
    if (bytes > PART_BYTES_MAX) {
      throw new RefusedException(
          new PeerFailure(
              PeerFailure.Code.REFUSED,
              bytes + " bytes were requested; a part has at most " + PART_BYTES_MAX));
    }
    return asked.truncation() <= family.truncation();
  }

  private static <F> CompletableFuture<byte[]> answer(
      ReadStart<F> read, Function<ReadResponse<F>, byte[]> encode) {
    CompletableFuture<ReadResponse<F>> begun;
    try {
      begun = read.begin();
    } catch (RefusedException refused) {
      return CompletableFuture.failedFuture(refused.failure);
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "a request that cannot be read: " + e, e));
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Then.whenDone(
        begun,
        answer,
        (value, failure) -> {
          if (failure != null) {
            answer.completeExceptionally(PeerFailures.translate(failure));
            return;
          }
          try {
            answer.complete(encode.apply(value));
          } catch (RuntimeException bug) {
            answer.completeExceptionally(bug);
          }
        });
    return answer;
  }

  private static byte[] encodeRow(ReadResponse<RowFragment> read) {
    ByteWriter out = new ByteWriter(512);
    FragmentCodec.writeRow(read.result(), out);
    FragmentCodec.writeCost(read, out);
    return out.toByteArray();
  }

  private static byte[] encodeRange(ReadResponse<RangeFragment> read) {
    ByteWriter out = new ByteWriter(4 << 10);
    FragmentCodec.writeRange(read.result(), out);
    FragmentCodec.writeCost(read, out);
    return out.toByteArray();
  }
}
