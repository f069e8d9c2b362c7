package dev.colonnade.server.cluster.gossip;

import java.util.Optional;

/**
 * Signs what this node states, and checks what other nodes have signed: the seam between gossip and
 * the certificates of nodes. Thread-safe; computes, and never waits.
 */
public interface NodeSignatures {

  /** What this node signs with: a certificate and its private key. */
  interface SigningIdentity {

    /**
     * The certificate, and those of its authorities but the last, as text of at most 65,536
     * characters. The signatures can be checked with it alone.
     */
    String certificate();

    /** Returns the signature of that content, at most 1,024 bytes. */
    byte[] sign(byte[] content);
  }

  /** What a node is said to have signed. Its arrays must not change. */
  final class SignedStatement {
    private final String nodeId;
    private final long generation;
    private final String certificate;
    private final byte[] content;
    private final byte[] signature;

    /**
     * Says it of a node.
     *
     * @param nodeId of that node
     * @param generation of the start in which it signed, in seconds since 1970
     * @param certificate as {@link SigningIdentity#certificate} returned it there
     */
    public SignedStatement(
        String nodeId, long generation, String certificate, byte[] content, byte[] signature) {
      this.nodeId = nodeId;
      this.generation = generation;
      this.certificate = certificate;
      this.content = content;
      this.signature = signature;
    }

    /** The id of the node. */
    public String nodeId() {
      return nodeId;
    }

    /** The generation in which it signed. */
    public long generation() {
      return generation;
    }

    /** Its certificate, not checked yet. */
    public String certificate() {
      return certificate;
    }

    /** What it signed. */
    public byte[] content() {
      return content;
    }

    /** Its signature, not checked yet. */
    public byte[] signature() {
      return signature;
    }
  }

  /** What this node signs with from now on; another one after its certificate was renewed. */
  SigningIdentity identity();

  /** Returns bytes that no other node can guess, different ones with each call. */
  byte[] secret(int length);

  /**
   * Why a statement is not that node's: the certificate is not trusted or names another node, or
   * the signature is not one of this content. Empty if it is.
   */
  Optional<String> refusal(SignedStatement statement);
}
