package dev.colonnade.it.conformance;

/** The ways to read the same columns; all must give the same answer. */
enum ReadStyle {
  /** One call, pages of the default size. */
  UNARY,
  /** Many calls with the smallest page there is: one column. */
  SMALL_PAGES,
  /** The streaming calls, in small chunks. */
  STREAMS
}
