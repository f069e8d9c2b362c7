package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.cluster.ring.PlacementTable.RangeEnds;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The placement tables of one ring as it is and as it will be, one for each placement that was
 * requested; keyspaces with equal placements share one. Topologies that differ only in which nodes
 * are alive share all of them.
 *
 * <p>Thread-safe.
 */
final class PlacementTables {

  /** In a cluster with more placements than this, further ones are computed each time. */
  private static final int TABLES_MAX = 64;

  private final Ring now;
  private final Ring later;
  private final RangeEnds ends;
  private final ConcurrentMap<ReplicaPlacement, PlacementTable> tables = new ConcurrentHashMap<>();

  PlacementTables(Ring now, Ring later) {
    this.now = now;
    this.later = later;
    this.ends = new RangeEnds(now, later);
  }

  Ring now() {
    return now;
  }

  Ring later() {
    return later;
  }

  PlacementTable of(ReplicaPlacement placement) {
    PlacementTable known = tables.get(placement);
    if (known != null) {
      return known;
    }
    boolean keeps = tables.size() < TABLES_MAX && !(placement instanceof LocalStrategy);
    PlacementTable fresh = new PlacementTable(ends, placement, keeps);
    PlacementTable other = keeps ? tables.putIfAbsent(placement, fresh) : null;
    return other == null ? fresh : other;
  }
}
