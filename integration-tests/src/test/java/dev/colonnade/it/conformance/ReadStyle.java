package dev.colonnade.it.conformance;

/** The ways to make the same calls; all must give the same answers. */
enum ReadStyle {
  /** One call, pages of the default size. */
  UNARY,
  /** Many calls with the smallest page there is: one column. */
  SMALL_PAGES,
  /** The streaming calls, in small chunks. */
  STREAMS,
  /** As {@link #UNARY}, all calls on a session, writes too. */
  SESSION
}
