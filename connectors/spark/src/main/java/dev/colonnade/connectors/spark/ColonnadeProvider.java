package dev.colonnade.connectors.spark;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.SessionConfigSupport;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What {@code format("colonnade")} names: column families as tables of Spark. Options come from the
 * reader or the writer, and from the session as {@code spark.datasource.colonnade.NAME}.
 */
public final class ColonnadeProvider implements DataSourceRegister, SessionConfigSupport {

  /** For Spark, which makes it. */
  public ColonnadeProvider() {}

  @Override
  public String shortName() {
    return "colonnade";
  }

  @Override
  public String keyPrefix() {
    return "colonnade";
  }

  /**
   * The table of cells, with the types that the family declares.
   *
   * @throws IllegalArgumentException if an option is missing or wrong, or there is no such family
   * @throws IllegalStateException if no node answers
   */
  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    Settings settings = new Settings(options);
    if (settings.mapping().filter("columns"::equalsIgnoreCase).isPresent()) {
      throw new IllegalArgumentException(
          "a table of named columns needs a schema that names them: call schema() of the reader");
    }
    return FamilyTypes.of(settings).cells();
  }

  /** A schema decides what the rows of the table are. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> options) {
    Settings settings = new Settings(options);
    return new FamilyTable(settings, FamilyTypes.of(settings), schema);
  }
}
