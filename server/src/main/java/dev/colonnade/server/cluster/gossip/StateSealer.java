package dev.colonnade.server.cluster.gossip;

import java.util.List;
import java.util.Optional;

/**
 * Signs what this node announces before it is sent: its states when they have changed, when its
 * certificate has, or when the chain of heartbeats ends; in between, heartbeats show the next link.
 * One thread at a time.
 */
final class StateSealer {

  private static final int SECRET_BYTES = 32;

  private final NodeSignatures signatures;
  private final String clusterName;
  private HeartbeatChain chain;
  private long signedGeneration = -1;
  private long signedVersion;
  private List<VersionedValue> signed = List.of();

  StateSealer(NodeSignatures signatures, String clusterName) {
    this.signatures = signatures;
    this.clusterName = clusterName;
    this.chain = new HeartbeatChain(signatures.secret(SECRET_BYTES));
  }

  /** Returns the state with what proves it. */
  EndpointState seal(EndpointState state) {
    NodeSignatures.SigningIdentity identity = signatures.identity();
    long heartbeats = state.heartbeat() - signedVersion;
    boolean holds =
        state.generation() == signedGeneration
            && heartbeats <= HeartbeatChain.LENGTH
            && state.state(ApplicationState.CERTIFICATE).equals(Optional.of(identity.certificate()))
            && announced(state).equals(signed);
    return holds ? withLink(state, (int) heartbeats) : sign(state.beat(), identity);
  }

  private static List<VersionedValue> announced(EndpointState state) {
    return state.states().stream().filter(value -> !SignedContent.isProof(value)).toList();
  }

  private EndpointState withLink(EndpointState state, int heartbeats) {
    return state.merged(
        state.heartbeat(), List.of(value(ApplicationState.HEARTBEAT_PROOF, state, heartbeats)));
  }

  private VersionedValue value(ApplicationState key, EndpointState state, int heartbeats) {
    return new VersionedValue(
        key.number(), state.version(), StateSignature.encode(chain.link(heartbeats)));
  }

  private EndpointState sign(EndpointState state, NodeSignatures.SigningIdentity identity) {
    chain = new HeartbeatChain(signatures.secret(SECRET_BYTES));
    long version = state.version();
    EndpointState whole = state;
    if (!state.state(ApplicationState.CERTIFICATE).equals(Optional.of(identity.certificate()))) {
      VersionedValue certificate =
          new VersionedValue(
              ApplicationState.CERTIFICATE.number(), version, identity.certificate());
      whole = state.merged(version, List.of(certificate));
    }
    byte[] first = chain.link(0);
    byte[] signature = identity.sign(SignedContent.of(clusterName, whole, version, first));
    signedGeneration = state.generation();
    signedVersion = version;
    signed = announced(whole);
    return whole.merged(
        version,
        List.of(
            new VersionedValue(
                ApplicationState.SIGNATURE.number(),
                version,
                new StateSignature(first, signature).text()),
            value(ApplicationState.HEARTBEAT_PROOF, whole, 0)));
  }
}
