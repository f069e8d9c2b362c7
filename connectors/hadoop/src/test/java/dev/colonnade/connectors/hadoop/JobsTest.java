package dev.colonnade.connectors.hadoop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumnFamily;
import dev.colonnade.connectors.hadoop.samples.FriendsWords;
import dev.colonnade.connectors.hadoop.samples.WordCount;
import dev.colonnade.connectors.samples.ExpectedWords;
import dev.colonnade.connectors.samples.TwissandraData;
import dev.colonnade.testkit.ColonnadeTest;
import dev.colonnade.testkit.TestNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs over three nodes with two copies of each row, whose answers are those of a count in memory.
 * {@code -Dcolonnade.connectors.rows=100000} takes more rows than the usual ones, and prints
 * figures.
 */
@DisabledForJreRange(
    minVersion = 24,
    disabledReason = "Hadoop 3.4 calls Subject.getSubject, which Java 24 and later refuse")
@ColonnadeTest(nodes = 3)
final class JobsTest {

  private static final int USUAL_ROWS = 1_200;
  private static final int ROWS = Integer.getInteger("colonnade.connectors.rows", USUAL_ROWS);
  private static final long SEED = 20;
  private static final TwissandraData DATA = new TwissandraData(SEED, ROWS);

  /** What a mapper does when it has seen half of the rows. */
  private static volatile Runnable halfway = () -> {};

  private static final AtomicInteger SEEN = new AtomicInteger();

  @TempDir private static Path folder;

  @BeforeAll
  static void write(Colonnade client) {
    TwissandraData.define(client, 2);
    client
        .schema()
        .create(
            TwissandraData.KEYSPACE,
            ColumnFamilyDefinition.superFamily("Supers", Comparators.UTF8, Comparators.UTF8));
    TwissandraData.awaitSchema(client);
    timed("write " + ROWS + " tweets", () -> DATA.write(all(client), client, written -> {}));
  }

  @Test
  void wordsAreCountedThoughANodeDiesHalfway(Colonnade client, TestNodes nodes) throws Exception {
    SEEN.set(0);
    halfway = () -> nodes.stop(1);
    Configuration conf = conf(nodes);
    ConfigHelper.setSplitSize(conf, ROWS / 12);
    Job job = WordCount.job(conf);
    job.setMapperClass(Interrupted.class);
    timed("word count, a node stopped halfway", () -> run(job));
    assertEquals(ROWS, job.getCounters().findCounter(ColumnFamilyCounter.ROWS_READ).getValue());
    Map<String, Long> counted = new TreeMap<>();
    try (Cursor<Row<String, Column<String, String>>> rows =
        family(all(client), TwissandraData.WORD_COUNT).range(KeyRange.all(), Slice.all())) {
      rows.forEachRemaining(
          row ->
              counted.put(
                  row.key(), Long.parseLong(row.get(WordCount.COUNT).orElseThrow().value())));
    }
    assertEquals(ExpectedWords.ofAll(DATA), counted);
    nodes.restart(1);
    nodes.awaitUp(3);
  }

  /** Has something happen when it has seen half of the rows. */
  public static final class Interrupted extends WordCount.WordMapper {
    @Override
    protected void map(BytesWritable key, RowWritable row, Context context)
        throws IOException, InterruptedException {
      if (SEEN.incrementAndGet() == ROWS / 2) {
        halfway.run();
      }
      super.map(key, row, context);
    }
  }

