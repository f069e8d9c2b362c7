package dev.colonnade.server.service.schemasync;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.consistency.SchemaStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schema of the cluster. A change is made durable and visible on this node first, and then sent
 * to every node that is up; the caller's future completes when all of them have it. A node that
 * misses a change sees by gossip that its schema version differs, and fetches the cells.
 *
 * <p>Schema cells merge by the same reconciliation as all cells, so that concurrent changes on
 * several nodes lead to the same schema everywhere.
 *
 * <p>Thread-safe; never blocks.
 */
public final class ClusterSchema implements SchemaStore {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterSchema.class);

  /** How long a node that is considered up may take to apply a change. */
  private static final Duration SPREAD_LIMIT = Duration.ofSeconds(10);

  /** How often versions are compared again, in case a fetch failed. */
  private static final Duration COMPARE_PERIOD = Duration.ofSeconds(5);

  /** How many keyspaces of another node are merged as one change. */
  private static final int MERGED_AT_ONCE = 64;

  private static final byte[] NOTHING = {};

  private final LocalSchema local;
  private final ClusterView cluster;
  private final PeerClient peers;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Truncation truncation;
  private final Consumer<String> announce;

  /** Nodes from which cells are being fetched; guarded by itself. */
  private final Set<String> fetching = new LinkedHashSet<>();

  /** Held while this node's version is read and announced, so that the last one stays. */
  private final Object announcing = new Object();

  /**
   * Creates the cluster's schema over this node's.
   *
   * @param announce publishes this node's version by gossip; must not block
   */
  public ClusterSchema(
      LocalSchema local,
      ClusterView cluster,
      PeerClient peers,
      Clock clock,
      Scheduler scheduler,
      Truncation truncation,
      Consumer<String> announce) {
    this.local = local;
    this.cluster = cluster;
    this.peers = peers;
    this.clock = clock;
    this.scheduler = scheduler;
    this.truncation = truncation;
    this.announce = announce;
    local.whenPublished(this::announce);
  }

  /**
   * Called when the schema has changed and not when a caller is answered: a change on a slow disk
   * is made after its caller has given up, and other nodes must hear of it, too.
   */
  private void announce() {
    synchronized (announcing) {
      announce.accept(current().version());
    }
  }

  /** Registers the handlers of other nodes' requests; call before the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.SCHEMA_PUSH, this::take);
    messenger.handle(Verb.SCHEMA_PULL, this::tell);
  }

  /** Starts comparing versions periodically, until the scheduler stops. */
  public Scheduler.Cancellable start() {
    announce();
    return scheduler.every(COMPARE_PERIOD, Stage.CONTROL, this::compare);
  }

  /**
   * The nodes by schema version, this node included; for nodes that are down, the last known
   * version.
   */
  public SortedMap<String, List<String>> versions() {
    SortedMap<String, List<String>> versions = new TreeMap<>();
    versions.computeIfAbsent(current().version(), v -> new ArrayList<>()).add(cluster.nodeId());
    cluster
        .announcedSchemas()
        .forEach(
            (node, version) -> versions.computeIfAbsent(version, v -> new ArrayList<>()).add(node));
    return versions;
  }

  @Override
  public Schema current() {
    return local.current();
  }

  @Override
  public CompletableFuture<String> createKeyspace(KeyspaceDefinition keyspace) {
    return spread(keyspace.name(), local.createKeyspace(keyspace));
  }

  @Override
  public CompletableFuture<String> updateKeyspace(
      KeyspaceDefinition keyspace, List<String> maskPaths) {
    return spread(keyspace.name(), local.updateKeyspace(keyspace, maskPaths));
  }

  @Override
  public CompletableFuture<String> dropKeyspace(String name) {
    return spread(name, local.dropKeyspace(name));
  }

  @Override
  public CompletableFuture<String> createFamily(FamilyDefinition family) {
    return spread(family.keyspace(), local.createFamily(family));
  }

  @Override
  public CompletableFuture<String> updateFamily(FamilyDefinition family, List<String> maskPaths) {
    return spread(family.keyspace(), local.updateFamily(family, maskPaths));
  }

  @Override
  public CompletableFuture<String> dropFamily(String keyspace, String name) {
    return spread(keyspace, local.dropFamily(keyspace, name));
  }

  @Override
  public CompletableFuture<Void> truncate(ColumnFamily family, long deadlineNanos) {
    return truncation.everywhere(family, deadlineNanos);
  }

  @Override
  public CompletableFuture<String> truncateHere(FamilyId family, long number) {
    return local.truncateHere(family, number);
  }

  @Override
  public CompletableFuture<String> inTime(CompletableFuture<String> change, long deadlineNanos) {
    return local.inTime(change, deadlineNanos);
  }

  /**
   * Sends only the changed keyspace. A node that lacks other keyspaces as well learns so by gossip.
   */
  private CompletableFuture<String> spread(String keyspace, CompletableFuture<String> change) {
    return change.thenCompose(version -> push(version, keyspace));
  }

  private CompletableFuture<String> push(String version, String keyspace) {
    byte[] body = SchemaCodec.encode(List.of(current().row(keyspace)));
    long deadline = clock.monotonicNanos() + SPREAD_LIMIT.toNanos();
    Map<String, CompletableFuture<byte[]>> answers = new LinkedHashMap<>();
    for (RingNode node : others()) {
      answers.put(node.id(), peers.request(Replicas.peer(node), Verb.SCHEMA_PUSH, body, deadline));
    }
    CompletableFuture<String> told = new CompletableFuture<>();
    Then.whenDone(
        CompletableFuture.allOf(answers.values().toArray(new CompletableFuture<?>[0])),
        (done, failure) -> judge(version, answers, told));
    return told;
  }

  private List<RingNode> others() {
    List<RingNode> others = new ArrayList<>();
    for (Topology.Place place : cluster.topology().places()) {
      if (place.alive() && !place.node().id().equals(cluster.nodeId())) {
        others.add(place.node());
      }
    }
    return others;
  }

  /** Does not wait for a node that turned out to be down: it will fetch the schema itself. */
  private void judge(
      String version,
      Map<String, CompletableFuture<byte[]>> answers,
      CompletableFuture<String> told) {
    Topology topology = cluster.topology();
    List<String> missing = new ArrayList<>();
    answers.forEach(
        (node, answer) -> {
          if (answer.isCompletedExceptionally() && topology.isAlive(node)) {
            missing.add(node);
          }
        });
    if (missing.isEmpty()) {
      told.complete(version);
    } else {
      told.completeExceptionally(
          new CoordinationException.SchemaDisagreement(version, missing, versions()));
    }
  }

  /** Answers a node that fetches keyspaces it lacks. */
  private CompletableFuture<byte[]> tell(Request request) {
    try {
      SchemaPull.Query asked = SchemaCodec.decodeQuery(request.body());
      return CompletableFuture.completedFuture(
          SchemaCodec.encode(SchemaPull.SchemaPage.of(current(), asked)));
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "a request that cannot be read: " + e, e));
    }
  }

  /** Applies a change that another node made. */
  private CompletableFuture<byte[]> take(Request request) {
    List<SchemaRow> rows;
    try {
      rows = SchemaCodec.decodeRows(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "a schema that cannot be read: " + e, e));
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Then.whenDone(
        merge(rows),
        answer,
        (version, failure) -> {
          if (failure == null) {
            answer.complete(NOTHING);
          } else {
            LOG.error("the schema of {} could not be merged", request.from(), failure);
            answer.completeExceptionally(
                new PeerFailure(
                    PeerFailure.Code.REFUSED,
                    "the schema could not be merged: " + Errors.unwrap(failure).getMessage(),
                    failure));
          }
        });
    return answer;
  }

  private CompletableFuture<String> merge(List<SchemaRow> rows) {
    List<String> refused = new ArrayList<>();
    return merge(rows, refused)
        .thenCompose(merged -> requireAllMerged(refused))
        .thenApply(merged -> current().version());
  }

  /**
   * Merges rows in steps, so that other changes can run in between. A row that cannot be merged
   * does not stop the others.
   *
   * @param refused collects descriptions of the rows that could not be merged
   */
  private CompletableFuture<?> merge(List<SchemaRow> rows, List<String> refused) {
    CompletableFuture<?> merged = CompletableFuture.completedFuture(null);
    for (int from = 0; from < rows.size(); from += MERGED_AT_ONCE) {
      List<SchemaRow> step = rows.subList(from, Math.min(rows.size(), from + MERGED_AT_ONCE));
      merged =
          merged.thenCompose(
              before ->
                  local
                      .merge(step)
                      .handle(
                          (unmerged, failure) ->
                              failure == null
                                  ? refused.addAll(unmerged)
                                  : refused.add(
                                      String.valueOf(Errors.unwrap(failure).getMessage()))));
    }
    return merged;
  }

  private static CompletableFuture<?> requireAllMerged(List<String> refused) {
    return refused.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(
            new PeerFailure(PeerFailure.Code.REFUSED, String.join("; ", refused)));
  }

  /**
   * Fetches the keyspaces that this node lacks from other nodes that are up. It compares with what
   * they announce now and not with remembered events: a node that restarts before its death is
   * noticed has another version without announcing a change.
   */
  public void compare() {
    cluster.announcedSchemas().forEach(this::fetchIfOther);
  }

  private void fetchIfOther(String nodeId, String version) {
    if (version.equals(current().version())) {
      return;
    }
    Topology topology = cluster.topology();
    Optional<RingNode> node =
        topology.places().stream()
            .map(Topology.Place::node)
            .filter(place -> place.id().equals(nodeId))
            .findFirst();
    if (node.isEmpty() || nodeId.equals(cluster.nodeId()) || !topology.isAlive(nodeId)) {
      return;
    }
    synchronized (fetching) {
      if (!fetching.add(nodeId)) {
        return;
      }
    }
    Then.whenDone(
        fetch(node.get(), "", new ArrayList<>()), (merged, failure) -> fetched(nodeId, failure));
  }

  /**
   * Fetches and merges a page, and then the following pages. A row that cannot be merged does not
   * stop the others.
   *
   * @param after keyspaces up to this name are done
   * @param refused descriptions of the rows of these that could not be merged
   * @return fails with all rows that could not be merged
   */
  private CompletableFuture<?> fetch(RingNode node, String after, List<String> refused) {
    SchemaPull.Query query = SchemaPull.Query.about(current(), after);
    return peers
        .request(
            Replicas.peer(node),
            Verb.SCHEMA_PULL,
            SchemaCodec.encode(query),
            clock.monotonicNanos() + SPREAD_LIMIT.toNanos())
        .thenCompose(
            body -> {
              SchemaPull.SchemaPage page;
              try {
                page = SchemaCodec.decodePage(body);
              } catch (CorruptDataException e) {
                return CompletableFuture.failedFuture(e);
              }
              return merge(page.rows(), refused)
                  .thenCompose(merged -> fetchBehind(node, query, page, refused));
            });
  }

  private CompletableFuture<?> fetchBehind(
      RingNode node, SchemaPull.Query query, SchemaPull.SchemaPage page, List<String> refused) {
    if (page.reached().isEmpty()) {
      return requireAllMerged(refused);
    }
    if (page.reached().compareTo(query.after()) <= 0) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "its pages of the schema do not continue"));
    }
    return fetch(node, page.reached(), refused);
  }

  private void fetched(String nodeId, @Nullable Throwable failure) {
    synchronized (fetching) {
      fetching.remove(nodeId);
    }
    if (failure != null) {
      LOG.warn(
          "the schema of node {} could not be fetched ({}); it will be tried again",
          nodeId,
          Errors.unwrap(failure).getMessage());
    }
  }
}
