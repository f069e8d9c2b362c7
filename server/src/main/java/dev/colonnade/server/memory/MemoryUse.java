package dev.colonnade.server.memory;

/** What memory is held for; the kinds that figures are told by. */
public enum MemoryUse {
  /** Messages of clients that are coming in, as long as they are not decoded. Direct memory. */
  RECEIVING,
  /** Requests from decoding until they are done, queues on the way included. Heap. */
  REQUESTS,
  /** Answers that are being put together. Heap. */
  ANSWERS,
  /** Encoded answers that their readers have not taken. Direct memory. */
  SENDING,
  /** Messages of other nodes that are coming in. Direct memory. */
  PEERS_RECEIVING,
  /** Requests of other nodes that are at work. Heap. */
  PEER_REQUESTS,
  /** Messages that wait for their way to other nodes. Heap. */
  PEERS_SENDING
}
