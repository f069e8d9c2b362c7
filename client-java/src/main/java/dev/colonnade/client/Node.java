package dev.colonnade.client;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The one node that answers. Methods wait and throw {@link ColonnadeException}; interrupting the
 * thread that waits ends the call. Thread-safe.
 *
 * <pre>{@code
 * Node node = client.node();
 * System.out.println(node.info().node().liveness()); // prints UP
 * System.out.println(node.hints()); // prints []
 * System.out.println(node.gossip().size()); // prints 1
 * }</pre>
 */
public final class Node {

  private final AsyncNode async;

  Node(AsyncNode async) {
    this.async = async;
  }

  /** The same with futures. */
  public AsyncNode async() {
    return async;
  }

  /** The same, called with other options. */
  public Node with(CallOptions other) {
    return new Node(async.with(other));
  }

  /** The node's status. */
  public NodeStatus info() {
    return Transport.await(async.info());
  }

  /** What the node has done since it started, by stage and by column family. */
  public NodeStatistics statistics() {
    return Transport.await(async.statistics());
  }

  /** The hints that this node keeps for nodes that were away, by their ids. */
  public List<HintQueue> hints() {
    return Transport.await(async.hints());
  }

  /**
   * What this node has heard of each other one, and what it announces about itself, by their ids.
   */
  public List<GossipEntry> gossip() {
    return Transport.await(async.gossip());
  }

  /**
   * Writes memtables to data files and returns when these are durable. Its deadline is a day,
   * whatever the deadline of the options.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @return the names of the new files; none where nothing was in memory
   */
  public List<String> flush(String keyspace, String... families) {
    return Transport.await(async.flush(keyspace, families));
  }

  /**
   * The loggers of the node that have levels of their own, by name: ROOT first, then packages and
   * classes. Empty if the program that holds the node does not tell.
   */
  public Map<String, LogLevel> logLevels() {
    return Transport.await(async.logLevels());
  }

  /**
   * Makes the node log more or less, until the next change or until its process ends.
   *
   * @param logger ROOT, a package, or a class
   * @throws InvalidRequestException if the name is malformed, if a hundred loggers have levels of
   *     their own already, or if the program that holds the node does not let its logging be
   *     changed
   */
  public void setLogLevel(String logger, LogLevel level) {
    Transport.await(async.setLogLevel(logger, level));
  }

  /**
   * Makes a logger of the node follow the one above it again.
   *
   * @param logger a package or a class
   * @throws InvalidRequestException as {@link #setLogLevel}
   */
  public void resetLogLevel(String logger) {
    Transport.await(async.resetLogLevel(logger));
  }

  /** All settings of the node, by subject, with the values that they have now. */
  public List<NodeSetting> settings() {
    return Transport.await(async.settings());
  }

  /**
   * Changes a setting of the running node, and of no other one.
   *
   * @param value as it is written in a file or as an option
   * @param keep whether it holds over restarts of the node, too; otherwise until its process ends
   * @return the setting as it is then
   * @throws InvalidRequestException if there is no such setting, if it is not {@link
   *     NodeSetting#isLive live}, or if the value is malformed or out of bounds
   */
  public NodeSetting changeSetting(String name, String value, boolean keep) {
    return Transport.await(async.changeSetting(name, value, keep));
  }

  /**
   * Takes back what was changed while the node ran: the setting has the value again with which the
   * node was configured, now and after its restarts.
   *
   * @return the setting as it is then
   * @throws InvalidRequestException as {@link #changeSetting}
   */
  public NodeSetting resetSetting(String name) {
    return Transport.await(async.resetSetting(name));
  }

  /**
   * Prepares the node for a shutdown, and returns when that is done: it accepts no more calls on
   * data or on the schema, has announced its shutdown, and has written everything in memory to data
   * files, so that its next start has nothing to replay. It serves again only after a restart. Its
   * deadline is a day, whatever the deadline of the options.
   */
  public void drain() {
    Transport.await(async.drain());
  }

  /**
   * Accepts the loss of what a file in quarantine held, once it cannot be restored: reads that may
   * need it are answered again, from the remaining data. This cannot be undone. What only this file
   * deleted can be seen again.
   *
   * @param number of the file, as {@link QuarantinedFile} has it
   * @throws InvalidRequestException if there is no such file in quarantine
   */
  public void acceptLoss(String keyspace, String family, long number) {
    Transport.await(async.acceptLoss(keyspace, family, number));
  }

  /**
   * Applies the records of a file of set-aside records again, once the cause of their failure is
   * fixed, and has the node delete the file.
   *
   * @param number of the file, as {@link QuarantinedFile} has it
   * @return how many records there were
   * @throws InvalidRequestException if there is no such file of records
   * @throws PreconditionFailedException if a record still cannot be applied; the file stays
   */
  public long applySetAside(String keyspace, String family, long number) {
    return Transport.await(async.applySetAside(keyspace, family, number));
  }

  /**
   * Merges all data files of each family into one, and returns when that is done. Its deadline is a
   * day between any two reports of progress, whatever the deadline of the options. When the thread
   * is interrupted, or {@code progress} throws, the node may finish the present family, and begins
   * no other one.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @param progress receives the progress on the calling thread
   */
  public void compact(String keyspace, List<String> families, Consumer<Progress> progress) {
    follow(async.compact(keyspace, families), progress);
  }

