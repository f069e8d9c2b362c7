package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.InvalidNameException;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.RowMutation;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All rules for requests, whatever the call. A violation is a {@link RequestRefusal} that names the
 * field by its path. Thread-safe.
 */
final class RequestRules {

  private final Supplier<Schema> schema;
  private final Partitioner partitioner;
  private final RpcSettings.Requests limits;
  private final RpcSettings.Pages pages;

  RequestRules(Supplier<Schema> schema, Partitioner partitioner, RpcSettings settings) {
    this.schema = schema;
    this.partitioner = partitioner;
    this.limits = settings.requests();
    this.pages = settings.pages();
  }

  RpcSettings.Requests limits() {
    return limits;
  }

  Partitioner partitioner() {
    return partitioner;
  }

  /** The keyspace of a read. */
  Keyspace keyspace(String name) {
    return keyspace("keyspace", name);
  }

  Keyspace keyspace(String field, String name) {
    if (name.isEmpty()) {
      throw RequestRefusal.invalid(field, "a keyspace is required");
    }
    return schema
        .get()
        .keyspace(name)
        .orElseThrow(
            () ->
                RequestRefusal.notFound(
                    ErrorReasons.KEYSPACE_NOT_FOUND,
                    field,
                    "there is no keyspace "
                        + EchoedText.quoted(name)
                        + "; names are case-sensitive"));
  }

  /** The keyspace of a write. */
  Keyspace writableKeyspace(String name) {
    Keyspace keyspace = keyspace(name);
    if (keyspace.isSystem()) {
      throw RequestRefusal.invalid(
          ErrorReasons.SYSTEM_KEYSPACE_READ_ONLY,
          "keyspace",
          "the keyspace system is the node's own; it can be read and not written");
    }
    return keyspace;
  }

  ColumnFamily family(Keyspace keyspace, String field, String name) {
    if (name.isEmpty()) {
      throw RequestRefusal.invalid(field, "a column family is required");
    }
    if (keyspace.isSystem() && name.equals(SystemKeyspace.ACCOUNTS.name())) {
      throw RequestRefusal.of(
          Status.Code.PERMISSION_DENIED,
          ErrorReasons.PERMISSION_DENIED,
          field,
          "this family holds secrets, and no client reads it; see ListAccounts");
    }
    return keyspace
        .family(name)
        .orElseThrow(
            () ->
                RequestRefusal.notFound(
                    ErrorReasons.COLUMN_FAMILY_NOT_FOUND,
                    field,
                    "the keyspace "
                        + keyspace.name()
                        + " has no column family "
                        + EchoedText.quoted(name)
                        + "; names are case-sensitive"));
  }

  /** A row's key with its token. */
  RowKey key(@Nullable String field, ByteString key) {
    if (key.isEmpty()) {
      throw RequestRefusal.invalid(field, "a key has 1 to 65535 bytes; this one is empty");
    }
    return keyBound(field, key);
  }

  /** As {@link #key}, but empty is allowed; {@code field} null where the caller adds the path. */
  RowKey keyBound(@Nullable String field, ByteString key) {
    if (key.size() > DataLimits.KEY_BYTES) {
      throw RequestRefusal.invalid(
          field, "a key has 1 to 65535 bytes; this one has " + key.size() + " bytes");
    }
    byte[] bytes = key.toByteArray();
    try {
      return partitioner.rowKey(bytes);
    } catch (InvalidKeyException e) {
      throw RequestRefusal.invalid(field, EchoedText.messageOf(e));
    }
  }

