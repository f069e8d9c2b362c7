package dev.colonnade.server.service.accounts;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * One fact about an account, and since when it holds. Of two facts about the same field the later
 * one stands, on every node, in whatever order they arrive.
 *
 * @param account its name
 * @param field which of its attributes, see {@link AccountField}
 * @param version microseconds since 1970, by the clock of the node where it was stated, and greater
 *     than that of every earlier fact that this node knew
 * @param value empty if the field has no value any more; such a fact is kept, so that an older one
 *     does not come back
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content, and never changed
public record AccountFact(String account, String field, long version, byte[] value) {

  boolean isRemoved() {
    return value.length == 0;
  }

  /** Whether it stands against another fact about the same field; of equal ones neither does. */
  boolean beats(AccountFact other) {
    return version != other.version
        ? version > other.version
        : Arrays.compareUnsigned(value, other.value) > 0;
  }

  String text() {
    return new String(value, StandardCharsets.UTF_8);
  }

  /** Eight bytes of its digest. */
  long digest() {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      add(sha, account.getBytes(StandardCharsets.UTF_8));
      add(sha, field.getBytes(StandardCharsets.UTF_8));
      sha.update(ByteBuffer.allocate(Long.BYTES).putLong(version).flip());
      sha.update(value);
      return ByteBuffer.wrap(sha.digest()).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static void add(MessageDigest sha, byte[] text) {
    sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).flip());
    sha.update(text);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AccountFact that
        && account.equals(that.account)
        && field.equals(that.field)
        && version == that.version
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return account.hashCode() * 31 + field.hashCode();
  }

  /** Without the value, which may be secret. */
  @Override
  public String toString() {
    return account + "/" + field + "@" + version;
  }
}
