package dev.colonnade.server.cluster.hints;

/**
 * A segment that is no longer written.
 *
 * @param number its number
 * @param start where its frames begin
 * @param soundEnd up to here every byte must belong to a valid frame
 * @param end where its frames end at the latest; an invalid frame between the two is from a write
 *     that failed
 * @param fileBytes all of the file
 */
record ClosedSegment(
    long number, long start, long soundEnd, long end, long fileBytes, HintFormat.Summary summary) {}
