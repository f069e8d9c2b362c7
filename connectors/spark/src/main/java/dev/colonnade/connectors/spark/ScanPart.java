package dev.colonnade.connectors.spark;

import dev.colonnade.client.Endpoint;
import dev.colonnade.client.RingRange;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * What one task reads: some keys, or the rows of a range of tokens.
 *
 * @param startToken outside of it; of no meaning with keys
 * @param endToken inside of it; of no meaning with keys
 * @param keys empty: all rows of the range
 * @param owners the nodes that hold the rows
 */
record ScanPart(String startToken, String endToken, List<byte[]> keys, List<Owner> owners)
    implements InputPartition {

  /** A node, as {@link Endpoint} has it. */
  record Owner(
      String nodeId, String address, int clientPort, int peerPort, String datacenter, String rack)
      implements Serializable {

    Endpoint endpoint() {
      return new Endpoint(nodeId, address, clientPort, peerPort, datacenter, rack);
    }
  }

  static ScanPart of(RingRange range) {
    return new ScanPart(range.startToken(), range.endToken(), List.of(), owners(range.endpoints()));
  }

  static ScanPart of(List<byte[]> keys, List<Endpoint> endpoints) {
    return new ScanPart("", "", new ArrayList<>(keys), owners(endpoints));
  }

  private static List<Owner> owners(List<Endpoint> endpoints) {
    return endpoints.stream()
        .map(
            it ->
                new Owner(
                    it.nodeId(),
                    it.address(),
                    it.clientPort(),
                    it.peerPort(),
                    it.datacenter(),
                    it.rack()))
        .toList();
  }

  /** The range, at the nodes of this machine first. */
  RingRange range() {
    return new RingRange(startToken, endToken, owners.stream().map(Owner::endpoint).toList())
        .nearestFirst();
  }

  /** The hosts that hold the rows. */
  @Override
  public String[] preferredLocations() {
    return owners.stream().map(Owner::address).distinct().toArray(String[]::new);
  }
}
