package dev.colonnade.connectors.spark;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Endpoint;
import dev.colonnade.client.KeyEndpoints;
import dev.colonnade.client.Split;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** A read of a family: of some keys, or of all rows in ranges of tokens that their owners cut. */
final class FamilyScan implements Scan, Batch {

  /** Of more keys, owners are not asked for one by one. */
  private static final int KEYS_BY_OWNER = 64;

  private static final int KEYS_PER_TASK = 1_000;

  private final ReadPlan plan;
  private final StructType schema;
  private final @Nullable List<byte[]> keys;

  FamilyScan(ReadPlan plan, StructType schema, @Nullable List<byte[]> keys) {
    this.plan = plan;
    this.schema = schema;
    this.keys = keys;
  }

  @Override
  public StructType readSchema() {
    return schema;
  }

  /** What nodes are asked for. */
  @Override
  public String description() {
    return "colonnade "
        + plan.settings().qualifiedName()
        + (keys == null ? "" : ", keys " + keys.stream().map(Bytes::show).toList())
        + plan.selection()
        + (plan.limit() == 0 ? "" : ", first " + plan.limit());
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return new CustomMetric[] {new Figures.RowsRead(), new Figures.ColumnsRead()};
  }

  /**
   * The parts, one for each task.
   *
   * @throws IllegalStateException if the nodes do not answer
   */
  @Override
  public InputPartition[] planInputPartitions() {
    List<byte[]> names = plan.selection().names();
    if ((keys != null && keys.isEmpty()) || (names != null && names.isEmpty())) {
      return new InputPartition[0];
    }
    try (Colonnade client = plan.settings().connect(List.of())) {
      List<ScanPart> parts = keys == null ? ranges(client) : byKeys(client, keys);
      return parts.toArray(InputPartition[]::new);
    } catch (ColonnadeException e) {
      throw new IllegalStateException(
          plan.settings().qualifiedName() + " cannot be split: " + e.getMessage(), e);
    }
  }

  private List<ScanPart> ranges(Colonnade client) {
    List<ScanPart> parts = new ArrayList<>();
    Settings settings = plan.settings();
    for (Split split :
        client
            .cluster()
            .splitsByOwners(settings.keyspace(), settings.family(), settings.splitSize())) {
      parts.add(ScanPart.of(split.range()));
    }
    return parts;
  }

  private List<ScanPart> byKeys(Colonnade client, List<byte[]> wanted) {
    List<ScanPart> parts = new ArrayList<>();
    if (wanted.size() > KEYS_BY_OWNER) {
      for (int i = 0; i < wanted.size(); i += KEYS_PER_TASK) {
        parts.add(
            ScanPart.of(wanted.subList(i, Math.min(wanted.size(), i + KEYS_PER_TASK)), List.of()));
      }
      return parts;
    }
    Map<List<Endpoint>, List<byte[]>> byOwners = new LinkedHashMap<>();
    for (byte[] key : wanted) {
      KeyEndpoints found = client.cluster().endpoints(plan.settings().keyspace(), key);
      byOwners.computeIfAbsent(found.endpoints(), owners -> new ArrayList<>()).add(key);
    }
    byOwners.forEach((owners, some) -> parts.add(ScanPart.of(some, owners)));
    return parts;
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    ReadPlan read = plan;
    return part -> new FamilyReader(read, (ScanPart) part);
  }
}
