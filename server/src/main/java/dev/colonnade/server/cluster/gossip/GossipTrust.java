package dev.colonnade.server.cluster.gossip;

import java.util.Optional;

/**
 * What a node demands before it believes what others say of nodes by gossip.
 *
 * @param signatures of nodes; empty where nodes have no certificates: then all of it is believed
 * @param required whether nodes that do not sign are disbelieved; otherwise they are believed until
 *     they have signed once, for the time of an upgrade
 */
public record GossipTrust(Optional<NodeSignatures> signatures, boolean required) {

  /** All of it is believed. */
  public static final GossipTrust EVERYONE = new GossipTrust(Optional.empty(), false);
}
