package dev.colonnade.server.node;

import dev.colonnade.server.engine.Mutation;
import dev.colonnade.server.engine.RowPage;
import dev.colonnade.server.engine.RowQuery;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.RandomSource;
import dev.colonnade.server.manifest.NodeIdentity;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.ring.InvalidKeyException;
import dev.colonnade.server.ring.InvalidTokenException;
import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.schema.SystemKeyspace;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The node's token: chosen at the first start, kept in {@code system.Local} beside what else the
 * node knows about itself.
 */
final class LocalToken {

  private static final long WAIT_SECONDS = 60;
  private static final byte[] ROW = bytes("local");
  private static final String TOKEN = "token";

  private LocalToken() {}

  /**
   * The token that was kept, or else a new one.
   *
   * @param initialToken as configured; empty for a random one
   */
  static byte[] of(
      StorageEngine engine,
      Partitioner partitioner,
      NodeIdentity identity,
      String initialToken,
      RandomSource random,
      Clock clock)
      throws NodeStartException {
    try {
      RowKey key = partitioner.rowKey(ROW);
      Optional<String> kept = kept(engine, key, clock);
      if (kept.isPresent()) {
        return partitioner.parseToken(kept.get());
      }
      byte[] token =
          initialToken.isEmpty()
              ? partitioner.randomToken(random)
              : partitioner.parseToken(initialToken);
      keep(engine, key, partitioner, identity, token, clock);
      return token;
    } catch (InvalidTokenException e) {
      throw new NodeStartException(
          "the initial token is not one of " + partitioner.name() + ": " + e.getMessage(), e);
    } catch (InvalidKeyException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static Optional<String> kept(StorageEngine engine, RowKey key, Clock clock)
      throws NodeStartException {
    Slice slice = new Slice(List.of(PathRange.of(bytes(TOKEN))), false, false, Long.MAX_VALUE);
    RowQuery query =
        new RowQuery(key, slice, Optional.empty(), 1 << 20, false, clock.wallSeconds());
    RowPage page = await(engine.read(SystemKeyspace.LOCAL.id(), query));
    return page.cells().stream()
        .findFirst()
        .map(cell -> new String(cell.value(), StandardCharsets.UTF_8));
  }

  private static void keep(
      StorageEngine engine,
      RowKey key,
      Partitioner partitioner,
      NodeIdentity identity,
      byte[] token,
      Clock clock)
      throws NodeStartException {
    long now = clock.wallMicros();
    RowUpdate update =
        RowUpdate.builder(SystemKeyspace.LOCAL.order(), clock.wallSeconds())
            .add(cell("cluster_name", identity.clusterName(), now))
            .add(cell("node_id", identity.id(), now))
            .add(cell("partitioner", identity.partitioner(), now))
            .add(cell(TOKEN, partitioner.printToken(token), now))
            .build();
    Mutation mutation =
        new Mutation(
            key,
            List.of(new Mutation.Part(SystemKeyspace.LOCAL.id(), update)),
            clock.wallSeconds());
    await(engine.write(mutation, true));
    await(engine.flush(SystemKeyspace.LOCAL.id()));
  }

  private static Cell cell(String name, String value, long timestamp) {
    return Cell.live(bytes(name), null, bytes(value), timestamp);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Waits while starting, when there is nobody yet whom that could hold up. */
  static <T> T await(CompletableFuture<T> future) throws NodeStartException {
    try {
      return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NodeStartException("interrupted while starting", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new NodeStartException(
          "starting failed: " + (cause == null ? e.getMessage() : cause.getMessage()), e);
    } catch (TimeoutException e) {
      throw new NodeStartException(
          "the disk did not answer within " + WAIT_SECONDS + " seconds", e);
    }
  }
}
