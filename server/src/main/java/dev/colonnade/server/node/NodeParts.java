package dev.colonnade.server.node;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.StartSettings;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.cluster.gossip.EndpointSnitch;
import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.streaming.StreamSettings;
import dev.colonnade.server.service.admin.LocalOperations;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import java.util.Optional;

/**
 * What a node is made from: a machine, settings, and what it is to be.
 *
 * @param identity what a new store is stamped with, and what an old one must agree with
 * @param plugIns the user's classes
 * @param snitch which data centre and rack nodes are in
 * @param replacedNode the id of a dead node that a new node replaces
 * @param health every part reports to it; the owner of the node answers probes from it
 * @param version of the server
 */
public record NodeParts(
    Machine machine,
    Settings settings,
    NodeIdentity identity,
    Partitioner partitioner,
    ComparatorResolver types,
    PlugIns plugIns,
    EndpointSnitch snitch,
    Optional<String> replacedNode,
    Health health,
    String version) {

  /**
   * The machine that a node runs on.
   *
   * @param transport to other nodes
   * @param memory accounts for what is held on behalf of others
   * @param figures of the memory that the process uses
   */
  public record Machine(
      Environment environment,
      Transport transport,
      NodeMemory memory,
      LocalOperations.Memory figures) {

    private Machine with(Environment changed) {
      return new Machine(changed, transport, memory, figures);
    }
  }

  /**
   * The settings of a node.
   *
   * @param node what its operator set; the peer port is the one that was actually bound
   * @param start the same, with where it comes from
   * @param membership timeouts of ring changes
   * @param streams the rate of data sent to other nodes
   * @param coordination how replicas are waited for and repaired
   */
  public record Settings(
      EngineSettings engine,
      NodeSettings node,
      StartSettings start,
      MembershipSettings membership,
      StreamSettings streams,
      CoordinatorSettings coordination) {}

  NodeParts with(Environment changed) {
    return new NodeParts(
        machine.with(changed),
        settings,
        identity,
        partitioner,
        types,
        plugIns,
        snitch,
        replacedNode,
        health,
        version);
  }
}
