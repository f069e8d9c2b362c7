package dev.colonnade.server.cluster;

/** x */
public final class Simulate {
  private Simulate() {}

  public static void main(String[] args) {
    long from = Long.parseLong(args[0]);
    for (long seed = from; seed < from + Long.parseLong(args[1]); seed++) {
      long begin = System.nanoTime();
      RunReport report = DataRun.of(seed, DataRun.Settings.DEFAULT);
      System.out.println(
          seed
              + " "
              + Long.toHexString(report.hash())
              + " events "
              + report.events()
              + " age "
              + report.age()
              + " acked "
              + report.acknowledged()
              + " of "
              + (report.acknowledged() + report.refused())
              + " reads "
              + report.answered()
              + " settled "
              + report.settled()
              + " "
              + report.faults()
              + " ms "
              + (System.nanoTime() - begin) / 1_000_000);
      report.violations().stream().limit(10).forEach(v -> System.out.println("   ! " + v));
      if (args.length > 2) {
        report.trace().forEach(System.out::println);
      }
    }
  }
}
