package dev.colonnade.connectors.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.lit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.connectors.samples.TwissandraData;
import dev.colonnade.testkit.ColonnadeTest;
import dev.colonnade.testkit.TestNodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Appends, bulk loads and streams into families of three nodes, with two copies of each row. */
@ColonnadeTest(nodes = 3)
final class SparkWriteTest {

  private static final String STANDARD = "Standard";
  private static final String REFUSED = "Refused";
  private static final String SUPERS = "Supers";
  private static final int ROWS = 2_000;

  private static final AtomicInteger SEEN = new AtomicInteger();
  private static final AtomicBoolean FAILED = new AtomicBoolean();
  private static volatile Runnable midway = () -> {};

  @TempDir private static Path folder;

  private static SparkSession spark;

  @BeforeAll
  static void define(Colonnade client, TestNodes nodes) {
    client
        .schema()
        .create(
            KeyspaceDefinition.named(TwissandraData.KEYSPACE)
                .withReplicationFactor(2)
                .with(texts(STANDARD))
                .with(texts(REFUSED))
                .with(texts("Loaded"))
                .with(texts("Retried"))
                .with(texts("RetriedLoad"))
                .with(texts("Interrupted"))
                .with(texts("Streamed"))
                .with(texts("Counted"))
                .with(
                    ColumnFamilyDefinition.superFamily(SUPERS, Comparators.UTF8, Comparators.UTF8)
                        .withKeyType("UTF8Type")));
    TwissandraData.awaitSchema(client);
    spark = Sparks.session(nodes);
  }

  private static ColumnFamilyDefinition texts(String name) {
    return ColumnFamilyDefinition.standard(name, Comparators.UTF8)
        .withKeyType("UTF8Type")
        .withValueType("UTF8Type");
  }

  @AfterAll
  static void end() {
    spark.stop();
  }

  private static Dataset<Row> numbers(int rows) {
    return spark
        .range(0, rows, 1, 4)
        .selectExpr(
            "concat('k', id) as key",
            "cast(id as string) as a",
            "if(id % 2 = 0, 'even', null) as b");
  }

  @Test
  void appendedRowsAreReadBackAndNullIsNoColumn() {
    Sparks.save(numbers(ROWS), STANDARD, Map.of("timestamp", "1000"));
    Dataset<Row> cells = Sparks.read(spark, STANDARD).load();
    assertEquals(
        List.of("[k4,a,4,1000]", "[k4,b,even,1000]", "[k5,a,5,1000]"),
        Sparks.texts(cells.where("key in ('k4', 'k5')")));
    assertEquals(ROWS + ROWS / 2, cells.count());
    assertEquals(1, cells.select("timestamp").distinct().count());
    // An older timestamp changes nothing, a later one does.
    Dataset<Row> later =
        numbers(3)
            .withColumn("a", lit("new"))
            .withColumn("at", col("key").substr(2, 1).cast("bigint").multiply(lit(999)));
    Sparks.save(later.drop("b"), STANDARD, Map.of("timestamp_column", "at"));
    assertEquals(
        List.of("[k0,0]", "[k1,1]", "[k2,new]"),
        Sparks.texts(
            cells.where("key in ('k0', 'k1', 'k2') and name = 'a'").select("key", "value")));
  }

  @Test
  void bulkLoadedRowsAreReadBack() {
    Sparks.save(
        numbers(ROWS),
        "Loaded",
        Map.of("write", "bulk", "timestamp", "1000", "bulk_directory", folder.toString()));
    Dataset<Row> read =
        Sparks.read(spark, "Loaded").schema("key string, a string, b string").load();
    assertEquals(Sparks.texts(numbers(ROWS)), Sparks.texts(read));
    assertEquals(
        List.of("[1000]"),
        Sparks.texts(Sparks.read(spark, "Loaded").load().select("timestamp").distinct()));
  }

  @Test
  void superColumnsAreWrittenBothWays() {
    Dataset<Row> rows =
        spark
            .range(10)
            .selectExpr("concat('k', id) as key", "concat('s', id % 2) as super", "'1' as a");
    Sparks.save(rows, SUPERS, Map.of());
    Dataset<Row> cells =
        rows.selectExpr("key", "super", "'b' as name", "'2' as value", "5L as timestamp");
    Sparks.save(cells, SUPERS, Map.of("write", "bulk"));
    Sparks.save(
        spark.range(1).selectExpr("'k0' as key", "'3' as c"), SUPERS, Map.of("super_column", "s1"));
    Sparks.save(
        spark.range(1).selectExpr("'k0' as key", "'4' as d"),
        SUPERS,
        Map.of("super_column", "s1", "write", "bulk"));
    assertEquals(
        List.of("[k0,s0,a,1]", "[k0,s0,b,2]", "[k0,s1,c,3]", "[k0,s1,d,4]"),
        Sparks.texts(
            Sparks.read(spark, SUPERS)
                .option("value_type", "string")
                .load()
                .where("key = 'k0'")
                .drop("timestamp")));
    assertEquals(
        10,
        Sparks.read(spark, SUPERS)
            .schema("key string, super string, a string not null, b string not null")
            .load()
            .count());
  }

