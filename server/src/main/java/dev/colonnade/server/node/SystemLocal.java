package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.InvalidTokenException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.SystemRow;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The state that the node saves about itself, in {@code system.Local}: its tokens, its generation,
 * and the like. It is on disk when the future completes.
 *
 * <p>Thread-safe; never blocks.
 */
final class SystemLocal {

  private static final byte[] ROW = bytes("local");
  private static final String TOKEN = "token";
  private static final String TOKENS = "tokens";
  private static final String TOKENS_SINCE = "tokens_since";
  private static final String GENERATION = "generation";
  private static final String DEPARTED = "departed";
  private static final String ADDRESS = "peer_address";
  private static final String REPLACED = "replaced";

  private final StorageEngine engine;
  private final Partitioner partitioner;
  private final NodeIdentity identity;
  private final Clock clock;
  private final RowKey key;

  /** The newest timestamp saved; newer facts must win even if the wall clock went back. */
  private final AtomicLong newestMicros = new AtomicLong();

  private final Saved saved;
  private volatile long tokensSince;

  /**
   * Creates it with what an earlier run saved.
   *
   * @param rows of {@code system.Local}
   * @throws IOException if a token or generation in it is no such thing
   */
  SystemLocal(
      StorageEngine engine,
      Partitioner partitioner,
      NodeIdentity identity,
      Clock clock,
      List<SystemRow> rows)
      throws IOException {
    this.engine = engine;
    this.partitioner = partitioner;
    this.identity = identity;
    this.clock = clock;
    try {
      this.key = partitioner.rowKey(ROW);
    } catch (InvalidKeyException e) {
      throw new IllegalStateException("a partitioner takes every ASCII key", e);
    }
    this.saved = read(rows);
  }

  /**
   * The saved state.
   *
   * @param tokens empty for a node that never joined a ring
   * @param generation of the last start; 0 before the first
   * @param departed whether the node left its cluster permanently
   * @param address where it listened then; empty before the first start
   * @param replaced the id of the node that had the tokens before, if this one replaced it
   */
  record Saved(
      List<byte[]> tokens,
      long generation,
      boolean departed,
      Optional<String> address,
      Optional<String> replaced) {}

  /** What an earlier run saved. */
  Saved saved() {
    return saved;
  }

  private Saved read(List<SystemRow> rows) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>();
    for (SystemRow row : rows) {
      if (row.key().equals(key)) {
        for (Cell cell : row.cells()) {
          texts.put(text(cell.top()), text(cell.value()));
          newestMicros.accumulateAndGet(cell.timestamp(), Math::max);
        }
      }
    }
    try {
      long generation = Long.parseLong(texts.getOrDefault(GENERATION, "0"));
      tokensSince = Long.parseLong(texts.getOrDefault(TOKENS_SINCE, "0"));
      return new Saved(
          tokens(texts),
          generation,
          texts.containsKey(DEPARTED),
          Optional.ofNullable(texts.get(ADDRESS)),
          Optional.ofNullable(texts.get(REPLACED)).filter(id -> !id.isEmpty()));
    } catch (InvalidTokenException | IllegalArgumentException e) {
      throw new IOException(
          "system.Local holds an invalid token or generation: " + e.getMessage(), e);
    }
  }

  private List<byte[]> tokens(Map<String, String> texts) throws InvalidTokenException {
    List<byte[]> tokens = new ArrayList<>();
    String all = texts.get(TOKENS);
    if (all != null) {
      for (String token : all.split(",", -1)) {
        tokens.add(HexFormat.of().parseHex(token));
      }
    } else if (texts.containsKey(TOKEN)) {
      tokens.add(partitioner.parseToken(texts.get(TOKEN)));
    }
    return tokens;
  }

  /** When the tokens were saved, in microseconds since 1970 by the clock of that time; 0 before. */
  long tokensSince() {
    return tokensSince;
  }

  /** Records that the node has left permanently and must not return with this data. */
  CompletableFuture<Void> saveDeparture() {
    return save(Map.of(DEPARTED, "true"));
  }

  /** Saves the tokens with which the node is in the ring. */
  CompletableFuture<Void> saveTokens(List<byte[]> tokens) {
    return saveTokensOf("", tokens);
  }

  /** Saves the tokens of a node that this one has replaced. */
  CompletableFuture<Void> saveTokensOf(String replacedId, List<byte[]> tokens) {
    List<String> hex = tokens.stream().map(HexFormat.of()::formatHex).toList();
    tokensSince = clock.wallMicros();
    return save(
        Map.of(
            TOKEN,
            partitioner.printToken(tokens.get(0)),
            TOKENS,
            String.join(",", hex),
            TOKENS_SINCE,
            Long.toString(tokensSince),
            REPLACED,
            replacedId));
  }

  /** Saves this start's generation and address, before any other node hears of them. */
  CompletableFuture<Void> saveStart(long generation, String address) {
    return save(Map.of(GENERATION, Long.toString(generation), ADDRESS, address));
  }

  /** Saves a generation, before any other node hears of it. */
  CompletableFuture<Void> saveGeneration(long generation) {
    return save(Map.of(GENERATION, Long.toString(generation)));
  }

  private CompletableFuture<Void> save(Map<String, String> columns) {
    long now =
        newestMicros.accumulateAndGet(clock.wallMicros(), (kept, wall) -> Math.max(kept + 1, wall));
    RowUpdate.Builder update =
        RowUpdate.builder(SystemKeyspace.LOCAL.order())
            .add(cell("cluster_name", identity.clusterName(), now))
            .add(cell("node_id", identity.id(), now))
            .add(cell("partitioner", identity.partitioner(), now));
    columns.forEach((name, value) -> update.add(cell(name, value, now)));
    Mutation mutation =
        new Mutation(
            key,
            List.of(new Mutation.FamilyMutation(SystemKeyspace.LOCAL.id(), update.build())),
            clock.wallSeconds());
    // Uses the disk reserve: it is a few hundred bytes per start, and a node with a full disk must
    // be able to start and be read.
    return engine
        .writeUsingReserve(mutation, true)
        .thenCompose(written -> engine.flush(SystemKeyspace.LOCAL.id()))
        .thenAccept(files -> {});
  }

  private static Cell cell(String name, String value, long timestamp) {
    return Cell.live(bytes(name), null, bytes(value), timestamp);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
