package dev.colonnade.server.service.rpc;

/** Accounts for the memory of the answer that a call builds. Thread-safe. */
interface AnswerMemory {

  /**
   * Reserves the memory of a part of an answer: heap while it is built, and its encoded size until
   * it is sent.
   *
   * @return false if there is not enough; nothing is held then
   */
  boolean holdAnswer(long heapBytes, long encodedBytes);

  /**
   * Corrects the heap reserved for a part of an answer.
   *
   * @param heapBytes to hold in addition; negative to release
   * @return false if there is not enough
   */
  boolean correctAnswer(long heapBytes);

  /** The accounts of the connection that the call came on. */
  ConnectionMemory connection();
}
