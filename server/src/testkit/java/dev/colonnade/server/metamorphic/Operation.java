package dev.colonnade.server.metamorphic;

import java.util.List;

/** One step of a list. What it prints is what somebody needs to do the same by hand. */
interface Operation {

  /** Does it. What comes back is compared between targets; empty if there is nothing to compare. */
  List<Object> run(Target target) throws Exception;

  /** The same with less to it, to find the smallest list that fails. */
  default List<Operation> smaller() {
    return List.of();
  }
}
