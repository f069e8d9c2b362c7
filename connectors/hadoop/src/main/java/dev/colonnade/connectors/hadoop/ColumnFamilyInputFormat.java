package dev.colonnade.connectors.hadoop;

import dev.colonnade.client.Cluster;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyEndpoints;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.NotFoundException;
import dev.colonnade.client.RingRange;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Split;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Reads the rows of Standard and Super families: the key of each, and the columns that the
 * predicate selects. Rows where it selects nothing, such as deleted ones, are left out.
 *
 * <p>A split is a range of tokens with about as many rows as {@link ConfigHelper#INPUT_SPLIT_SIZE}
 * says, cut by a node that holds it, which is also its location. A task reads it at one of those
 * nodes, and goes on at the next when that one dies: no row comes twice and none is missed. What is
 * written during the job may be read or not. A row is in the memory of its task as a whole: limit
 * the predicate where rows are long.
 */
public final class ColumnFamilyInputFormat extends InputFormat<BytesWritable, RowWritable> {

  /**
   * The splits of all input families.
   *
   * @throws IOException if the nodes do not answer, or refuse what the configuration asks for
   * @throws IllegalArgumentException if the configuration lacks something or contradicts itself
   */
  @Override
  public List<InputSplit> getSplits(JobContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    // Also looked at here, so that a job fails when it is submitted and not in its tasks.
    ConfigHelper.slice(conf);
    try (Colonnade client = Clients.connect(conf, List.of())) {
      String keyspace = ConfigHelper.keyspace(conf);
      Map<String, ColumnFamilyDefinition> defined =
          client.schema().keyspace(keyspace).columnFamilies().stream()
              .collect(Collectors.toMap(ColumnFamilyDefinition::name, Function.identity()));
      List<InputSplit> splits = new ArrayList<>();
      for (String name : ConfigHelper.families(conf)) {
        ColumnFamilyDefinition family = defined.get(name);
        if (family == null) {
          throw new IOException(
              "the keyspace "
                  + keyspace
                  + " has no column family "
                  + name
                  + "; it has "
                  + String.join(", ", defined.keySet()));
        }
        splits.addAll(splits(client, conf, keyspace, family));
      }
      return splits;
    } catch (NotFoundException e) {
      throw new IOException("the job's input is not there: " + e.getMessage(), e);
    } catch (ColonnadeException e) {
      throw new IOException("the job's input cannot be split: " + e.getMessage(), e);
    }
  }

  private static List<ColumnFamilySplit> splits(
      Colonnade client, Configuration conf, String keyspace, ColumnFamilyDefinition family)
      throws IOException {
    List<ColumnFamilySplit> splits = new ArrayList<>();
    Optional<RingRange> within = ConfigHelper.tokens(conf);
    Optional<ConfigHelper.Keys> keys = ConfigHelper.keys(conf);
    Cluster cluster = client.cluster();
    if (keys.isPresent()) {
      ConfigHelper.Keys range = keys.get();
      requireOrder(client, keyspace, family, range);
      // A range of tokens leaves out its start, which is a row of its own therefore.
      KeyEndpoints first = cluster.endpoints(keyspace, range.first());
      splits.add(
          new ColumnFamilySplit(
              family.name(),
              family.isSuper(),
              new RingRange(first.token(), first.token(), first.endpoints()),
              range.first(),
              1,
              0));
      if (range.isOne()) {
        return splits;
      }
      String end = cluster.endpoints(keyspace, range.last()).token();
      if (end.equals(first.token())) {
        // From a token to itself is the whole ring.
        throw new IOException(
            "the first and the last key have the same token, by which other keys may lie between"
                + " them; read the keys one by one, each as a range of itself");
      }
      within = Optional.of(new RingRange(first.token(), end, List.of()));
    }
    int size = ConfigHelper.splitSize(conf);
    List<Split> found =
        within.isPresent()
            ? cluster.splitsByOwners(keyspace, family.name(), size, within.get())
            : cluster.splitsByOwners(keyspace, family.name(), size);
    for (Split split : found) {
      splits.add(
          new ColumnFamilySplit(
              family.name(),
              family.isSuper(),
              split.range(),
              null,
              split.estimatedKeys(),
              split.estimatedBytes()));
    }
    return splits;
  }

  /** The partitioner decides whether keys have an order, and the node which order. */
  private static void requireOrder(
      Colonnade client, String keyspace, ColumnFamilyDefinition family, ConfigHelper.Keys range)
      throws IOException {
    if (range.isOne()) {
      return;
    }
    String partitioner = client.cluster().describe().partitioner();
    if (partitioner.equals("RandomPartitioner")) {
      throw new IOException(
          "RandomPartitioner keeps rows in the order of hashes: a range of keys is one key twice,"
              + " and larger ones are ranges of tokens");
    }
    KeyRange<byte[]> keys = KeyRange.from(range.first()).to(range.last()).limit(1);
    try (Cursor<byte[]> probe =
        family.isSuper()
            ? client
                .keyspace(keyspace)
                .superColumnFamily(
                    family.name(),
                    Serializers.BYTES,
                    Serializers.BYTES,
                    Serializers.BYTES,
                    Serializers.BYTES)
                .keys(keys)
            : client
                .keyspace(keyspace)
                .columnFamily(
                    family.name(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES)
                .keys(keys)) {
      // A node refuses ends in the wrong order.
      var unused = probe.hasNext();
    }
  }

  @Override
  public RecordReader<BytesWritable, RowWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new ColumnFamilyRecordReader();
  }
}
