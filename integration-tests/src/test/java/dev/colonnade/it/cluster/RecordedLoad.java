package dev.colonnade.it.cluster;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.it.Await;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients that write and delete without pause and remember each change with the time at which it
 * was begun and acknowledged: from that follows what each cell may be at a moment. Each client has
 * rows of its own, and gives its changes ascending timestamps.
 */
final class RecordedLoad {

  static final String KEYSPACE = "Recorded";
  static final String FAMILY = "Cells";

  private static final int CLIENTS = 4;
  private static final int ROWS = 25;
  private static final int COLUMNS = 8;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long PAUSE_NANOS = 2_000_000L;

  private final long seed;
  private final List<Writer> writers = new ArrayList<>();
  private final AtomicLong changes = new AtomicLong();
  private volatile boolean ending;

  /**
   * A change of a cell.
   *
   * @param value null for a deletion
   * @param endNanos when it was acknowledged; {@link Long#MAX_VALUE} if it was not
   */
  private record Change(@Nullable String value, long timestamp, long beginNanos, long endNanos) {
    String cell() {
      return value == null ? "none" : value + " at " + timestamp;
    }
  }

  /**
   * What a comparison found.
   *
   * @param certain cells of which one state alone is right
   * @param either cells that changed while the snapshot was taken
   * @param excluded changes that began when it was taken, and must not be there
   * @param wrong cells that are not as they may be
   */
  record Comparison(int certain, int either, int excluded, List<String> wrong) {
    Comparison {
      wrong = List.copyOf(wrong);
    }
  }

  RecordedLoad(long seed) {
    this.seed = seed;
  }

  /** Starts the clients; closing the answer ends them. */
  AutoCloseable start(Colonnade client) {
    for (int i = 0; i < CLIENTS; i++) {
      writers.add(new Writer(i, client));
    }
    writers.forEach(Thread::start);
    return () -> {
      ending = true;
      for (Writer writer : writers) {
        writer.join(LIMIT.toMillis());
      }
    };
  }

  /** How many changes were acknowledged. */
  long changes() {
    return changes.get();
  }

  /** Returns when so many changes were acknowledged. */
  void awaitChanges(long count) {
    Await.until(() -> changes.get() >= count, LIMIT, () -> changes + " changes");
  }

  /**
   * Compares all cells with what they may be.
   *
   * @param asked when the snapshot was asked for: what was acknowledged before must be there
   * @param taken when it was taken: what began later must not
   */
  Comparison compare(Colonnade client, long asked, long taken) {
    Map<String, String> found = read(client);
    List<String> wrong = new ArrayList<>();
    int certain = 0;
    int either = 0;
    int excluded = 0;
    for (Writer writer : writers) {
      for (Map.Entry<String, List<Change>> cell : writer.cells.entrySet()) {
        Set<String> allowed = new HashSet<>(Set.of("none"));
        for (Change change : cell.getValue()) {
          if (change.endNanos() < asked) {
            allowed.clear();
          }
          if (change.beginNanos() <= taken) {
            allowed.add(change.cell());
          } else {
            excluded++;
          }
        }
        String is = found.getOrDefault(cell.getKey(), "none");
        found.remove(cell.getKey());
        if (!allowed.contains(is)) {
          wrong.add(cell.getKey() + " is " + is + " and may be " + allowed);
        } else if (allowed.size() == 1) {
          certain++;
        } else {
          either++;
        }
      }
    }
    found.forEach((name, cell) -> wrong.add(name + " is " + cell + " and was never written"));
    return new Comparison(certain, either, excluded, wrong);
  }

  private static Map<String, String> read(Colonnade client) {
    Map<String, String> cells = new HashMap<>();
    ColumnFamily<String, String, String> family =
        family(client.keyspace(KEYSPACE).with(options().withReadConsistency(Consistency.ALL)));
    try (Cursor<String> keys = family.keys(KeyRange.all())) {
      while (keys.hasNext()) {
        String key = keys.next();
        try (Cursor<Column<String, String>> row = family.stream(key, Slice.all())) {
          row.forEachRemaining(
              column ->
                  cells.put(
                      key + "/" + column.name(),
                      column.value() + " at " + column.timestampMicros().orElse(-1)));
        }
      }
    }
    return cells;
  }

  private static CallOptions options() {
    return CallOptions.defaults().withWriteConsistency(Consistency.QUORUM);
  }

  private static ColumnFamily<String, String, String> family(Keyspace keyspace) {
    return keyspace.columnFamily(FAMILY, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  private final class Writer extends Thread {
    private final Map<String, List<Change>> cells = new TreeMap<>();
    private final Keyspace keyspace;
    private final int number;
    private final Random random;

    Writer(int number, Colonnade client) {
      super("recorded-load-" + number);
      setDaemon(true);
      this.number = number;
      this.keyspace = client.keyspace(KEYSPACE);
      this.random = new Random(seed + number);
    }

    @Override
    public void run() {
      long timestamp = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
      while (!ending) {
        change(timestamp++);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }

    private void change(long timestamp) {
      String key = "client" + number + "-row" + random.nextInt(ROWS);
      String column = "c" + random.nextInt(COLUMNS);
      int kind = random.nextInt(20);
      ColumnFamily<String, String, String> family =
          family(keyspace.with(options().withTimestamp(timestamp)));
      String value = kind < 3 ? null : "v" + timestamp;
      long begin = System.nanoTime();
      long end;
      try {
        if (kind == 0) {
          family.remove(key);
        } else if (value == null) {
          family.remove(key, column);
        } else {
          family.insert(key, column, value);
        }
        end = System.nanoTime();
        changes.incrementAndGet();
      } catch (ColonnadeException unknown) {
        // Whether it was made is not known.
        end = Long.MAX_VALUE;
      }
      for (int i = 0; i < COLUMNS; i++) {
        if (kind == 0 || column.equals("c" + i)) {
          cells
              .computeIfAbsent(key + "/c" + i, name -> new ArrayList<>())
              .add(new Change(value, timestamp, begin, end));
        }
      }
    }
  }
}
