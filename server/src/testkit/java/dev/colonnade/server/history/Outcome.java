package dev.colonnade.server.history;

/** What a client knows of a change that it asked for. */
public enum Outcome {
  /** It was acknowledged. */
  DONE,
  /** It was refused before anything was written; it must never be seen. */
  REFUSED,
  /** It is never known: the write may show, now or later, or not. */
  UNKNOWN
}