  /**
   * Compares the checksums of all blocks of this node's data files, and returns when that is done.
   * Damaged files are handled as when a read finds the damage. Interrupting the thread ends it.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @param progress receives the progress on the calling thread, in files; the last detail says
   *     which are damaged
   */
  public void scrub(String keyspace, List<String> families, Consumer<Progress> progress) {
    follow(async.scrub(keyspace, families), progress);
  }

  /**
   * Compares what this node holds with the other replicas, repairs what differs, and returns when
   * that is done. Interrupting the thread ends it; rows that were repaired stay so.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @param progress receives the progress on the calling thread, in ranges of families
   * @throws PreconditionFailedException if a repair runs on the node already, or a replica failed
   */
  public void repair(String keyspace, List<String> families, Consumer<Progress> progress) {
    follow(async.repair(keyspace, families), progress);
  }

  /**
   * Repairs a part of the ring, or only compares. Otherwise as {@link #repair(String, List,
   * Consumer)}; the last detail says what differed.
   */
  public void repair(RepairScope scope, Consumer<Progress> progress) {
    follow(async.repair(scope), progress);
  }

  /**
   * Deletes rows from this node's files that other nodes own since they joined or tokens moved, and
   * returns when that is done. Interrupting the thread ends it; families that are done stay done.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @param progress receives the progress on the calling thread, in bytes of a family
   * @throws PreconditionFailedException while the ring changes
   */
  public void cleanup(String keyspace, List<String> families, Consumer<Progress> progress) {
    follow(async.cleanup(keyspace, families), progress);
  }

  /**
   * Moves this node to take load from the most loaded other node, and returns when that is done. It
   * continues even if the caller stops waiting.
   *
   * @param progress receives the progress on the calling thread, in transfers
   * @throws PreconditionFailedException if that cannot be done, or did not complete
   */
  public void loadBalance(Consumer<Progress> progress) {
    follow(async.loadBalance(), progress);
  }

  /**
   * Hands this node's rows to their new owners, takes it out of the ring for good, and returns when
   * that is done. It continues even if the caller stops waiting.
   *
   * @param progress receives the progress on the calling thread, in transfers
   * @throws PreconditionFailedException if that cannot be done, or did not complete
   */
  public void decommission(Consumer<Progress> progress) {
    decommission(false, progress);
  }

  /**
   * As {@link #decommission(Consumer)}.
   *
   * @param force even if a keyspace then wants more copies of each row than there are nodes, or
   *     than there are in its data centre, which is refused otherwise
   */
  public void decommission(boolean force, Consumer<Progress> progress) {
    follow(async.decommission(force), progress);
  }

  /**
   * Moves this node to another token, and returns when that is done. It continues even if the
   * caller stops waiting.
   *
   * @param progress receives the progress on the calling thread, in transfers
   * @throws PreconditionFailedException if that cannot be done, or did not complete
   */
  public void move(String newToken, Consumer<Progress> progress) {
    follow(async.move(newToken), progress);
  }

  /**
   * Takes a node that is down, and will not come back, out of the ring, and returns when that is
   * done. It continues even if the caller stops waiting.
   *
   * @param progress receives the progress on the calling thread, in transfers
   * @throws PreconditionFailedException if that cannot be done, or did not complete
   */
  public void remove(String nodeId, Consumer<Progress> progress) {
    remove(nodeId, false, progress);
  }

  /**
   * As {@link #remove(String, Consumer)}.
   *
   * @param force even if a keyspace then wants more copies of each row than there are nodes, or
   *     than there are in its data centre, which is refused otherwise
   */
  public void remove(String nodeId, boolean force, Consumer<Progress> progress) {
    follow(async.remove(nodeId, force), progress);
  }

  /**
   * Takes a snapshot of data files, and returns when it is whole. It has every write that was
   * acknowledged before, and may have some that were made meanwhile. Interrupting the thread ends
   * the work, and leaves nothing of it on this node.
   *
   * @param name 1 to 64 of the characters A-Z a-z 0-9 _ . -, the first a letter or digit
   * @param progress receives the progress on the calling thread
   * @return what was taken; for the whole cluster, also which nodes failed
   * @throws InvalidRequestException if the name is bad or taken
   */
  public SnapshotAnswers takeSnapshot(
      String name, SnapshotScope scope, Consumer<Progress> progress) {
    SnapshotAnswers last = new SnapshotAnswers(List.of(), List.of());
    try (Cursor<SnapshotStep> news = new Cursor<>(async.takeSnapshot(name, scope))) {
      while (news.hasNext()) {
        SnapshotStep step = news.next();
        progress.accept(step.progress());
        last = step.answers();
      }
    }
    return last;
  }

  /**
   * The snapshots of this node, or of all, those of a node oldest first.
   *
   * @param everywhere of all nodes of the cluster
   */
  public SnapshotAnswers snapshots(boolean everywhere) {
    return Transport.await(async.snapshots(everywhere));
  }

  /**
   * Deletes a snapshot.
   *
   * @param everywhere on all nodes that have it
   * @return what was deleted, and which nodes failed
   * @throws InvalidRequestException if there is no snapshot of that name
   */
  public SnapshotAnswers clearSnapshot(String name, boolean everywhere) {
    return Transport.await(async.clearSnapshot(name, everywhere));
  }

  private static void follow(AsyncCursor<Progress> work, Consumer<Progress> progress) {
    try (Cursor<Progress> news = new Cursor<>(work)) {
      news.forEachRemaining(progress);
    }
  }
}