  /** Distinct keys in order of first appearance; a repeated key counts once. */
  List<RowKey> keys(List<ByteString> keys) {
    requireAtMost("keys", "keys of one request", keys, limits.maxKeys());
    Map<ByteString, RowKey> distinct = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      ByteString key = keys.get(i);
      if (!distinct.containsKey(key)) {
        try {
          distinct.put(key, key(null, key));
        } catch (RequestRefusal refusal) {
          throw refusal.within("keys[" + i + "]");
        }
      }
    }
    return new ArrayList<>(distinct.values());
  }

  /** Refuses more different keys than allowed. */
  private static void requireAtMost(String field, String limit, List<ByteString> keys, int most) {
    if (keys.size() <= most) {
      return;
    }
    int distinct = new HashSet<>(keys).size();
    if (distinct > most) {
      throw RequestRefusal.tooLarge(field, limit, distinct, most);
    }
  }

  /** Refuses a batch with too many rows; parts of one row count once. */
  void requireRows(List<RowMutation> rows) {
    requireAtMost(
        "rows",
        "rows of one batch",
        rows.stream().map(RowMutation::getKey).toList(),
        limits.maxRows());
  }

  /** The name of a column or super column. */
  byte[] name(@Nullable String field, ByteString name, ColumnComparator comparator) {
    if (name.isEmpty()) {
      throw RequestRefusal.invalid(field, "a name has 1 to 65535 bytes; this one is empty");
    }
    return bound(field, name, comparator);
  }

  /** An end of a slice: a name, or empty for open. */
  byte[] bound(@Nullable String field, ByteString name, ColumnComparator comparator) {
    if (name.size() > DataLimits.NAME_BYTES) {
      throw RequestRefusal.invalid(
          field, "a name has 1 to 65535 bytes; this one has " + name.size() + " bytes");
    }
    byte[] bytes = name.toByteArray();
    if (bytes.length > 0) {
      try {
        comparator.validate(bytes);
      } catch (InvalidNameException e) {
        throw RequestRefusal.invalid(field, EchoedText.messageOf(e));
      }
    }
    return bytes;
  }

  /**
   * The super column that a path or parent names, or null.
   *
   * @param field the path or parent
   */
  byte @Nullable [] superColumn(
      String field, ColumnFamily family, boolean present, ByteString superColumn) {
    if (!present) {
      return null;
    }
    String inner = field + ".super_column";
    if (!family.isSuper()) {
      throw RequestRefusal.invalid(
          inner,
          "the column family " + family.name() + " is Standard: its rows have no super columns");
    }
    return name(inner, superColumn, family.order().topType());
  }

  byte[] value(String field, ByteString value) {
    if (value.size() > limits.maxValueBytes()) {
      throw RequestRefusal.invalid(
          ErrorReasons.REQUEST_TOO_LARGE,
          field,
          "a value has at most "
              + limits.maxValueBytes()
              + " bytes on this node; this one has "
              + value.size()
              + "; split it over several columns, or raise max_value_bytes on all nodes");
    }
    return value.toByteArray();
  }

  int ttlSeconds(String field, int ttlSeconds) {
    if (ttlSeconds <= 0) {
      throw RequestRefusal.invalid(
          field, "a time to live is at least 1 second; leave it out for a column that stays");
    }
    if (ttlSeconds > limits.maxTtlSeconds()) {
      throw RequestRefusal.invalid(
          field,
          "a time to live is at most "
              + limits.maxTtlSeconds()
              + " seconds; leave it out for a column that stays");
    }
    return ttlSeconds;
  }

  /** A read's level; absent means ONE. */
  Consistency readLevel(Keyspace keyspace, ConsistencyLevel level) {
    Consistency consistency = level(keyspace, level);
    if (consistency == Consistency.ANY || consistency == Consistency.ZERO) {
      throw RequestRefusal.invalid(
          LEVEL_FIELD,
          "a read needs at least one answer: " + consistency + " is for writes; use ONE or more");
    }
    return consistency;
  }

  /** A write's level; absent means ONE. */
  Consistency writeLevel(Keyspace keyspace, ConsistencyLevel level) {
    return level(keyspace, level);
  }

  private static final String LEVEL_FIELD = "options.consistency_level";

  private static Consistency level(Keyspace keyspace, ConsistencyLevel level) {
    Consistency consistency =
        switch (level) {
          case CONSISTENCY_LEVEL_UNSPECIFIED, CONSISTENCY_LEVEL_ONE -> Consistency.ONE;
          case CONSISTENCY_LEVEL_ZERO -> Consistency.ZERO;
          case CONSISTENCY_LEVEL_ANY -> Consistency.ANY;
          case CONSISTENCY_LEVEL_TWO -> Consistency.TWO;
          case CONSISTENCY_LEVEL_THREE -> Consistency.THREE;
          case CONSISTENCY_LEVEL_QUORUM -> Consistency.QUORUM;
          case CONSISTENCY_LEVEL_LOCAL_QUORUM -> Consistency.LOCAL_QUORUM;
          case CONSISTENCY_LEVEL_EACH_QUORUM -> Consistency.EACH_QUORUM;
          case CONSISTENCY_LEVEL_ALL -> Consistency.ALL;
          case UNRECOGNIZED ->
              throw RequestRefusal.invalid(
                  LEVEL_FIELD, "this server knows no such consistency level");
        };
    if ((consistency == Consistency.LOCAL_QUORUM || consistency == Consistency.EACH_QUORUM)
        && keyspace.strategy() != PlacementStrategy.NETWORK_TOPOLOGY) {
      throw RequestRefusal.invalid(
          LEVEL_FIELD,
          consistency
              + " counts replicas by data centre, which needs NetworkTopologyStrategy; the keyspace"
              + " "
              + keyspace.name()
              + " has another strategy: use QUORUM");
    }
    return consistency;
  }

  /** The size limit of a unary answer, in encoded bytes. */
  int pageBytes(int asked) {
    return size("page_bytes", asked, pages.defaultPageBytes(), pages.maxPageBytes());
  }

  /** The largest size limit of a unary answer. */
  int maxPageBytes() {
    return pages.maxPageBytes();
  }

  /** The size limit of a stream's message, in encoded bytes. */
  int chunkBytes(int asked) {
    return size("max_chunk_bytes", asked, pages.defaultChunkBytes(), pages.maxChunkBytes());
  }

  private static int size(String field, int asked, int absent, int max) {
    if (asked < 0 || asked > max) {
      throw RequestRefusal.invalid(
          field,
          "must be 1 to " + max + ", or 0 for the default of " + absent + "; it is " + asked);
    }
    return asked == 0 ? absent : asked;
  }
}
