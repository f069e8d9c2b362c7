package dev.colonnade.client;

import dev.colonnade.admin.v1.StageStats;

/**
 * The work of one stage of a node: a bounded queue with threads behind it.
 *
 * @param active how many tasks run now
 * @param pending how many tasks wait
 * @param completed how many tasks have ended
 * @param dropped how many tasks were refused because the queue was full
 * @param stillMillis for how long the running task has not moved that moved least lately: every
 *     file operation that ends is a move; 0 while none runs
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
