package dev.colonnade.it.reliability;

/**
 * The result of one run of a suite.
 *
 * @param suite its name
 * @param seed of the run; 0 if the suite has none
 * @param tests how many there were
 * @param failed how many of them failed
 * @param millis how long it took
 * @param first what the first failure said; empty if there was none
 */
record SuiteRun(String suite, long seed, long tests, long failed, long millis, String first) {
  boolean caught() {
    return failed > 0;
  }
}
