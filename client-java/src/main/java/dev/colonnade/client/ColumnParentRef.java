package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The place of entries: a family, or one super column of each of its rows.
 *
 * @param superColumn null for what lies directly under a row
 */
record ColumnParentRef<K>(
    ClientContext context,
    String keyspace,
    String family,
    @Nullable ByteString superColumn,
    Serializer<K> keys,
    CallOptions options) {

  ColumnParentRef<K> with(CallOptions other) {
    return new ColumnParentRef<>(context, keyspace, family, superColumn, keys, other);
  }

  ColumnParentRef<K> within(ByteString name) {
    return new ColumnParentRef<>(context, keyspace, family, name, keys, options);
  }

  ByteString key(K key) {
    return Bytes.of(keys, key);
  }

  ColumnParent parent() {
    ColumnParent.Builder parent = ColumnParent.newBuilder().setColumnFamily(family);
    if (superColumn != null) {
      parent.setSuperColumn(superColumn);
    }
    return parent.build();
  }

  /** The path of the place itself: in a removal, the whole row or the whole super column. */
  ColumnPath path() {
    ColumnPath.Builder path = ColumnPath.newBuilder().setColumnFamily(family);
    if (superColumn != null) {
      path.setSuperColumn(superColumn);
    }
    return path.build();
  }

  /** A read with the deadline of these options. */
  <Q, R> Transport.Request<Q, R> read(MethodDescriptor<Q, R> method, Q message) {
    return new Transport.Request<>(method, message, deadline(), Applied.NO, true)
        .traced(options.traceparent());
  }

  Deadline deadline() {
    return deadline(options);
  }

  static Deadline deadline(CallOptions options) {
    return Deadline.after(options.deadline().toNanos(), TimeUnit.NANOSECONDS);
  }
}
