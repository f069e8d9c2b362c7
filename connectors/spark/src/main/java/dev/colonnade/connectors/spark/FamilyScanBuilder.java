package dev.colonnade.connectors.spark;

import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownFilters;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** Hears from Spark what a query needs. For one thread. */
final class FamilyScanBuilder
    implements SupportsPushDownFilters, SupportsPushDownRequiredColumns, SupportsPushDownLimit {

  private final Settings settings;
  private final FamilyTypes types;
  private final Fields table;
  private StructType schema;
  private @Nullable PushedFilters filters;
  private int limit;

  FamilyScanBuilder(Settings settings, FamilyTypes types, Fields table, StructType schema) {
    this.settings = settings;
    this.types = types;
    this.table = table;
    this.schema = schema;
  }

  @Override
  public Filter[] pushFilters(Filter[] wanted) {
    PushedFilters taken = new PushedFilters(table, types, wanted);
    filters = taken;
    return taken.residual().toArray(Filter[]::new);
  }

  @Override
  public Filter[] pushedFilters() {
    return filters == null ? new Filter[0] : filters.pushed().toArray(Filter[]::new);
  }

  @Override
  public void pruneColumns(StructType required) {
    schema = required;
  }

  @Override
  public boolean pushLimit(int most) {
    limit = most;
    return true;
  }

  /** Each task reads so many, and Spark takes as many of all. */
  @Override
  public boolean isPartiallyPushed() {
    return true;
  }

  @Override
  public Scan build() {
    ReadPlan plan = ReadPlan.of(settings, types, table, table.pruned(schema), filters, limit);
    return new FamilyScan(plan, schema, filters == null ? null : filters.keys());
  }
}
