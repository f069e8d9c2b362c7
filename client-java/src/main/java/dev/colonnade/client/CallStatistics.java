package dev.colonnade.client;

import dev.colonnade.v1.RequestStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What one answer cost inside the cluster. An answer that comes in pages has one for each page, a
 * stream one at its end.
 *
 * @param coordinator the id of the node that answered
 * @param replicas the ids of the nodes that it sent a part of the call, itself only if it has a
 *     copy
 * @param replicasAnswered those of them that had answered when the outcome was decided
 * @param sstablesRead how many data files were read
 * @param bloomRejections how many data files were skipped because of their Bloom filter
 * @param blocksRead how many blocks of data files were read, from the cache or from disk
 * @param blockCacheHits how many of these came from the block cache
 * @param tombstonesScanned how many deletions and expired columns were skipped
 * @param serverTime from the arrival of the request to its answer, at the coordinator
 * @param lateReplicas how many spare replicas were asked because another one was late
 * @param digestMismatches how often replicas differed, so that the data of all of them was fetched
 * @param readRepairs how many replicas lacked something that they were sent before the answer
 * @param trace what happened when; empty unless the call is a part of a sampled trace
 */
public record CallStatistics(
    String coordinator,
    List<String> replicas,
    List<String> replicasAnswered,
    int sstablesRead,
    int bloomRejections,
    long blocksRead,
    long blockCacheHits,
    long tombstonesScanned,
    Duration serverTime,
    int lateReplicas,
    int digestMismatches,
    int readRepairs,
    Trace trace) {

  /**
   * The trace that a call is a part of ({@link CallOptions#withTraceparent}).
   *
   * @param id the W3C's: 32 hexadecimal digits; empty if the call is a part of none
   * @param events in the order of time; empty if the trace is not sampled
   * @param dropped how many events there were beyond those
   */
  public record Trace(String id, List<TraceEvent> events, int dropped) {

    /** Of a call that is a part of none. */
    public static final Trace NONE = new Trace("", List.of(), 0);

    /** Keeps a copy of the list. */
    public Trace {
      events = List.copyOf(events);
    }
  }

  /** Keeps copies of the lists. */
  public CallStatistics {
    replicas = List.copyOf(replicas);
    replicasAnswered = List.copyOf(replicasAnswered);
  }

  static CallStatistics of(RequestStats stats) {
    return new CallStatistics(
        stats.getCoordinator(),
        stats.getReplicasList(),
        stats.getReplicasAnsweredList(),
        stats.getSstablesRead(),
        stats.getBloomRejections(),
        stats.getBlocksRead(),
        stats.getBlockCacheHits(),
        stats.getTombstonesScanned(),
        Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(stats.getServerMicros())),
        stats.getLateReplicas(),
        stats.getDigestMismatches(),
        stats.getReadRepairs(),
        stats.getTraceId().isEmpty() ? Trace.NONE : trace(stats));
  }

  private static Trace trace(RequestStats stats) {
    return new Trace(
        stats.getTraceId(),
        stats.getTraceList().stream().map(TraceEvent::of).toList(),
        stats.getTraceEventsDropped());
  }
}
