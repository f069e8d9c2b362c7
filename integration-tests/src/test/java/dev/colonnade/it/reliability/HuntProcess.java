package dev.colonnade.it.reliability;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** What a process of {@link Hunt} does: runs test classes once, and writes down how each ended. */
final class HuntProcess implements TestExecutionListener {

  /**
   * How a test ended, or a class that did not get as far as its tests.
   *
   * @param test the class's name, and the method's
   * @param failure the first line of what it said; empty if it passed
   */
  record Ending(String test, String failure) {}

  private static final Gson GSON = new Gson();

  private final Path results;

  private HuntProcess(Path results) {
    this.results = results;
  }

  /** Arguments: file of results, and the classes. */
  public static void main(String[] args) {
    List<String> classes = Arrays.asList(args).subList(1, args.length);
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(classes.stream().map(DiscoverySelectors::selectClass).toList())
            .build();
    LauncherFactory.create().execute(request, new HuntProcess(Path.of(args[0])));
    // Threads of a test that failed may be left.
    System.exit(0);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
    if (!test.isTest() && !failed) {
      return;
    }
    result.getThrowable().ifPresent(Throwable::printStackTrace);
    String said =
        result.getThrowable().map(Throwable::toString).orElse("").lines().findFirst().orElse("");
    write(new Ending(name(test), failed ? "failed: " + said : ""));
  }

  private static String name(TestIdentifier test) {
    return test.getSource()
        .map(
            source ->
                source instanceof MethodSource method
                    ? method.getClassName() + "#" + method.getMethodName()
                    : source instanceof ClassSource type ? type.getClassName() : null)
        .orElse(test.getDisplayName());
  }

  private void write(Ending ending) {
    try {
      Files.writeString(
          results,
          GSON.toJson(ending) + "\n",
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
