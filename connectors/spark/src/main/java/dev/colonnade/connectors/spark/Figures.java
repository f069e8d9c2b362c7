package dev.colonnade.connectors.spark;

import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** What Spark's interface shows of a scan. */
final class Figures {

  static final String ROWS = "colonnadeRowsRead";
  static final String COLUMNS = "colonnadeColumnsRead";

  private Figures() {}

  /**
   * A figure of a task.
   *
   * @param value so far
   */
  record OfTask(String name, long value) implements CustomTaskMetric {}

  /** Rows of the family that nodes have sent. */
  public static final class RowsRead extends CustomSumMetric {
    @Override
    public String name() {
      return ROWS;
    }

    @Override
    public String description() {
      return "rows of the family read";
    }
  }

  /** Columns that nodes have sent. */
  public static final class ColumnsRead extends CustomSumMetric {
    @Override
    public String name() {
      return COLUMNS;
    }

    @Override
    public String description() {
      return "columns read";
    }
  }
}
