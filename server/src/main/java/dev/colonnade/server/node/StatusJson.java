package dev.colonnade.server.node;

import com.google.gson.stream.JsonWriter;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.service.admin.MemberFigures;
import dev.colonnade.server.service.status.ClusterStatus;
import java.io.IOException;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the status page shows, as JSON: the state now, and counts since the start, of which the page
 * makes rates. Each list has a limit. Blocks, since it asks how much room the disks have.
 */
final class StatusJson {

  private static final int NODES_MAX = 256;
  private static final int TOKENS_MAX = 16;
  private static final int TOKEN_BYTES = 16;

  /** The number of tokens of a hashing partitioner. */
  private static final double HASH_TOKENS = 0x1.0p127;

  private final NodeRuntime core;
  private final OwnFigures own;
  private final Map<String, OsFileSystem> disks;

  StatusJson(NodeRuntime core, OwnFigures own, Map<String, OsFileSystem> disks) {
    this.core = core;
    this.own = own;
    this.disks = disks;
  }

  /** The node and the ring. */
  byte[] render() {
    return FiguresJson.object(
        json -> {
          node(json);
          ring(json);
        });
  }

  /** The other nodes, which are asked for their figures by that. */
  byte[] others() {
    ClusterStatus.View view = core.status().look();
    return FiguresJson.object(
        json -> {
          json.name("periodMillis").value(view.period().toMillis());
          json.name("leftOut").value(view.leftOut());
          json.name("nodes").beginArray();
          for (ClusterStatus.OfNode node : view.nodes()) {
            json.beginObject().name("id").value(node.nodeId());
            json.name("ageMillis").value(node.age().toMillis());
            json.name("failure").value(node.failure().orElse(null));
            json.name("figures");
            if (node.figures().isPresent()) {
              FiguresJson.write(json, node.figures().get());
            } else {
              json.nullValue();
            }
            json.endObject();
          }
          json.endArray();
        });
  }

  private void node(JsonWriter json) throws IOException {
    json.name("node").beginObject();
    json.name("id").value(core.self().id());
    json.name("address").value(core.self().address().toString());
    json.name("cluster").value(core.cluster().clusterName());
    json.name("partitioner").value(core.cluster().partitioner().name());
    json.endObject();
    json.name("figures");
    FiguresJson.write(json, own.collect());
    json.name("disks").beginArray();
    for (Map.Entry<String, OsFileSystem> disk : disks.entrySet()) {
      long free;
      long size;
      try {
        free = disk.getValue().usableBytes();
        size = disk.getValue().sizeBytes();
      } catch (IOException unknown) {
        continue;
      }
      json.beginObject().name("name").value(disk.getKey());
      json.name("freeBytes").value(free).name("sizeBytes").value(size).endObject();
    }
    json.endArray();
  }

  private void ring(JsonWriter json) throws IOException {
    Topology topology = core.cluster().topology();
    Partitioner partitioner = core.cluster().partitioner();
    Map<String, MemberFigures> members = new HashMap<>();
    core.clusterOperations().members().forEach(member -> members.put(member.nodeId(), member));
    Map<String, HintFigures> hints = new HashMap<>();
    core.clusterOperations().hints().forEach(queue -> hints.put(queue.targetId(), queue));
    json.name("hashed").value(!partitioner.preservesOrder());
    json.name("ring").beginArray();
    for (Topology.Place place : topology.places().stream().limit(NODES_MAX).toList()) {
      RingNode node = place.node();
      MemberFigures member = members.get(node.id());
      HintFigures queue = hints.get(node.id());
      json.beginObject();
      json.name("id").value(node.id());
      json.name("address").value(node.address() + ":" + node.peerPort());
      json.name("self").value(node.id().equals(core.self().id()));
      json.name("datacenter").value(node.datacenter());
      json.name("rack").value(node.rack());
      json.name("state").value(place.state().name().toLowerCase(Locale.ROOT));
      json.name("liveness").value(liveness(place, member));
      double phi = member == null ? Double.NaN : member.phi();
      json.name("phi");
      if (Double.isFinite(phi)) {
        json.value(phi);
      } else {
        json.nullValue();
      }
      json.name("loadBytes").value(member == null ? 0 : member.loadBytes());
      json.name("hints").value(queue == null ? 0 : queue.hints());
      json.name("positions").beginArray();
      for (byte[] token : node.tokens().stream().limit(TOKENS_MAX).toList()) {
        json.value(position(token));
      }
      json.endArray();
      json.endObject();
    }
    json.endArray();
  }

  private static String liveness(Topology.Place place, @Nullable MemberFigures member) {
    if (member == null) {
      return place.alive() ? "up" : "down";
    }
    return member.liveness().name().toLowerCase(Locale.ROOT);
  }

  /**
   * Where a token lies on the ring, from 0 to 1; of tokens that are no numbers only their order.
   */
  private static double position(byte[] token) {
    if (token.length == TOKEN_BYTES) {
      return new BigInteger(1, token).doubleValue() / HASH_TOKENS;
    }
    double place = 0;
    double share = 1;
    for (int i = 0; i < Math.min(token.length, Long.BYTES - 1); i++) {
      share /= 256;
      place += (token[i] & 0xff) * share;
    }
    return place;
  }
}
