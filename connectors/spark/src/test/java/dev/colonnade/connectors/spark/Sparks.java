package dev.colonnade.connectors.spark;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Keyspace;
import dev.colonnade.connectors.samples.TwissandraData;
import dev.colonnade.testkit.TestNodes;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.junit.jupiter.api.function.Executable;

/** Sessions of tests, and what they ask of plans. */
final class Sparks {

  private Sparks() {}

  /** Two threads, and three attempts of each task; reads and writes all replicas. */
  static SparkSession session(TestNodes nodes) {
    return SparkSession.builder()
        .master("local[2,3]")
        .appName("tests")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config(
            "spark.datasource.colonnade.contact_points", String.join(",", nodes.contactPoints()))
        .config("spark.datasource.colonnade.keyspace", TwissandraData.KEYSPACE)
        .config("spark.datasource.colonnade.write_consistency", "ALL")
        .getOrCreate();
  }

  static DataFrameReader read(SparkSession session, String family) {
    return session.read().format("colonnade").option("family", family);
  }

  static Keyspace all(Colonnade client) {
    return client
        .keyspace(TwissandraData.KEYSPACE)
        .with(CallOptions.defaults().withWriteConsistency(Consistency.ALL));
  }

  /** The rows as texts, in order of these. */
  static List<String> texts(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Row::toString).sorted().toList();
  }

  static String plan(Dataset<Row> rows) {
    return rows.queryExecution().executedPlan().toString();
  }

  /** A figure of the scan of a query without a join that has run. */
  static long figure(Dataset<Row> rows, String name) {
    SparkPlan scan = rows.queryExecution().executedPlan().collectLeaves().head();
    return scan.metrics().apply(name).value();
  }

  static void save(Dataset<Row> rows, String family, Map<String, String> options) {
    rows.write()
        .format("colonnade")
        .option("family", family)
        .options(options)
        .mode("append")
        .save();
  }

  /** Something fails, and it or one of its causes says why. */
  static void assertRefused(String said, Executable work) {
    Exception refused = assertThrows(Exception.class, work);
    StringBuilder messages = new StringBuilder();
    for (Throwable each = refused; each != null; each = each.getCause()) {
      messages.append(each.getMessage()).append('\n');
    }
    assertTrue(messages.toString().contains(said), messages.toString());
  }
}
