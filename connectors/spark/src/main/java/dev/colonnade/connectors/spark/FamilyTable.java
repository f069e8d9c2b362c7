package dev.colonnade.connectors.spark;

import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A family with a schema. */
final class FamilyTable implements SupportsRead, SupportsWrite {

  private final Settings settings;
  private final FamilyTypes types;
  private final StructType schema;
  private final Fields fields;

  FamilyTable(Settings settings, FamilyTypes types, StructType schema) {
    this.settings = settings;
    this.types = types;
    this.schema = schema;
    this.fields = Fields.of(schema, settings, types);
  }

  @Override
  public String name() {
    return "colonnade " + settings.qualifiedName();
  }

  @Override
  @Deprecated
  public StructType schema() {
    return schema;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(
        TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.STREAMING_WRITE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return new FamilyScanBuilder(settings, types, fields, schema);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new Builder(new WritePlan(settings, types, Fields.of(info.schema(), settings, types)));
  }

  /** Adds. A column that is there already is replaced, so an update is the same. */
  private record Builder(WritePlan plan) implements SupportsStreamingUpdateAsAppend {
    @Override
    public Write build() {
      plan.requireComplete();
      return new FamilyWrite(plan);
    }
  }
}
