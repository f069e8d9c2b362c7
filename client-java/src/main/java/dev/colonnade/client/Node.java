package dev.colonnade.client;

import dev.colonnade.admin.v1.AcceptLossRequest;
import dev.colonnade.admin.v1.AcceptLossResponse;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CompactResponse;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.GetInfoResponse;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.admin.v1.GetStatsResponse;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The one node that answers. Methods wait and throw {@link ColonnadeException}; interrupting the
 * thread that waits ends the call. Thread-safe.
 */
public final class Node {

  /** How long the writing or merging of files may take. */
  private static final Duration WORK_DEADLINE = Duration.ofDays(1);

  private final Transport transport;
  private final CallOptions options;

  Node(Transport transport, CallOptions options) {
    this.transport = transport;
    this.options = options;
  }

  /** The same, called with other options. */
  public Node with(CallOptions other) {
    return new Node(transport, other);
  }

  /** How the node is. */
  public NodeStatus info() {
    GetInfoResponse answer =
        Transport.await(
            transport.call(
                NodeServiceGrpc.getGetInfoMethod(),
                GetInfoRequest.getDefaultInstance(),
                Place.deadline(options),
                Applied.NO));
    return new NodeStatus(
        RingNode.of(answer.getNode()),
        Duration.ofSeconds(answer.getUptime().getSeconds(), answer.getUptime().getNanos()),
        answer.getHeapUsedBytes(),
        answer.getOffheapUsedBytes());
  }

  /** What the node has done since it started, by stage and by column family. */
  public NodeStatistics statistics() {
    GetStatsResponse answer =
        Transport.await(
            transport.call(
                NodeServiceGrpc.getGetStatsMethod(),
                GetStatsRequest.getDefaultInstance(),
                Place.deadline(options),
                Applied.NO));
    return new NodeStatistics(
        answer.getStagesList().stream().map(StageStatistics::of).toList(),
        answer.getColumnFamiliesList().stream().map(ColumnFamilyStatistics::of).toList(),
        answer.getQuarantinedFilesList().stream().map(QuarantinedFile::of).toList());
  }

  /**
   * Writes memtables to data files and returns when these are durable. Has a day for it, whatever
   * the deadline of the options.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @return the names of the new files; none where nothing was in memory
   */
  public List<String> flush(String keyspace, String... families) {
    return List.copyOf(
        Transport.await(
                transport.call(
                    NodeServiceGrpc.getFlushMethod(),
                    FlushRequest.newBuilder()
                        .setKeyspace(keyspace)
                        .addAllColumnFamilies(List.of(families))
                        .build(),
                    Place.deadline(options.withDeadline(WORK_DEADLINE)),
                    Applied.UNKNOWN))
            .getFilesList());
  }

  /**
   * Gives up what a damaged data file held, once it cannot be restored: reads that it may concern
   * are answered again, from what else there is. There is no way back. What was deleted by this
   * file alone can be seen again.
   *
   * @param number of the file, as {@link QuarantinedFile} has it
   * @throws InvalidRequestException if there is no such file in quarantine
   */
  public void acceptLoss(String keyspace, String family, long number) {
    AcceptLossResponse unused =
        Transport.await(
            transport.call(
                NodeServiceGrpc.getAcceptLossMethod(),
                AcceptLossRequest.newBuilder()
                    .setKeyspace(keyspace)
                    .setColumnFamily(family)
                    .setNumber(number)
                    .build(),
                Place.deadline(options),
                Applied.UNKNOWN));
  }

  /**
   * Merges all data files of each family into one, and returns when that is done. Has a day between
   * any two pieces of news, whatever the deadline of the options. When the thread is interrupted,
   * or {@code progress} throws, the node finishes the family that it is at, if it must, and begins
   * no other.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @param progress is told on the calling thread how far it is
   */
  public void compact(String keyspace, List<String> families, Consumer<Progress> progress) {
    CompactRequest request =
        CompactRequest.newBuilder().setKeyspace(keyspace).addAllColumnFamilies(families).build();
    ChunkStream.Protocol<CompactRequest, CompactResponse> protocol =
        new ChunkStream.Protocol<>(
            NodeServiceGrpc.getCompactMethod(), token -> request, answer -> "");
    try (ChunkStream<CompactRequest, CompactResponse> news =
        new ChunkStream<>(transport.channel(), protocol, WORK_DEADLINE, 0)) {
      CompactResponse answer = Transport.await(news.next());
      while (answer != null) {
        progress.accept(Progress.of(answer.getProgress()));
        answer = Transport.await(news.next());
      }
    }
  }
}
