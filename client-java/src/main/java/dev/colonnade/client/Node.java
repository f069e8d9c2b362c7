package dev.colonnade.client;

import java.util.List;
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

  /** How the node is. */
  public NodeStatus info() {
    return Transport.await(async.info());
  }

  /** What the node has done since it started, by stage and by column family. */
  public NodeStatistics statistics() {
    return Transport.await(async.statistics());
  }

  /** The writes that wait here for nodes that were away, by the ids of these. */
  public List<HintQueue> hints() {
    return Transport.await(async.hints());
  }

  /** What this node has heard of each other one, and what it tells of itself, by their ids. */
  public List<GossipEntry> gossip() {
    return Transport.await(async.gossip());
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
    return Transport.await(async.flush(keyspace, families));
  }

  /**
   * Makes the node ready to be stopped, and returns when it is: it takes no more calls on data or
   * on the schema, has told the others that it goes, and has written everything in memory to data
   * files, so that its next start has nothing to replay. It serves again only after a restart. Has
   * a day for it, whatever the deadline of the options.
   */
  public void drain() {
    Transport.await(async.drain());
  }

  /**
   * Gives up what a file in quarantine held, once it cannot be restored: reads that it may concern
   * are answered again, from what else there is. There is no way back. What was deleted by this
   * file alone can be seen again.
   *
   * @param number of the file, as {@link QuarantinedFile} has it
   * @throws InvalidRequestException if there is no such file in quarantine
   */
  public void acceptLoss(String keyspace, String family, long number) {
    Transport.await(async.acceptLoss(keyspace, family, number));
  }

  /**
   * Applies the records of a file of set-aside records again, once what kept them from being
   * applied is mended, and has the node delete the file.
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
    follow(async.compact(keyspace, families), progress);
  }

  /**
   * Compares what this node holds with the other replicas, mends what differs, and returns when
   * that is done. Interrupting the thread ends it; what was mended stays.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @param progress is told on the calling thread how far it is, in ranges of families
   * @throws PreconditionFailedException if the node repairs already, or a replica failed
   */
  public void repair(String keyspace, List<String> families, Consumer<Progress> progress) {
    follow(async.repair(keyspace, families), progress);
  }

  /**
   * Repairs a part of the ring, or only compares. Otherwise as {@link #repair(String, List,
   * Consumer)}; what differed stands in the last detail.
   */
  public void repair(RepairScope scope, Consumer<Progress> progress) {
    follow(async.repair(scope), progress);
  }

  /**
   * Leaves out of this node's files rows that belong on other nodes since these joined or tokens
   * moved, and returns when that is done. Interrupting the thread ends it; families that were done
   * stay done.
   *
   * @param keyspace empty for all
   * @param families none for all of the keyspace
   * @param progress is told on the calling thread how far it is, in bytes of a family
   * @throws PreconditionFailedException while the ring changes
   */
  public void cleanup(String keyspace, List<String> families, Consumer<Progress> progress) {
    follow(async.cleanup(keyspace, families), progress);
  }

  /**
   * Moves this node to where it relieves the fullest other one most, and returns when that is done.
   * It goes on when nobody waits.
   *
   * @param progress is told on the calling thread how far it is, in transfers
   * @throws PreconditionFailedException if that cannot be done, or did not come to its end
   */
  public void loadBalance(Consumer<Progress> progress) {
    follow(async.loadBalance(), progress);
  }

  /**
   * Hands this node's rows to those who own them without it, takes it out of the ring for good, and
   * returns when that is done. It goes on when nobody waits.
   *
   * @param progress is told on the calling thread how far it is, in transfers
   * @throws PreconditionFailedException if that cannot be done, or did not come to its end
   */
  public void decommission(Consumer<Progress> progress) {
    decommission(false, progress);
  }

  /**
   * As {@link #decommission(Consumer)}.
   *
   * @param force also where a keyspace then wants more copies of each row than there are nodes, or
   *     than there are in its data centre, which is refused otherwise
   */
  public void decommission(boolean force, Consumer<Progress> progress) {
    follow(async.decommission(force), progress);
  }

  /**
   * Moves this node to another token, and returns when that is done. It goes on when nobody waits.
   *
   * @param progress is told on the calling thread how far it is, in transfers
   * @throws PreconditionFailedException if that cannot be done, or did not come to its end
   */
  public void move(String newToken, Consumer<Progress> progress) {
    follow(async.move(newToken), progress);
  }

  /**
   * Takes a node that is down, and will not come back, out of the ring, and returns when that is
   * done. It goes on when nobody waits.
   *
   * @param progress is told on the calling thread how far it is, in transfers
   * @throws PreconditionFailedException if that cannot be done, or did not come to its end
   */
  public void remove(String nodeId, Consumer<Progress> progress) {
    follow(async.remove(nodeId), progress);
  }

  private static void follow(AsyncCursor<Progress> work, Consumer<Progress> progress) {
    try (Cursor<Progress> news = new Cursor<>(work)) {
      news.forEachRemaining(progress);
    }
  }
}