  @Test
  void friendsWordsAreJoinedLoadedAndReadBack(Colonnade client, TestNodes nodes) throws Exception {
    org.apache.hadoop.fs.Path counts =
        new org.apache.hadoop.fs.Path(folder.resolve("friends").toUri());
    Configuration conf = conf(nodes);
    ConfigHelper.setSplitSize(conf, ROWS / 6);
    ConfigHelper.setWriteConsistency(conf, Consistency.ALL);
    Job join = FriendsWords.join(conf, counts);
    timed("friends' words: join", () -> run(join));
    Job load = FriendsWords.load(conf, counts);
    timed("friends' words: add up and load", () -> run(load));

    long columns = 0;
    ColumnFamily<String, String, String> rows = family(all(client), TwissandraData.FRIENDS_WORDS);
    for (Map.Entry<String, Map<String, Long>> user : ExpectedWords.ofFriends(DATA).entrySet()) {
      Map<String, Long> expected = user.getValue();
      columns += expected.size();
      Map<String, Long> found = new TreeMap<>();
      rows.getAll(user.getKey(), Slice.all())
          .forEach((word, count) -> found.put(word, Long.parseLong(count)));
      assertEquals(expected, found, user.getKey());
    }
    assertEquals(
        columns, load.getCounters().findCounter(ColumnFamilyCounter.COLUMNS_LOADED).getValue());
    assertEquals(
        0,
        load.getCounters().findCounter(ColumnFamilyCounter.PARTS_MISSING_AT_A_REPLICA).getValue());
  }

  /** Of the long runs: a node that stops gives its streams ten seconds to end. */
  @Test
  @EnabledIfSystemProperty(named = "colonnade.connectors.rows", matches = ".+")
  void aSplitIsReadOnAtTheNextNodeWhenItsOwnDies(Colonnade client, TestNodes nodes)
      throws Exception {
    int rows = 900;
    client
        .schema()
        .create(TwissandraData.KEYSPACE, ColumnFamilyDefinition.standard("Long", Comparators.UTF8));
    TwissandraData.awaitSchema(client);
    ColumnFamily<String, String, String> family = family(all(client), "Long");
    Set<String> expected = new HashSet<>();
    String value = "x".repeat(8_000);
    for (int i = 0; i < rows; i++) {
      family.insert("row" + i, "a", value);
      expected.add("row" + i);
    }
    for (int i = 0; i < rows; i += 10) {
      family.remove("row" + i);
      expected.remove("row" + i);
    }
    Configuration conf = conf(nodes);
    ConfigHelper.setInput(conf, TwissandraData.KEYSPACE, "Long");
    List<String> read = new ArrayList<>();
    boolean stopped = false;
    for (InputSplit split : splits(conf)) {
      ColumnFamilySplit part = (ColumnFamilySplit) split;
      assertEquals(2, part.range().endpoints().size());
      int before = read.size();
      try (RecordReader<BytesWritable, RowWritable> reader = reader(conf, split)) {
        while (reader.nextKeyValue()) {
          read.add(new String(reader.getCurrentKey().copyBytes(), UTF_8));
          if (!stopped && read.size() - before == 20) {
            // Most of the split is on its way yet: parts of the answer are far smaller.
            stopped = true;
            int port = part.range().endpoints().get(0).clientPort();
            nodes.stop(nodes.contactPoints().indexOf("127.0.0.1:" + port));
          }
        }
      }
    }
    for (int i = 0; i < 3; i++) {
      nodes.restart(i);
    }
    nodes.awaitUp(3);
    assertTrue(stopped);
    assertEquals(expected, new HashSet<>(read));
    assertEquals(expected.size(), read.size());
  }

