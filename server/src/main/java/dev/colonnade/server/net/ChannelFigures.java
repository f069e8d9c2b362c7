package dev.colonnade.server.net;

/**
 * What went over one lane to and from one peer since it was first spoken to, or last forgotten.
 *
 * @param connected whether messages can go out now
 * @param queuedFrames messages that wait to go out
 * @param queuedBytes the bodies of those
 * @param sentFrames messages that went out
 * @param sentBatches how many at a time: messages of the wire, each with one or more of ours
 * @param sentBytes of bodies
 * @param droppedFrames messages that did not go out: no room, no connection, or too late
 * @param connects connections that were made
 */
public record ChannelFigures(
    PeerAddress peer,
    ChannelClass channel,
    boolean connected,
    int queuedFrames,
    long queuedBytes,
    long sentFrames,
    long sentBatches,
    long sentBytes,
    long receivedFrames,
    long receivedBatches,
    long receivedBytes,
    long droppedFrames,
    long connects) {}
