package dev.colonnade.cli.local.restore;

import dev.colonnade.client.Batch;
import dev.colonnade.client.BulkWriter;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Entries;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumnFamily;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.schema.ColumnFamily;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes the deletions of snapshots into a cluster, each with its timestamp, at ALL. A bulk load
 * takes no deletions, so they go as writes, over one stream that makes this wait while nodes are
 * slow. What the cluster has with a later timestamp stays.
 *
 * <p>For one thread; blocks. Close it: that waits for the answers, and throws if a write failed.
 */
final class DeletionSender implements AutoCloseable {

  /** As many changes of one timestamp go together. */
  private static final int BATCH_CHANGES = 500;

  private static final Duration SILENCE = Duration.ofMinutes(1);

  private final Keyspace keyspace;
  private final CallOptions options =
      CallOptions.defaults().withDeadline(SILENCE).withWriteConsistency(Consistency.ALL);
  private final BulkWriter writer;
  private final Entries<byte[], byte[], ?> entries;
  private final @Nullable SuperColumnFamily<byte[], byte[], byte[], byte[]> supers;
  private @Nullable Batch batch;
  private long timestamp;
  private int changes;
  private long sent;

  DeletionSender(Colonnade client, ColumnFamily family) {
    this.keyspace = client.keyspace(family.keyspace()).with(options);
    if (family.isSuper()) {
      this.supers =
          keyspace.superColumnFamily(
              family.name(),
              Serializers.BYTES,
              Serializers.BYTES,
              Serializers.BYTES,
              Serializers.BYTES);
      this.entries = supers;
    } else {
      this.supers = null;
      this.entries =
          keyspace.columnFamily(
              family.name(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
    }
    this.writer = keyspace.bulkWriter();
  }

  /** How many deletions were sent. */
  long sent() {
    return sent;
  }

  /** Deletes a row up to a timestamp. */
  void row(byte[] key, long micros) {
    change(micros).remove(entries, key);
  }

  /** Deletes one column, which the cell is the deletion of. */
  void cell(byte[] key, Cell cell) {
    if (cell.sub() == null) {
      change(cell.timestamp()).remove(entries, key, cell.top());
    } else {
      change(cell.timestamp()).remove(within(cell.top()), key, cell.name());
    }
  }

  /** Deletes what lies between two places of a row, up to a timestamp. */
  void range(byte[] key, Bound from, Bound to, long micros) {
    byte[] fromSub = from.sub();
    byte[] toSub = to.sub();
    if (fromSub == null && toSub == null) {
      change(micros).removeRange(entries, key, slice(outer(from), outer(to)));
    } else if (isName(from) && isName(to) && Arrays.equals(from.top(), to.top())) {
      change(micros).removeRange(within(from.top()), key, slice(inner(from), inner(to)));
    } else {
      // It begins or ends inside of a super column: that part first, then the super columns
      // between.
      Bound first = from;
      Bound last = to;
      if (fromSub != null) {
        change(micros).removeRange(within(from.top()), key, slice(inner(from), null));
        first = Bound.after(from.top());
      }
      if (toSub != null) {
        change(micros).removeRange(within(to.top()), key, slice(null, inner(to)));
        last = Bound.before(to.top());
      }
      change(micros).removeRange(entries, key, slice(outer(first), outer(last)));
    }
  }

  private static boolean isName(Bound bound) {
    return Math.abs(bound.weight()) == 1;
  }

  /** The same side of a name alone. */
  private static Bound end(byte[] name, Bound bound) {
    return bound.weight() < 0 ? Bound.before(name) : Bound.after(name);
  }

  private static @Nullable Bound outer(Bound bound) {
    return isName(bound) ? end(bound.top(), bound) : null;
  }

  private static @Nullable Bound inner(Bound bound) {
    byte[] sub = bound.sub();
    return sub == null ? null : end(sub, bound);
  }

  private static Slice<byte[]> slice(@Nullable Bound from, @Nullable Bound to) {
    Slice<byte[]> slice = Slice.all();
    if (from != null) {
      slice = from.weight() < 0 ? Slice.from(from.top()) : Slice.after(from.top());
    }
    if (to == null) {
      return slice;
    }
    return to.weight() < 0 ? slice.before(to.top()) : slice.to(to.top());
  }

  private Columns<byte[], byte[], byte[]> within(byte[] superColumn) {
    SuperColumnFamily<byte[], byte[], byte[], byte[]> family = supers;
    if (family == null) {
      throw new IllegalStateException("a Standard family has no super columns");
    }
    return family.within(superColumn);
  }

  private Batch change(long micros) {
    Batch current = batch;
    if (current == null || micros != timestamp || changes == BATCH_CHANGES) {
      flush();
      current = keyspace.with(options.withTimestamp(micros)).batch();
      batch = current;
      timestamp = micros;
      changes = 0;
    }
    changes++;
    sent++;
    return current;
  }

  private void flush() {
    Batch full = batch;
    batch = null;
    if (full != null) {
      // The writer counts what failed, and says so when it is closed.
      var unused = writer.write(full);
    }
  }

  /** Sends the rest, and waits until every deletion is at all its replicas. */
  void finish() {
    flush();
    writer.close();
  }

  @Override
  public void close() {
    batch = null;
    writer.close();
  }
}