  @Test
  void rowsOfSuperFamiliesAreReadWithThePredicateThatIsAskedFor(Colonnade client, TestNodes nodes)
      throws Exception {
    SuperColumnFamily<String, String, String, String> supers =
        all(client)
            .superColumnFamily(
                "Supers", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    for (int i = 0; i < 30; i++) {
      supers.insert("r" + i, "s1", "a", "1");
      supers.insert("r" + i, "s1", "b", "2");
      supers.insert("r" + i, "s2", "a", "3");
    }
    supers.remove("r7");
    supers.remove("r8", "s1");
    Configuration conf = conf(nodes);
    ConfigHelper.setInput(conf, TwissandraData.KEYSPACE, "Supers");
    ConfigHelper.setSplitSize(conf, 4);
    Map<String, String> all = read(conf);
    assertEquals(29, all.size());
    assertEquals("s1/a=1 s1/b=2 s2/a=3", all.get("r3"));
    assertEquals("s2/a=3", all.get("r8"));

    ConfigHelper.setNames(conf, "s1");
    Map<String, String> named = read(conf);
    assertEquals(28, named.size());
    assertEquals("s1/a=1 s1/b=2", named.get("r3"));

    conf.unset(ConfigHelper.INPUT_NAMES);
    ConfigHelper.setSuperColumn(conf, "s1".getBytes(UTF_8));
    ConfigHelper.setInterval(conf, "b".getBytes(UTF_8), null, 1);
    assertEquals("s1/b=2", read(conf).get("r3"));

    conf.unset(ConfigHelper.INPUT_SUPER_COLUMN);
    ConfigHelper.setInterval(conf, null, null, 0);
    ConfigHelper.setKeyRange(conf, "r3".getBytes(UTF_8), "r3".getBytes(UTF_8));
    assertEquals(Map.of("r3", "s1/a=1 s1/b=2 s2/a=3"), read(conf));
    ConfigHelper.setKeyRange(conf, "r3".getBytes(UTF_8), "r4".getBytes(UTF_8));
    assertSplitsRefused(conf, "RandomPartitioner");

    conf.unset(ConfigHelper.INPUT_START_KEY);
    conf.unset(ConfigHelper.INPUT_END_KEY);
    String middle =
        client.cluster().endpoints(TwissandraData.KEYSPACE, "r3".getBytes(UTF_8)).token();
    ConfigHelper.setTokenRange(conf, "0", middle);
    Map<String, String> first = read(conf);
    ConfigHelper.setTokenRange(conf, middle, "0");
    Map<String, String> rest = read(conf);
    assertTrue(first.containsKey("r3"));
    assertFalse(rest.containsKey("r3"));
    first.putAll(rest);
    assertEquals(all, first);
  }

  @Test
  void writesDeletesAndLoadsArriveAndMistakesAreRefused(Colonnade client, TestNodes nodes)
      throws Exception {
    client
        .schema()
        .create(
            TwissandraData.KEYSPACE,
            ColumnFamilyDefinition.superFamily("Out", Comparators.UTF8, Comparators.UTF8));
    TwissandraData.awaitSchema(client);
    SuperColumnFamily<String, String, String, String> out =
        all(client)
            .superColumnFamily(
                "Out", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    Configuration conf = conf(nodes);
    ConfigHelper.setWriteConsistency(conf, Consistency.ALL);
    ConfigHelper.setOutput(conf, TwissandraData.KEYSPACE, "Out");
    byte[] s = {'s'};
    byte[] t = {'t'};
    write(
        new BulkOutputFormat().getRecordWriter(task(conf)),
        Map.of(
            "k", List.of(cell(s, "a"), cell(s, "b"), cell(t, "a")), "gone", List.of(cell(s, "a"))));
    assertEquals(Map.of("a", "v"), Column.asMap(out.slice("k", "t", Slice.all())));
    assertEquals(2, out.slice("k", "s", Slice.all()).size());
    write(
        new ColumnFamilyOutputFormat().getRecordWriter(task(conf)),
        Map.of(
            "k",
                List.of(
                    CellWritable.deletion(s, "a".getBytes(UTF_8)),
                    cell(s, "c").withTtl(Duration.ofHours(1)),
                    CellWritable.deletion(t, null)),
            "gone", List.of(CellWritable.deletion(null, null))));
    assertEquals(Set.of("b", "c"), out.get("k", "s").orElseThrow().asMap().keySet());
    assertTrue(out.get("k", "t").isEmpty());
    assertEquals(List.of(), out.slice("gone", Slice.all()));

    assertRefused(
        new BulkOutputFormat().getRecordWriter(task(conf)), CellWritable.deletion(s, null));
    assertRefused(
        new ColumnFamilyOutputFormat().getRecordWriter(task(conf)), CellWritable.of("a", "b"));
    ConfigHelper.setOutput(conf, TwissandraData.KEYSPACE, "Nothing");
    assertThrows(
        IOException.class, () -> new ColumnFamilyOutputFormat().checkOutputSpecs(task(conf)));
    ConfigHelper.setInput(conf, TwissandraData.KEYSPACE, "Nothing");
    assertSplitsRefused(conf, "Nothing");
  }

  private static void assertSplitsRefused(Configuration conf, String said) {
    String message = assertThrows(IOException.class, () -> splits(conf)).toString();
    assertTrue(message.contains(said), message);
  }

  private static CellWritable cell(byte[] superColumn, String name) {
    return CellWritable.of(superColumn, name.getBytes(UTF_8), "v".getBytes(UTF_8));
  }

  private static void write(
      RecordWriter<BytesWritable, CellWritable> writer, Map<String, List<CellWritable>> rows)
      throws Exception {
    for (Map.Entry<String, List<CellWritable>> row : rows.entrySet()) {
      for (CellWritable cell : row.getValue()) {
        writer.write(new BytesWritable(row.getKey().getBytes(UTF_8)), cell);
      }
    }
    writer.close(task(new Configuration(false)));
  }

  private static void assertRefused(
      RecordWriter<BytesWritable, CellWritable> writer, CellWritable cell) throws Exception {
    assertThrows(
        IllegalArgumentException.class,
        () -> writer.write(new BytesWritable(new byte[] {'k'}), cell));
    writer.close(task(new Configuration(false)));
  }

  /** All rows as text; none may come twice. */
  private static Map<String, String> read(Configuration conf) throws Exception {
    Map<String, String> rows = new TreeMap<>();
    for (InputSplit split : splits(conf)) {
      try (RecordReader<BytesWritable, RowWritable> reader = reader(conf, split)) {
        while (reader.nextKeyValue()) {
          List<String> cells = new ArrayList<>();
          for (CellWritable cell : reader.getCurrentValue()) {
            assertTrue(cell.timestampMicros().isPresent());
            cells.add(
                new String(cell.superColumn().orElseThrow(), UTF_8)
                    + "/"
                    + cell.nameText()
                    + "="
                    + cell.valueText());
          }
          String key = new String(reader.getCurrentKey().copyBytes(), UTF_8);
          assertEquals(null, rows.put(key, String.join(" ", cells)), key);
        }
        assertEquals(1, reader.getProgress());
      }
    }
    return rows;
  }

  private static List<InputSplit> splits(Configuration conf) throws IOException {
    return new ColumnFamilyInputFormat().getSplits(task(conf));
  }

  private static RecordReader<BytesWritable, RowWritable> reader(
      Configuration conf, InputSplit split) throws Exception {
    RecordReader<BytesWritable, RowWritable> reader =
        new ColumnFamilyInputFormat().createRecordReader(split, task(conf));
    reader.initialize(split, task(conf));
    return reader;
  }

  private static TaskAttemptContext task(Configuration conf) {
    return new TaskAttemptContextImpl(conf, new TaskAttemptID());
  }

  private static Configuration conf(TestNodes nodes) {
    Configuration conf = new Configuration();
    conf.set("hadoop.tmp.dir", folder.resolve("hadoop").toString());
    // Otherwise a finished job is noticed after five seconds.
    conf.setInt("mapreduce.client.completion.pollinterval", 50);
    conf.set(ConfigHelper.BULK_DIRECTORY, folder.toString());
    ConfigHelper.setContactPoints(conf, nodes.contactPoints());
    return conf;
  }

  private static Keyspace all(Colonnade client) {
    return client
        .keyspace(TwissandraData.KEYSPACE)
        .with(CallOptions.defaults().withWriteConsistency(Consistency.ALL));
  }

  private static ColumnFamily<String, String, String> family(Keyspace keyspace, String name) {
    return keyspace.columnFamily(name, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void timed(String what, Work work) {
    long startNanos = System.nanoTime();
    try {
      work.run();
    } catch (Exception e) {
      throw new AssertionError(what + " failed", e);
    }
    if (ROWS != USUAL_ROWS) {
      System.out.printf(
          Locale.ROOT,
          "%s: %.1f s, %,d tweets of %,d users%n",
          what,
          (System.nanoTime() - startNanos) / 1e9,
          ROWS,
          DATA.users());
    }
  }

  private static void run(Job job) throws Exception {
    assertTrue(job.waitForCompletion(false), () -> job.getJobName() + " failed");
  }
}
