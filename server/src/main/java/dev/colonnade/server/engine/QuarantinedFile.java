package dev.colonnade.server.engine;

/**
 * A damaged data file of a family, for those who look after the node.
 *
 * @param number its generation, unique in the family
 * @param path where it lies
 * @param offset of the damage, in bytes from its start
 * @param reason what was found
 * @param sinceSeconds when it was set aside, in seconds since 1970
 * @param rowsKnown whether it is known which rows it may have had; if not, all reads of the family
 *     are concerned
 */
public record QuarantinedFile(
    long number, String path, long offset, String reason, long sinceSeconds, boolean rowsKnown) {}
