package dev.colonnade.cli.demo.story;

import dev.colonnade.client.KeyspaceDefinition;

/** One example of the articles, driven, told and checked. Stateless. */
public interface Walkthrough {

  /** How it is called on the command line. */
  String name();

  /** What it shows, as a headline. */
  String title();

  /** The keyspace that it needs: created before each run, and dropped after it. */
  KeyspaceDefinition keyspace();

  /**
   * Makes the calls, tells them and checks their answers.
   *
   * @throws dev.colonnade.client.ColonnadeException when a call fails that should not
   */
  void run(Guide guide);
}
