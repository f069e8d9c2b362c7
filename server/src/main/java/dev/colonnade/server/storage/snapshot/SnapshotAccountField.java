package dev.colonnade.server.storage.snapshot;

/**
 * A field of an account of the cluster, as the node knew it.
 *
 * @param account its name
 * @param field its name, as accounts are stored
 * @param changedMicros when it was changed, in microseconds since 1970
 * @param value of a password a salted hash; empty if it was taken away then
 */
public record SnapshotAccountField(String account, String field, long changedMicros, String value) {

  /** Without the value, which may be secret. */
  @Override
  public String toString() {
    return account + "/" + field + "@" + changedMicros;
  }
}
