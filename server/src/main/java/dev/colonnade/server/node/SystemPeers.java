package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.cluster.gossip.TokenCodec;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.SystemRow;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the other nodes of the ring in {@code system.Peers}: a row for each node, under its host
 * id. It also saves the nodes that left permanently, until they may be forgotten, so that nodes
 * which were all restarted do not accept them again. Saving never blocks, and belongs to CONTROL.
 */
final class SystemPeers implements MemberListener {

  /** A node that left permanently, and until when that must be remembered. */
  record DepartedNode(Peer peer, long expiryMillis) {}

  private static final Logger LOG = LoggerFactory.getLogger(SystemPeers.class);

  private static final String GONE = "gone_until_millis";

  private final StorageEngine engine;
  private final Partitioner partitioner;
  private final Clock clock;

  /** The saved states, by host id. */
  private final Map<String, Map<String, String>> saved = new TreeMap<>();

  private final Map<String, DepartedNode> gone = new TreeMap<>();

  private final List<RingNode> remembered;
  private long newestMicros;

  /**
   * Creates it with what an earlier run saved; malformed entries are left out.
   *
   * @param rows of {@code system.Peers}
   */
  SystemPeers(StorageEngine engine, Partitioner partitioner, Clock clock, List<SystemRow> rows) {
    this.engine = engine;
    this.partitioner = partitioner;
    this.clock = clock;
    this.remembered = read(rows);
  }

  /** The nodes of the ring when it was last seen. */
  List<RingNode> remembered() {
    return remembered;
  }

  private List<RingNode> read(List<SystemRow> rows) {
    List<RingNode> nodes = new ArrayList<>();
    for (SystemRow row : rows) {
      String id = text(row.key().key());
      Map<String, String> columns = new TreeMap<>();
      for (Cell cell : row.cells()) {
        columns.put(text(cell.top()), text(cell.value()));
        newestMicros = Math.max(newestMicros, cell.timestamp());
      }
      saved.put(id, columns);
      try {
        if (columns.containsKey(GONE)) {
          gone.put(id, new DepartedNode(peer(id, columns), Long.parseLong(columns.get(GONE))));
        } else {
          nodes.add(node(id, columns));
        }
      } catch (IllegalArgumentException e) {
        LOG.warn("the entry of node {} in system.Peers is invalid: {}", id, e.getMessage());
      }
    }
    return List.copyOf(nodes);
  }

  /** The saved nodes that left permanently. */
  List<DepartedNode> gone() {
    return List.copyOf(gone.values());
  }

  private static Peer peer(String id, Map<String, String> columns) {
    int port = Integer.parseInt(columns.getOrDefault("peer_port", ""));
    return new Peer(id, new PeerAddress(columns.getOrDefault("address", ""), port));
  }

  @Override
  public void departed(Member member) {
    member
        .status()
        .ifPresent(
            status -> {
              Peer peer = member.peer();
              gone.put(member.id(), new DepartedNode(peer, status.expiryMillis()));
              Map<String, String> columns = new TreeMap<>();
              columns.put("address", peer.address().host());
              columns.put("peer_port", Integer.toString(peer.address().port()));
              columns.put(GONE, Long.toString(status.expiryMillis()));
              newestMicros = Math.max(newestMicros + 1, clock.wallMicros());
              put(member.id(), columns);
            });
  }

  @Override
  public void removed(Member member) {
    if (gone.remove(member.id()) != null) {
      newestMicros = Math.max(newestMicros + 1, clock.wallMicros());
      delete(member.id());
    }
  }

  private static RingNode node(String id, Map<String, String> columns) {
    return new RingNode(
        id,
        columns.getOrDefault("address", ""),
        Integer.parseInt(columns.getOrDefault("peer_port", "")),
        Integer.parseInt(columns.getOrDefault("client_port", "")),
        columns.getOrDefault("datacenter", ""),
        columns.getOrDefault("rack", ""),
        TokenCodec.parse(columns.getOrDefault("tokens", ""))
            .orElseThrow(() -> new IllegalArgumentException("its tokens cannot be read")));
  }

  private static Map<String, String> columns(RingNode node) {
    Map<String, String> columns = new TreeMap<>();
    columns.put("address", node.address());
    columns.put("peer_port", Integer.toString(node.peerPort()));
    columns.put("client_port", Integer.toString(node.clientPort()));
    columns.put("datacenter", node.datacenter());
    columns.put("rack", node.rack());
    columns.put("tokens", TokenCodec.print(node.tokens()));
    return columns;
  }

  /** Saves the present nodes of the ring if they changed. */
  void save(Topology topology) {
    Map<String, Map<String, String>> now = new LinkedHashMap<>();
    for (Topology.Place place : topology.places()) {
      boolean owns = place.state() != Topology.RingState.JOINING;
      if (owns && !place.node().id().equals(topology.self().id())) {
        now.put(place.node().id(), columns(place.node()));
      }
    }
    newestMicros = Math.max(newestMicros + 1, clock.wallMicros());
    for (String id : List.copyOf(saved.keySet())) {
      if (!now.containsKey(id) && !gone.containsKey(id)) {
        delete(id);
      }
    }
    now.forEach(this::put);
  }

  private void delete(String id) {
    saved.remove(id);
    write(id, builder().deleteRow(new DeletionTime(newestMicros, clock.wallSeconds())).build());
  }

  private void put(String id, Map<String, String> columns) {
    if (!columns.equals(saved.put(id, columns))) {
      RowUpdate.Builder update = builder();
      columns.forEach(
          (name, value) -> update.add(Cell.live(bytes(name), null, bytes(value), newestMicros)));
      write(id, update.build());
    }
  }

  private RowUpdate.Builder builder() {
    return RowUpdate.builder(SystemKeyspace.PEERS.order());
  }

  private void write(String id, RowUpdate update) {
    RowKey key;
    try {
      key = partitioner.rowKey(bytes(id));
    } catch (InvalidKeyException e) {
      LOG.warn("node {} cannot be saved in system.Peers: {}", id, e.getMessage());
      return;
    }
    Mutation mutation =
        new Mutation(
            key,
            List.of(new Mutation.FamilyMutation(SystemKeyspace.PEERS.id(), update)),
            clock.wallSeconds());
    Then.whenDone(
        engine.writeUsingReserve(mutation, true),
        (written, failure) -> {
          if (failure != null) {
            LOG.warn(
                "system.Peers could not be written: {}; after a restart this node has an older view"
                    + " of the ring until it hears from the others",
                failure.getMessage());
          }
        });
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
