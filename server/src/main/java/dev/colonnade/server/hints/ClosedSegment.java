package dev.colonnade.server.hints;

/**
 * A segment that is not written any more.
 *
 * @param number its number
 * @param start where its frames begin
 * @param soundEnd up to here every byte must be of a valid frame
 * @param end where its frames end at the latest; what is no frame between the two is a write that
 *     failed
 * @param fileBytes all of the file
 */
record ClosedSegment(
    long number, long start, long soundEnd, long end, long fileBytes, HintFormat.Summary summary) {}
