package dev.colonnade.connectors.hadoop.samples;

import dev.colonnade.connectors.hadoop.BulkOutputFormat;
import dev.colonnade.connectors.hadoop.CellWritable;
import dev.colonnade.connectors.hadoop.ColumnFamilyInputFormat;
import dev.colonnade.connectors.hadoop.ColumnFamilySplit;
import dev.colonnade.connectors.hadoop.ConfigHelper;
import dev.colonnade.connectors.hadoop.RowWritable;
import dev.colonnade.connectors.samples.TwissandraData;
import dev.colonnade.connectors.samples.Words;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/**
 * Which words my friends write, for every user: tweets and followers, joined by author, and added
 * up by follower and word. Two jobs with a file between them; the result is loaded in bulk.
 */
@SuppressWarnings("SameNameButDifferent") // Context, as jobs call it, of mappers and of reducers
public final class FriendsWords {

  /** Between a user's id and a word; in neither. */
  private static final String BETWEEN = "\u0000";

  private static final String OF_TWEET = "t";
  private static final String OF_FOLLOWER = "f";

  private FriendsWords() {}

  /**
   * Joins tweets and followers.
   *
   * @param counts where the words of each author go to, for each follower
   */
  public static Job join(Configuration conf, Path counts) throws IOException {
    Job job = Job.getInstance(conf, "friends' words: join by author");
    job.setJarByClass(FriendsWords.class);
    ConfigHelper.setInput(
        job.getConfiguration(),
        TwissandraData.KEYSPACE,
        TwissandraData.TWEET,
        TwissandraData.FOLLOWERS);
    job.setInputFormatClass(ColumnFamilyInputFormat.class);
    job.setMapperClass(ByAuthor.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(Text.class);
    job.setReducerClass(ForFollowers.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    FileOutputFormat.setOutputPath(job, counts);
    return job;
  }

  /** Adds up what {@link #join} has counted, and loads it. */
  public static Job load(Configuration conf, Path counts) throws IOException {
    Job job = Job.getInstance(conf, "friends' words: add up and load");
    job.setJarByClass(FriendsWords.class);
    FileInputFormat.addInputPath(job, counts);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    // The mapper of Hadoop itself, which changes nothing.
    job.setMapperClass(Mapper.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setCombinerClass(WordCount.Sum.class);
    job.setReducerClass(ToColumns.class);
    job.setOutputKeyClass(BytesWritable.class);
    job.setOutputValueClass(CellWritable.class);
    job.setOutputFormatClass(BulkOutputFormat.class);
    job.setSpeculativeExecution(false);
    ConfigHelper.setOutput(
        job.getConfiguration(), TwissandraData.KEYSPACE, TwissandraData.FRIENDS_WORDS);
    return job;
  }

  /** A tweet goes to its author, and so does who follows. */
  public static final class ByAuthor extends Mapper<BytesWritable, RowWritable, Text, Text> {
    @Override
    protected void map(BytesWritable key, RowWritable row, Context context)
        throws IOException, InterruptedException {
      String family = ((ColumnFamilySplit) context.getInputSplit()).family();
      if (family.equals(TwissandraData.FOLLOWERS)) {
        Text author = new Text(key.copyBytes());
        for (CellWritable follower : row) {
          context.write(author, new Text(OF_FOLLOWER + follower.nameText()));
        }
        return;
      }
      Optional<CellWritable> author = row.get("user_id");
      Optional<CellWritable> body = row.get("body");
      if (author.isPresent() && body.isPresent()) {
        context.write(
            new Text(author.get().valueText()), new Text(OF_TWEET + body.get().valueText()));
      }
    }
  }

  /** What an author wrote, for each who follows. */
  public static final class ForFollowers extends Reducer<Text, Text, Text, LongWritable> {
    @Override
    protected void reduce(Text author, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      Map<String, Long> words = new TreeMap<>();
      List<String> followers = new ArrayList<>();
      for (Text each : values) {
        String text = each.toString();
        if (text.startsWith(OF_FOLLOWER)) {
          followers.add(text.substring(1));
        } else {
          Words.of(text.substring(1)).forEach(word -> words.merge(word, 1L, Long::sum));
        }
      }
      for (String follower : followers) {
        for (Map.Entry<String, Long> each : words.entrySet()) {
          context.write(
              new Text(follower + BETWEEN + each.getKey()), new LongWritable(each.getValue()));
        }
      }
    }
  }

  /** A row for each user, a column for each word. */
  public static final class ToColumns
      extends Reducer<Text, LongWritable, BytesWritable, CellWritable> {
    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      String text = key.toString();
      int between = text.indexOf(BETWEEN);
      context.write(
          new BytesWritable(text.substring(0, between).getBytes(StandardCharsets.UTF_8)),
          CellWritable.of(text.substring(between + 1), Long.toString(WordCount.sum(values))));
    }
  }
}
