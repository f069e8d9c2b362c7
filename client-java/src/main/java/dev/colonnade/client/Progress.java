package dev.colonnade.client;

/**
 * The progress of a long operation.
 *
 * @param phase what is being done now; the last one is {@code done}
 * @param done how much is done, in bytes
 * @param total how much there is to do, in bytes; 0 while that is not known
 * @param detail more about it, as text
 */
public record Progress(String phase, long done, long total, String detail) {

  static Progress of(dev.colonnade.admin.v1.Progress message) {
    return new Progress(
        message.getPhase(), message.getDone(), message.getTotal(), message.getDetail());
  }
}
