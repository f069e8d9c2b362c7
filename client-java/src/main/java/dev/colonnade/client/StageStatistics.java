package dev.colonnade.client;

import dev.colonnade.admin.v1.StageStats;

/**
 * The work of one stage of a node: a bounded queue served by threads.
 *
 * @param active how many tasks are running
 * @param pending how many tasks wait
 * @param completed how many tasks have ended
 * @param dropped how many tasks were refused because the queue was full
 * @param stillMillis how long the running task with the longest pause has made no progress; every
 *     file operation that ends is progress; 0 if none runs
 */
public record StageStatistics(
    String name, int active, int pending, long completed, long dropped, long stillMillis) {

  static StageStatistics of(StageStats message) {
    return new StageStatistics(
        message.getName(),
        message.getActive(),
        message.getPending(),
        message.getCompleted(),
        message.getDropped(),
        message.getStillMillis());
  }
}
