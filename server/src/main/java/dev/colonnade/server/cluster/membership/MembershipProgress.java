package dev.colonnade.server.cluster.membership;

/**
 * The progress of a change.
 *
 * @param phase what it does now, in a word
 * @param done of {@code total} transfers, in {@code phase}
 * @param total 0 while it is unknown
 * @param detail for people
 */
public record MembershipProgress(String phase, long done, long total, String detail) {

  /** All of it in one line. */
  public String text() {
    return phase
        + (total == 0 ? "" : ", " + done + " of " + total + " transfers done")
        + (detail.isEmpty() ? "" : ", " + detail);
  }
}
