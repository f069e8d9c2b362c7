package dev.colonnade.connectors.spark;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.Endpoint;
import dev.colonnade.connectors.spark.FamilyRows.FamilyRow;
import dev.colonnade.connectors.spark.FamilyRows.Group;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.jspecify.annotations.Nullable;

/** Reads one part of a scan, at a node of this machine if one holds it. For one thread. */
final class FamilyReader implements PartitionReader<InternalRow> {

  private final ReadPlan plan;
  private final Colonnade client;
  private final FamilyRows rows;

  /** Made of the row that was read last. */
  private final Deque<InternalRow> ready = new ArrayDeque<>();

  private @Nullable InternalRow current;
  private long rowsRead;
  private long columnsRead;
  private long made;

  FamilyReader(ReadPlan plan, ScanPart part) {
    this.plan = plan;
    List<String> owners = part.range().endpoints().stream().map(Endpoint::target).toList();
    Colonnade connected = plan.settings().connect(owners);
    try {
      rows = FamilyRows.open(connected, plan, part);
    } catch (RuntimeException e) {
      connected.close();
      throw e;
    }
    client = connected;
  }

  @Override
  public boolean next() throws IOException {
    if (plan.limit() > 0 && made >= plan.limit()) {
      return false;
    }
    try {
      while (ready.isEmpty()) {
        FamilyRow row = rows.next();
        if (row == null) {
          return false;
        }
        rowsRead++;
        row.groups().forEach(group -> take(row.key(), group));
      }
    } catch (ColonnadeException e) {
      throw new IOException(
          "rows of " + plan.settings().qualifiedName() + " cannot be read: " + e.getMessage(), e);
    }
    current = ready.remove();
    made++;
    return true;
  }

  @Override
  public InternalRow get() {
    InternalRow row = current;
    if (row == null) {
      throw new IllegalStateException("there is no row: next was not called, or the end reached");
    }
    return row;
  }

  private void take(byte[] key, Group group) {
    columnsRead += group.columns().size();
    if (plan.wanted().isCells()) {
      group.columns().forEach(column -> ready.add(cell(key, group, column)));
      return;
    }
    Map<String, byte[]> values = new HashMap<>();
    group.columns().forEach(each -> values.put(Bytes.id(each.name()), each.value()));
    if (isRow(values)) {
      ready.add(row(key, group, values));
    }
  }

  private boolean isRow(Map<String, byte[]> values) {
    if (!plan.required().isEmpty()) {
      return has(plan.required().stream(), values).allMatch(Boolean::booleanValue);
    }
    return plan.known().isEmpty()
        || has(plan.known().stream(), values).anyMatch(Boolean::booleanValue);
  }

  private static Stream<Boolean> has(Stream<Fields.Field> columns, Map<String, byte[]> values) {
    return columns.map(each -> values.containsKey(Bytes.id(each.column())));
  }

  private InternalRow cell(byte[] key, Group group, Column<byte[], byte[]> column) {
    List<Fields.Field> fields = plan.wanted().all();
    Object[] cells = new Object[fields.size()];
    for (int i = 0; i < cells.length; i++) {
      Fields.Field field = fields.get(i);
      cells[i] =
          switch (field.role()) {
            case KEY -> decode(key, field, key);
            case SUPER -> decode(key, field, group.superColumn());
            case NAME -> decode(key, field, column.name());
            case VALUE -> decode(key, field, column.value());
            case TIMESTAMP -> column.timestampMicros().getAsLong();
            case TTL -> ttl(field, column);
            case COLUMN -> null;
          };
    }
    return new GenericInternalRow(cells);
  }

  private static @Nullable Object ttl(Fields.Field field, Column<byte[], byte[]> column) {
    if (column.ttl().isEmpty()) {
      return null;
    }
    long seconds = column.ttl().get().toSeconds();
    if (field.type() == WireType.INT32) {
      return Math.toIntExact(seconds);
    }
    return seconds;
  }

  private InternalRow row(byte[] key, Group group, Map<String, byte[]> values) {
    List<Fields.Field> fields = plan.wanted().all();
    Object[] cells = new Object[fields.size()];
    for (int i = 0; i < cells.length; i++) {
      Fields.Field field = fields.get(i);
      cells[i] =
          switch (field.role()) {
            case KEY -> decode(key, field, key);
            case SUPER -> decode(key, field, group.superColumn());
            case COLUMN -> decode(key, field, values.get(Bytes.id(field.column())));
            case NAME, VALUE, TIMESTAMP, TTL -> null;
          };
    }
    return new GenericInternalRow(cells);
  }

  private @Nullable Object decode(byte[] key, Fields.Field field, byte @Nullable [] bytes) {
    if (bytes == null) {
      return null;
    }
    try {
      return field.type().decode(bytes);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "in the row "
              + Bytes.show(key)
              + " of "
              + plan.settings().qualifiedName()
              + ", "
              + field.name()
              + " is not "
              + field.type().dataType().simpleString()
              + " ("
              + e.getMessage()
              + "); read it as binary",
          e);
    }
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return new CustomTaskMetric[] {
      new Figures.OfTask(Figures.ROWS, rowsRead), new Figures.OfTask(Figures.COLUMNS, columnsRead)
    };
  }

  @Override
  public void close() {
    try (client) {
      rows.close();
    }
  }
}
