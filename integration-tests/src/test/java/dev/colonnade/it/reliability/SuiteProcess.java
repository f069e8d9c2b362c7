package dev.colonnade.it.reliability;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * What the process of a suite does: runs it for one seed after another and appends the result of
 * each run to a file. Most suites read their settings once, so that each run needs newly loaded
 * classes; those that run until a bug is caught do not, and thousands of seeds share the compiled
 * code.
 */
final class SuiteProcess {

  /** Arguments: suite, first seed, number of runs, file of results. */
  public static void main(String[] args) throws Exception {
    Suite suite = Suite.named(args[0]);
    long seed = Long.parseLong(args[1]);
    int runs = suite.seedProperty() == null ? 1 : Integer.parseInt(args[2]);
    Path results = Path.of(args[3]);
    boolean over = false;
    for (int i = 0; i < runs && !over; i++, seed += suite.seedsBetweenRuns()) {
      SuiteRun run = run(suite, seed);
      over = suite.seedsMax() > 0 && run.caught();
      Files.writeString(
          results,
          new Gson().toJson(run) + "\n",
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
    // Threads of a store that a bug has wrecked may be left.
    System.exit(0);
  }

  private SuiteProcess() {}

  private static SuiteRun run(Suite suite, long seed) throws Exception {
    if (suite.seedProperty() != null) {
      System.setProperty(suite.seedProperty(), Long.toString(seed));
    }
    long from = System.nanoTime();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    // Chronicle Map keeps classes by name for as long as the process lives, so suites that need no
    // other settings later share one class loader.
    boolean isFresh = suite.seedProperty() == null || suite.seedsMax() > 0;
    try (URLClassLoader fresh = isFresh ? null : new FreshClasses()) {
      ClassLoader loader = fresh == null ? before : fresh;
      thread.setContextClassLoader(loader);
      LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
      for (String name : suite.classes()) {
        String[] parts = name.split("#", 2);
        Class<?> tests = loader.loadClass(parts[0]);
        request.selectors(
            parts.length == 1
                ? DiscoverySelectors.selectClass(tests)
                : DiscoverySelectors.selectMethod(tests, parts[1]));
      }
      LauncherFactory.create().execute(request.build(), listener);
    } finally {
      thread.setContextClassLoader(before);
    }
    TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(new PrintWriter(System.err, true, StandardCharsets.UTF_8), 20);
    return new SuiteRun(
        suite.label(),
        suite.seedProperty() == null ? 0 : seed,
        summary.getTestsFoundCount(),
        summary.getTotalFailureCount(),
        (System.nanoTime() - from) / 1_000_000,
        summary.getFailures().stream()
            .map(
                failure ->
                    failure.getTestIdentifier().getDisplayName() + ": " + failure.getException())
            .findFirst()
            .orElse(""));
  }

  /** Loads the node's classes and its tests for itself, even if they were loaded before. */
  private static final class FreshClasses extends URLClassLoader {
    FreshClasses() throws IOException {
      super(classPath(), SuiteProcess.class.getClassLoader());
    }

    private static URL[] classPath() throws MalformedURLException {
      List<URL> urls = new ArrayList<>();
      for (String entry :
          System.getProperty("java.class.path").split(java.io.File.pathSeparator, -1)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
      return urls.toArray(URL[]::new);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("dev.colonnade.server.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }
}
