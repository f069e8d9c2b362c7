package dev.colonnade.cli.demo;

/** Kills a node during a tour. */
public interface Outage {

  /**
   * Kills a node that the tour's client is not connected to.
   *
   * @return what happened, as a sentence
   */
  String happen();
}
