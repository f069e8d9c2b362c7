package dev.colonnade.connectors.spark;

import java.util.OptionalLong;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;

/**
 * A job that writes. All attempts of its tasks write with one timestamp, so that a task that is run
 * again changes nothing; what a task has written stays when the job fails later.
 */
final class FamilyWrite implements Write {

  private final WritePlan plan;

  FamilyWrite(WritePlan plan) {
    this.plan = plan;
  }

  @Override
  public String description() {
    return "colonnade "
        + plan.settings().qualifiedName()
        + (plan.settings().isBulk() ? ", bulk load" : ", append");
  }

  @Override
  public BatchWrite toBatch() {
    return new OfBatch(
        plan, plan.settings().timestampMicros().orElse(System.currentTimeMillis() * 1_000));
  }

  /**
   * A sink. A batch that is delivered again is written with the timestamps of the first time: those
   * that its rows bring, or the option's and the number of the batch.
   *
   * @throws IllegalArgumentException if there is neither
   */
  @Override
  public StreamingWrite toStreaming() {
    OptionalLong first = plan.settings().timestampMicros();
    if (first.isEmpty() && !plan.hasTimestamps()) {
      throw new IllegalArgumentException(
          "a stream needs timestamps that are the same when a batch is delivered again: have a"
              + " column of them, such as current_timestamp(), and name it in the option "
              + Settings.TIMESTAMP_COLUMN
              + " (in a table of cells it is the column timestamp), or set the option "
              + Settings.TIMESTAMP
              + " to the microseconds since 1970 of the query's first start, which may not change"
              + " afterwards; the number of the batch is added");
    }
    return new OfStream(plan, first.orElse(0));
  }

  /** What is written is written, so there is nothing to say at the end. */
  record Done() implements WriterCommitMessage {
    private static final long serialVersionUID = 1;
  }

  private record OfBatch(WritePlan plan, long timestampMicros) implements BatchWrite {

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
      WritePlan written = plan;
      long timestamp = timestampMicros;
      return (part, task) -> FamilyWriter.of(written, timestamp);
    }

    /** The second attempt of a task may write beside the first. */
    @Override
    public boolean useCommitCoordinator() {
      return false;
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {}

    @Override
    public void abort(WriterCommitMessage[] messages) {}
  }

  private record OfStream(WritePlan plan, long firstMicros) implements StreamingWrite {

    @Override
    public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
      WritePlan written = plan;
      long first = firstMicros;
      return (part, task, epoch) -> FamilyWriter.of(written, first + epoch);
    }

    @Override
    public boolean useCommitCoordinator() {
      return false;
    }

    @Override
    public void commit(long epoch, WriterCommitMessage[] messages) {}

    @Override
    public void abort(long epoch, WriterCommitMessage[] messages) {}
  }
}
