package dev.colonnade.server.base.memory;

/** The uses of memory, by which figures are reported. */
public enum MemoryUse {
  /** Incoming messages of clients until they are decoded. Direct memory. */
  RECEIVING,
  /** Requests from decoding until they are done, queues on the way included. Heap. */
  REQUESTS,
  /** Answers that are being assembled. Heap. */
  ANSWERS,
  /** Encoded answers that their readers have not taken. Direct memory. */
  SENDING,
  /** Incoming messages of other nodes. Direct memory. */
  PEERS_RECEIVING,
  /** Requests of other nodes that are being served. Heap. */
  PEER_REQUESTS,
  /** Messages that wait to be sent to other nodes. Heap. */
  PEERS_SENDING
}
