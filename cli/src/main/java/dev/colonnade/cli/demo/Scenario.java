package dev.colonnade.cli.demo;

import java.util.List;

/** One walkthrough. It creates the schema it needs, so that each can run alone on an empty node. */
public interface Scenario {

  /** What it shows, as a headline. */
  String title();

  /**
   * Makes the calls and compares the answers.
   *
   * @return every promise with what was found, in the order in which they were looked at
   * @throws io.grpc.StatusRuntimeException when a call fails that should not
   */
  List<Check> run(Calls calls);
}
