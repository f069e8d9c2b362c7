package dev.colonnade.server.cluster.net;

/**
 * Counts of messages in one channel class to and from one peer, since it was first contacted or
 * last forgotten.
 *
 * @param connected whether messages can be sent now
 * @param queuedFrames messages queued for sending
 * @param queuedBytes bytes of their bodies
 * @param sentFrames messages sent
 * @param sentBatches wire messages sent, each of which carries one or more frames
 * @param sentBytes bytes of bodies sent
 * @param droppedFrames messages not sent: no room, no connection, or too late
 * @param connects connections made
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
