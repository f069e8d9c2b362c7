package dev.colonnade.client;

/**
 * A node's identity and where it is reached.
 *
 * @param nodeId stays the same when the address changes
 * @param address for clients
 * @param clientPort for clients
 * @param peerPort for other nodes
 * @param datacenter where the node is, as its snitch says
 * @param rack where the node is, as its snitch says
 */
public record Endpoint(
    String nodeId, String address, int clientPort, int peerPort, String datacenter, String rack) {

  static Endpoint of(dev.colonnade.admin.v1.Endpoint message) {
    return new Endpoint(
        message.getNodeId(),
        message.getAddress(),
        message.getClientPort(),
        message.getPeerPort(),
        message.getDatacenter(),
        message.getRack());
  }

  /** As {@link Colonnade#connect(String)} takes it. */
  public String target() {
    return (address.indexOf(':') < 0 ? address : "[" + address + "]") + ":" + clientPort;
  }
}
