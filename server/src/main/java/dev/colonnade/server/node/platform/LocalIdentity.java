package dev.colonnade.server.node.platform;

import dev.colonnade.internode.v1.Hello;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.node.tls.CertifiedNode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The identity that this node announces, and which other ones go with it.
 *
 * @param certificates whether nodes prove their ids by certificates
 */
record LocalIdentity(Peer peer, String clusterName, boolean certificates) {

  /**
   * Whether a node may say that it has this id.
   *
   * @param certified the node that its certificate names, if it showed one
   */
  boolean isNamed(String nodeId, Optional<CertifiedNode> certified) {
    return !certificates
        || (certified.isPresent()
            && certified.get().clusterName().equals(clusterName)
            && certified.get().hostId().equals(nodeId));
  }

  /** Why a peer with this hello is refused; null if nothing that it says speaks against it. */
  InboundStream.@Nullable RefusedHello refusal(Hello hello, Optional<CertifiedNode> certified) {
    if (!isNamed(hello.getNodeId(), certified)) {
      return InboundStream.RefusedHello.of(
          "its certificate names another node than it says it is: "
              + certified.map(CertifiedNode::uri).orElse("none"));
    }
    if (!hello.getClusterName().equals(clusterName)) {
      // A stranger is not told the name, which is half of what it would need without TLS.
      return new InboundStream.RefusedHello(
          "it belongs to another cluster than this node; correct ClusterName or the seeds of one"
              + " of them",
          "it belongs to cluster '"
              + hello.getClusterName()
              + "', this node to '"
              + clusterName
              + "'; correct ClusterName or the seeds of one of them");
    }
    if (hello.getProtocolVersion() != PeerMessages.PROTOCOL_VERSION) {
      return InboundStream.RefusedHello.of(
          "it speaks version "
              + hello.getProtocolVersion()
              + " of the protocol between nodes, this node version "
              + PeerMessages.PROTOCOL_VERSION
              + "; both must run compatible releases");
    }
    return null;
  }
}
