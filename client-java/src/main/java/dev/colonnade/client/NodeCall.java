package dev.colonnade.client;

/** A call on one node, ready to be made, once. */
interface NodeCall<R> extends Call<R> {

  /** Makes the call, for a thread that will wait for it. */
  Attempt<R> begin();

  @Override
  default R execute() {
    return begin().result();
  }
}