  @Test
  void whatCannotBeWrittenIsRefused() {
    Dataset<Row> keyless = spark.range(3).selectExpr("if(id = 1, null, 'k') as key", "'1' as a");
    Sparks.assertRefused("without a key", () -> Sparks.save(keyless, REFUSED, Map.of()));
    Sparks.assertRefused(
        "has no field key", () -> Sparks.save(keyless.select("a"), REFUSED, Map.of()));
    Dataset<Row> nameless =
        spark.range(1).selectExpr("'k' as key", "string(null) as name", "'1' as value");
    Sparks.assertRefused("has no name", () -> Sparks.save(nameless, REFUSED, Map.of()));
    Sparks.assertRefused("is Super", () -> Sparks.save(numbers(1), SUPERS, Map.of()));
    Sparks.assertRefused(
        "Append",
        () ->
            numbers(1).write().format("colonnade").option("family", REFUSED).mode("error").save());
    Sparks.assertRefused(
        "truncate",
        () ->
            numbers(1)
                .write()
                .format("colonnade")
                .option("family", REFUSED)
                .mode("overwrite")
                .save());
  }

  /** Its first attempt fails when it has passed on most of its rows. */
  private static Dataset<Row> failingOnce(int rows) {
    FAILED.set(false);
    SEEN.set(0);
    return spark
        .range(0, rows, 1, 2)
        .map(
            (MapFunction<Long, String>)
                id -> {
                  if (id == rows - 2 && FAILED.compareAndSet(false, true)) {
                    midway.run();
                    throw new IllegalStateException("the first attempt of a task");
                  }
                  SEEN.incrementAndGet();
                  return "k" + id;
                },
            Encoders.STRING())
        .selectExpr("value as key", "concat('v', value) as a");
  }

  @Test
  void aTaskThatIsRunAgainLeavesTheSameCells() {
    for (String family : List.of("Retried", "RetriedLoad")) {
      String write = family.equals("Retried") ? "append" : "bulk";
      Sparks.save(failingOnce(ROWS), family, Map.of("write", write));
      assertTrue(SEEN.get() > ROWS, "a task was made again");
      Dataset<Row> cells = Sparks.read(spark, family).load();
      assertEquals(ROWS, cells.count());
      assertEquals(ROWS, cells.where("value = concat('v', key)").count());
      assertEquals(1, cells.select("timestamp").distinct().count());
    }
  }

  @Test
  void aJobWritesOnWhenANodeDies(TestNodes nodes) {
    midway = () -> nodes.kill(2);
    try {
      Sparks.save(
          failingOnce(ROWS), "Interrupted", Map.of("write_consistency", "ONE", "deadline", "5s"));
    } finally {
      midway = () -> {};
      nodes.restart(2);
      nodes.awaitUp(3);
    }
    Dataset<Row> cells = Sparks.read(spark, "Interrupted").option("read_consistency", "ALL").load();
    assertEquals(ROWS, cells.count());
  }

  @Test
  void aBatchThatIsDeliveredTwiceIsWrittenOnce() throws Exception {
    Path input = Files.createDirectory(folder.resolve("input"));
    Path state = folder.resolve("state");
    Files.writeString(
        input.resolve("1.json"), "{\"key\":\"a\",\"v\":\"1\"}\n{\"key\":\"b\",\"v\":\"2\"}\n");
    stream(input, state, Map.of("timestamp", "5000"));
    List<String> first = Sparks.texts(Sparks.read(spark, "Streamed").load());
    assertEquals(List.of("[a,v,1,5000]", "[b,v,2,5000]"), first);
    forgetTheLastCommit(state);
    stream(input, state, Map.of("timestamp", "5000"));
    assertEquals(first, Sparks.texts(Sparks.read(spark, "Streamed").load()));
    Files.writeString(input.resolve("2.json"), "{\"key\":\"a\",\"v\":\"3\"}\n");
    stream(input, state, Map.of("timestamp", "5000"));
    assertEquals(
        List.of("[a,v,3,5001]", "[b,v,2,5000]"),
        Sparks.texts(Sparks.read(spark, "Streamed").load()));
    Sparks.assertRefused(
        "timestamp_column", () -> stream(input, folder.resolve("other"), Map.of()));
  }

  private static void stream(Path input, Path state, Map<String, String> options)
      throws TimeoutException, StreamingQueryException {
    spark
        .readStream()
        .schema("key string, v string")
        .json(input.toString())
        .writeStream()
        .format("colonnade")
        .option("family", "Streamed")
        .options(options)
        .option("checkpointLocation", state.toString())
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
  }

  /** As if the process had ended between the writing of a batch and the note that it is done. */
  private static void forgetTheLastCommit(Path state) {
    try (var files = Files.list(state.resolve("commits"))) {
      for (Path each : files.toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void countsOfAStreamAreUpdatedWithTheTimesOfItsBatches() throws Exception {
    Path input = Files.createDirectory(folder.resolve("counted"));
    Path state = folder.resolve("counts");
    Files.writeString(
        input.resolve("1.json"), "{\"word\":\"x\"}\n{\"word\":\"x\"}\n{\"word\":\"y\"}\n");
    count(input, state);
    List<String> first = Sparks.texts(Sparks.read(spark, "Counted").load());
    forgetTheLastCommit(state);
    count(input, state);
    assertEquals(first, Sparks.texts(Sparks.read(spark, "Counted").load()));
    Files.writeString(input.resolve("2.json"), "{\"word\":\"x\"}\n");
    count(input, state);
    assertEquals(
        List.of("[x,3]", "[y,1]"),
        Sparks.texts(Sparks.read(spark, "Counted").schema("key string, count string").load()));
  }

  private static void count(Path input, Path state)
      throws TimeoutException, StreamingQueryException {
    spark
        .readStream()
        .schema("word string")
        .json(input.toString())
        .groupBy("word")
        .count()
        .select(
            col("word").as("key"),
            col("count").cast("string").as("count"),
            current_timestamp().as("at"))
        .writeStream()
        .format("colonnade")
        .option("family", "Counted")
        .option("timestamp_column", "at")
        .option("checkpointLocation", state.toString())
        .outputMode("update")
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
  }
}
