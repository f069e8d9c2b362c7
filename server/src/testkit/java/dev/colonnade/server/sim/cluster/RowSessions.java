package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.history.Answer;
import dev.colonnade.server.history.Change;
import dev.colonnade.server.history.History;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.Promise;
import dev.colonnade.server.history.Seen;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.World;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.WriteOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Clients that overwrite the columns of few rows, all of a row in one mutation, with long and short
 * values by turns, and read the rows in every way that has one answer, each client one thing at a
 * time. An answer shows what was acknowledged before. Where a row has one copy, what an answer
 * shows of it is also all of a mutation or nothing of it; where it has several, a read of a part of
 * it may repair a part of a mutation that is not acknowledged.
 */
final class RowSessions {
  private static final int CLIENTS = 4;
  private static final List<String> COLUMNS = List.of("c1", "c2", "c3", "c4");

  private static final List<String> ROWS = List.of("b1", "b2");
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration PATIENCE = Duration.ofSeconds(6);

  private final World<CoreNode> world;
  private final Programs programs;
  private final String keyspace;
  private final String family;
  private final boolean oneCopy;
  private final int operations;
  private final Supplier<List<Machine<CoreNode>>> nodes;
  private final History history = new History();
  private int begun;
  private int active;
  private boolean stopped;

  /**
   * Clients that have not begun.
   *
   * @param oneCopy whether the keyspace has one copy of each row
   * @param operations of all of them together
   * @param nodes that they ask
   */
  RowSessions(
      World<CoreNode> world,
      Programs programs,
      String keyspace,
      String family,
      boolean oneCopy,
      int operations,
      Supplier<List<Machine<CoreNode>>> nodes) {
    this.world = world;
    this.programs = programs;
    this.keyspace = keyspace;
    this.family = family;
    this.oneCopy = oneCopy;
    this.operations = operations;
    this.nodes = nodes;
  }

  void start() {
    for (int i = 0; i < CLIENTS; i++) {
      active++;
      new Session(i).next();
    }
  }

  /** Lets each client end after what it is doing now. */
  void stop() {
    stopped = true;
  }

  boolean isDone() {
    return active == 0;
  }

  /** What was done and seen. */
  History history() {
    return history;
  }

  List<String> rows() {
    return ROWS;
  }

  /** One client. */
  private final class Session {
    private final int number;
    private final String name;
    private final Rng rng;
    private final NodeClient client;
    private long highest;
    private int values;
    private int turn;

    Session(int number) {
      this.number = number;
      this.name = "row session " + keyspace + number;
      this.rng = new Rng(world.random(name));
      this.client = programs.caller(name);
    }

    void next() {
      if (stopped || begun >= operations) {
        active--;
        return;
      }
      begun++;
      world.after(rng.micros(50, (int) (PAUSE.toNanos() / 1_000)), this::act);
    }

    private void act() {
      Machine<CoreNode> at = rng.oneOf(nodes.get());
      String row = rng.oneOf(ROWS);
      if (rng.chance(450)) {
        write(at, row);
      } else {
        read(at, row);
      }
    }

    private void write(Machine<CoreNode> at, String row) {
      // No two clients use the same.
      highest = Math.max(at.clock().wallMicros(), highest + CLIENTS);
      highest -= Math.floorMod(highest, CLIENTS) - number;
      Change change = Change.at(highest);
      RowMutation.Builder mutation =
          RowMutation.newBuilder().setKey(StoreClient.bytes(row)).setColumnFamily(family);
      boolean removes = rng.chance(100);
      boolean isLarge = values % 2 == 0;
      String value = "v" + number + "." + values++;
      for (String column : COLUMNS) {
        if (removes) {
          change.remove(column);
          mutation.addMutations(StoreClient.removal(column));
        } else {
          String stored = isLarge ? Manners.lengthened(value + column) : value + column;
          change.put(column, value + column);
          mutation.addMutations(StoreClient.column(column, StoreClient.bytes(stored), 0));
        }
      }
      History.Write write = history.begin(name, row, change);
      note(at, (removes ? "removes " : "writes " + value + " to ") + row + " @" + highest);
      ask(
          client.write(
              at,
              BatchMutateRequest.newBuilder()
                  .setKeyspace(keyspace)
                  .setTimestamp(highest)
                  .setOptions(
                      WriteOptions.newBuilder()
                          .setConsistencyLevel(ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM))
                  .addRows(mutation)
                  .build()),
          (done, failure) -> {
            Outcome outcome = failure == null ? Outcome.DONE : NodeClient.outcome(failure);
            note(at, "write @" + highest + " is " + outcome);
            history.end(write, outcome);
          });
    }

