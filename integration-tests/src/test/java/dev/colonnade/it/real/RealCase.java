package dev.colonnade.it.real;

import dev.colonnade.it.ClassArchive;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** A fault that is injected into real nodes repeatedly. */
interface RealCase {

  /** Gives the archive of classes that all cases share. */
  interface Classes {
    /** Gives it, and makes it the first time. */
    ClassArchive archive() throws IOException;
  }

  /**
   * How much of it, and by what seed.
   *
   * @param folder empty, for the data of nodes
   * @param classes for nodes that are to start quickly; made when first asked for
   * @param random for every choice; a machine's own timing is not repeated by it
   */
  record Plan(Path folder, Classes classes, int rounds, Random random) {}

  /**
   * The result.
   *
   * @param rounds that were run to their end
   * @param acknowledged acknowledged writes, all of which were looked for
   * @param figures the measurements, as text
   * @param violations promises that were not kept; empty if there are none
   */
  record Outcome(
      int rounds, long acknowledged, String figures, List<String> violations, Duration took) {}

  /** What it is called on the command line: words with hyphens, the part first. */
  String name();

  /** What it does, in one line. */
  String what();

  /** Why this machine cannot run it; empty if it can. */
  String missing() throws IOException;

  /** Runs it. */
  Outcome run(Plan plan) throws IOException, InterruptedException;
}
