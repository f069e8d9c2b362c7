package dev.colonnade.server.storage.manifest;

import java.util.HexFormat;

/**
 * The identity of the node that owns these files. Fixed at the first start.
 *
 * @param idHigh upper half of the node's random 128-bit id
 * @param idLow lower half
 * @param clusterName the cluster it belongs to
 * @param partitioner the class that placed its rows
 */
public record NodeIdentity(long idHigh, long idLow, String clusterName, String partitioner) {
  static final int MAX_TEXT_BYTES = 1024;

  /** The id as 32 hexadecimal digits. */
  public String id() {
    return HexFormat.of().toHexDigits(idHigh) + HexFormat.of().toHexDigits(idLow);
  }

  /**
   * Refuses files that were written under another cluster name or partitioner; the id is the files'
   * own.
   *
   * @param path the manifest, for the message
   */
  void requireFits(NodeIdentity wanted, String path) throws IdentityMismatchException {
    if (!clusterName.equals(wanted.clusterName)) {
      throw new IdentityMismatchException(path, "cluster name", clusterName, wanted.clusterName);
    }
    if (!partitioner.equals(wanted.partitioner)) {
      throw new IdentityMismatchException(path, "partitioner", partitioner, wanted.partitioner);
    }
  }
}
