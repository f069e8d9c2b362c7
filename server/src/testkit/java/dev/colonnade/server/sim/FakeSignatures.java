package dev.colonnade.server.sim;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.cluster.gossip.NodeSignatures;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Signatures that cost a hash and are the same in each run. Tests keep to the rule that only a node
 * itself signs in its name.
 */
public final class FakeSignatures implements NodeSignatures {

  private static final String MACHINE = "machine ";

  private final String name;
  private int renewals;
  private int drawn;
  private int checks;

  private FakeSignatures(String name) {
    this.name = name;
  }

  /** Those of the node with that id. */
  public static FakeSignatures ofNode(String id) {
    return new FakeSignatures(id);
  }

  /**
   * Those of the node of a machine, whose id is not known yet: they do not say which node it is.
   */
  public static FakeSignatures ofMachine(String machine) {
    return new FakeSignatures(MACHINE + machine);
  }

  /** From now on the node signs with another certificate. */
  public void renew() {
    renewals++;
  }

  /** How many signatures were checked. */
  public int checks() {
    return checks;
  }

  @Override
  public SigningIdentity identity() {
    String certificate = name + "#" + renewals;
    return new SigningIdentity() {
      @Override
      public String certificate() {
        return certificate;
      }

      @Override
      public byte[] sign(byte[] content) {
        return hash(certificate, content);
      }
    };
  }

  @Override
  public byte[] secret(int length) {
    drawn++;
    return Arrays.copyOf(hash(name, ByteBuffer.allocate(4).putInt(drawn).array()), length);
  }

  @Override
  public Optional<String> refusal(SignedStatement statement) {
    checks++;
    String certificate = statement.certificate();
    boolean own =
        name.startsWith(MACHINE)
            ? certificate.startsWith(MACHINE)
            : certificate.startsWith(statement.nodeId() + "#");
    if (!own) {
      return Optional.of("it is signed with the certificate of another node");
    }
    return Arrays.equals(hash(certificate, statement.content()), statement.signature())
        ? Optional.empty()
        : Optional.of("its signature is not of what is told");
  }

  private static byte[] hash(String name, byte[] content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(name.getBytes(StandardCharsets.UTF_8));
    bytes.write(0);
    bytes.writeBytes(content);
    Hash128 hash = Hash128.of(bytes.toByteArray());
    return ByteBuffer.allocate(16).putLong(hash.high()).putLong(hash.low()).array();
  }
}