    private void read(Machine<CoreNode> at, String row) {
      boolean atOne = rng.chance(300);
      Promise promise = oneCopy ? Promise.FRESH_AND_WHOLE : atOne ? Promise.WEAK : Promise.FRESH;
      ReadOptions options =
          ReadOptions.newBuilder()
              .setConsistencyLevel(
                  atOne
                      ? ConsistencyLevel.CONSISTENCY_LEVEL_ONE
                      : ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM)
              .build();
      ColumnParent parent = ColumnParent.newBuilder().setColumnFamily(family).build();
      SlicePredicate predicate = rng.chance(250) ? names() : all();
      History.Read read = history.begin(name, row, promise);
      switch (rng.between(0, 4)) {
        case 0, 1 ->
            ask(
                client.call(
                    at,
                    stub ->
                        stub.getSlice(
                            GetSliceRequest.newBuilder()
                                .setKeyspace(keyspace)
                                .setKey(StoreClient.bytes(row))
                                .setColumnParent(parent)
                                .setPredicate(predicate)
                                .setOptions(options)
                                .build())),
                (answer, failure) -> {
                  if (answer != null) {
                    saw(at, read, row, answer.getColumnsList(), answer.getNextPageToken());
                  }
                });
        case 2 ->
            ask(
                client.call(
                    at,
                    stub ->
                        stub.multigetSlice(
                            MultigetSliceRequest.newBuilder()
                                .setKeyspace(keyspace)
                                .addAllKeys(ROWS.stream().map(StoreClient::bytes).toList())
                                .setColumnParent(parent)
                                .setPredicate(predicate)
                                .setOptions(options)
                                .build())),
                (answer, failure) -> {
                  if (answer != null) {
                    sawRows(at, read, row, answer.getRowsList(), answer.getNextPageToken());
                  }
                });
        case 3 ->
            ask(
                client.call(
                    at,
                    stub ->
                        stub.getRangeSlices(
                            GetRangeSlicesRequest.newBuilder()
                                .setKeyspace(keyspace)
                                .setColumnParent(parent)
                                .setPredicate(predicate)
                                .setOptions(options)
                                .build())),
                (answer, failure) -> {
                  if (answer != null) {
                    sawRows(at, read, row, answer.getRowsList(), answer.getNextPageToken());
                  }
                });
        default ->
            ask(
                client.call(
                    at,
                    stub ->
                        stub.getCount(
                            GetCountRequest.newBuilder()
                                .setKeyspace(keyspace)
                                .setKey(StoreClient.bytes(row))
                                .setColumnParent(parent)
                                .setPredicate(predicate)
                                .setOptions(options)
                                .build())),
                (answer, failure) -> {
                  if (answer != null) {
                    note(at, "counts " + answer.getCount() + " in " + row);
                    history.end(read, Answer.ofRow(), answer.getCount());
                  }
                });
      }
    }

    /** Rows of one answer, of which each is a moment of its own. */
    private void sawRows(
        Machine<CoreNode> at,
        History.Read first,
        String asked,
        List<KeySlice> rows,
        String nextPage) {
      for (String row : ROWS) {
        List<ColumnOrSuperColumn> columns =
            rows.stream()
                .filter(slice -> slice.getKey().equals(StoreClient.bytes(row)))
                .findFirst()
                .map(KeySlice::getColumnsList)
                .orElse(List.of());
        History.Read read = row.equals(asked) ? first : history.another(first, row);
        saw(at, read, row, columns, nextPage);
      }
    }

    private void saw(
        Machine<CoreNode> at,
        History.Read read,
        String row,
        List<ColumnOrSuperColumn> columns,
        String nextPage) {
      if (!nextPage.isEmpty()) {
        throw new AssertionError("rows of less than 1 MiB do not fit into an answer");
      }
      Answer answer = Answer.ofRow();
      List<String> words = new ArrayList<>();
      for (ColumnOrSuperColumn one : columns) {
        Column column = one.getColumn();
        String value = Manners.shortened(column.getValue().toStringUtf8());
        answer.saw(column.getName().toStringUtf8(), Seen.version(column.getTimestamp(), value));
        words.add(value);
        highest = Math.max(highest, column.getTimestamp());
      }
      note(at, "reads " + row + " = " + words);
      history.end(read, answer);
    }

    private <T> void ask(
        CompletableFuture<T> call, BiConsumer<@Nullable T, @Nullable Throwable> answered) {
      int asked = ++turn;
      world.when(
          call,
          (value, failure) -> {
            if (asked == turn) {
              turn++;
              answered.accept(value, failure);
              next();
            }
          });
      world.after(
          PATIENCE,
          () -> {
            if (asked == turn) {
              turn++;
              next();
            }
          });
    }

    private void note(Machine<CoreNode> at, String words) {
      world.client(name + " at " + at + " " + words);
    }
  }

  private static SlicePredicate all() {
    return SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()).build();
  }

  private static SlicePredicate names() {
    ColumnNames.Builder names = ColumnNames.newBuilder();
    COLUMNS.forEach(column -> names.addNames(StoreClient.bytes(column)));
    return SlicePredicate.newBuilder().setColumnNames(names).build();
  }
}
