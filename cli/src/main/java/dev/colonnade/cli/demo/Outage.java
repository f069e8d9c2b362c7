package dev.colonnade.cli.demo;

/** Takes a node away from under a tour. */
public interface Outage {

  /**
   * Kills a node that the tour's client is not connected to.
   *
   * @return what happened, as a sentence
   */
  String happen();
}
