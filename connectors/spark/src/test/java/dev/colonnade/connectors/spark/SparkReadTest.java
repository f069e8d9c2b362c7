package dev.colonnade.connectors.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.RoutedWriter;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.SuperColumnFamily;
import dev.colonnade.connectors.samples.TwissandraData;
import dev.colonnade.testkit.ColonnadeTest;
import dev.colonnade.testkit.TestNodes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables over families of three nodes, with two copies of each row. */
@ColonnadeTest(nodes = 3)
final class SparkReadTest {

  private static final String PEOPLE = "People";
  private static final String TIMELINE = "Timeline";
  private static final String SUPERS = "Supers";
  private static final String LONG_ROWS = "LongRows";
  private static final String NUMBERS = "Numbers";
  private static final int USERS = 60;

  private static final AtomicInteger SEEN = new AtomicInteger();
  private static volatile Runnable halfway = () -> {};

  private static SparkSession spark;

  @BeforeAll
  static void write(Colonnade client, TestNodes nodes) {
    client
        .schema()
        .create(
            KeyspaceDefinition.named(TwissandraData.KEYSPACE)
                .withReplicationFactor(2)
                .with(
                    ColumnFamilyDefinition.standard(PEOPLE, Comparators.UTF8)
                        .withKeyType("UTF8Type")
                        .withColumnValueType("age".getBytes(UTF_8), "LongType"))
                .with(
                    ColumnFamilyDefinition.standard(TIMELINE, Comparators.UTF8)
                        .withKeyType("UTF8Type")
                        .withValueType("UTF8Type"))
                .with(
                    ColumnFamilyDefinition.standard(NUMBERS, Comparators.LONG)
                        .withKeyType("LongType")
                        .withValueType("DoubleType"))
                .with(
                    ColumnFamilyDefinition.superFamily(SUPERS, Comparators.UTF8, Comparators.UTF8))
                .with(ColumnFamilyDefinition.standard(LONG_ROWS, Comparators.UTF8)));
    TwissandraData.awaitSchema(client);
    ColumnFamily<String, String, byte[]> people =
        Sparks.all(client)
            .columnFamily(PEOPLE, Serializers.UTF8, Serializers.UTF8, Serializers.BYTES);
    ColumnFamily<String, String, String> timeline =
        Sparks.all(client)
            .columnFamily(TIMELINE, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    ColumnFamily<Long, Long, Double> numbers =
        Sparks.all(client)
            .columnFamily(NUMBERS, Serializers.LONG, Serializers.LONG, Serializers.DOUBLE);
    try (RoutedWriter writer = client.routedWriter(Sparks.all(client))) {
      for (int i = 0; i < USERS; i++) {
        writer.insert(people, "u" + i, Column.of("name", ("n" + i).getBytes(UTF_8)));
        if (i % 2 == 0) {
          writer.insert(people, "u" + i, Column.of("age", Serializers.LONG.toBytes((long) i)));
        }
        for (int j = 0; j < 10; j++) {
          writer.insert(people, "u" + i, Column.of("note" + j, new byte[] {1}));
          writer.insert(timeline, "u" + i, Column.of("t" + j, "v" + j).withTimestamp(1_000 + j));
        }
      }
      writer.insert(people, "only-notes", Column.of("note", new byte[] {1}));
      writer.insert(people, "gone", Column.of("name", new byte[] {1}));
      for (long j = -5; j < 5; j++) {
        writer.insert(numbers, 7L, Column.of(j, j / 2.0));
      }
    }
    people.remove("gone");
    timeline.remove("u5");
    timeline.remove("u6", "t3");
    SuperColumnFamily<String, String, String, String> supers =
        Sparks.all(client)
            .superColumnFamily(
                SUPERS, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    for (int i = 0; i < 30; i++) {
      supers.insert("r" + i, "s1", "a", "1");
      supers.insert("r" + i, "s1", "b", "2");
      supers.insert("r" + i, "s2", "a", "3");
    }
    supers.remove("r7");
    supers.remove("r8", "s1");
    spark = Sparks.session(nodes);
  }

  @AfterAll
  static void end() {
    spark.stop();
  }

  @Test
  void aRowOfTheTableIsARowOfTheFamily() {
    Dataset<Row> people =
        Sparks.read(spark, PEOPLE).schema("key string, name string, age bigint").load();
    assertEquals(USERS, people.count());
    assertEquals(
        List.of("[u1,n1,null]", "[u2,n2,2]"),
        Sparks.texts(people.where(col("key").isin("u1", "u2"))));
    assertEquals(USERS / 2, people.where("age is null").count());
    assertEquals(USERS / 2, people.select("age").where("age is not null").count());
    assertEquals(
        List.of("[58]"), Sparks.texts(people.select("age").where("age > 57 and name like 'n%'")));
  }

  @Test
  void whatIsNotSelectedIsNotAskedFor() {
    Dataset<Row> people =
        Sparks.read(spark, PEOPLE).schema("key string, name string not null, age bigint").load();
    Dataset<Row> names = people.select("name");
    assertEquals(USERS, names.collectAsList().size());
    assertTrue(Sparks.plan(names).contains("names [name]"), Sparks.plan(names));
    assertEquals(USERS, Sparks.figure(names, Figures.COLUMNS));
    // A row without an age is a row, so it takes what tells that it is there.
    Dataset<Row> ages = people.select("age");
    assertEquals(USERS, ages.collectAsList().size());
    assertTrue(Sparks.plan(ages).contains("names [age, name]"), Sparks.plan(ages));
    Dataset<Row> known =
        Sparks.read(spark, PEOPLE)
            .schema("key string, name string, age bigint")
            .load()
            .where("age > 10")
            .select("key");
    assertEquals(24, known.collectAsList().size());
    assertTrue(Sparks.plan(known).contains("names [age]"), Sparks.plan(known));
    Dataset<Row> keys = Sparks.read(spark, PEOPLE).schema("key string").load();
    assertEquals(USERS + 1, keys.collectAsList().size());
    assertEquals(USERS + 1, Sparks.figure(keys, Figures.COLUMNS));
  }

  @Test
  void keysBecomeGets() {
    Dataset<Row> people =
        Sparks.read(spark, PEOPLE).schema("key string, name string, age bigint").load();
    Dataset<Row> one = people.where("key = 'u12'");
    assertEquals(List.of("[u12,n12,12]"), Sparks.texts(one));
    assertTrue(Sparks.plan(one).contains("keys [u12]"), Sparks.plan(one));
    assertFalse(Sparks.plan(one).contains("Filter ("), Sparks.plan(one));
    assertEquals(1, Sparks.figure(one, Figures.ROWS));
    Dataset<Row> some = people.where("key in ('u1', 'u2', 'gone', 'never', 'u3') and age > 1");
    assertEquals(List.of("[u2,n2,2]"), Sparks.texts(some));
    assertEquals(0, people.where("key = 'u1' and key = 'u2'").count());
    assertEquals(0, people.where("key = ''").count());
    Object[] many = new Object[300];
    for (int i = 0; i < many.length; i++) {
      many[i] = "u" + i;
    }
    assertEquals(USERS, people.where(col("key").isin(many)).count());
  }

  @Test
  void cellsHaveTheTypesOfTheFamilyAndDeletedOnesAreLeftOut() {
    Dataset<Row> cells = Sparks.read(spark, TIMELINE).load();
    assertEquals(
        "struct<key:string,name:string,value:string,timestamp:bigint>",
        cells.schema().simpleString());
    assertEquals((USERS - 1) * 10 - 1, cells.count());
    assertEquals(0, cells.where("key = 'u5'").count());
    assertEquals(9, cells.where("key = 'u6'").count());
    assertEquals("[u7,t2,v2,1002]", Sparks.texts(cells.where("key = 'u7' and name = 't2'")).get(0));
    assertEquals(
        "[binary, string, binary]",
        List.of(Sparks.read(spark, LONG_ROWS).load().schema().fields()).stream()
            .limit(3)
            .map(each -> each.dataType().simpleString())
            .toList()
            .toString());
    Dataset<Row> numbers = Sparks.read(spark, NUMBERS).load();
    assertEquals(
        List.of("[7,-3,-1.5]"), Sparks.texts(numbers.where("name = -3").drop("timestamp")));
    assertEquals(4, numbers.where("name between -1 and 2").count());
  }

  @Test
  void namesAreSlicesAndTheRestIsLeftToSpark() {
    Dataset<Row> cells = Sparks.read(spark, TIMELINE).load();
    Dataset<Row> interval = cells.where("name >= 't3' and name < 't5'");
    assertEquals((USERS - 1) * 2 - 1, interval.collectAsList().size());
    assertTrue(Sparks.plan(interval).contains("from t3, before t5"), Sparks.plan(interval));
    assertFalse(Sparks.plan(interval).contains("Filter ("), Sparks.plan(interval));
    assertEquals((USERS - 1) * 2 - 1, Sparks.figure(interval, Figures.COLUMNS));
    Dataset<Row> named = cells.where("name in ('t1', 't9') and name > 't1' and value = 'v9'");
    assertEquals(USERS - 1, named.collectAsList().size());
    assertTrue(Sparks.plan(named).contains("names [t1, t9]"), Sparks.plan(named));
    assertTrue(Sparks.plan(named).contains("Filter ("), Sparks.plan(named));
    assertEquals((USERS - 1) * 10 - 1, cells.where("name > ''").count());
    assertEquals(0, cells.where("name <= ''").count());
    Dataset<Row> recent = cells.where("timestamp > 1007");
    assertEquals((USERS - 1) * 2, recent.collectAsList().size());
    assertTrue(Sparks.plan(recent).contains("since 1007"), Sparks.plan(recent));
    assertEquals((USERS - 1) * 10 - 1, cells.where("name = 't1' or value <> 'x'").count());
  }

  @Test
  void aLimitIsPassedOn() {
    Dataset<Row> few = Sparks.read(spark, TIMELINE).load().limit(3);
    assertEquals(3, few.collectAsList().size());
    assertTrue(Sparks.plan(few).contains("3 of each row, first 3"), Sparks.plan(few));
    Dataset<Row> all = Sparks.read(spark, PEOPLE).schema("key string, name string").load();
    assertEquals(USERS - 10, all.limit(USERS - 10).collectAsList().size());
    assertEquals(USERS, all.limit(USERS + 10).collectAsList().size());
  }

  @Test
  void superColumnsAreCellsRowsOrOneOfThemATable() {
    Dataset<Row> cells =
        Sparks.read(spark, SUPERS)
            .option("value_type", "string")
            .option("key_type", "string")
            .load();
    assertEquals(
        List.of("[r3,s1,a,1]", "[r3,s1,b,2]", "[r3,s2,a,3]"),
        Sparks.texts(cells.where("key = 'r3'").drop("timestamp")));
    assertEquals(29 * 3 - 2, cells.count());
    Dataset<Row> second = cells.where("super = 's2'");
    assertEquals(29, second.collectAsList().size());
    assertTrue(Sparks.plan(second).contains("names [s2]"), Sparks.plan(second));
    assertEquals(28, cells.where("name = 'b'").count());

    Dataset<Row> rows =
        Sparks.read(spark, SUPERS).schema("key string, super string, a string, b string").load();
    assertEquals(List.of("[r3,s1,1,2]", "[r3,s2,3,null]"), Sparks.texts(rows.where("key = 'r3'")));
    assertEquals(28, rows.where("b is not null").select("super").count());

    Dataset<Row> one =
        Sparks.read(spark, SUPERS)
            .option("super_column", "s1")
            .schema("key string, b string")
            .load();
    assertEquals(28, one.count());
    assertEquals(List.of("[r3,2]"), Sparks.texts(one.where("key = 'r3'")));
    assertRefused(SUPERS, "is Super", "key string, b string");
  }

  @Test
  void aScanGoesOnAtTheNextReplicaWhenANodeDies(Colonnade client, TestNodes nodes) {
    int rows = Integer.getInteger("colonnade.connectors.rows", 900);
    ColumnFamily<String, String, String> family =
        Sparks.all(client)
            .columnFamily(LONG_ROWS, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    Set<String> expected = new HashSet<>();
    String value = "x".repeat(8_000);
    try (RoutedWriter writer = client.routedWriter(Sparks.all(client))) {
      for (int i = 0; i < rows; i++) {
        writer.insert(family, "row" + i, Column.of("a", value));
        expected.add("row" + i);
      }
    }
    try (RoutedWriter writer = client.routedWriter(Sparks.all(client))) {
      for (int i = 0; i < rows; i += 10) {
        writer.remove(family, "row" + i);
        expected.remove("row" + i);
      }
    }
    SEEN.set(0);
    halfway = () -> nodes.kill(1);
    long startNanos = System.nanoTime();
    List<String> read =
        new ArrayList<>(
            Sparks.read(spark, LONG_ROWS)
                .option("split_size", rows / 6)
                .schema("key string, a string")
                .load()
                .map(
                    (MapFunction<Row, String>)
                        row -> {
                          if (SEEN.incrementAndGet() == rows / 8) {
                            halfway.run();
                          }
                          return row.getString(0);
                        },
                    Encoders.STRING())
                .collectAsList());
    System.out.printf(
        Locale.ROOT,
        "a scan of %,d rows, a node killed on the way: %.1f s%n",
        rows,
        (System.nanoTime() - startNanos) / 1e9);
    nodes.restart(1);
    nodes.awaitUp(3);
    assertEquals(expected, new HashSet<>(read));
    assertEquals(expected.size(), read.size());
    assertEquals(expected.size(), SEEN.get(), "no task was made again");
  }

  @Test
  void mistakesAreToldBeforeAnythingRuns() {
    assertRefused("Nothing", "has no column family Nothing", "key string, a string");
    assertRefused(PEOPLE, "age is string", "key string, age string");
    assertRefused(PEOPLE, "cast it", "key string, height float");
    Sparks.assertRefused("colour", () -> Sparks.read(spark, PEOPLE).option("colour", "red").load());
  }

  private static void assertRefused(String family, String said, String schema) {
    Sparks.assertRefused(said, () -> Sparks.read(spark, family).schema(schema).load());
  }
}
