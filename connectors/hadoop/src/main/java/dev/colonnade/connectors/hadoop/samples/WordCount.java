package dev.colonnade.connectors.hadoop.samples;

import dev.colonnade.connectors.hadoop.CellWritable;
import dev.colonnade.connectors.hadoop.ColumnFamilyInputFormat;
import dev.colonnade.connectors.hadoop.ColumnFamilyOutputFormat;
import dev.colonnade.connectors.hadoop.ConfigHelper;
import dev.colonnade.connectors.hadoop.RowWritable;
import dev.colonnade.connectors.samples.TwissandraData;
import dev.colonnade.connectors.samples.Words;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/** How often each word stands in the bodies of all tweets: read from one family, into another. */
@SuppressWarnings("SameNameButDifferent") // Context, as jobs call it, of mappers and of reducers
public final class WordCount {

  /** The column of the result. */
  public static final String COUNT = "count";

  private static final String BODY = "body";

  private WordCount() {}

  /** A job over {@link TwissandraData#TWEET}, not yet submitted. */
  public static Job job(Configuration conf) throws IOException {
    Job job = Job.getInstance(conf, "word count");
    job.setJarByClass(WordCount.class);
    ConfigHelper.setInput(job.getConfiguration(), TwissandraData.KEYSPACE, TwissandraData.TWEET);
    ConfigHelper.setNames(job.getConfiguration(), BODY);
    ConfigHelper.setOutput(
        job.getConfiguration(), TwissandraData.KEYSPACE, TwissandraData.WORD_COUNT);
    job.setInputFormatClass(ColumnFamilyInputFormat.class);
    job.setMapperClass(WordMapper.class);
    job.setCombinerClass(Sum.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setReducerClass(CountWriter.class);
    job.setOutputKeyClass(BytesWritable.class);
    job.setOutputValueClass(CellWritable.class);
    job.setOutputFormatClass(ColumnFamilyOutputFormat.class);
    // A second attempt beside the first would write the same once more.
    job.setSpeculativeExecution(false);
    return job;
  }

  /** The words of a tweet. */
  public static class WordMapper extends Mapper<BytesWritable, RowWritable, Text, LongWritable> {

    private static final LongWritable ONE = new LongWritable(1);
    private final Text word = new Text();

    @Override
    protected void map(BytesWritable key, RowWritable row, Context context)
        throws IOException, InterruptedException {
      for (CellWritable cell : row) {
        for (String each : Words.of(cell.valueText())) {
          word.set(each);
          context.write(word, ONE);
        }
      }
    }
  }

  /** Adds up. */
  public static final class Sum extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      context.write(key, new LongWritable(sum(values)));
    }
  }

  /** Adds up, and makes a column of it. */
  public static final class CountWriter
      extends Reducer<Text, LongWritable, BytesWritable, CellWritable> {
    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      context.write(
          new BytesWritable(key.copyBytes()),
          CellWritable.of(
              COUNT.getBytes(StandardCharsets.UTF_8),
              Long.toString(sum(values)).getBytes(StandardCharsets.UTF_8)));
    }
  }

  static long sum(Iterable<LongWritable> values) {
    long sum = 0;
    for (LongWritable each : values) {
      sum += each.get();
    }
    return sum;
  }
}
